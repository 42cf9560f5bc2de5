package team

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/credential"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// ShareServerRequest shares a server with a team.
type ShareServerRequest struct {
	ServerID int64 `json:"server_id"`
}

// ShareCredentialRequest shares a credential with a team.
type ShareCredentialRequest struct {
	CredentialID int64 `json:"credential_id"`
}

// ShareRecipeRequest shares a recipe with a team.
type ShareRecipeRequest struct {
	RecipeID int64 `json:"recipe_id"`
}

// shareIDs are the ids of the operations on the shares of a kind.
type shareIDs struct{ index, store, destroy string }

// shared is a kind of thing that is shared with teams. Row is its row, Body the request that names it, Resource its document.
type shared[Row, Body, Resource any] struct {
	ids shareIDs
	// noun and param are its names in paths; table contains it, links its shares, by column.
	noun, param, table, links, column string
	// required are the permissions for sharing on the resource itself: a member who can only view it in one team does not gain
	// more by sharing it with another.
	required []access.Permission
	visible  func(access.Grant) db.Cond
	named    func(Body) int64
	open     func(ctx context.Context, q *query.Granted, g access.Grant, id int64) (Row, access.Grant, error)
	// stays keeps the thing in its organization until the transaction ends; nil for what never leaves it.
	stays func(tx *db.Tx, ctx context.Context, id int64) error
	// share and unshare write the link between the thing and a team.
	share   func(q *query.Granted, ctx context.Context, id, team int64) error
	unshare func(q *query.Granted, ctx context.Context, id, team int64) (int64, error)
	// documents are those of rows of the organization with this slug.
	documents func(ctx context.Context, q query.DBTX, slug string, rows ...Row) ([]Resource, error)
	o         *Operations
}

// sharedPath is a thing that is shared with the team of the path.
type sharedPath struct {
	access.Grant
	id, team int64
}

const shareDescription = "It is then available only to the members of its teams, with their roles there, and to those who manage the organization."

const listDescription = "Lists only those that the caller can see. For an organization member outside the team, the list can be empty."

func (o *Operations) registerShares() {
	servers := shared[query.Server, ShareServerRequest, server.Resource]{
		ids:  shareIDs{"organizations.teams.servers.index", "organizations.teams.servers.store", "organizations.teams.servers.destroy"},
		noun: "servers", param: "server", table: "servers", links: "team_servers", column: "server_id", required: []access.Permission{
			access.ServerView,
			access.TeamCreate, access.ServerCreate,
		},
		visible: server.Visible, named: func(b ShareServerRequest) int64 { return b.ServerID }, open: o.Servers.Open, stays: (*db.Tx).StayServer,
		share: (*query.Granted).ShareServer, unshare: (*query.Granted).UnshareServer,
		documents: func(ctx context.Context, q query.DBTX, slug string, rows ...query.Server) ([]server.Resource, error) {
			return server.Resources(ctx, q, o.Router, slug, rows...)
		}, o: o,
	}
	op := api.Operation{Noun: "team-servers", Tag: "Servers", Included: []any{server.TagResource{}}, Permissions: []access.Permission{
		access.ServerView, access.TeamCreate,
		access.ServerCreate,
	}}
	servers.register(op, "server", access.ServerView)

	credentials := shared[query.ServerCredential, ShareCredentialRequest, credential.Resource]{
		ids: shareIDs{
			"organizations.teams.server-credentials.index", "organizations.teams.server-credentials.store",
			"organizations.teams.server-credentials.destroy",
		},
		noun: "server-credentials", param: "credential", table: "server_credentials", links: "team_credentials", column: "credential_id",
		required: []access.Permission{access.CredentialManage},
		visible:  credential.Visible, named: func(b ShareCredentialRequest) int64 { return b.CredentialID }, open: o.Credentials.Open,
		share: (*query.Granted).ShareCredential, unshare: (*query.Granted).UnshareCredential,
		documents: func(ctx context.Context, q query.DBTX, slug string, rows ...query.ServerCredential) ([]credential.Resource, error) {
			return credential.Resources(ctx, q, o.Router, slug, rows...)
		}, o: o,
	}
	op = api.Operation{Noun: "team-credentials", Tag: "Server Credentials", Permissions: []access.Permission{access.CredentialManage, access.CredentialView}}
	credentials.register(op, "server credential", access.CredentialView)

	recipes := shared[query.Recipe, ShareRecipeRequest, recipe.Resource]{
		ids:  shareIDs{"organizations.teams.recipes.index", "organizations.teams.recipes.store", "organizations.teams.recipes.destroy"},
		noun: "recipes", param: "recipe", table: "recipes", links: "team_recipes", column: "recipe_id", required: []access.Permission{access.RecipeManage},
		visible: recipe.Visible, named: func(b ShareRecipeRequest) int64 { return b.RecipeID }, open: o.Recipes.Open,
		share: (*query.Granted).ShareRecipe, unshare: (*query.Granted).UnshareRecipe,
		documents: func(_ context.Context, _ query.DBTX, slug string, rows ...query.Recipe) ([]recipe.Resource, error) {
			return recipe.Resources(o.Router, slug, rows...), nil
		}, o: o,
	}
	op = api.Operation{Noun: "team-recipes", Tag: "Recipes", Permissions: []access.Permission{access.RecipeView, access.RecipeManage}}
	recipes.register(op, "recipe", access.RecipeView)
}

