package edge

import (
	"context"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// A failed deployment says why, as far as its log does, to those who can read the log, and where it can be put right.
func TestFailedDeploymentSaysWhy(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path, _ := w.deploySite(t, "shop.example.org")
		deployed := func(log string, done bool) (one string) {
			t.Helper()
			a := w.owner.Post(path+"/deployments", nil).Want(t, 202)
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				return tx.AppendOutput(ctx, query.AppendOutputParams{
					EventID: number(a.Text("data", "meta", "operation", "event_id")), Kind: "output", Step: "deploy script", Content: log, CreatedAt: tx.Micros(),
				})
			})
			one = path + "/deployments/" + a.ID()
			w.endedOperation(number(a.Text("data", "meta", "operation", "id")), done)
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				return tx.EndDeployment(ctx, number(a.ID()), map[bool]string{true: "finished", false: "failed"}[done], new(tx.Micros()))
			})
			return one
		}
		const log = "> build\nnpm ERR! Missing script: \"build\"\nnpm ERR!\n"
		failed := deployed(log, false)
		a := w.owner.Get(failed).Want(t, 200)
		cause := func(field string) any { return a.At("data", "meta", "deployment", "cause", field) }
		if cause("code") != "script-missing" || cause("remedy") != "deploy-script" || cause("line") != `npm ERR! Missing script: "build"` ||
			cause("text") != "package.json has no script build, which the deploy script runs." {
			t.Errorf("it failed because of %v", a.At("data", "meta", "deployment"))
		}
		if got := w.viewer.Get(failed).Want(t, 200).At("data", "meta", "deployment"); got != nil {
			t.Errorf("a caller without access to the log sees %v", got)
		}
		if got := w.owner.Get(deployed("it broke\n", false)).Want(t, 200).At("data", "meta", "deployment", "cause"); got != nil {
			t.Errorf("a log that says nothing known has the cause %v", got)
		}
		if got := w.owner.Get(deployed(log, true)).Want(t, 200).At("data", "meta", "deployment"); got != nil {
			t.Errorf("a deployment that went well has %v", got)
		}
	})
}
