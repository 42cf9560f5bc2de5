// Package database is the databases of a server and the accounts that may use them.
package database

import (
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/secret"
)

// Aspect is the part of a server that databases and their accounts belong to.
const Aspect = "database"

// Deadline is how long work on databases may take; an unreachable host is tried until then.
const Deadline = 10 * time.Minute

// The kinds of rows that work settles.
const (
	resourceDatabase = "databases"
	resourceUser     = "databaseUsers"
	resourceService  = "databaseServices"
	resourceSync     = "databaseSynchronizations"
)

// The states of a database and of an account. Failed is an addition: a creation that failed has no other true one.
const (
	StatusInstalling = "installing"
	StatusInstalled  = "installed"
	StatusUpdating   = "updating"
	StatusRemoving   = "removing"
	StatusFailed     = "failed"
)

// Engine is the program that keeps the databases of a server.
type Engine string

// The engines.
const (
	MariaDB    Engine = "mariadb"
	MySQL      Engine = "mysql"
	PostgreSQL Engine = "postgres"
)

// EngineOf is the engine of a server, by its database_type; "" where it has none.
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

// Store reads and writes what belongs to servers that were loaded for the caller.
type Store struct {
	DB  *db.DB
	Box *secret.Box
}
