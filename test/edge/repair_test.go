package edge

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// repaired has the plan of a repair, and what a comparison finds after it.
type repaired struct {
	left []wire.Difference
}

func (r *repaired) Mend(context.Context, query.Server) ([]job.Stage, error) {
	return []job.Stage{{Name: "firewall"}, {Name: "process"}}, nil
}

func (r *repaired) Drift(context.Context, query.Server) ([]wire.Difference, error) {
	return r.left, nil
}

func (r *repaired) Compared(context.Context, query.Server) ([]wire.Difference, error) {
	return r.left, nil
}

// A look at a server is enough for attention to name files that were changed by hand and an agent that forgot everything. One repair ends the latter,
// and its event reports what it did not make again.
func TestLookFindsWhatWasLost(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		id := number(w.mine.server)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			for _, text := range []string{
				"UPDATE servers SET status = 'ready', connection_status = 'connected', is_ready = TRUE",
				"UPDATE operations SET state = 'succeeded'",
			} {
				if _, err := tx.SQL.ExecContext(ctx, text); err != nil {
					return err
				}
			}
			return nil
		})
		name := w.owner.Get(servers+"/"+w.mine.server).Want(t, 200).Text("data", "attributes", "name")
		row := func() query.Server { return must(w.App.DB.Read().Ungranted().GetServer(t.Context(), id)) }
		h := &repaired{left: []wire.Difference{{Step: "site", Path: "/home/forge/shop", What: "missing", Kept: true}}}
		p := &server.Provisioner{DB: w.App.DB, Keys: &server.Keys{Box: w.App.Box}, PHP: php.Finder{Ledger: w.App.Ledger}}
		named := func(when string, want ...string) {
			t.Helper()
			var got []string
			for _, item := range attention(t, w.owner) {
				if kind, of, _ := strings.Cut(item, " "); of == name && (kind == "memory-lost" || kind == "files-changed") {
					got = append(got, kind)
				}
			}
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%s: attention names %q, want %q", when, got, want)
			}
		}
		look := func(memory string, edited []string, want ...string) {
			t.Helper()
			p.Facts = answers{wire.Facts{OS: "debian", OSVersion: "12", Memory: memory, Edited: edited}}
			if err := p.Refresh(t.Context(), row()); err != nil {
				t.Fatal(err)
			}
			named(fmt.Sprintf("memory %q and edited %q", memory, edited), want...)
		}
		look("first", []string{})
		look("first", []string{"/etc/cron.d/a"}, "files-changed")
		look("first", nil, "files-changed") // not known while a run changes the server
		look("first", []string{})
		look("second", []string{}, "memory-lost")
		look("second", []string{}, "memory-lost")

		w.owner.Post(servers+"/"+w.mine.server+"/repairs", nil).Want(t, 202)
		r := &server.Repairer{Provisioner: p, Mender: h, Drifter: h}
		op := must(w.App.DB.Read().Ungranted().GetOperation(t.Context(), w.lastOperation()))
		stages, err := r.Plan(t.Context(), nil, row(), []query.Operation{op})
		if err != nil || len(stages) != 4 || stages[1].Name != "firewall" || stages[2].Name != "process" {
			t.Fatalf("the plan is %+v, %v; it should be all aspects between two looks", stages, err)
		}
		for _, s := range stages {
			if s.After == nil {
				continue
			}
			if err := s.After(t.Context(), row()); err != nil {
				t.Fatal(err)
			}
		}
		said := w.owner.Get("/orgs/acme/servers/"+w.mine.server+"/events/"+strconv.FormatInt(*op.EventID, 10)+"/output").Want(t, 200)
		if !strings.Contains(string(said.Body), "/home/forge/shop missing") {
			t.Errorf("the event does not report what is missing: %s", said.Body)
		}
		w.settles(r, job.StateFailed)
		look("second", []string{}, "memory-lost")
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET state = 'running' WHERE id = $1", op.ID)
			return err
		})
		w.settles(r, job.StateSucceeded)
		named("repaired")
		look("second", []string{})
		look("third", []string{}, "memory-lost")
	})
}
