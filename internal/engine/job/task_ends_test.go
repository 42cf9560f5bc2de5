package job_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/command"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/environment"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/log"
	"github.com/hostlerhq/hostler/internal/noun/packages"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

var updateEnds = flag.Bool("update-ends", false, "write how tasks end")

// restarts counts the programs that are started again.
type restarts struct{}

func (restarts) Restart(context.Context, *db.Tx, query.OfSite) error { return nil }

func tasks(b *bench) map[string]job.Aspect {
	return map[string]job.Aspect{
		command.Aspect: (&command.Task{}).Aspect(), recipe.Aspect: (&recipe.Task{}).Aspect(),
		packages.Aspect:    (&packages.Task{Vault: packages.Vault{Box: b.box}}).Aspect(),
		environment.Aspect: (&environment.Task{Box: b.box, Programs: restarts{}}).Aspect(), log.Aspect: (&log.Task{}).Aspect(),
		integration.MaintenanceAspect: (&integration.Task{Box: b.box}).Aspect(),
		deployment.Aspect:             (&deployment.Task{Projects: &project.Store{Box: b.box}}).Aspect(),
	}
}

// taskKind makes work of one kind, on a site of its own, and says what its row shows.
type taskKind struct {
	name string
	// begin makes the row and its work.
	begin func(ctx context.Context, tx *db.Tx, b *bench, of query.Site) (job.Work, error)
	// note records the operation on the row.
	note func(ctx context.Context, tx *db.Tx, id, operation int64) error
	// shows returns what the row says, "gone" without one.
	shows func(ctx context.Context, q *query.Queries, r query.DBTX, id int64) (string, error)
}

func sealed(b *bench, table string, id int64, column, text string) ([]byte, error) {
	return b.box.Seal(secret.Place{Table: table, Row: strconv.FormatInt(id, 10), Column: column}, []byte(text))
}

