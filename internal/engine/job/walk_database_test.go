package job_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/database"
)

// databaseDriver asks for databases of a MySQL engine, whose mark is the name.
var databaseDriver = &driver{
	kind: database.Databases.Kind, aspect: database.Aspect, noun: database.Databases, applied: database.StatusInstalled, failed: database.StatusFailed,
	aspects: func(w *walker) map[string]job.Aspect {
		asker := database.Asker{Hosts: w.host, Targets: targets{}, Clock: w.db.Clock}
		return map[string]job.Aspect{database.Aspect: database.NewConverger(w.ledger, w.db, w.box, asker).Aspect()}
	},
	prepare: withEngine,
	mark:    func(number string) string { return "d" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		row, err := tx.InsertDatabase(ctx, query.InsertDatabaseParams{ServerID: w.server.ID, Name: mark, Status: database.StatusInstalling})
		if err != nil {
			return ledger.Wish{}, err
		}
		return database.Databases.Want(row.ID, database.Specification{Name: mark})
	},
	remove: database.Databases.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetDatabase(ctx, w.server.ID, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
	holds: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := database.Databases.Row(ctx, w.db.Read(), id)
		if err != nil || row.Applied == nil {
			return "", err
		}
		return row.Applied.Name, nil
	},
}

// accountDriver asks for accounts of the engine, whose mark is the password.
var accountDriver = &driver{
	kind: database.Users.Kind, aspect: database.Aspect, noun: database.Users, applied: database.StatusInstalled, failed: database.StatusFailed,
	aspects: databaseDriver.aspects,
	prepare: withEngine,
	mark:    func(number string) string { return "p" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		name := "u_" + strings.NewReplacer("666", "sss").Replace(mark) // only its password is refused
		row, err := tx.InsertDatabaseUser(ctx, query.InsertDatabaseUserParams{ServerID: w.server.ID, Name: name, Host: "%", Status: database.StatusInstalling})
		if err != nil {
			return ledger.Wish{}, err
		}
		return withPassword(w, row.ID, database.UserSpecification{Name: name, Host: "%"}, mark)
	},
	update: func(ctx context.Context, tx *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error) {
		row, err := database.Users.Row(ctx, tx.Granted, id)
		if err != nil {
			return ledger.Wish{}, err
		}
		if row.Phase == ledger.Gone || row.Phase == ledger.Failed || row.Phase == ledger.Deleting {
			return ledger.Wish{}, db.ErrNotFound
		}
		return withPassword(w, id, row.Specification, mark)
	},
	remove: database.Users.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetDatabaseUser(ctx, w.server.ID, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
	holds: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := database.Users.Row(ctx, w.db.Read(), id)
		if err != nil || row.Applied == nil {
			return "", err
		}
		text, err := w.box.Open(passwordOf(id), row.Applied.Password)
		return string(text), err
	},
}

func passwordOf(id int64) secret.Place {
	return secret.Place{Table: "database_users", Row: fmt.Sprint(id), Column: "password"}
}

func withPassword(w *walker, id int64, spec database.UserSpecification, mark string) (ledger.Wish, error) {
	sealed, err := w.box.Seal(passwordOf(id), []byte(mark))
	if err != nil {
		return ledger.Wish{}, err
	}
	spec.Password, spec.Salt = sealed, dbaccount.Salt()
	return database.Users.Want(id, spec)
}

// withEngine gives the server an engine: MySQL, which receives passwords in clear.
func withEngine(ctx context.Context, tx *db.Tx, w *walker) error {
	if _, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET database_type = 'mysql84'"); err != nil {
		return err
	}
	var err error
	w.server, err = tx.Ungranted().GetServer(ctx, w.server.ID)
	return err
}

// engine is a MySQL that models databases and accounts, and the statements for them as Hostler words them.
type engine struct {
	databases map[string]bool
	accounts  map[string]credentials
}

type credentials struct{ password, comment, salt string }

func newEngine() *engine {
	return &engine{databases: map[string]bool{}, accounts: map[string]credentials{}}
}

// A statement may be in a literal, where quotes are doubled.
var (
	statement = regexp.MustCompile(`(CREATE|DROP) DATABASE IF (?:NOT )?EXISTS ` + "`(\\w+)`" +
		`|(CREATE|ALTER) USER (?:IF NOT EXISTS )?'+(\w+)'+@'+%'+ IDENTIFIED BY '+(\w+)'+ ATTRIBUTE '+(\{[^}]*\})|DROP USER IF EXISTS '+(\w+)'+@'+%'`)
	attribute = regexp.MustCompile(`"(comment|hostler)": "([^"]*)"`)
	asked4    = regexp.MustCompile(`WHERE USER = '(\w+)' AND HOST = '%' AND ATTRIBUTE ->> '\$\.hostler' <=> '(\w+)'`)
)

// run executes the statements of a program in order, and reports whether one is refused: earlier ones stay.
func (e *engine) run(x *wire.Exec) (out string, refused bool) {
	text := string(x.Stdin)
	for _, m := range statement.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] == "CREATE" && strings.Contains(m[2], poisoned), m[3] != "" && strings.Contains(m[5], poisoned):
			return "", true
		case m[1] == "CREATE":
			e.databases[m[2]] = true
		case m[1] == "DROP":
			delete(e.databases, m[2])
		case m[7] != "":
			delete(e.accounts, m[7])
		default:
			a, there := e.accounts[m[4]]
			if m[3] == "CREATE" && there {
				continue
			}
			a.password = m[5]
			for _, field := range attribute.FindAllStringSubmatch(m[6], -1) {
				if field[1] == "comment" {
					a.comment = field[2]
				} else {
					a.salt = field[2]
				}
			}
			e.accounts[m[4]] = a
		}
	}
	if !strings.Contains(text, "information_schema.SCHEMATA;") {
		return "", false
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(e.databases)) {
		fmt.Fprintf(&b, "database\t%x\tempty\n", name)
	}
	for _, name := range slices.Sorted(maps.Keys(e.accounts)) {
		fmt.Fprintf(&b, "account\t%x\t25\tplain\t%x\n", name, e.accounts[name].comment)
	}
	for _, m := range asked4.FindAllStringSubmatch(text, -1) {
		if a, there := e.accounts[m[1]]; there && a.salt == m[2] {
			fmt.Fprintf(&b, "password\t%s\t25\n", hex.EncodeToString([]byte(m[1])))
		}
	}
	return b.String(), false
}

// has returns the whole state of an engine, as text.
func (e *engine) has() string {
	out := strings.Join(slices.Sorted(maps.Keys(e.databases)), "\n")
	for _, a := range e.accounts {
		out += "\n" + a.password
	}
	return out
}

// Run answers queries that do not change the host.
func (h *modelHost) Run(_ context.Context, _ host.Target, run wire.Run, on func(wire.Event)) (wire.Result, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.line != up && h.line != slow {
		return wire.Result{}, errLine
	}
	for _, s := range run.Change.Steps {
		if s.Exec == nil {
			continue
		}
		if out, _ := h.engine.run(s.Exec); out != "" {
			on(wire.Event{Kind: wire.EventOutput, Text: out})
		}
	}
	return wire.Result{ID: run.ID, State: wire.StateSucceeded}, nil
}

// ForgetRun does nothing.
func (h *modelHost) ForgetRun(context.Context, host.Target, string) error { return nil }
