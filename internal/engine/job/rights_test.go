package job_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// rights are everyone's, except for one user who left.
type rights struct{ left atomic.Int64 }

func (r *rights) Holds(_ context.Context, _ *query.Granted, _, user, _ int64, needed ...access.Permission) (bool, error) {
	return user != r.left.Load() || len(needed) == 0, nil
}

// ask accepts rules of users, which require a permission.
func (b *bench) ask(users ...int64) (rules []query.FirewallRule, accepted []job.Accepted) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		for _, user := range users {
			port := "80" + string(rune('0'+user))
			rule, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{
				ServerID: b.server.ID, Name: port, Port: portSpec(port), Type: "allow",
				Status: server.PartInstalling,
			})
			if err != nil {
				return err
			}
			wish, err := firewall.Rules.Want(rule.ID, firewall.Specification{Name: port, Port: portSpec(port), Type: firewall.Allow})
			if err != nil {
				return err
			}
			a, err := b.ledger.Accept(ctx, tx, b.work(rule, "create", time.Minute), wish)
			if err != nil {
				return err
			}
			if _, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET needs = $1, asked_by = $2 WHERE id = $3", string(access.ServerManageNetwork), user,
				a.OperationID); err != nil {
				return err
			}
			rules, accepted = append(rules, rule), append(accepted, a)
		}
		return nil
	})
	return rules, accepted
}

// What a member who left requested for an unreachable server is not done when the server is back, and what others requested is.
func TestLeaversWorkWaitsForItsServer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.unsent = true
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		// The member leaves during the first attempt: every later one asks for permissions after that.
		b.rights.left.Store(1)
		b.fleet.say(done)
		return unreachable(run)
	})
	rule, accepted := b.ask(1, 2)
	b.wantEnd(accepted[0], job.StateCancelled, "The person who requested it no longer has the permission.")
	b.wantEnd(accepted[1], job.StateSucceeded, "")
	b.wantStatus(rule[0], server.PartFailed)
	b.wantStatus(rule[1], server.PartInstalled)

	// Requested by a member with the permission, it is done.
	b.tx(func(ctx context.Context, tx *db.Tx) error { return b.engine.Retry(ctx, tx, accepted[0].OperationID, 2) })
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	// A former member's operation is not sent at all if the host does not know it yet.
	before := b.attempts()
	_, accepted = b.ask(1)
	b.wantEnd(accepted[0], job.StateCancelled, "The person who requested it no longer has the permission.")
	if n := b.attempts() - before; n != 0 {
		t.Errorf("%d runs were sent", n)
	}
}

// printing is work with a change of the service's own and then a restore, about which an engine prints anything.
func printing() job.Aspect {
	return always(nil, job.Stage{Name: "prepare", Change: wire.Change{Steps: []wire.Step{{Name: "load"}}}}, job.Stage{Name: "restore", Restore: &wire.Restore{}})
}

// A member with view access to a server wants to read an engine's messages about a restore. The work is marked as printing
// others' words from the moment that its run is recorded; a change of the service's own is not.
func TestReaderReadsOutputOfRestore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	prints := map[string]bool{}
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		var now bool
		if err := b.db.SQLDB().QueryRowContext(context.Background(), "SELECT prints FROM operations WHERE aspect = 'restore'").Scan(&now); err != nil {
			return wire.Result{}, err
		}
		prints[map[bool]string{true: "restore", false: "change"}[run.Restore != nil]] = now
		return done(run)
	})
	var a job.Accepted
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		var err error
		a, err = b.queue.Begin(ctx, tx, job.Work{
			Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: "restore", Resource: "things", ResourceID: 1,
			Action: "update", Description: "update", RanAs: "root", Within: time.Minute,
		})
		return err
	})
	op := b.wantEnd(a, job.StateSucceeded, "")
	if prints["change"] || !prints["restore"] || !op.Prints {
		t.Errorf("while each ran: %v, in the end: %v", prints, op.Prints)
	}
}

// A caller saw the server while it was being set up, and asks for work once it is ready: the work waits no longer than on any other.
func TestReadySinceItWasRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		a, err := b.queue.Begin(ctx, tx, job.Work{
			Grant: b.grant, ServerID: b.server.ID, Aspect: "restore", Resource: "things", ResourceID: 1,
			Action: "update", Description: "update", RanAs: "root", Within: time.Minute,
		})
		if err != nil {
			return err
		}
		op, err := tx.Ungranted().GetOperation(ctx, a.OperationID)
		if within := time.UnixMicro(op.Deadline).Sub(tx.Now); within > time.Minute {
			t.Errorf("it may take %v", within)
		}
		return err
	})
}
