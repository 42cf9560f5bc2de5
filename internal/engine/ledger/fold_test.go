package ledger

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func TestFold(t *testing.T) {
	t.Parallel()
	a, b := "a", "b"
	old := &query.Applied{Version: 1, Specification: "old"}
	wish := func(id int64, spec *string, state string) query.ListWishedRow {
		return query.ListWishedRow{OperationID: id, Version: 1, Specification: spec, State: state, UpdatedAt: id}
	}
	for name, c := range map[string]struct {
		applied   *query.Applied
		wishes    []query.ListWishedRow // the newest first
		phase     Phase
		spec      string
		operation int64
	}{
		"creation asked for":                    {nil, []query.ListWishedRow{wish(1, &a, "pending")}, Creating, "a", 1},
		"creation failed":                       {nil, []query.ListWishedRow{wish(1, &a, "failed")}, Failed, "a", 1},
		"deletion of what failed was cancelled": {nil, []query.ListWishedRow{wish(2, nil, "cancelled"), wish(1, &a, "failed")}, Failed, "a", 2},
		"deletion of what failed succeeded":     {nil, []query.ListWishedRow{wish(2, nil, "succeeded"), wish(1, &a, "failed")}, Gone, "", 2},
		"applied":                               {old, []query.ListWishedRow{wish(1, &a, "succeeded")}, Applied, "old", 1},
		"update asked for":                      {old, []query.ListWishedRow{wish(2, &b, "running")}, Updating, "b", 2},
		"update failed":                         {old, []query.ListWishedRow{wish(2, &b, "failed")}, Applied, "old", 2},
		"two updates, both failed":              {old, []query.ListWishedRow{wish(3, &b, "failed"), wish(2, &a, "cancelled")}, Applied, "old", 3},
		"the newer of two updates failed":       {old, []query.ListWishedRow{wish(3, &b, "failed"), wish(2, &a, "running")}, Updating, "a", 2},
		"deletion asked for":                    {old, []query.ListWishedRow{wish(2, nil, "pending")}, Deleting, "old", 2},
		"deletion failed":                       {old, []query.ListWishedRow{wish(2, nil, "failed")}, Applied, "old", 2},
		"deletion asked for before creation":    {nil, []query.ListWishedRow{wish(2, nil, "pending"), wish(1, &a, "running")}, Deleting, "a", 2},
		"deletion of what is gone": {nil, []query.ListWishedRow{
			wish(3, nil, "pending"), wish(2, nil, "succeeded"),
			wish(1, &a, "succeeded"),
		}, Gone, "", 3},
		"found to be gone":                   {nil, []query.ListWishedRow{wish(1, &a, "succeeded")}, Gone, "", 1},
		"gone although its deletion failed":  {nil, []query.ListWishedRow{wish(2, nil, "failed"), wish(1, &a, "succeeded")}, Gone, "", 2},
		"deletion of what is gone asked for": {nil, []query.ListWishedRow{wish(2, nil, "pending"), wish(1, &a, "succeeded")}, Gone, "", 2},
		"gone when an update failed":         {nil, []query.ListWishedRow{wish(2, &b, "failed"), wish(1, &a, "succeeded")}, Failed, "b", 2},
		"nothing":                            {nil, nil, Gone, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fold(c.applied, c.wishes)
			operation := int64(0)
			if f.operation != nil {
				operation = *f.operation
			}
			if f.phase != c.phase || string(f.specification) != c.spec || operation != c.operation {
				t.Errorf("phase %d, specification %q, operation %d; want %d, %q, %d", f.phase, f.specification, operation, c.phase, c.spec, c.operation)
			}
		})
	}
}
