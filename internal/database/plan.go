package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/secret"
	"github.com/hostlerhq/hostler/internal/server"
)

const stageWithin = 5 * time.Minute

// request is what an operation on an account keeps. Nil lists leave the databases as they are.
type request struct {
	DatabaseIDs []int64 `json:"database_ids,omitempty"`
	Before      []int64 `json:"before,omitempty"`
	// Grants tells that the list is to be the account's, also where it is empty.
	Grants bool `json:"grants,omitempty"`
	// Password tells that the operation sets the password that is kept with it.
	Password bool `json:"password,omitempty"`
}

func requestOf(op query.Operation) (request, error) {
	var r request
	if err := json.Unmarshal([]byte(op.Request), &r); err != nil {
		return r, fmt.Errorf("read request of operation %d: %w", op.ID, err)
	}
	return r, nil
}

var errNoEngine = errors.New("the server has no database engine")

// Plan is the accepted work in its order: what a host has is not planned again, since no file says what an engine holds.
func (a *Converger) Plan(ctx context.Context, q *query.Queries, srv query.Server, w job.Pending) ([]job.Stage, error) {
	if len(w.Included) == 0 {
		return nil, nil
	}
	kind := EngineOf(srv)
	if kind == "" {
		return nil, job.Planned(errNoEngine)
	}
	s, err := read(ctx, q, srv, kind, w)
	if err != nil {
		return nil, err
	}
	var steps []wire.Step
	var syncs []query.Operation
	for _, op := range w.Included {
		if op.ResourceType == resourceSync {
			syncs = append(syncs, op)
			continue
		}
		more, err := a.steps(ctx, q, s, op)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	var stages []job.Stage
	if len(steps) > 0 {
		// A server that was set up with other settings gets these; they are in force when the engine starts the next time.
		if m, ok := s.engine.(mysql); ok {
			steps = append([]wire.Step{server.MySQLSettings(m.client)}, steps...)
		}
		stages = append(stages, job.Stage{Name: "databases", Within: stageWithin, Change: wire.Change{Steps: steps}})
	}
	if len(syncs) > 0 {
		stages = append(stages, job.Stage{Name: "synchronize", Within: stageWithin, Change: wire.Change{Steps: []wire.Step{s.engine.ask()}},
			After: func(ctx context.Context, srv query.Server) error {
				return a.synchronize(ctx, srv, s.engine, syncs)
			}})
	}
	return stages, nil
}

// state is the rows of a server as a plan needs them.
type state struct {
	kind      Engine
	engine    engine
	databases []query.Database
	users     []query.DatabaseUser
	deleted   func(resource string, id int64) bool
}

func read(ctx context.Context, q *query.Queries, server query.Server, kind Engine, w job.Pending) (state, error) {
	s := state{kind: kind, engine: engineFor(kind), deleted: w.Deletes}
	var err error
	if s.databases, err = q.ListDatabases(ctx, server.ID); err != nil {
		return s, fmt.Errorf("list databases: %w", err)
	}
	if s.users, err = q.ListDatabaseUsers(ctx, server.ID); err != nil {
		return s, fmt.Errorf("list database users: %w", err)
	}
	return s, nil
}

// steps are those of one operation. What it is about may be gone by now: then there is nothing to do.
func (a *Converger) steps(ctx context.Context, q *query.Queries, s state, op query.Operation) ([]wire.Step, error) {
	switch op.ResourceType {
	case resourceDatabase:
		for _, row := range s.databases {
			if row.ID == op.ResourceID {
				return s.database(row, op)
			}
		}
		return nil, nil
	case resourceUser:
		for _, row := range s.users {
			if row.ID == op.ResourceID {
				return a.user(ctx, q, s, row, op)
			}
		}
		return nil, nil
	case resourceService:
		return service(s.engine, op.Action), nil
	default:
		return nil, fmt.Errorf("unknown resource %s of operation %d", op.ResourceType, op.ID)
	}
}

func service(e engine, action string) []wire.Step {
	steps := []wire.Step{{Name: action + " " + e.unit(), Exec: &wire.Exec{Argv: []string{"systemctl", action, e.unit()}}}}
	if action == actionRestart { // PostgreSQL's unit is one for all clusters, and is active before they are
		steps = append(steps, wire.Step{Name: e.unit() + " runs", Probe: &wire.Probe{Unit: e.unit(), Within: 30 * time.Second}},
			wire.Step{Name: e.unit() + " takes connections", Probe: &wire.Probe{TCP: "127.0.0.1:" + e.port(), Within: 30 * time.Second}})
	}
	return steps
}

func (s state) database(row query.Database, op query.Operation) ([]wire.Step, error) {
	d, err := s.schema(row)
	if err != nil {
		return nil, err
	}
	if op.Action == "delete" {
		var users []user
		for _, u := range s.users {
			if known, err := s.user(u); err == nil && u.Present {
				users = append(users, known)
			}
		}
		return s.engine.dropDatabase(d, users, !row.Present), nil
	}
	var main *user
	for _, u := range s.users {
		if !u.Main || u.Status == StatusRemoving {
			continue
		}
		known, err := s.user(u)
		if err != nil {
			return nil, err
		}
		main = &known
	}
	return s.engine.createDatabase(d, main), nil
}

func (a *Converger) user(ctx context.Context, q *query.Queries, s state, row query.DatabaseUser, op query.Operation) ([]wire.Step, error) {
	u, err := s.user(row)
	if err != nil {
		return nil, err
	}
	r, err := requestOf(op)
	if err != nil {
		return nil, err
	}
	may, not, err := s.split(row, r)
	if err != nil {
		return nil, err
	}
	switch op.Action {
	case "delete":
		var made *secret.String
		if !row.Present {
			kept, err := q.LastDatabasePassword(ctx, row.ID)
			if errors.Is(err, db.ErrNotFound) {
				return nil, nil
			}
			if err != nil {
				return nil, fmt.Errorf("read password of account %d: %w", row.ID, err)
			}
			password, err := openKept(a.Box, kept)
			if err != nil {
				return nil, err
			}
			made = &password
		}
		return s.engine.dropUser(u, s.present(), made), nil
	case "create":
		password, err := a.password(ctx, q, op)
		if err != nil {
			return nil, err
		}
		return s.engine.createUser(u, password, may), nil
	default:
		var steps []wire.Step
		if r.Password {
			password, err := a.password(ctx, q, op)
			if err != nil {
				return nil, err
			}
			steps = s.engine.setPassword(u, password)
		}
		if r.Grants {
			steps = append(steps, s.engine.grant(u, may, not)...)
		}
		return steps, nil
	}
}

// split is which databases an account is to use and which it is not: all there are but for the main account, which uses every one.
func (s state) split(row query.DatabaseUser, r request) (may, not []schema, err error) {
	for _, d := range s.databases {
		asked := slices.Contains(r.DatabaseIDs, d.ID) || row.Main && d.Present && d.Status != StatusRemoving
		if s.deleted(resourceDatabase, d.ID) || !asked && !d.Present {
			continue
		}
		known, err := s.schema(d)
		if err != nil {
			return nil, nil, err
		}
		if asked {
			may = append(may, known)
		} else {
			not = append(not, known)
		}
	}
	return may, not, nil
}

// present are the databases that are on the host and stay there.
func (s state) present() []schema {
	var out []schema
	for _, d := range s.databases {
		if known, err := s.schema(d); err == nil && d.Present && !s.deleted(resourceDatabase, d.ID) {
			out = append(out, known)
		}
	}
	return out
}

func (s state) schema(row query.Database) (schema, error) {
	name, err := ParseName(s.kind, row.Name)
	if err != nil {
		return schema{}, fmt.Errorf("name of database %d: %w", row.ID, err)
	}
	return schema{id: row.ID, name: name, adopted: row.Adopted}, nil
}

func (s state) user(row query.DatabaseUser) (user, error) {
	name, err := ParseAccount(s.kind, "name", row.Name)
	if err != nil {
		return user{}, fmt.Errorf("name of database user %d: %w", row.ID, err)
	}
	return user{id: row.ID, name: name, host: row.Host, readOnly: row.ReadOnly}, nil
}
