package recipe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// ForgeRecipeAttributes are the attributes of a recipe that comes with the program.
type ForgeRecipeAttributes struct {
	Name      string       `json:"name"`
	User      string       `json:"user"`
	Info      string       `json:"info" doc:"What the recipe does."`
	Script    string       `json:"script"`
	CreatedAt api.NullTime `json:"created_at" doc:"Null: the recipe is built in."`
	UpdatedAt api.NullTime `json:"updated_at" doc:"Null: the recipe is built in."`
}

// ResourceType is forgeRecipes.
func (ForgeRecipeAttributes) ResourceType() string { return "forgeRecipes" }

// ShippedResource is a recipe that comes with the program in a document.
type ShippedResource = api.Resource[ForgeRecipeAttributes, api.NoRelationships]

// ShippedRunPath is a run of a shipped recipe visible to the caller.
type ShippedRunPath struct {
	ShippedPath
	Run query.RecipeRun
}

func (o *Operations) registerShipped(view []access.Permission) {
	const many, single = "/forge-recipes", "/forge-recipes/{forgeRecipe}"
	api.Index(o.Router, api.Operation{
		ID: "forge-recipes.index", Method: http.MethodGet, Path: many, Tag: "Recipes", Mode: api.Sync, Permissions: view,
		Noun: "shipped-recipes", Summary: "List built-in recipes",
	},
		api.Self, o.shipped)
	api.Show(o.Router, api.Operation{
		ID: "forge-recipes.show", Method: http.MethodGet, Path: single, Tag: "Recipes", Mode: api.Sync, Permissions: view,
		Noun: "shipped-recipes", Summary: "Get a built-in recipe",
	},
		o.Store.Shipped, o.showShipped)
	api.Index(o.Router, api.Operation{
		ID: "forge-recipes.runs.index", Method: http.MethodGet, Path: single + "/runs", Tag: "Recipes", Mode: api.Sync,
		Permissions: view, Extension: true, Noun: "shipped-recipe-runs", Summary: "List runs of a built-in recipe",
		Description: "Lists the runs on servers of all organizations that the caller can see.", Sorts: []string{"created_at"},
	}, o.Store.Shipped, o.shippedRuns)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "forge-recipes.runs.store", Method: http.MethodPost, Path: single + "/runs", Tag: "Recipes", Mode: api.Async,
		Permissions: start, Status: http.StatusAccepted, RateLimit: api.CommandRateLimit,
		Noun: "shipped-recipes", Verb: "run", Summary: "Run a built-in recipe on servers",
		Description: "Runs on servers of any of the caller's organizations, for at most half an hour on each, in parallel with other work. The recipe is never " +
			"run twice. X-Hostler-Event is the event of the run on the first server.",
	}, o.Store.Shipped, o.runShipped)
	api.Show(o.Router, api.Operation{
		ID: "forge-recipes.runs.show", Method: http.MethodGet, Path: single + "/runs/{log}", Tag: "Recipes", Mode: api.Sync,
		Permissions: view, Extension: true, Noun: "shipped-recipe-runs", Summary: "Get a run of a built-in recipe",
	}, o.inShippedRun, o.showShippedRun)
}

func (o *Operations) shipped(_ context.Context, c api.Call[access.Actor]) (api.Collection[ShippedResource], error) {
	return api.PagedFrom(c.List, ShippedRecipes(), func(r Shipped) int64 { return r.ID }, o.shippedResource)
}

func (o *Operations) showShipped(_ context.Context, c api.Call[ShippedPath]) (api.Document[ShippedResource], error) {
	return api.Document[ShippedResource]{Data: o.shippedResource(c.Parent.Shipped)}, nil
}

func (o *Operations) shippedResource(r Shipped) ShippedResource {
	return ShippedResource{
		ID: strconv.FormatInt(r.ID, 10), Links: o.Router.Links(fmt.Sprintf("/forge-recipes/%d", r.ID)),
		Attributes: ForgeRecipeAttributes{Name: r.Name, User: r.User, Info: r.Info, Script: r.Script()},
	}
}

func runsOfShipped(r Shipped) string { return fmt.Sprintf("/forge-recipes/%d/runs", r.ID) }

func (o *Operations) shippedRuns(ctx context.Context, c api.Call[ShippedPath]) (api.Collection[LogResource], error) {
	visible := make([]db.Cond, len(c.Parent.Grants))
	for i, g := range c.Parent.Grants {
		visible[i] = server.VisibleOf(g)
	}
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("recipe_runs", db.Equal("shipped_recipe_id", c.Parent.Shipped.ID), db.Any(visible...)),
		func(rows ...runRow) ([]LogResource, error) {
			return o.logs(ctx, q, runsOfShipped(c.Parent.Shipped), rows...)
		})
}

// inShippedRun loads a run of a shipped recipe, whose server the caller has to know.
func (o *Operations) inShippedRun(ctx context.Context, actor access.Actor, path api.PathValues) (ShippedRunPath, error) {
	parent, err := o.Store.Shipped(ctx, actor, path)
	if err != nil {
		return ShippedRunPath{}, err
	}
	id, err := path.ID("log")
	if err != nil {
		return ShippedRunPath{}, err
	}
	q := o.Store.DB.Read()
	for _, g := range parent.Grants {
		run, err := q.GetOrganizationRecipeRun(ctx, g, id)
		if errors.Is(err, db.ErrNotFound) || err == nil && (run.ShippedRecipeID == nil || *run.ShippedRecipeID != parent.Shipped.ID) {
			continue
		}
		if err != nil {
			return ShippedRunPath{}, fmt.Errorf("read run %d: %w", id, err)
		}
		_, _, _, err = o.open(ctx, q, parent.Grants, run.ServerID)
		return ShippedRunPath{ShippedPath: parent, Run: run}, err
	}
	return ShippedRunPath{}, access.ErrNotFound
}

func (o *Operations) showShippedRun(ctx context.Context, c api.Call[ShippedRunPath]) (api.Document[LogResource], error) {
	return o.log(ctx, runsOfShipped(c.Parent.Shipped), c.Parent.Run)
}

func (o *Operations) runShipped(ctx context.Context, tx *db.Tx, c api.Call[ShippedPath], b RunRecipeRequest) (api.Empty, error) {
	chosen, err := o.chosen(ctx, tx, c.Fields, b.Servers, c.Parent.Grants...)
	if err != nil {
		return api.Empty{}, err
	}
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	for _, t := range chosen {
		api.Changes(ctx, t.OrganizationID)
	}
	r := c.Parent.Shipped
	return o.begin(ctx, tx, chosen, query.InsertRecipeRunParams{
		ShippedRecipeID: &r.ID, UserID: &c.Parent.UserID, Name: r.Name, RunAs: r.User, Script: r.Script(), Email: b.Email,
		CreatedAt: tx.Micros(),
	})
}
