package database

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Differences between an engine and what is applied. A repair restores the rights of accounts that Hostler created and the
// extensions of databases, and nothing else: an empty database in place of a missing one would be mistaken for it.
const (
	driftRights   = "rights"
	driftMissing  = "missing"
	driftForeign  = "foreign"
	driftInactive = "inactive"
	driftPassword = "password"
)

// Drift queries an engine's state. A stopped one has none to report.
func (c *Converger) Drift(ctx context.Context, server query.Server) ([]wire.Difference, error) {
	kind := EngineOf(server)
	if kind == "" || server.DBStatus != nil && *server.DBStatus == ServiceStopped {
		return nil, nil
	}
	v, err := c.View(ctx, c.DB.Read().Ungranted(), server, nil)
	if err != nil {
		return nil, err
	}
	s, err := read(v, kind)
	if err != nil {
		return nil, err
	}
	busy, err := busyWith(ctx, c.DB.Read(), server)
	if err != nil {
		return nil, err
	}
	if s.proofs, err = s.known(); err != nil {
		return nil, err
	}
	f, err := c.look(ctx, server, s.databases, s.proofs...)
	if errors.Is(err, errSilent) {
		return []wire.Difference{{Step: stepOf("databases"), Path: s.engine.unit(), What: driftInactive}}, nil
	}
	if err != nil {
		return nil, err
	}
	return s.compare(f, busy), nil
}

// names are of databases and accounts.
type names struct{ databases, users []string }

// busyWith returns what open work is about, which may be half done on the host.
func busyWith(ctx context.Context, q *query.Granted, server query.Server) (names, error) {
	var out names
	transitional := func(status string) bool { return status != StatusInstalled && status != StatusFailed }
	databases, err := q.ListDatabases(ctx, server)
	if err != nil {
		return out, fmt.Errorf("list databases of server %d: %w", server.ID, err)
	}
	for _, d := range databases {
		if transitional(d.Status) {
			out.databases = append(out.databases, d.Name)
		}
	}
	users, err := q.ListDatabaseUsers(ctx, server)
	if err != nil {
		return out, fmt.Errorf("list database users of server %d: %w", server.ID, err)
	}
	for _, u := range users {
		if transitional(u.Status) {
			out.users = append(out.users, u.Name)
		}
	}
	return out, nil
}

// asked reports whether the inventory was asked for the password of an account. An account with another one may be in use with it: a repair leaves it.
func (s state) asked(u UserSpecification) bool {
	return slices.ContainsFunc(s.proofs, func(p proof) bool { return p.user.name.text == u.Name && p.user.host == u.Host })
}

func stepOf(what string) string { return what + " of the engine" }

// compare returns what an engine misses and what it has that is unknown here, except for what open work is about.
func (s state) compare(f found, busy names) (out []wire.Difference) {
	add := func(step, path, what string) {
		out = append(out, wire.Difference{Step: stepOf(step), Path: path, What: what, Kept: true})
	}
	for _, d := range s.databases {
		if _, there := f.database(d.name.text); !there && !slices.Contains(busy.databases, d.name.text) {
			add("databases", d.name.text, driftMissing)
		}
	}
	for _, r := range s.wanted {
		d := r.Specification
		if _, there := f.database(d.Name); !there || slices.Contains(busy.databases, d.Name) {
			continue
		}
		for _, name := range d.Extensions {
			if len(f.has(d.Name, name)) == 0 {
				out = append(out, wire.Difference{Step: stepOf("extensions"), Path: name + " in " + d.Name, What: driftMissing})
			}
		}
	}
	for _, d := range f.databases {
		known := slices.ContainsFunc(s.databases, func(k schema) bool { return k.name.text == d.name })
		if !known && !slices.Contains(busy.databases, d.name) {
			add("databases", d.name, driftForeign)
		}
	}
	for _, r := range s.users {
		u := r.Specification
		if slices.Contains(busy.users, u.Name) {
			continue
		}
		there, ok := f.account(u.Name, u.Host)
		if !ok {
			add("accounts", u.Name, driftMissing)
			continue
		}
		if s.asked(u) && !there.proven {
			add("accounts", u.Name, driftPassword)
		}
		if !u.Adopted {
			out = append(out, s.accountRights(u, f, busy)...)
			continue
		}
		if slices.ContainsFunc(f.mighty, func(m foundUser) bool { return m.name == u.Name && m.host == u.Host }) { // no such account is adopted
			out = append(out, wire.Difference{Step: stepOf("accounts"), Path: u.Name, What: driftRights, Diff: "-SUPERUSER\n", Kept: true})
		}
		for _, d := range s.databases { // whose rights are as they were found: only which databases it uses is known
			_, exists := f.database(d.name.text)
			path := u.Name + " in " + d.name.text
			switch uses, may := there.uses(d), s.may(u, d); {
			case !exists, slices.Contains(busy.databases, d.name.text), uses == may:
			case uses:
				add("grants", path, driftForeign)
			default:
				add("grants", path, driftMissing)
			}
		}
	}
	out = append(out, s.databaseRights(f, busy)...)
	out = append(out, s.publicRights(f, busy)...)
	for _, u := range slices.Concat(f.users, f.others) {
		if !s.knows(u) && !slices.Contains(busy.users, u.name) {
			add("accounts", u.name, driftForeign)
		}
	}
	for _, u := range slices.Concat(f.mighty, f.strange) {
		if s.knows(u) || slices.Contains(busy.users, u.name) {
			continue
		}
		add("accounts", u.label(s.kind), driftForeign)
		if u.name == "" && s.kind != PostgreSQL { // a repair drops it: Hostler allows no login without a name
			out[len(out)-1].Kept = false
		}
	}
	return out
}

// knows reports whether an account is recorded, or is a role of a database.
func (s state) knows(u foundUser) bool {
	return slices.ContainsFunc(s.users, func(r ledger.Resource[UserSpecification]) bool {
		return r.Specification.Name == u.name && r.Specification.Host == u.host
	}) || s.kind == PostgreSQL && slices.ContainsFunc(s.databases, func(d schema) bool {
		return u.name == postgres{}.owner(d) || u.name == postgres{}.reader(d)
	})
}
