package database

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Operations are the operations on databases, their accounts and the engine.
type Operations struct {
	Store  *Store
	Router *api.Router
	// Backups takes new databases into backup configurations.
	Backups Backups
	// Asker reads what the engine says about a database.
	Asker Asker

	schemas  server.Parts[server.Path, query.Database, Specification, DatabaseAttributes]
	accounts server.Parts[server.Path, query.DatabaseUser, UserSpecification, DatabaseUserAttributes]
}

// NewOperations makes them.
func NewOperations(s *Store, servers *server.Store, l *ledger.Ledger, r *api.Router, backups Backups, asker Asker) *Operations {
	aspect := server.Acceptor{Ledger: l, Name: Aspect, Within: Deadline, Lasting: true}
	return &Operations{
		Store: s, Router: r, Backups: backups, Asker: asker,
		schemas: server.Parts[server.Path, query.Database, Specification, DatabaseAttributes]{
			DB: s.DB, Router: r, Noun: Databases, Acceptor: aspect,
			Load: servers.InPath, Collection: "database/schemas", Param: "database", Table: "databases",
			Get: (*query.Queries).GetDatabase, Attributes: shownSchema, More: extensions,
		},
		accounts: server.Parts[server.Path, query.DatabaseUser, UserSpecification, DatabaseUserAttributes]{
			DB: s.DB, Router: r, Noun: Users, Acceptor: aspect,
			Load: servers.InPath, Collection: "database/users", Param: "databaseUser", Table: "database_users",
			Get: (*query.Queries).GetDatabaseUser, Attributes: shownUser, More: grants,
		},
	}
}

// Backups are the backup configurations of a server.
type Backups interface {
	// Unknown returns the ids that are not configurations of a server.
	Unknown(ctx context.Context, tx *db.Tx, server query.Server, configurations []int64) (unknown []int64, err error)
	// Include adds a database to configurations of its server.
	Include(ctx context.Context, tx *db.Tx, row query.Database, configurations []int64) error
}

const (
	base = "/orgs/{organization}/servers/{server}/database"
	tag  = "Databases"
)

var (
	view   = []access.Permission{access.ServerView}
	create = []access.Permission{access.ServerCreateDatabases}
	remove = []access.Permission{access.ServerDeleteDatabases}
	manage = []access.Permission{access.ServerManageServices}
)

// Register adds the operations.
func (o *Operations) Register() {
	o.registerSchemas()
	o.registerUsage()
	o.registerUsers()
	o.registerPassword()
}

// about accepts work of the aspect that is about the engine, and asks for no resource.
func (o *Operations) about(ctx context.Context, tx *db.Tx, p server.Path, kind, action, description string) (api.Empty, error) {
	aspect := o.schemas.Acceptor
	accepted, err := aspect.Ledger.Accept(ctx, tx, aspect.Work(p, 0, kind, p.Server.ID, action, description))
	return api.Empty{Event: accepted.EventID}, err
}

// force deletes even what sites use.
var force = api.Param{Name: "force", Type: "boolean", Description: "Delete it even if sites use it."}

// forced returns the request of a deletion: ledger.Forced if the parameter says so, nil if not.
func forced[P access.Authority](c api.Call[P]) (request any, err error) {
	if set, err := c.Flag(force.Name); !set {
		return nil, err
	}
	return ledger.Forced{Force: true}, nil
}

// refuseUsed returns a conflict that names the sites which use the resource.
func refuseUsed(what string, sites []query.Site) error {
	var names []string
	for _, s := range sites {
		if s.Status != site.StatusUninstalling {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return api.Conflict("The %s is used by %s. To delete it anyway, use force=true.", what, strings.Join(names, ", "))
}

// needsEngine returns the engine of a server. A server without one is a conflict, unless fields are wrong already.
func needsEngine(f api.Fields, s query.Server) (Engine, error) {
	kind := EngineOf(s)
	if kind == "" {
		if err := f.Err(); err != nil {
			return "", err
		}
		return "", api.Conflict("The server has no database engine.")
	}
	return kind, nil
}

// checkDatabases says which of the ids in a body are no databases of the server.
func checkDatabases(ctx context.Context, tx *db.Tx, f api.Fields, server query.OnServer, ids []int64) ([]int64, error) {
	var out []int64
	for i, id := range ids {
		row, err := tx.GetDatabase(ctx, server, id)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, fmt.Errorf("read database %d: %w", id, err)
		}
		if err != nil || row.Status == StatusRemoving || row.Status == StatusFailed {
			f.Add("database_ids."+strconv.Itoa(i), "The selected database_ids.%d does not exist.", i)
			continue
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

const async = http.StatusAccepted
