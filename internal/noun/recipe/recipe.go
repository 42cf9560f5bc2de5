// Package recipe is scripts of an organization for its servers: bash, run as root or as the site's user forge, kept once and shared with teams.
package recipe

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// maxScript is the length of a script, in bytes.
const maxScript = 128 << 10

// Path is a recipe that the caller can see.
type Path struct {
	access.Grant
	Recipe query.Recipe
	// Organization is what the caller may do outside of the recipe: on servers their own shares count.
	Organization access.Grant
}

// Store reads recipes for callers.
type Store struct {
	DB            *db.DB
	Organizations *organization.Store
}

// Visible returns the condition on the recipes that a caller can see.
func Visible(g access.Grant) db.Cond {
	return organization.Visible(g, "team_recipes", "recipe_id", access.RecipeView)
}

// InPath loads the organization and the recipe that a path names.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := s.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("recipe")
	if err != nil {
		return Path{}, err
	}
	row, inside, err := s.Open(ctx, s.DB.Read(), org.Grant, id)
	return Path{Grant: inside, Recipe: row, Organization: org.Grant}, err
}

// Open returns the recipe with this id and what the caller may do with it; one that is shared with other teams only is not found.
func (s *Store) Open(ctx context.Context, q *query.Granted, g access.Grant, id int64) (query.Recipe, access.Grant, error) {
	row, err := q.GetRecipe(ctx, g, id)
	if err != nil {
		return row, g, fmt.Errorf("read recipe %d: %w", id, err)
	}
	teams, err := q.ListRecipeTeams(ctx, row)
	if err != nil {
		return row, g, fmt.Errorf("read teams of recipe %d: %w", id, err)
	}
	inside, err := g.Within(teams)
	return row, inside, err
}
