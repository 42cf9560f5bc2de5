package recipe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Aspect is what recipes are run in: each run beside everything else on its server.
const Aspect = "recipe"

const (
	resource = "recipe_runs"
	// timeLimit is how long a run may take, queueFor how long it may wait for its server.
	timeLimit = 30 * time.Minute
	queueFor  = 10 * time.Minute
	// maxServers is how many servers one request may name.
	maxServers = 200
)

// The ends of a run; it waits and runs before.
const (
	statusFinished = "finished"
	statusFailed   = "failed"
)

// RecipeLogAttributes are the attributes of a run on one server.
type RecipeLogAttributes struct {
	ServerID   int64        `json:"server_id"`
	ExecutedBy *int64       `json:"executed_by" doc:"The user."`
	RecipeID   int64        `json:"recipe_id" doc:"The recipe in the path, either the organization's or a built-in one."`
	Status     string       `json:"status" enum:"waiting,running,finished,failed"`
	Output     *string      `json:"output" doc:"The output so far. Null in lists."`
	StartedAt  api.NullTime `json:"started_at"`
	FinishedAt api.NullTime `json:"finished_at"`
}

// ResourceType returns recipeLogs.
func (RecipeLogAttributes) ResourceType() string { return "recipeLogs" }

// LogResource is a run on one server in a document.
type LogResource = api.Resource[RecipeLogAttributes, api.NoRelationships]

// RunRecipeRequest asks for a run on each of some servers.
type RunRecipeRequest struct {
	Servers []int64 `json:"servers" nullable:"false"`
	Email   bool    `json:"email,omitempty" doc:"Mail the output of each run to the caller when it ends."`
}

// runRow is a run without its script.
type runRow struct {
	ID          int64  `db:"id"`
	RecipeID    *int64 `db:"recipe_id"`
	ShippedID   *int64 `db:"shipped_recipe_id"`
	ServerID    int64  `db:"server_id"`
	UserID      *int64 `db:"user_id"`
	Status      string `db:"status"`
	OperationID *int64 `db:"operation_id"`
	StartedAt   *int64 `db:"started_at"`
	EndedAt     *int64 `db:"ended_at"`
}

// start is what running a recipe takes, on the recipe and on each server: its script can do anything there.
var start = []access.Permission{access.RecipeView, access.RecipeManage}

// RunPath is a run that the caller can see.
type RunPath struct {
	Path
	Run query.RecipeRun
}

func (o *Operations) registerRuns(many string, view []access.Permission) {
	api.Index(o.Router, api.Operation{
		ID: "organizations.recipes.runs.index", Method: http.MethodGet, Path: many, Tag: "Recipes", Mode: api.Sync,
		Permissions: view, Noun: "recipe-runs", Summary: "List runs of a recipe",
		Description: "Lists the runs on servers that the caller can see.", Sorts: []string{"created_at"},
		Formerly: "recipes runs",
	}, o.Store.InPath, o.runs)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.recipes.runs.store", Method: http.MethodPost, Path: many, Tag: "Recipes", Mode: api.Async,
		Permissions: start,
		Status:      http.StatusAccepted, RateLimit: api.CommandRateLimit, Noun: "recipes", Verb: "run", Summary: "Run a recipe on servers",
		Description: "Runs the current script, for at most half an hour on each server, in parallel with other work. The recipe is never run twice. " +
			"X-Hostler-Event is the event of the run on the first server.",
	}, o.Store.InPath, o.run)
	api.Show(o.Router, api.Operation{
		ID: "organizations.recipes.runs.show", Method: http.MethodGet, Path: many + "/{log}", Tag: "Recipes", Mode: api.Sync,
		Permissions: view,
		Noun:        "recipe-runs", Summary: "Get a run of a recipe",
	}, o.inRun, o.showRun)
}

// inRun loads a run, whose server the caller has to know as well.
func (o *Operations) inRun(ctx context.Context, actor access.Actor, path api.PathValues) (RunPath, error) {
	parent, err := o.Store.InPath(ctx, actor, path)
	if err != nil {
		return RunPath{}, err
	}
	id, err := path.ID("log")
	if err != nil {
		return RunPath{}, err
	}
	q := o.Store.DB.Read()
	run, err := q.GetRunOfRecipe(ctx, parent.Recipe, id)
	if err != nil {
		return RunPath{}, fmt.Errorf("read run %d: %w", id, err)
	}
	_, err = o.Servers.Get(ctx, q, parent.Organization, run.ServerID)
	return RunPath{Path: parent, Run: run}, err
}

func (o *Operations) runs(ctx context.Context, c api.Call[Path]) (api.Collection[LogResource], error) {
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("recipe_runs", db.Equal("recipe_id", c.Parent.Recipe.ID),
		db.In("server_id", "servers", server.Visible(c.Parent.Organization))), func(rows ...runRow) ([]LogResource, error) {
		return o.logs(ctx, q, runsOf(c.Parent.Slug, c.Parent.Recipe), rows...)
	})
}

func (o *Operations) showRun(ctx context.Context, c api.Call[RunPath]) (api.Document[LogResource], error) {
	return o.log(ctx, runsOf(c.Parent.Slug, c.Parent.Recipe), c.Parent.Run)
}

// runsOf is the path of the runs of a recipe.
func runsOf(slug string, row query.Recipe) string {
	return fmt.Sprintf("/orgs/%s/recipes/%d/runs", slug, row.ID)
}

