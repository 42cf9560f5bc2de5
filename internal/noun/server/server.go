// Package server is the machines that Hostler manages: who they are, how they are reached, and what was found on them.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// Type is the purpose of a server; it determines what is installed.
type Type = string

// The types that can be provisioned.
const (
	TypeApp          Type = "app"
	TypeWeb          Type = "web"
	TypeLoadBalancer Type = "loadbalancer"
	TypeDatabase     Type = "database"
	TypeCache        Type = "cache"
	TypeWorker       Type = "worker"
	TypeMeilisearch  Type = "meilisearch"
)

// The states of a server's life.
const (
	StatusConnecting   = "connecting"   // waits for the bootstrap's call
	StatusCreating     = "creating"     // is being ordered at its provider, and calls when it boots
	StatusProvisioning = "provisioning" // is being set up
	StatusReady        = "ready"
	StatusFailed       = "failed"    // setting up failed; it can be tried again
	StatusDeleting     = "deleting"  // our keys and agent are being removed
	StatusArchiving    = "archiving" // as before, and the row stays
	StatusArchived     = "archived"
)

// What connection_status says.
const (
	ConnectionConnecting   = job.Connecting
	ConnectionConnected    = job.Connected
	ConnectionDisconnected = job.Disconnected
	ConnectionKeyChanged   = job.KeyChanged
)

// ProviderCustom is a user's own machine.
const ProviderCustom = "custom"

// Path is a server that the caller can see, as a path names it.
type Path struct {
	access.Grant
	Server query.Server
}

// Store reads servers for callers.
type Store struct {
	DB            *db.DB
	Organizations *organization.Store
}

// InPath loads the organization and the server that a path names.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := s.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("server")
	if err != nil {
		return Path{}, err
	}
	row, g, err := s.Open(ctx, s.DB.Read(), org.Grant, id)
	return Path{Grant: g, Server: row}, err
}

// Open returns the server with this id and the caller's grant on it: if it is shared with teams, what the roles there permit. A
// server that is shared only with other teams is not found.
func (s *Store) Open(ctx context.Context, q *query.Granted, g access.Grant, id int64) (query.Server, access.Grant, error) {
	row, err := q.GetOrganizationServer(ctx, g, id)
	if errors.Is(err, db.ErrNotFound) {
		return row, g, access.ErrNotFound
	}
	if err != nil {
		return row, g, fmt.Errorf("read server %d: %w", id, err)
	}
	teams, err := q.ListServerTeams(ctx, row)
	if err != nil {
		return query.Server{}, g, fmt.Errorf("read teams of server %d: %w", id, err)
	}
	inside, err := g.Within(teams)
	if err != nil {
		return query.Server{}, g, err
	}
	return row, inside, nil
}

// Holds reports whether a member of an organization currently has permissions on a server, whatever they signed in with. A role
// in the organization counts in addition to those in the server's teams: people set up servers for teams that they are not in.
func (s *Store) Holds(ctx context.Context, q *query.Granted, organizationID, user, id int64, needed ...access.Permission) (bool, error) {
	g, err := organization.GrantOf(ctx, q, organizationID, user)
	if errors.Is(err, access.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, inside, err := s.Open(ctx, q, g, id)
	if err != nil && !errors.Is(err, access.ErrNotFound) {
		return false, err
	}
	for _, p := range needed {
		ofServer := strings.HasPrefix(string(p), "server:") || strings.HasPrefix(string(p), "site:")
		if !inside.Role.Has(p) && !(g.Role.Has(p) && (g.Direct || !ofServer)) {
			return false, nil
		}
	}
	return true, nil
}

// Get returns the server with this id, if the caller can see it. Ids in paths, bodies and filters all go through it.
func (s *Store) Get(ctx context.Context, q *query.Granted, g access.Grant, id int64) (query.Server, error) {
	row, _, err := s.Open(ctx, q, g, id)
	return row, err
}

// Visible returns the condition on the servers that a caller can see. Lists of their resources use it through db.In.
func Visible(g access.Grant) db.Cond { return visibleWith(g, access.ServerView) }

// visibleWith returns the condition on the servers on which a caller has p.
func visibleWith(g access.Grant, p access.Permission) db.Cond {
	return organization.Visible(g, "team_servers", "server_id", p)
}

// VisibleOf returns the condition on rows that name their server in server_id. What is left of a server that is gone is for those who see all.
func VisibleOf(g access.Grant) db.Cond {
	own := db.Equal("organization_id", g.OrganizationID)
	if g.SeesAll() {
		return own
	}
	return db.Both(own, db.In("server_id", "servers", Visible(g)))
}

// across returns the condition of any of the grants: those that see all of their organizations share one.
func across(grants []access.Grant, of func(access.Grant) db.Cond) db.Cond {
	var all []any
	var conds []db.Cond
	for _, g := range grants {
		if g.SeesAll() {
			all = append(all, g.OrganizationID)
		} else {
			conds = append(conds, of(g))
		}
	}
	if len(all) > 0 {
		conds = append(conds, db.Equal("organization_id", all...))
	}
	return db.Any(conds...)
}

// Find returns the servers of a body on which the caller has p: an operation on one server says nothing about the others that it names.
func (s *Store) Find(ctx context.Context, tx *db.Tx, g access.Grant, p access.Permission, ids []int64) (map[int64]query.Server, error) {
	out := map[int64]query.Server{}
	var args []any
	for _, id := range ids {
		args = append(args, id)
	}
	rows, err := db.All[query.Server](ctx, tx.SQL, "servers", db.Equal("id", args...), visibleWith(g, p))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		out[row.ID] = row
	}
	return out, nil
}

// AttendedOf returns the condition on rows that name a server, in server_id, that a caller sees and that is not archived.
func AttendedOf(grants ...access.Grant) db.Cond {
	return db.Both(across(grants, VisibleOf), db.Cond{SQL: "server_id NOT IN (SELECT id FROM servers WHERE revoked)"})
}

// ErrArchived is why nothing is done on an archived server.
var ErrArchived = api.Conflict(job.Archived)

// FactsOf reads what was last found on a server; zero where nothing was.
func FactsOf(row query.Server) wire.Facts {
	var f wire.Facts
	_ = json.Unmarshal([]byte(row.Facts), &f) // written by us; an old shape leaves fields empty
	return f
}

// HasNginx reports whether sites can live on a type.
func HasNginx(t Type) bool { return t == TypeApp || t == TypeWeb || t == TypeLoadBalancer }

// HasPHP reports whether a type gets PHP.
func HasPHP(t Type) bool { return t == TypeApp || t == TypeWeb || t == TypeWorker }

// HasDatabase reports whether a type can carry a database engine.
func HasDatabase(t Type) bool { return t == TypeApp || t == TypeDatabase }

// HasCache reports whether a type gets Redis and Memcached.
func HasCache(t Type) bool { return t == TypeApp || t == TypeWeb || t == TypeCache }

// slugify makes a name fit for a host name: lower-case letters, digits and dashes.
func slugify(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
