package job_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/formertest"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/walk"
)

// left is a walk that was ended in its midst by the program of 26 November 2026 (83077582): what was asked, and the host with its run directories. A run that
// is in Starts alone, or in the database alone, had not ended.
type left struct {
	Key       string // of the database, as JSON of bytes
	Server    int64
	Number    int
	Asked     map[int64]walk.Asked
	Doubts    map[int64]bool
	Made      map[string]int64
	Files     map[string]string
	Ended     map[string]wire.Result
	Starts    map[string]int
	Databases map[string]bool
	Accounts  map[string]struct{ Password, Comment, Salt string }
}

// resumed takes up the walk that was left on a kind of database.
func resumed(t *testing.T, dialect db.Dialect) *walker {
	t.Helper()
	c := db.Config{Dir: t.TempDir(), Clock: clock.System{}}
	if dialect == db.PostgreSQL {
		c.URL = pgtest.Database(t, "empty", nil)
	}
	formertest.Fill(t, c)
	var l left
	if err := json.Unmarshal(formertest.File(t, string(dialect)+".json"), &l); err != nil {
		t.Fatal(err)
	}
	d, err := dbtest.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	w := &walker{
		ctx: t.Context(), db: d, host: newModelHost(), nouns: drivers, number: l.Number, asked: l.Asked, doubts: l.Doubts, made: l.Made,
		homes: map[walk.Resource]int64{},
	}
	var key []byte
	if err := json.Unmarshal([]byte(l.Key), &key); err != nil {
		t.Fatal(err)
	}
	if w.box, err = secret.NewBox(key); err != nil {
		t.Fatal(err)
	}
	if w.server, err = d.Read().Ungranted().GetServer(t.Context(), l.Server); err != nil {
		t.Fatal(err)
	}
	for _, asked := range l.Asked { // parts had one site then
		if asked.Kind == redirect.Rules.Kind {
			w.homes[asked.Resource] = l.Made[site.Aspect]
		}
	}
	w.grant.OrganizationID, w.grant.Slug = w.server.OrganizationID, "main"
	h := w.host
	h.files, h.ended, h.starts, h.engine.databases = l.Files, l.Ended, l.Starts, l.Databases
	for name, a := range l.Accounts {
		h.engine.accounts[name] = credentials{a.Password, a.Comment, a.Salt}
	}
	return w
}

// What the program of 26 November 2026 left pending, running and in doubt comes to a true end: rows, operations and the host agree. Once the host has what the
// newer program sets up, an unrelated change of each noun does too, and nothing drifts.
func TestWorkOfAFormerPanelEnds(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			w := resumed(t, dialect)
			states := map[string]int{}
			ops, err := w.operations("pending", "running")
			for _, op := range ops {
				states[op.State]++
			}
			if err != nil || states["pending"] == 0 || states["running"] == 0 || len(w.doubts) == 0 {
				t.Fatalf("left are %v and %d doubts, %v", states, len(w.doubts), err)
			}
			if err := w.start(); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.ended(), w.agree(), w.planned(w.whole.Aspects)); err != nil {
				t.Error(err)
			}
			for i := range w.nouns {
				if err := w.take(walk.Move{What: "create", N: i}); err != nil {
					t.Error(err)
				}
			}
			if err := w.quiet(); err != nil {
				t.Error(err)
			}
			if err := errors.Join(w.stop(), w.host.startedTwice()); err != nil {
				t.Error(err)
			}
			for _, op := range ops {
				after, err := w.db.Read().Ungranted().GetOperation(t.Context(), op.ID)
				if err != nil || after.State == "pending" || after.State == "running" {
					t.Errorf("operation %d (%s %s) is %s, %v", op.ID, op.Action, op.ResourceType, after.State, err)
				}
			}
		})
	}
}