var taskKinds = []taskKind{
	{
		"command", func(ctx context.Context, tx *db.Tx, _ *bench, of query.Site) (job.Work, error) {
			row, err := tx.InsertCommand(ctx, query.InsertCommandParams{SiteID: of.ID, Command: "uptime", Status: "waiting", UserID: 1, CreatedAt: tx.Micros()})
			return job.Work{Aspect: job.Beside(command.Aspect, row.ID), SiteID: of.ID, Resource: "commands", ResourceID: row.ID, Action: "create", Lasting: true}, err
		}, func(ctx context.Context, tx *db.Tx, id, operation int64) error {
			return tx.SetCommandOperation(ctx, id, &operation)
		},
		func(ctx context.Context, q *query.Queries, _ query.DBTX, id int64) (string, error) {
			row, err := q.GetCommand(ctx, id)
			exit, reason := "-", "-"
			if row.ExitCode != nil {
				exit = strconv.FormatInt(*row.ExitCode, 10)
			}
			if row.ErrorOutput != nil {
				reason = *row.ErrorOutput
			}
			return row.Status + ", exit " + exit + ", reason " + reason, err
		},
	},
	{
		"recipe", func(ctx context.Context, tx *db.Tx, b *bench, _ query.Site) (job.Work, error) {
			row, err := tx.InsertRecipeRun(ctx, query.InsertRecipeRunParams{
				OrganizationID: b.grant.OrganizationID, ServerID: b.server.ID, Name: "uptime", RunAs: "root", Script: "uptime", CreatedAt: tx.Micros(),
			})
			return job.Work{Aspect: job.Beside(recipe.Aspect, row.ID), Resource: "recipeRuns", ResourceID: row.ID, Action: "create", Lasting: true}, err
		}, func(ctx context.Context, tx *db.Tx, id, operation int64) error {
			return tx.SetRecipeRunOperation(ctx, id, &operation)
		},
		func(ctx context.Context, q *query.Queries, _ query.DBTX, id int64) (string, error) {
			row, err := q.GetRecipeRun(ctx, id)
			return row.Status, err
		},
	},
	credentialKind("credential", "create"),
	credentialKind("removed credential", "delete"),
	{
		"environment", func(ctx context.Context, tx *db.Tx, b *bench, of query.Site) (job.Work, error) {
			row, err := tx.InsertEnvironment(ctx, query.InsertEnvironmentParams{SiteID: of.ID, Content: []byte{}, Status: "writing", CreatedAt: tx.Micros()})
			if err != nil {
				return job.Work{}, err
			}
			content, err := sealed(b, "environments", row.ID, "content", "A=1\n")
			if err == nil {
				err = tx.SealEnvironment(ctx, row.ID, content, nil, nil)
			}
			return job.Work{Aspect: job.Beside(environment.Aspect, of.ID), SiteID: of.ID, Resource: "environments", ResourceID: row.ID, Action: "update"}, err
		}, func(context.Context, *db.Tx, int64, int64) error { return nil },
		func(ctx context.Context, q *query.Queries, _ query.DBTX, id int64) (string, error) {
			row, err := q.GetEnvironment(ctx, id)
			return row.Status, err
		},
	},
	{
		"log", func(_ context.Context, _ *db.Tx, _ *bench, of query.Site) (job.Work, error) {
			return job.Work{
				Aspect: job.Beside(log.Aspect, of.ID), SiteID: of.ID, Resource: "siteLogs", ResourceID: of.ID, Action: "clear", Lasting: true,
				Request: map[string]string{"log": "nginx-access"},
			}, nil
		}, func(context.Context, *db.Tx, int64, int64) error { return nil },
		func(context.Context, *query.Queries, query.DBTX, int64) (string, error) { return "-", nil },
	},
	pageKind("page", "create", "enabling"),
	pageKind("removed page", "delete", "disabling"),
	{
		"deployment", func(ctx context.Context, tx *db.Tx, b *bench, of query.Site) (job.Work, error) {
			if _, err := tx.InsertProject(ctx, query.InsertProjectParams{
				SiteID: of.ID, Provider: "custom", Repository: "https://git.example.com/team/app.git", URL: "https://git.example.com/team/app.git", Branch: "main",
				ZeroDowntime: true, Retention: 4, Script: "true", HookHash: of.Name, HookToken: []byte{}, PrivateKey: []byte{}, SharedPaths: "[]", TimeLimit: 60,
				CreatedAt: tx.Micros(),
			}); err != nil {
				return job.Work{}, err
			}
			row, err := tx.InsertDeployment(ctx, query.InsertDeploymentParams{
				OrganizationID: b.grant.OrganizationID, ServerID: b.server.ID, SiteID: of.ID, Type: "manual", Status: deployment.StatusQueued, CreatedAt: tx.Micros(),
			})
			if err == nil {
				err = tx.NoteLatestDeployment(ctx, of.ID, &row.ID, row.Status)
			}
			return job.Work{
				Aspect: job.Beside(deployment.Aspect, of.ID), SiteID: of.ID, Resource: "deployments", ResourceID: row.ID, Action: "create",
				Lasting: true,
			}, err
		}, func(ctx context.Context, tx *db.Tx, id, operation int64) error {
			return tx.SetDeploymentOperation(ctx, id, &operation)
		},
		func(ctx context.Context, q *query.Queries, _ query.DBTX, id int64) (string, error) {
			row, err := q.GetDeployment(ctx, id)
			if err != nil {
				return "", err
			}
			code, err := q.GetProject(ctx, row.SiteID)
			live := "nothing live"
			if code.LiveDeploymentID != nil {
				live = "live"
			}
			return fmt.Sprintf("%s, site %s, %s", row.Status, code.DeploymentStatus, live), err
		},
	},
}

