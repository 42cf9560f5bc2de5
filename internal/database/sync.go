package database

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/secret"
)

// found is what an engine has, as far as it has a name that can be managed.
type found struct {
	databases []string
	users     []foundUser
	// skipped are names that were left out, with why, in quotes.
	skipped []string
}

type foundUser struct {
	name, host string
	databases  []string
	readOnly   bool
}

// parseInventory reads what inventory asked for. The engine's own names are left out silently, others that can't be managed are named.
func parseInventory(kind Engine, text string) (found, error) {
	var f found
	write := map[string]bool{}
	separator := map[bool]string{true: "|", false: "\t"}[kind == PostgreSQL] // what the clients put between columns
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" {
			continue
		}
		fields := strings.Split(line, separator)
		var decoded []string
		for _, field := range fields[1:] {
			raw, err := hex.DecodeString(field)
			if err != nil { // a word of ours
				raw = []byte(field)
			}
			decoded = append(decoded, string(raw))
		}
		switch {
		case fields[0] == "database" && len(decoded) == 1:
			f.addDatabase(kind, decoded[0])
		case fields[0] == "account" && len(decoded) == 3:
			f.addUser(kind, decoded[0], decoded[1], fields[3] == "super")
		case fields[0] == "grant" && len(decoded) == 4:
			f.addGrant(decoded[0], decoded[1], strings.NewReplacer(`\_`, "_", `\%`, "%").Replace(decoded[2]))
			write[decoded[0]] = write[decoded[0]] || fields[4] == "write"
		default:
			return f, fmt.Errorf("the engine answered %q", line)
		}
	}
	for i, u := range f.users {
		f.users[i].readOnly = len(u.databases) > 0 && !write[u.name]
	}
	return f, nil
}

func (f *found) addDatabase(kind Engine, name string) {
	if _, err := ParseName(kind, name); err == nil {
		f.databases = append(f.databases, name)
	} else if !strings.HasSuffix(err.Error(), ownSuffix) {
		f.skipped = append(f.skipped, fmt.Sprintf("database %q: %s", name, err))
	}
}

func (f *found) addUser(kind Engine, name, host string, super bool) {
	if name == "" || super || strings.Contains(name, ".") && kind != PostgreSQL { // mariadb.sys, mysql.session and others of the engine
		return
	}
	if _, err := ParseAccount(kind, "name", name); err != nil {
		if !strings.HasSuffix(err.Error(), ownSuffix) {
			f.skipped = append(f.skipped, fmt.Sprintf("account %q: %s", name, err))
		}
		return
	}
	if i := slices.IndexFunc(f.users, func(u foundUser) bool { return u.name == name }); i >= 0 {
		f.skipped = append(f.skipped, fmt.Sprintf("account %q of %q: there is another one of this name", name, host))
		return
	}
	if !hostText(host) {
		f.skipped = append(f.skipped, fmt.Sprintf("account %q of %q: its host can't be managed", name, host))
		return
	}
	f.users = append(f.users, foundUser{name: name, host: host})
}

// hostText tells whether an account's host is of characters that mean nothing: addresses, names and the pattern %.
func hostText(host string) bool {
	return host != "" && len(host) <= 255 && !strings.ContainsFunc(host, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".:%_-/", r)
	})
}

func (f *found) addGrant(name, host, database string) {
	for i, u := range f.users {
		if u.name == name && u.host == host {
			f.users[i].databases = append(f.users[i].databases, database)
		}
	}
}

