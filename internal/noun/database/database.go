// Package database manages the databases of a server and their accounts.
package database

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Aspect is the part of a server that databases and their accounts belong to.
const Aspect = "database"

// Deadline is how long work on databases may take; an unreachable host is retried until then.
const Deadline = 10 * time.Minute

// Kinds of work without a lasting result.
const (
	resourceSync = "databaseSynchronizations"
)

// The states of a database and of an account. Failed is an addition: no other one is true for a failed creation.
const (
	StatusInstalling = "installing"
	StatusInstalled  = "installed"
	StatusUpdating   = "updating"
	StatusRemoving   = "removing"
	StatusFailed     = "failed"
)

// Specification is what a database asks of its server.
type Specification struct {
	Name string `json:"name"`
	// Adopted is set if it was found on the server, so it never gets another owner.
	Adopted bool `json:"adopted,omitempty"`
	// Extensions are those of PostgreSQL that it has, of those that are offered. It may have others, which its accounts created.
	Extensions []string `json:"extensions,omitempty"`
}

// UserSpecification is what an account asks of its server.
type UserSpecification struct {
	Name string `json:"name"`
	// Host is where MariaDB and MySQL accept it from.
	Host     string `json:"host"`
	ReadOnly bool   `json:"read_only,omitempty"`
	// Main is the account of the sites, with access to every database.
	Main    bool `json:"main,omitempty"`
	Adopted bool `json:"adopted,omitempty"`
	// Databases are the ids of the databases that it has access to. One that the server does not have is left out of a plan.
	Databases []int64 `json:"databases,omitempty"`
	// Password is sealed; nil for an adopted account. Salt is drawn for each password and identifies it; nil for a password that
	// an earlier release set.
	Password []byte `json:"password,omitempty"`
	Salt     []byte `json:"salt,omitempty"`
}

// The nouns.
var (
	Databases = &ledger.Noun[Specification]{Kind: "databases", Version: 1, Write: write, Keep: unusedDatabase}
	Users     = &ledger.Noun[UserSpecification]{Kind: "databaseUsers", Version: 1, Write: writeUser, Keep: unusedAccount}
)

// A database whose extensions change, or that an unfinished creation is found to have created, is being installed until that ends.
var statuses = map[ledger.Phase]string{
	ledger.Failed: StatusFailed, ledger.Applied: StatusInstalled, ledger.Creating: StatusInstalling,
	ledger.Updating: StatusInstalling, ledger.Deleting: StatusRemoving,
}

func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	err := put(ctx, tx, serverID, row)
	if err != nil {
		return fmt.Errorf("write database %d: %w", row.ID, err)
	}
	return nil
}

func put(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	if row.Phase == ledger.Gone {
		_, err := tx.DeleteDatabase(ctx, row.ID)
		return err
	}
	s := row.Specification
	extensions, err := stored(s.Extensions)
	if err != nil {
		return err
	}
	return tx.PutDatabase(ctx, query.PutDatabaseParams{
		ID: row.ID, ServerID: serverID, Name: s.Name, Adopted: s.Adopted, Extensions: extensions, Status: statuses[row.Phase],
		OperationID: row.OperationID,
		CreatedAt:   tx.Micros(),
	})
}

func writeUser(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[UserSpecification]) error {
	err := putUser(ctx, tx, serverID, row)
	if err != nil {
		return fmt.Errorf("write database user %d: %w", row.ID, err)
	}
	return nil
}

func putUser(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[UserSpecification]) error {
	if row.Phase == ledger.Gone {
		_, err := tx.DeleteDatabaseUser(ctx, row.ID)
		return err
	}
	s, status := row.Specification, statuses[row.Phase]
	if row.Phase == ledger.Updating {
		status = StatusUpdating
	}
	err := tx.PutDatabaseUser(ctx, query.PutDatabaseUserParams{
		ID: row.ID, ServerID: serverID, Name: s.Name, Host: s.Host, Status: status, ReadOnly: s.ReadOnly, Main: s.Main, Adopted: s.Adopted,
		Password: s.Password, OperationID: row.OperationID, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return err
	}
	if err := tx.ClearDatabaseGrants(ctx, row.ID); err != nil {
		return err
	}
	for _, id := range s.Databases {
		if err := tx.InsertDatabaseGrant(ctx, row.ID, id); err != nil {
			return err
		}
	}
	if s.Main && row.Phase == ledger.Applied && s.Salt != nil { // the password of sites of older releases is now invalid
		return tx.ForgetSitesAccount(ctx, &row.ID)
	}
	return nil
}

// Engine is the database program of a server.
type Engine string

// The engines.
const (
	MariaDB    Engine = "mariadb"
	MySQL      Engine = "mysql"
	PostgreSQL Engine = "postgres"
)

// EngineOf returns the engine of a server, by its database_type; "" if it has none.
func EngineOf(server query.Server) Engine {
	if server.DatabaseType != nil {
		for _, e := range []Engine{MariaDB, MySQL, PostgreSQL} {
			if strings.HasPrefix(*server.DatabaseType, string(e)) {
				return e
			}
		}
	}
	return ""
}

// Service is the program of an engine.
type Service struct {
	// Unit is that of systemd, Port where it takes connections.
	Unit, Port string
	// Settings write what the engine reads when it starts.
	Settings []wire.Step
}

// ServiceOf returns the program of a server's engine; ok is false where there is none.
func ServiceOf(row query.Server) (s Service, ok bool) {
	kind := EngineOf(row)
	if kind == "" {
		return s, false
	}
	e := engineFor(kind)
	s.Unit, s.Port = e.unit(), e.port()
	if m, ok := e.(mysql); ok {
		s.Settings = []wire.Step{server.MySQLSettings(m.client)}
	}
	return s, true
}

// Store reads and writes what belongs to servers that were loaded for the caller.
type Store struct {
	DB  *db.DB
	Box *secret.Box
}