func credentialKind(name, action string) taskKind {
	return taskKind{name, func(ctx context.Context, tx *db.Tx, b *bench, of query.Site) (job.Work, error) {
		row, err := tx.InsertPackageCredential(ctx, query.InsertPackageCredentialParams{
			SiteID: of.ID, Kind: "composerCredentials", Name: "packages.example.com", Username: "u", Secret: []byte{}, CreatedAt: tx.Micros(),
		})
		if err != nil {
			return job.Work{}, err
		}
		word, err := sealed(b, "package_credentials", row.ID, "secret", "word")
		if err == nil {
			_, err = tx.SQL.ExecContext(ctx, "UPDATE package_credentials SET secret = $1, removing = $2 WHERE id = $3", word, action == "delete", row.ID)
		}
		return job.Work{Aspect: job.Beside(packages.Aspect, of.ID), SiteID: of.ID, Resource: "composerCredentials", ResourceID: row.ID, Action: action}, err
	}, func(ctx context.Context, tx *db.Tx, id, operation int64) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE package_credentials SET operation_id = $1 WHERE id = $2", operation, id)
		return err
	}, func(ctx context.Context, _ *query.Queries, r query.DBTX, id int64) (string, error) {
		rows, err := db.All[query.PackageCredential](ctx, r, "package_credentials", db.Equal("id", id))
		switch {
		case err != nil:
			return "", err
		case len(rows) == 0:
			return "gone", nil
		case rows[0].Removing:
			return "removing", nil
		}
		return "there", nil
	}}
}

func pageKind(name, action, status string) taskKind {
	return taskKind{name, func(ctx context.Context, tx *db.Tx, _ *bench, of query.Site) (job.Work, error) {
		row, err := tx.PutIntegration(ctx, query.PutIntegrationParams{
			SiteID: of.ID, Kind: "laravel-maintenance", Settings: `{"status":503}`, Status: status, CreatedAt: tx.Micros(),
		})
		return job.Work{
			Aspect: job.Beside(integration.MaintenanceAspect, of.ID), SiteID: of.ID, Resource: "laravelMaintenances", ResourceID: row.ID,
			Action: action,
		}, err
	}, func(ctx context.Context, tx *db.Tx, id, operation int64) error {
		return tx.SetIntegrationWork(ctx, id, nil, status, &operation)
	}, func(ctx context.Context, q *query.Queries, _ query.DBTX, id int64) (string, error) {
		row, err := q.GetIntegrationByID(ctx, id)
		if err == nil && row.Status == "" {
			return "up", nil
		}
		return row.Status, err
	}}
}

// taskEnd is one way for work to end.
type taskEnd struct {
	name string
	take func(s *staged)
}

// staged is one work of one kind at its end.
type staged struct {
	*bench
	kind taskKind
	id   int64 // of its row
	a    job.Accepted
	// said is what was seen at each look.
	said []string
}

func failing(run wire.Run) (wire.Result, error) {
	return wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: "script", Reason: "it exited with 7", ExitCode: 7, Output: "no such file\n"}, nil
}

func running(wire.Run) (wire.Result, error) { return wire.Result{State: wire.StateRunning}, nil }

func lostOnce() func(run wire.Run) (wire.Result, error) {
	lost := false
	return func(run wire.Run) (wire.Result, error) {
		if !lost {
			lost = true
			return wire.Result{ID: run.ID, State: wire.StateLost, Reason: "the server restarted"}, nil
		}
		return done(run)
	}
}

