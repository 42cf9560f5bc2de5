package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
)

// synchronize makes the record of a server match its engine: databases and accounts that were created by hand are adopted as they
// are, and those that are gone are forgotten. Subjects of open work are left to that work, and the main account stays.
func (c *Converger) synchronize(ctx context.Context, server query.Server, _ job.Stage) error {
	f, err := c.look(ctx, server, nil)
	if err == nil && EngineOf(server) == PostgreSQL { // now into each, for its extensions
		f, err = c.look(ctx, server, f.schemas())
	}
	if errors.Is(err, errSilent) {
		return &job.StageError{Reason: errSilent.Error()}
	}
	if err != nil {
		return err
	}
	err = c.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.LockServer(ctx, server.ID); err != nil {
			return err
		}
		ops, err := tx.ListPendingOperations(ctx, server, Aspect)
		if err != nil {
			return err
		}
		ops = slices.DeleteFunc(ops, func(op query.Operation) bool { return op.ResourceType != resourceSync || op.State != job.StateRunning })
		if len(ops) == 0 { // cancelled, or too late
			return nil
		}
		notes, err := c.adopt(ctx, tx, server, ops[0], f)
		if err != nil {
			return err
		}
		for _, op := range ops {
			if err := note(ctx, tx, op, strings.Join(notes, "")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("adopt databases of server %d: %w", server.ID, err)
	}
	return nil
}

func (c *Converger) adopt(ctx context.Context, tx *db.Tx, server query.Server, by query.Operation, f found) ([]string, error) {
	var notes []string
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format+"\n", args...)) }
	is := func(wish ledger.Wish, err error) error {
		if err != nil {
			return err
		}
		return c.Ledger.Record(ctx, tx, by, wish)
	}
	ids := map[string]int64{}
	rows, err := tx.ListDatabases(ctx, server)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		ids[row.Name] = row.ID
		if row.Status != StatusInstalled {
			continue
		}
		if _, there := f.database(row.Name); !there {
			say("The database %s is no longer on the server.", row.Name)
			if err := is(Databases.Removal(row.ID), nil); err != nil {
				return nil, err
			}
			continue
		}
		if has, differ := f.foundExtensions(row, say); differ {
			if err := is(Databases.Want(row.ID, Specification{Name: row.Name, Adopted: row.Adopted, Extensions: has})); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range f.databases {
		if ids[d.name] != 0 {
			continue
		}
		row, err := tx.InsertDatabase(ctx, query.InsertDatabaseParams{
			ServerID: server.ID, Name: d.name, Status: StatusInstalling, Adopted: true,
			CreatedAt: tx.Micros(),
		})
		if err != nil {
			return nil, err
		}
		ids[d.name] = row.ID
		say("Found the database %s.", d.name)
		if err := is(Databases.Want(row.ID, Specification{Name: d.name, Adopted: true, Extensions: f.has(d.name,
			dbaccount.Extensions()...)})); err != nil {
			return nil, err
		}
	}
	users, err := tx.ListDatabaseUsers(ctx, server)
	if err != nil {
		return nil, err
	}
	for _, row := range users {
		there := slices.ContainsFunc(slices.Concat(f.users, f.mighty), func(u foundUser) bool { return u.name == row.Name })
		if row.Status == StatusInstalled && !row.Main && !there {
			say("The account %s is no longer on the server.", row.Name)
			if err := is(Users.Removal(row.ID), nil); err != nil {
				return nil, err
			}
		}
	}
	for _, u := range f.users {
		if _, err := tx.GetDatabaseUserByName(ctx, server, u.name); !errors.Is(err, db.ErrNotFound) {
			if err != nil {
				return nil, err
			}
			continue
		}
		spec := UserSpecification{Name: u.name, Host: u.host, ReadOnly: u.readOnly, Adopted: true}
		for _, name := range u.databases {
			if ids[name] != 0 {
				spec.Databases = append(spec.Databases, ids[name])
			}
		}
		row, err := tx.InsertDatabaseUser(ctx, query.InsertDatabaseUserParams{
			ServerID: server.ID, Name: u.name, Host: u.host,
			Status: StatusInstalling, ReadOnly: u.readOnly, Adopted: true, CreatedAt: tx.Micros(),
		})
		if err != nil {
			return nil, err
		}
		say("Found the account %s.", u.name)
		if err := is(Users.Want(row.ID, spec)); err != nil {
			return nil, err
		}
	}
	for _, s := range f.skipped {
		say("Left out: %s", s)
	}
	if len(notes) == 0 {
		say("The server matches its records.")
	}
	return notes, nil
}

// foundExtensions returns the extensions that a database was found with, and whether they are others than recorded.
func (f found) foundExtensions(row query.Database, say func(format string, args ...any)) (has []string, differ bool) {
	had := listed(row.Extensions)
	has = both(f.has(row.Name, had...), f.has(row.Name, dbaccount.Extensions()...))
	for _, name := range both(had, has) {
		switch {
		case !slices.Contains(has, name):
			say("The database %s no longer has the extension %s.", row.Name, name)
		case !slices.Contains(had, name):
			say("Found the extension %s in the database %s.", name, row.Name)
		}
	}
	return has, !slices.Equal(had, has)
}