// register adds the list of what is shared with a team, sharing and unsharing. name is the display name, view the permission to list.
func (s shared[Row, Body, Resource]) register(op api.Operation, name string, view access.Permission) {
	op.Mode = api.Sync
	many := single + "/" + s.noun

	index := op
	index.ID, index.Method, index.Path, index.Summary = s.ids.index, http.MethodGet, many, "List the "+name+"s shared with a team"
	index.Permissions, index.Description = []access.Permission{view}, listDescription
	api.Index(s.o.Router, index, s.o.inPath, s.index)

	store := op
	store.ID, store.Method, store.Path, store.Summary = s.ids.store, http.MethodPost, many, "Share a "+name+" with a team"
	store.Status, store.Located, store.Description = http.StatusCreated, true, shareDescription
	api.Write(s.o.Router, store, s.o.inPath, s.store)

	end := op
	end.ID, end.Method, end.Path, end.Summary = s.ids.destroy, http.MethodDelete, many+"/{"+s.param+"}", "Stop sharing a "+name+" with a team"
	end.Status, end.Included, end.Before = http.StatusNoContent, nil, "/orgs/{organization}/"+s.noun+"/{"+s.param+"}"
	api.WriteEmpty(s.o.Router, end, s.inPath, s.destroy)
}

// with returns the condition on what is shared with a team.
func (s shared[Row, Body, Resource]) with(team int64) db.Cond {
	return db.Cond{SQL: "id IN (SELECT " + s.column + " FROM " + s.links + " WHERE team_id = ?)", Args: []any{team}}
}

func (s shared[Row, Body, Resource]) index(ctx context.Context, c api.Call[Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, s.o.DB.Reader(), c.List.Of(s.table, s.visible(c.Parent.Grant), s.with(c.Parent.Team.ID)), func(rows ...Row) ([]Resource, error) {
		return s.documents(ctx, s.o.DB.Reader(), c.Parent.Slug, rows...)
	})
}

func (s shared[Row, Body, Resource]) store(ctx context.Context, tx *db.Tx, c api.Call[Path], b Body) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	id := s.named(b)
	if s.stays != nil {
		if err := s.stays(tx, ctx, id); err != nil {
			return none, err
		}
	}
	row, inside, err := s.open(ctx, tx.Granted, c.Parent.Grant, id)
	if errors.Is(err, access.ErrNotFound) || errors.Is(err, db.ErrNotFound) {
		return none, api.Invalid(s.column, "The selected %s does not exist.", s.column)
	}
	if err != nil {
		return none, err
	}
	if err := inside.Require(s.required...); err != nil {
		return none, err
	}
	if err := s.share(tx.Granted, ctx, id, c.Parent.Team.ID); err != nil {
		return none, fmt.Errorf("share %s %d: %w", s.param, id, err)
	}
	data, err := s.documents(ctx, tx.SQL, c.Parent.Slug, row)
	if err != nil {
		return none, err
	}
	return api.Document[Resource]{Data: data[0], Location: fmt.Sprintf("/orgs/%s/%s/%d", c.Parent.Slug, s.noun, id)}, nil
}

func (s shared[Row, Body, Resource]) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (sharedPath, error) {
	p, err := s.o.inPath(ctx, actor, path)
	if err != nil {
		return sharedPath{}, err
	}
	id, err := path.ID(s.param)
	if err != nil {
		return sharedPath{}, err
	}
	_, inside, err := s.open(ctx, s.o.DB.Read(), p.Grant, id)
	if err != nil {
		return sharedPath{}, err
	}
	linked, err := db.All[Row](ctx, s.o.DB.Reader(), s.table, db.Equal("id", id), s.with(p.Team.ID))
	if err != nil {
		return sharedPath{}, err
	}
	if len(linked) == 0 {
		return sharedPath{}, access.ErrNotFound
	}
	return sharedPath{inside, id, p.Team.ID}, nil
}

func (s shared[Row, Body, Resource]) destroy(ctx context.Context, tx *db.Tx, c api.Call[sharedPath], _ api.NoBody) (api.Empty, error) {
	if _, err := s.unshare(tx.Granted, ctx, c.Parent.id, c.Parent.team); err != nil {
		return api.Empty{}, fmt.Errorf("stop sharing %s %d: %w", s.param, c.Parent.id, err)
	}
	return api.Empty{}, nil
}