var taskEnds = []taskEnd{
	{"succeeds", func(s *staged) { s.begin(time.Minute, done); s.ended() }},
	{"fails, and is tried again", func(s *staged) {
		s.begin(time.Minute, failing)
		s.ended()
		s.fleet.say(done)
		s.retry()
		s.ended()
	}},
	{"takes too long", func(s *staged) {
		s.begin(time.Minute, func(run wire.Run) (wire.Result, error) {
			return wire.Result{ID: run.ID, State: wire.StateTimedOut, Reason: "the limit of 1 minute"}, nil
		})
		s.ended()
	}},
	{"is cancelled before it begins", func(s *staged) {
		s.fleet.setUnsent(true)
		s.begin(time.Minute, unreachable)
		s.silent()
		s.cancel()
		s.ended()
		s.fleet.setUnsent(false)
	}},
	{"is cancelled on its server", func(s *staged) {
		s.begin(time.Minute, running)
		s.until("it runs", func() bool { return s.attempts() > 0 })
		s.look()
		s.cancel()
		s.ended()
	}},
	{"never reaches its server, and is tried again", func(s *staged) {
		s.fleet.setUnsent(true)
		s.begin(time.Minute, unreachable)
		s.silent()
		s.overdue()
		s.ended()
		s.fleet.setUnsent(false)
		s.fleet.say(done)
		s.retry()
		s.ended()
	}},
	{"runs out of time in doubt, and was done", func(s *staged) {
		s.begin(time.Minute, unreachable)
		s.silent()
		s.overdue()
		s.ended()
		s.fleet.say(done)
		s.until("the host's word arrives", func() bool {
			open, err := s.db.Read().Ungranted().ListOpenRuns(s.t.Context(), s.server.ID, s.operation().Aspect)
			return err == nil && len(open) == 0
		})
		s.ended()
	}},
	{"runs out of time in doubt, and had failed", func(s *staged) {
		s.begin(time.Minute, unreachable)
		s.silent()
		s.overdue()
		s.ended()
		s.fleet.say(failing)
		s.until("the host's word arrives", func() bool {
			open, err := s.db.Read().Ungranted().ListOpenRuns(s.t.Context(), s.server.ID, s.operation().Aspect)
			return err == nil && len(open) == 0
		})
		s.ended()
	}},
	{"is lost with its server", func(s *staged) { s.begin(time.Minute, lostOnce()); s.ended() }},
	{"outlives the panel", func(s *staged) {
		s.begin(time.Minute, running)
		s.until("it runs", func() bool { return s.attempts() > 0 })
		s.stop()
		s.fleet.say(done)
		s.start()
		s.ended()
	}},
	{"loses its site", func(s *staged) {
		s.fleet.setUnsent(true)
		s.begin(time.Minute, unreachable)
		s.silent()
		op := s.operation()
		if op.SiteID != nil {
			s.tx(func(ctx context.Context, tx *db.Tx) error {
				return ledger.New(s.queue, site.Sites).Adopt(ctx, tx, s.server.ID, site.Sites.Removal(*op.SiteID))
			})
		}
		s.fleet.setUnsent(false)
		s.fleet.say(done)
		s.ended()
	}},
}

func (f *fleet) setUnsent(is bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unsent, f.runs, f.starts = is, nil, map[string]int{}
}

func (s *staged) begin(within time.Duration, answer func(wire.Run) (wire.Result, error)) {
	s.t.Helper()
	s.fleet.say(answer)
	s.tx(func(ctx context.Context, tx *db.Tx) error {
		of, err := tx.InsertSite(ctx, query.InsertSiteParams{
			OrganizationID: s.grant.OrganizationID, ServerID: s.server.ID, Name: fmt.Sprintf("site-%d.example.com", tx.Micros()), Type: sitetype.PHP,
			Status: site.StatusInstalled, UnixUser: "forge", WebDirectory: "/", PHPVersion: "php84", WWWRedirectType: "none", CreatedAt: tx.Micros(),
		})
		if err != nil {
			return err
		}
		wish, err := site.Sites.Want(of.ID, site.Specification{
			Name: of.Name, Type: of.Type, User: of.UnixUser, WebDirectory: of.WebDirectory, PHPVersion: of.PHPVersion, Enclosed: true,
		})
		if err != nil {
			return err
		}
		if err := ledger.New(s.queue, site.Sites).Adopt(ctx, tx, s.server.ID, wish); err != nil {
			return err
		}
		w, err := s.kind.begin(ctx, tx, s.bench, of)
		if err != nil {
			return err
		}
		s.id = w.ResourceID
		w.Grant, w.ServerID, w.Ready, w.Description, w.RanAs, w.Within = s.grant, s.server.ID, true, "Doing "+s.kind.name, "root", within
		if s.a, err = s.queue.Begin(ctx, tx, w); err != nil {
			return err
		}
		return s.kind.note(ctx, tx, s.id, s.a.OperationID)
	})
}