// log is the document of one run, with what it printed. at is the path of its list.
func (o *Operations) log(ctx context.Context, at string, r query.RecipeRun) (api.Document[LogResource], error) {
	data, err := o.logs(ctx, o.Store.DB.Reader(), at, runRow{
		ID: r.ID, RecipeID: r.RecipeID, ShippedID: r.ShippedRecipeID, ServerID: r.ServerID,
		UserID: r.UserID, Status: r.Status, OperationID: r.OperationID,
		StartedAt: r.StartedAt, EndedAt: r.EndedAt,
	})
	if err != nil {
		return api.Document[LogResource]{}, err
	}
	output, err := job.Printed(ctx, o.Store.DB.Read(), r.OperationID)
	if err != nil {
		return api.Document[LogResource]{}, fmt.Errorf("read output of run %d: %w", r.ID, err)
	}
	data[0].Attributes.Output = &output
	return api.Document[LogResource]{Data: data[0]}, nil
}

func (o *Operations) logs(ctx context.Context, q query.DBTX, at string, rows ...runRow) ([]LogResource, error) {
	return job.Described(ctx, q, rows, func(row runRow) *int64 { return row.OperationID }, func(row runRow, meta *api.Meta) LogResource {
		a := RecipeLogAttributes{
			ServerID: row.ServerID, ExecutedBy: row.UserID, Status: row.Status, StartedAt: api.NullTimeOf(row.StartedAt),
			FinishedAt: api.NullTimeOf(row.EndedAt),
		}
		for _, id := range []*int64{row.RecipeID, row.ShippedID} {
			if id != nil {
				a.RecipeID = *id
			}
		}
		id := strconv.FormatInt(row.ID, 10)
		return LogResource{ID: id, Links: o.Router.Links(at + "/" + id), Meta: meta, Attributes: a}
	})
}

func (o *Operations) run(ctx context.Context, tx *db.Tx, c api.Call[Path], b RunRecipeRequest) (api.Empty, error) {
	chosen, err := o.chosen(ctx, tx, c.Fields, b.Servers, c.Parent.Organization)
	if err != nil {
		return api.Empty{}, err
	}
	row, err := organization.Current(ctx, tx, "recipes", tx.GetRecipe, c.Parent, c.Parent.Recipe.ID)
	if err != nil {
		return api.Empty{}, err
	}
	if names(row.Script, "db_password") {
		c.Fields.State("The script contains {{ db_password }}: Hostler does not pass passwords to scripts.")
	}
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	return o.begin(ctx, tx, chosen, query.InsertRecipeRunParams{
		RecipeID: &row.ID, UserID: &c.Parent.UserID, Name: row.Name, RunAs: row.RunAs,
		Script: row.Script, Email: b.Email, CreatedAt: tx.Micros(),
	})
}

// target is a server to run a recipe on, and what the caller may do in its organization.
type target struct {
	query.Server
	grant access.Grant
}

// begin accepts a run on each of some servers. The event is that of the first.
func (o *Operations) begin(ctx context.Context, tx *db.Tx, chosen []target, in query.InsertRecipeRunParams) (api.Empty, error) {
	var first int64
	for _, t := range chosen {
		in.ServerID, in.OrganizationID = t.ID, t.OrganizationID
		run, err := tx.InsertRecipeRun(ctx, in)
		if err != nil {
			return api.Empty{}, fmt.Errorf("run recipe %s: %w", in.Name, err)
		}
		accepted, err := o.Queue.Begin(ctx, tx, job.Work{
			Grant: t.grant, ServerID: t.ID, Ready: t.IsReady, Aspect: job.Beside(Aspect, run.ID), Resource: resource,
			ResourceID: run.ID,
			Action:     "create", Description: "Running the recipe " + in.Name + " on " + t.Name, RanAs: in.RunAs, Lasting: true, Within: queueFor + timeLimit,
		})
		if err != nil {
			return api.Empty{}, err
		}
		if err := tx.SetRecipeRunOperation(ctx, run.ID, &accepted.OperationID); err != nil {
			return api.Empty{}, fmt.Errorf("run recipe %s: %w", in.Name, err)
		}
		if first == 0 {
			first = accepted.EventID
		}
	}
	return api.Empty{Event: first}, nil
}

// chosen returns the servers to run a recipe on, in the organizations of these grants. A script can do anything on a server, so the caller's role there
// has to permit it too.
func (o *Operations) chosen(ctx context.Context, tx *db.Tx, f api.Fields, ids []int64, grants ...access.Grant) ([]target, error) {
	if len(f["servers"]) > 0 {
		return nil, nil
	}
	if len(ids) == 0 || len(ids) > maxServers {
		f.Add("servers", "Choose between 1 and %d servers.", maxServers)
		return nil, nil
	}
	var out []target
	seen := map[int64]bool{}
	for i, id := range ids {
		field := "servers." + strconv.Itoa(i)
		row, inside, grant, err := o.open(ctx, tx.Granted, grants, id)
		switch {
		case errors.Is(err, access.ErrNotFound):
			f.Add(field, "The server does not exist.")
		case err != nil:
			return nil, err
		case inside.Require(start...) != nil:
			f.Add(field, "%s", inside.Require(start...))
		case row.Revoked:
			f.Add(field, "The server is archived.")
		case seen[id]:
			f.Add(field, "The server is listed twice.")
		default:
			out = append(out, target{row, grant})
		}
		seen[id] = true
	}
	return out, nil
}

// open finds a server in one of the organizations of some grants: what the caller may do on it, and in its organization.
func (o *Operations) open(ctx context.Context, q *query.Granted, grants []access.Grant, id int64) (row query.Server, inside, grant access.Grant, err error) {
	for _, grant = range grants {
		row, inside, err = o.Servers.Open(ctx, q, grant, id)
		if !errors.Is(err, access.ErrNotFound) && !errors.Is(err, db.ErrNotFound) {
			return row, inside, grant, err
		}
	}
	return row, inside, grant, access.ErrNotFound
}
