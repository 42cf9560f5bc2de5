package ledger

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// The few wishes that a row is made of say the same as its whole history, however that went.
func TestFoldNeedsNoHistory(t *testing.T) {
	t.Parallel()
	d := changed(t, 0)
	random := rand.New(rand.NewPCG(1, 0))
	for id := range int64(300) {
		var whole []query.ListWishedRow // the newest first
		var applied *query.Applied
		if random.IntN(2) == 0 {
			applied = &query.Applied{Kind: "rules", ID: id, ServerID: 1, OperationID: 1, Version: 1, Specification: `"applied"`}
		}
		err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			for n := range random.IntN(8) {
				op, err := tx.InsertOperation(ctx, query.InsertOperationParams{
					OrganizationID: 1, ServerID: 1, Aspect: "firewall", ResourceType: "rules", ResourceID: id, Action: "update",
					Request: "{}",
				})
				if err != nil {
					return err
				}
				// some end at once
				row := query.ListWishedRow{
					OperationID: op.ID, Version: 1,
					State:     []string{"pending", "running", "succeeded", "failed", "cancelled"}[random.IntN(5)],
					UpdatedAt: int64(random.IntN(5)),
				}
				if random.IntN(3) > 0 {
					row.Specification = new(fmt.Sprintf("%q", fmt.Sprint("wish ", n)))
				}
				if err := tx.InsertWish(ctx, query.InsertWishParams{OperationID: op.ID, Kind: "rules", ID: id, Version: 1, Specification: row.Specification}); err != nil {
					return err
				}
				if _, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET state = $1, updated_at = $2 WHERE id = $3", row.State, row.UpdatedAt, op.ID); err != nil {
					return err
				}
				if err := tx.EndWishes(ctx, op.ID); err != nil {
					return err
				}
				whole = append([]query.ListWishedRow{row}, whole...)
			}
			if applied == nil {
				return nil
			}
			return tx.PutApplied(ctx, query.PutAppliedParams(*applied))
		})
		if err != nil {
			t.Fatal(err)
		}
		var sorted []query.ListWishedRow // of open ones first
		for _, is := range []bool{true, false} {
			for _, w := range whole {
				if open(w.State) == is {
					sorted = append(sorted, w)
				}
			}
		}
		got, err := read(t.Context(), d.Read().Ungranted(), "rules", id)
		if want := fold(applied, sorted); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("history %+v, applied %v:\n got %+v\nwant %+v %v", sorted, applied != nil, got, want, err)
		}
	}
}
