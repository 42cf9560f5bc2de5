package ledger

import (
	"context"
	"fmt"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// BenchmarkFold measures what a row costs at each acceptance and end of an operation, for a resource that was changed so often. It takes no longer for one
// with a long history.
func BenchmarkFold(b *testing.B) {
	for _, changes := range []int{1, 20, 200, 2000} {
		b.Run(fmt.Sprintf("%d_changes", changes), func(b *testing.B) {
			d := changed(b, changes)
			for b.Loop() {
				f, err := read(b.Context(), d.Read().Ungranted(), "rules", 1)
				if err != nil || f.phase != Applied {
					b.Fatalf("phase %v: %v", f.phase, err)
				}
			}
		})
	}
}

// changed is a database with one resource that was changed so often, each time with success.
func changed(t testing.TB, changes int) *db.DB {
	t.Helper()
	ctx := context.Background()
	d, err := dbtest.Open(ctx, db.Config{Dir: t.TempDir(), Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	l := New(nil, &Noun[struct{}]{Kind: "rules", Write: func(context.Context, *db.Tx, int64, Row[struct{}]) error { return nil }})
	err = d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "main", "main", 1, 1)
		if err != nil {
			return err
		}
		server, err := tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: org.ID, Name: "web", Slug: "web", Type: "web", Provider: "custom", Status: "ready", SSHPort: 22,
			SSHUser: "root", Timezone: "UTC",
		})
		if err != nil {
			return err
		}
		for n := range int64(changes) {
			op, err := tx.InsertOperation(ctx, query.InsertOperationParams{
				OrganizationID: org.ID, ServerID: server.ID, Aspect: "firewall", ResourceType: "rules", ResourceID: 1,
				Action: "update", Request: "{}", CreatedAt: n,
			})
			if err != nil {
				return err
			}
			if err := tx.InsertWish(ctx, query.InsertWishParams{OperationID: op.ID, Kind: "rules", ID: 1, Version: 1, Specification: new("{}")}); err != nil {
				return err
			}
			if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: "succeeded", UpdatedAt: n}); err != nil {
				return err
			}
			if err := l.Settle(ctx, tx, op, true); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
