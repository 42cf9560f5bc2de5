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
)

// synchronize makes the record of a server match its engine: databases and accounts that were created by hand are adopted as they
// are, and those that are gone are forgotten. Subjects of open work are left to that work, and the main account stays.
func (c *Converger) synchronize(ctx context.Context, server query.Server, _ job.Stage) error {
	f, err := c.look(ctx, server, nil)
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
		if _, there := f.database(row.Name); row.Status == StatusInstalled && !there {
			say("The database %s is no longer on the server.", row.Name)
			if err := is(Databases.Removal(row.ID), nil); err != nil {
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
		if err := is(Databases.Want(row.ID, Specification{Name: d.name, Adopted: true})); err != nil {
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
