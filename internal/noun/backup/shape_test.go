package backup

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// storedAs ends the newest backup, whose database was dumped with a shape, and returns the proofs that were started since.
func (b *bench) storedAs(shape string) []query.Operation {
	b.t.Helper()
	row := b.backups()[0]
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		items, err := tx.Ungranted().ListBackupItems(ctx, row.ID)
		if err != nil {
			return err
		}
		for _, item := range items {
			report, err := json.Marshal(wire.ItemReport{ID: item.ID, Shape: shape})
			if err != nil {
				return err
			}
			err = tx.ReportBackupItem(ctx, query.ReportBackupItemParams{ID: item.ID, Status: itemSent, Size: 10, Report: string(report), UpdatedAt: tx.Micros()})
			if err != nil {
				return err
			}
			if err := tx.SetBackupItemKey(ctx, item.ID, itemStored, []byte("sealed"), tx.Micros()); err != nil {
				return err
			}
		}
		return nil
	})
	b.end(true)
	return b.proofs()
}

// proofs are the open operations that prove a backup.
func (b *bench) proofs() []query.Operation {
	b.t.Helper()
	ops, err := db.All[query.Operation](b.t.Context(), b.r.Store.DB.Reader(), "operations", db.Equal("action", actionVerify), db.Equal("state", job.StatePending))
	if err != nil {
		b.t.Fatal(err)
	}
	return ops
}

// proven ends a proof.
func (b *bench) proven(op query.Operation, good bool) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		state := map[bool]string{true: job.StateSucceeded, false: job.StateFailed}[good]
		if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: state, Reason: "It differs.", UpdatedAt: tx.Micros()}); err != nil {
			return err
		}
		return b.r.Aspect().Write(ctx, tx, op, endOf(good))
	})
}

// The first backup of a configuration is restored to compare at once, and so is the first one after a change of its databases; others are not.
func TestChangedDatabasesAreProvenAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	for _, c := range []struct {
		shape        string
		proves, good bool
	}{
		{"a", true, true}, {"a", false, false}, {"b", true, false}, {"b", true, true}, {"b", false, false},
	} {
		b.clock.now = b.clock.now.Add(time.Hour)
		b.tick()
		proofs := b.storedAs(c.shape)
		if (len(proofs) == 1) != c.proves || len(proofs) > 1 {
			t.Fatalf("after a backup of shape %s %d proofs were begun", c.shape, len(proofs))
		}
		if c.proves {
			b.proven(proofs[0], c.good)
		}
	}
}

// A restore under a new name that fails leaves no database behind; one over a database leaves that.
func TestFailedRestoreAsNewLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.tick()
	row := b.end(true)
	restore := func(safety *int64) {
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			items, err := tx.Ungranted().ListBackupItems(ctx, row.ID)
			if err != nil {
				return err
			}
			into := items[0].DatabaseID
			r, err := tx.InsertBackupRestore(ctx, query.InsertBackupRestoreParams{
				BackupID: row.ID, ItemID: items[0].ID, ServerID: b.srv.ID, Kind: kindDatabase, DatabaseID: into, Target: "copy", Scratch: "scratch",
				SafetyBackupID: safety, Status: StatusRunning, CreatedAt: tx.Micros(),
			})
			if err != nil {
				return err
			}
			accepted, err := b.r.begin(ctx, tx, access.Grant{OrganizationID: b.conf.OrganizationID}, b.srv, resourceRestore, r.ID, "create", "Restoring",
				createWithin, nil)
			if err != nil {
				return err
			}
			op, err := tx.Ungranted().GetOperation(ctx, accepted.OperationID)
			if err != nil {
				return err
			}
			return b.r.Aspect().Write(ctx, tx, op, endOf(false))
		})
	}
	restore(&row.ID)
	if len(b.gone) != 0 {
		t.Errorf("databases %v were removed after a failed restore over one", b.gone)
	}
	restore(nil)
	if len(b.gone) != 1 {
		t.Errorf("removed databases are %v", b.gone)
	}
}

// What a stored database is missing is named, whatever the host says.
func TestReasonNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	report, err := json.Marshal(wire.ItemReport{Left: []wire.ReportLeft{
		{Kind: "view", Name: "v_broken", Reason: "it refers to something that does not exist"}, {Kind: "table", Name: "app\x00t\x1b[31m", Reason: "x\ny"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := leftOut(query.BackupItem{Kind: kindDatabase, Name: "shop", Report: string(report)})
	if len(got) != 2 || got[0] != "shop: the view v_broken (it refers to something that does not exist)" || got[1] != "shop: the table app.t[31m (x y)" {
		t.Errorf("missing is %q", got)
	}
}
