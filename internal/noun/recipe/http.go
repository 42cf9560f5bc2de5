package recipe

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// RecipeAttributes are the attributes of a recipe.
type RecipeAttributes struct {
	Name      string   `json:"name"`
	Script    string   `json:"script"`
	User      string   `json:"user"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns recipes.
func (RecipeAttributes) ResourceType() string { return "recipes" }

// Resource is a recipe in a document.
type Resource = api.Resource[RecipeAttributes, api.NoRelationships]

// CreateRecipeRequest makes a recipe.
type CreateRecipeRequest struct {
	Name   string `json:"name" maxLength:"255"`
	User   string `json:"user" enum:"root,forge" doc:"The account that runs the script on a server."`
	Script string `json:"script" doc:"The script, for bash, at most 128 KiB."`
	TeamID *int64 `json:"team_id,omitempty" doc:"A team to share it with from the start."`
}

// UpdateRecipeRequest changes a recipe.
type UpdateRecipeRequest struct {
	Name   *string `json:"name,omitempty" minLength:"1" maxLength:"255"`
	User   *string `json:"user,omitempty" enum:"root,forge"`
	Script *string `json:"script,omitempty" doc:"The script, for bash, at most 128 KiB."`
}

// Operations are the operations on recipes.
type Operations struct {
	Store   *Store
	Servers *server.Store
	Queue   *job.Queue
	Router  *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/recipes", "/orgs/{organization}/recipes/{recipe}"
	view, manage := []access.Permission{access.RecipeView}, []access.Permission{access.RecipeManage}
	api.Index(o.Router, api.Operation{
		ID: "organizations.recipes.index", Method: http.MethodGet, Path: many, Tag: "Recipes", Mode: api.Sync, Permissions: view,
		Summary: "List recipes",
	}, o.Store.Organizations.InPath, o.index)
	api.Show(o.Router, api.Operation{
		ID: "organizations.recipes.show", Method: http.MethodGet, Path: single, Tag: "Recipes", Mode: api.Sync, Permissions: view,
		Summary: "Get a recipe",
	}, o.Store.InPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organization.recipes.store", Method: http.MethodPost, Path: many, Tag: "Recipes", Mode: api.Sync, Permissions: manage,
		Noun: "recipes", Summary: "Create a recipe",
	}, o.Store.Organizations.InPath, o.store)
	api.Write(o.Router, api.Operation{
		ID: "organizations.recipes.update", Method: http.MethodPut, Path: single, Tag: "Recipes", Mode: api.Sync,
		Permissions: manage, BodyOptional: true, Summary: "Update a recipe",
		Example: map[string]any{"name": "example"},
	}, o.Store.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.recipes.destroy", Method: http.MethodDelete, Path: single, Tag: "Recipes", Mode: api.Sync,
		Permissions: manage, Status: http.StatusNoContent, Summary: "Delete a recipe",
	}, o.Store.InPath, o.destroy)
	o.registerRuns(single+"/runs", view)
	o.registerShipped(view)
}

// Resources makes the documents of recipes of the organization with this slug.
func Resources(r *api.Router, slug string, rows ...query.Recipe) []Resource {
	out := make([]Resource, len(rows))
	for i, row := range rows {
		id := strconv.FormatInt(row.ID, 10)
		out[i] = Resource{
			ID: id, Links: r.Links("/orgs/" + slug + "/recipes/" + id),
			Attributes: RecipeAttributes{
				Name: row.Name, Script: row.Script, User: row.RunAs,
				CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt),
			},
		}
	}
	return out
}

// Document returns the document of one recipe.
func Document(r *api.Router, slug string, row query.Recipe) api.Document[Resource] {
	data := Resources(r, slug, row)[0]
	return api.Document[Resource]{Data: data, Location: "/orgs/" + slug + "/recipes/" + data.ID}
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.Store.DB.Reader(), c.List.Of("recipes", Visible(c.Parent.Grant)), func(rows ...query.Recipe) ([]Resource, error) {
		return Resources(o.Router, c.Parent.Slug, rows...), nil
	})
}

func (o *Operations) show(_ context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return Document(o.Router, c.Parent.Slug, c.Parent.Recipe), nil
}

func checkScript(f api.Fields, script string) {
	switch {
	case len(f["script"]) > 0:
	case strings.TrimSpace(script) == "":
		f.Add("script", "The script field is required.")
	case strings.ContainsRune(script, 0):
		f.Add("script", "The script must be text.")
	case len(script) > maxScript:
		f.Add("script", "The script must not be longer than %d bytes.", maxScript)
	}
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateRecipeRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	name := c.Fields.Trimmed("name", b.Name)
	checkScript(c.Fields, b.Script)
	if err := organization.CheckTeam(ctx, tx, c.Fields, c.Parent.Grant, access.RecipeManage, b.TeamID); err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertRecipe(ctx, query.InsertRecipeParams{
		OrganizationID: c.Parent.OrganizationID, Name: name, RunAs: b.User, Script: b.Script, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create recipe: %w", err)
	}
	if b.TeamID != nil {
		if err := tx.ShareRecipe(ctx, row.ID, *b.TeamID); err != nil {
			return none, fmt.Errorf("share recipe: %w", err)
		}
	}
	return Document(o.Router, c.Parent.Slug, row), nil
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateRecipeRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := organization.Current(ctx, tx, "recipes", tx.GetRecipe, c.Parent, c.Parent.Recipe.ID)
	if err != nil {
		return none, err
	}
	if b.Name != nil {
		row.Name = c.Fields.Trimmed("name", *b.Name)
	}
	if b.User != nil {
		row.RunAs = *b.User
	}
	if b.Script != nil {
		checkScript(c.Fields, *b.Script)
		row.Script = *b.Script
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err = tx.UpdateRecipe(ctx, query.UpdateRecipeParams{ID: row.ID, Name: row.Name, RunAs: row.RunAs, Script: row.Script, UpdatedAt: tx.Micros()})
	if err != nil {
		return none, fmt.Errorf("update recipe: %w", err)
	}
	return Document(o.Router, c.Parent.Slug, row), nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	if err := tx.DeleteRecipe(ctx, c.Parent.Recipe.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete recipe: %w", err)
	}
	return api.Empty{}, nil
}