// look asks an engine what it has.
func (a *Converger) look(ctx context.Context, server query.Server, e engine) (string, error) {
	target, err := a.Targets.Target(server)
	if err != nil {
		return "", err
	}
	run := wire.Run{ID: "database-look-" + secret.Random(8), Lane: "database-look", Deadline: time.Now().Add(time.Minute), Change: &wire.Change{Steps: []wire.Step{e.inventory()}}}
	var out strings.Builder
	result, err := a.Hosts.Run(ctx, target, run, func(ev wire.Event) {
		if ev.Kind == wire.EventOutput {
			out.WriteString(ev.Text)
		}
	})
	if err != nil {
		return "", fmt.Errorf("list databases of server %d: %w", server.ID, err)
	}
	if result.State != wire.StateSucceeded {
		return "", fmt.Errorf("list databases of server %d: %s %s", server.ID, result.Reason, result.Output)
	}
	_ = a.Hosts.ForgetRun(ctx, target, run.ID) // only to save room: the host forgets old runs by itself
	return out.String(), nil
}

// synchronize makes the rows of a server what its engine has: databases and accounts made by hand are taken on as they are, and what is gone
// from the engine is forgotten. What is being worked on is left to that work, and the main account stays.
func (a *Converger) synchronize(ctx context.Context, server query.Server, e engine, ops []query.Operation) error {
	text, err := a.look(ctx, server, e)
	if err != nil {
		return err
	}
	f, err := parseInventory(EngineOf(server), text)
	if err != nil {
		return fmt.Errorf("list databases of server %d: %w", server.ID, err)
	}
	err = a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.LockServer(ctx, server.ID); err != nil {
			return err
		}
		notes, err := a.adopt(ctx, tx, server, f)
		if err != nil {
			return err
		}
		for _, op := range ops {
			if op.EventID == nil {
				continue
			}
			if err := job.Say(ctx, tx, *op.EventID, job.Piece{Kind: "note", Content: strings.Join(notes, "")}); err != nil {
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

func (a *Converger) adopt(ctx context.Context, tx *db.Tx, server query.Server, f found) ([]string, error) {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format+"\n", args...)) }
	ids := map[string]int64{}
	rows, err := tx.ListDatabases(ctx, server.ID)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		ids[row.Name] = row.ID
		if row.Status == StatusInstalled && !slices.Contains(f.databases, row.Name) {
			note("The database %s is not on the server any more.", row.Name)
			if _, err := tx.DeleteDatabase(ctx, row.ID); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range f.databases {
		if ids[name] != 0 {
			continue
		}
		row, err := tx.InsertDatabase(ctx, query.InsertDatabaseParams{ServerID: server.ID, Name: name, Status: StatusInstalled, Adopted: true, CreatedAt: tx.Micros()})
		if err != nil {
			return nil, err
		}
		ids[name] = row.ID
		note("Found the database %s.", name)
	}
	users, err := tx.ListDatabaseUsers(ctx, server.ID)
	if err != nil {
		return nil, err
	}
	for _, row := range users {
		there := slices.ContainsFunc(f.users, func(u foundUser) bool { return u.name == row.Name })
		if row.Status == StatusInstalled && !row.Main && !there {
			note("The account %s is not on the server any more.", row.Name)
			if _, err := tx.DeleteDatabaseUser(ctx, row.ID); err != nil {
				return nil, err
			}
		}
	}
	for _, u := range f.users {
		if _, err := tx.GetDatabaseUserByName(ctx, server.ID, u.name); !errors.Is(err, db.ErrNotFound) {
			if err != nil {
				return nil, err
			}
			continue
		}
		row, err := tx.InsertDatabaseUser(ctx, query.InsertDatabaseUserParams{ServerID: server.ID, Name: u.name, Host: u.host, Status: StatusInstalled, ReadOnly: u.readOnly, Adopted: true, CreatedAt: tx.Micros()})
		if err != nil {
			return nil, err
		}
		for _, name := range u.databases {
			if ids[name] == 0 {
				continue
			}
			if err := tx.InsertDatabaseGrant(ctx, row.ID, ids[name]); err != nil {
				return nil, err
			}
		}
		note("Found the account %s.", u.name)
	}
	for _, s := range f.skipped {
		note("Left out: %s", s)
	}
	if len(notes) == 0 {
		note("The server has what is known of it.")
	}
	return notes, nil
}
