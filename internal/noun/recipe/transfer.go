package recipe

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists runs of the organization's recipes, which have their scripts.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	rows, err := db.All[query.RecipeRun](ctx, l.Rows, "recipe_runs", l.Here(), db.Cond{SQL: "shipped_recipe_id IS NULL"})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return []transfer.Item{{
		Effect: transfer.Left, Type: "recipeRuns", Name: fmt.Sprintf("Recipe runs (%d)", len(rows)),
		Text: "Deleted, because they contain this organization's scripts. Their output stays in the server's events.",
	}}, nil
}
