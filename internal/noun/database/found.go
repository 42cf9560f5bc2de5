package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Read queries the engine for what operations ask for, if a run did not succeed, and records that as applied: statements can't be
// rolled back. If an engine does not answer, the last known state stays.
func (c *Converger) Read(ctx context.Context, server query.Server, batch []query.Operation) error {
	kind := EngineOf(server)
	if kind == "" {
		return nil
	}
	v, err := c.View(ctx, c.DB.Read().Ungranted(), server, batch)
	if err != nil {
		return err
	}
	s, err := read(v, kind)
	if err != nil {
		return err
	}
	passwords, err := s.passwords()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(batch, func(op query.Operation) bool {
		return op.ResourceType == Databases.Kind || op.ResourceType == Users.Kind
	}) {
		return nil
	}
	changed, err := s.extensions(false)
	if err != nil {
		return err
	}
	var within []schema
	for _, e := range changed {
		within = append(within, e.schema)
	}
	f, err := c.look(ctx, server, within, passwords...)
	if err != nil && !errors.Is(err, errSilent) {
		return err
	}
	silent := err != nil
	err = c.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range batch {
			if silent {
				if err := note(ctx, tx, op, "The engine could not be queried.\n"); err != nil {
					return err
				}
				continue
			}
			is, err := s.found(f, op)
			if err == nil {
				err = c.Ledger.Record(ctx, tx, op, is...)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write what server %d has of databases: %w", server.ID, err)
	}
	return nil
}

func note(ctx context.Context, tx *db.Tx, op query.Operation, text string) error {
	if op.EventID == nil {
		return nil
	}
	return job.Say(ctx, tx, *op.EventID, job.Piece{Kind: "note", Content: text})
}

// passwords returns the passwords that the included work sets, or sets again.
func (s state) passwords() (out []proof, err error) {
	for _, r := range s.users {
		if !s.about(r.ID) {
			continue
		}
		if out, err = s.prove(out, r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// known returns the passwords of all accounts, except for those that were found with one.
func (s state) known() (out []proof, err error) {
	for _, r := range s.users {
		if out, err = s.prove(out, r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s state) prove(out []proof, r ledger.Resource[UserSpecification]) ([]proof, error) {
	if r.Specification.Password == nil {
		return out, nil
	}
	u, err := s.user(r)
	if err != nil {
		return nil, err
	}
	password, err := s.password(r)
	if err != nil {
		return nil, err
	}
	return append(out, proof{u, password}), nil
}

// found returns what an engine has of an operation's resource, if that is not what is applied.
func (s state) found(f found, op query.Operation) ([]ledger.Wish, error) {
	switch op.ResourceType {
	case Databases.Kind:
		return s.foundDatabase(f, op.ResourceID)
	case Users.Kind:
		return s.foundUser(f, op.ResourceID)
	}
	return nil, nil
}

func (s state) foundDatabase(f found, id int64) ([]ledger.Wish, error) {
	before, was, err := Databases.Before(s.v, id)
	if err != nil {
		return nil, err
	}
	spec, is, err := Databases.Get(s.v, id)
	if err != nil {
		return nil, err
	}
	if was {
		_, there := f.database(before.Name)
		if !there && !is {
			return []ledger.Wish{Databases.Removal(id)}, nil
		}
		if !there || !is { // its deletion did not begin, or it is gone
			return nil, nil
		}
		has := f.has(before.Name, both(spec.Extensions, before.Extensions)...)
		if slices.Equal(has, before.Extensions) {
			return nil, nil
		}
		before.Extensions = has
		wish, err := Databases.Want(id, before)
		return []ledger.Wish{wish}, err
	}
	there, ok := f.database(spec.Name)
	if !is || !ok || !s.engine.made(schema{id: id, name: Name{spec.Name}}, there) { // nothing, or another database
		return nil, nil
	}
	spec.Extensions = f.has(spec.Name, spec.Extensions...)
	wish, err := Databases.Want(id, spec)
	return []ledger.Wish{wish}, err
}

// both returns what is in either list, in the order of the first.
func both(first, second []string) []string {
	out := slices.Clone(first)
	for _, name := range second {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (s state) foundUser(f found, id int64) ([]ledger.Wish, error) {
	before, was, err := Users.Before(s.v, id)
	if err != nil {
		return nil, err
	}
	spec, is, err := Users.Get(s.v, id)
	if err != nil {
		return nil, err
	}
	name := spec
	if was {
		name = before
	}
	there, ok := f.account(name.Name, name.Host)
	switch {
	case was && !ok:
		return []ledger.Wish{Users.Removal(id)}, nil
	case !is, !ok, !was && !s.engine.madeUser(user{id: id, name: Account{spec.Name}}, there, there.proven):
		return nil, nil
	case was && !(there.proven && !bytes.Equal(before.Salt, spec.Salt)): // it has the previous password
		spec.Password, spec.Salt = before.Password, before.Salt
	}
	base := spec.Databases
	if was {
		base = before.Databases
	}
	spec.Databases = slices.DeleteFunc(slices.Concat(spec.Databases, before.Databases), func(d int64) bool {
		at := slices.IndexFunc(s.databases, func(known schema) bool { return known.id == d })
		return at < 0 && !slices.Contains(base, d) || at >= 0 && !there.uses(s.databases[at])
	})
	slices.Sort(spec.Databases)
	spec.Databases = slices.Compact(spec.Databases)
	wish, err := Users.Want(id, spec)
	return []ledger.Wish{wish}, err
}
