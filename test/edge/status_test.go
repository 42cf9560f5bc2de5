package edge

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/environment"
)

// task is an aspect whose operations settles ends.
type task interface{ Aspect() job.Aspect }

// settles ends the newest operation the way that the engine does.
func (w *world) settles(t task, state string) {
	w.T.Helper()
	w.settlesOperation(t, w.lastOperation(), state)
}

func (w *world) settlesOperation(t task, id int64, state string) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: id, State: state, UpdatedAt: tx.Micros()}); err != nil {
			return err
		}
		op, err := tx.Ungranted().GetOperation(ctx, id)
		if err != nil {
			return err
		}
		return t.Aspect().Write(ctx, tx, op, job.State(state))
	})
}

// A site's status is what it serves, and its deployment_status what was tried last.
func TestSiteSaysWhatItServes(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		const all = "/orgs/acme/sites/"
		plain := all + w.owner.Post(w.sites(w.mine.server), static("plain.example.org")).Want(t, 202).ID()
		path, _ := w.deploySite(t, "shop.example.org")
		shop := all + path[strings.LastIndex(path, "/")+1:]
		want := func(path, when, status, tried string) {
			t.Helper()
			a := w.owner.Get(path).Want(t, 200)
			if s, d := a.Text("data", "attributes", "status"), a.Text("data", "attributes", "deployment_status"); s != status || d != tried {
				t.Errorf("%s: %q and %q, want %q and %q", when, s, d, status, tried)
			}
		}
		want(shop, "while it is installed", "installing", "")
		w.ended(shop, true)
		w.ended(plain, true)
		want(plain, "a site whose files people bring", "installed", "")
		want(shop, "installed, before any deployment", "installed", "")

		deployments := &deployment.Task{}
		deploy := func(state string) {
			t.Helper()
			w.owner.Post(path+"/deployments", nil).Want(t, 202)
			w.settles(deployments, state)
		}
		w.owner.Post(path+"/deployments", nil).Want(t, 202)
		want(shop, "the first deployment waits", "never-deployed", "queued")
		first := w.lastOperation()
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			op, err := tx.Ungranted().GetOperation(ctx, first)
			if err != nil {
				return err
			}
			return deployments.Aspect().Write(ctx, tx, op, job.Begun)
		})
		want(shop, "the first deployment is done", "deploying", "deploying")
		w.settles(deployments, job.StateFailed)
		want(shop, "the first deployment failed", "never-deployed", "failed")
		deploy(job.StateSucceeded)
		want(shop, "deployed", "deployed", "finished")
		deploy(job.StateFailed)
		want(shop, "a deployment failed with an older release live", "deployed", "failed")
		deploy(job.StateCancelled)
		want(shop, "a deployment was cancelled", "deployed", "cancelled")
		w.owner.Post(path+"/deployments", nil).Want(t, 202)
		want(shop, "another one waits", "deployed", "queued")
	})
}

// The environment that is shown is the one that is asked for, else the one that the server has: not one that could not be written.
func TestEnvironmentSaysWhatHolds(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path, _ := w.deploySite(t, "shop.example.org")
		path += "/environment"
		environments := &environment.Task{Programs: none{}}
		put := func(content string) int64 {
			t.Helper()
			w.owner.Put(path, map[string]any{"environment": content}).Want(t, 202)
			return w.lastOperation()
		}
		want := func(when, content, state string) {
			t.Helper()
			w.Clock.Move(time.Second)
			a := w.owner.Get(path).Want(t, 200)
			if got, is := a.Text("data", "attributes", "content"), a.Text("data", "meta", "operation", "state"); got != content || is != state {
				t.Errorf("%s: %q %s, want %q %s", when, got, is, content, state)
			}
		}
		first := put("A=1\n")
		want("asked for", "A=1\n", "pending")
		w.settles(environments, job.StateFailed)
		want("the first failed", "", "failed")
		put("A=2\n")
		w.settles(environments, job.StateSucceeded)
		want("written", "A=2\n", "succeeded")
		put("A=3\n")
		want("asked for again", "A=3\n", "pending")
		w.settles(environments, job.StateFailed)
		want("failed again", "A=2\n", "failed")
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			op, err := tx.Ungranted().GetOperation(ctx, first)
			if err != nil {
				return err
			}
			return environments.Aspect().Write(ctx, tx, op, job.Queued)
		})
		w.settlesOperation(environments, first, job.StateSucceeded)
		want("an older one was tried again", "A=1\n", "failed")
	})
}

type none struct{}

func (none) Restart(context.Context, *db.Tx, query.OfSite) error { return nil }
