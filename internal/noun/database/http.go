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
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Operations are the operations on databases, their accounts and the engine.
type Operations struct {
	Store   *Store
	Servers *server.Store
	Ledger  *ledger.Ledger
	Router  *api.Router
	// Backups adds new databases to backup configurations; nil if there are none yet.
	Backups Backups
}

// Backups are the backup configurations of a server.
type Backups interface {
	// Unknown returns the ids that are not configurations of a server.
	Unknown(ctx context.Context, tx *db.Tx, server int64, configurations []int64) (unknown []int64, err error)
	// Include adds a database to configurations of its server.
	Include(ctx context.Context, tx *db.Tx, row query.Database, configurations []int64) error
}

const (
	base  = "/orgs/{organization}/servers/{server}/database"
	tag   = "Databases"
	inOrg = "organizations.servers.database."
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
	o.registerUsers()
	o.registerServices()
}

// accept accepts work of the aspect with its wishes.
func (o *Operations) accept(ctx context.Context, tx *db.Tx, p server.Path, w job.Work, wishes ...ledger.Wish) (job.Accepted, error) {
	w.Grant, w.ServerID, w.Ready, w.Aspect, w.RanAs, w.Within = p.Grant, p.Server.ID, p.Server.IsReady, Aspect, "root", Deadline
	return o.Ledger.Accept(ctx, tx, w, wishes...)
}

// force deletes even what sites use.
var force = api.Param{Name: "force", Type: "boolean", Description: "Delete it although sites use it."}

// refuseUsed returns a conflict that names the sites which use the resource, unless it is forced.
func refuseUsed(what string, forced func(string) string, sites []query.Site) error {
	var names []string
	for _, s := range sites {
		if s.Status != site.StatusUninstalling {
			names = append(names, s.Name)
		}
	}
	if v := forced(force.Name); len(names) == 0 || v == "true" || v == "1" {
		return nil
	}
	return api.Conflict("The %s is used by %s. Delete it with force=true if they need it no more.", what, strings.Join(names, ", "))
}

// needsEngine reports a server without an engine, and returns its engine.
func needsEngine(f api.Fields, s query.Server) Engine {
	kind := EngineOf(s)
	if kind == "" {
		f.Add("server", "The server has no database engine.")
	}
	return kind
}

func (o *Operations) userPath(p server.Path, id int64) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/database/users/%d", p.Slug, p.Server.ID, id)
}

func (o *Operations) schemaPath(p server.Path, id int64) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/database/schemas/%d", p.Slug, p.Server.ID, id)
}

// checkDatabases reports the ids in a body that are not databases of the server.
func checkDatabases(ctx context.Context, tx *db.Tx, f api.Fields, serverID int64, ids []int64) ([]int64, error) {
	var out []int64
	for i, id := range ids {
		row, err := tx.GetDatabase(ctx, serverID, id)
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