// silent waits until it is noted that the server does not answer.
func (s *staged) silent() {
	s.t.Helper()
	s.until("the server is known to be silent", func() bool { return s.operation().Reason == "The server does not answer." })
}

// overdue lets the time of the work pass.
func (s *staged) overdue() {
	s.t.Helper()
	s.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET deadline = $1 WHERE id = $2", tx.Micros()-1, s.a.OperationID)
		return err
	})
	if err := s.engine.Sweep(s.t.Context()); err != nil { // before the next attempt
		s.t.Fatal(err)
	}
}

func (s *staged) operation() query.Operation {
	s.t.Helper()
	op, err := s.db.Read().Ungranted().GetOperation(s.t.Context(), s.a.OperationID)
	if err != nil {
		s.t.Fatal(err)
	}
	return op
}

func (s *staged) cancel() {
	s.t.Helper()
	s.tx(func(ctx context.Context, tx *db.Tx) error { return s.queue.Cancel(ctx, tx, s.a.OperationID) })
}

func (s *staged) retry() {
	s.t.Helper()
	s.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := s.engine.Retry(ctx, tx, s.a.OperationID, 1); err != nil {
			return err
		}
		return s.see(ctx, tx.Ungranted(), tx.SQL) // before it begins
	})
}

// ended waits for the end, and looks.
func (s *staged) ended() {
	s.t.Helper()
	s.until("the work ends", func() bool {
		switch s.operation().State {
		case job.StatePending, job.StateRunning:
			return false
		}
		return true
	})
	s.look()
}

// look notes what the row, the operation and the event say.
func (s *staged) look() {
	s.t.Helper()
	if err := s.see(s.t.Context(), s.db.Read().Ungranted(), s.db.Reader()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *staged) see(ctx context.Context, q *query.Queries, r query.DBTX) error {
	op, err := q.GetOperation(ctx, s.a.OperationID)
	if err != nil {
		return err
	}
	row, err := s.kind.shows(ctx, q, r, s.id)
	if errors.Is(err, db.ErrNotFound) {
		row, err = "gone", nil
	}
	if err != nil {
		return err
	}
	end := "-"
	if op.State != job.StatePending && op.State != job.StateRunning {
		lines := strings.Split(strings.TrimSpace(s.output(*op.EventID)), "\n")
		end = lines[len(lines)-1]
	}
	state := op.State
	if state == job.StatePending || state == job.StateRunning {
		state = "open" // which of both is a matter of moments
	}
	s.said = append(s.said, fmt.Sprintf("row %s; operation %s, step %q, %s: %s; event %s", row, state, op.Step, cmp.Or(op.ReasonCode, "no reason"),
		op.Reason, end))
	return nil
}

// Whatever becomes of a task, its row, its operation and its event say the same, and each kind of task says it the same way: the file in testdata is the
// table. -update-ends writes it.
func TestTasksEnd(t *testing.T) {
	t.Parallel()
	tables := make([]string, len(taskKinds))
	var all sync.WaitGroup
	for i, kind := range taskKinds { // beside each other, whatever -parallel says: they wait more than they work
		all.Go(func() {
			t.Run(kind.name, func(t *testing.T) {
				b := newBenchWith(t, tasks)
				for _, end := range taskEnds {
					s := &staged{bench: b, kind: kind}
					b.fleet.setUnsent(false)
					end.take(s)
					tables[i] += kind.name + ": " + end.name + "\n  " + strings.Join(s.said, "\n  ") + "\n"
				}
			})
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	path, got := filepath.Join("testdata", "task-ends.txt"), strings.Join(tables, "\n")
	if *updateEnds {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("tasks end like this:\n%s\nwant\n%s", got, want)
	}
}
