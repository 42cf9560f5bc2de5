// Package event provides the events on servers: who started them, their result, and their output during the run and afterwards.
package event

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// EventAttributes are the attributes of an event.
type EventAttributes struct {
	Description string   `json:"description"`
	RanAs       *string  `json:"ran_as"`
	CreatedAt   api.Time `json:"created_at"`
	UpdatedAt   api.Time `json:"updated_at"`
}

// ResourceType returns events.
func (EventAttributes) ResourceType() string { return "events" }

// Columns are what a table shows.
func (EventAttributes) Columns() []string {
	return []string{"created_at", "description", "ran_as"}
}

// Metas are what the meta of these resources has besides.
func (EventAttributes) Metas() []any { return []any{Meta{}} }

// Relationships are an event's relationships.
type Relationships struct {
	Initiator api.ToOne[account.UserAttributes] `json:"initiator"`
	Site      api.ToOne[site.SiteAttributes]    `json:"site"`
}

// Meta is what events add to meta.
type Meta struct {
	// ServerName is the name of the event's server.
	ServerName string `json:"server_name,omitempty"`
	// Plan, Applied and Proof are shown of one event, not in lists.
	Plan    *api.DryRun `json:"plan,omitempty" doc:"The plan with whose hash the work was accepted; only the hash without its permissions. Of one event."`
	Applied *Applied    `json:"applied,omitempty" doc:"When the work succeeded, and for whom. Of one event."`
	Proof   *Proof      `json:"proof,omitempty" doc:"How work that succeeded was verified. Of one event."`
	Undo    *api.Undo   `json:"undo,omitempty" doc:"What would undo the change. Of one event, if you may send it and nothing has changed since."`
}

// Applied is when work was done, and for whom.
type Applied struct {
	At api.Time `json:"at"`
	By *string  `json:"by"`
}

// Proof is how work that succeeded was verified. Without a recorded check it says so.
type Proof struct {
	Result string       `json:"result" enum:"passed,none"`
	At     api.NullTime `json:"at"`
	Checks []Check      `json:"checks"`
}

// Check is something that was asked after the change, and what was seen.
type Check struct {
	Kind     string `json:"kind" enum:"configuration,service,port,schedule,http,connection,restore"`
	Evidence string `json:"evidence"`
}

// Resource is an event in a document.
type Resource = api.Resource[EventAttributes, Relationships]

// EventOutputAttributes is what an event printed so far.
type EventOutputAttributes struct {
	Output string `json:"output"`
}

// ResourceType returns eventOutputs.
func (EventOutputAttributes) ResourceType() string { return "eventOutputs" }

// OutputResource is an event's output in a document.
type OutputResource = api.Resource[EventOutputAttributes, api.NoRelationships]

// Path is an event that the caller can see.
type Path struct {
	server.Path
	Event query.Event
}

// Retrier makes failed work pending again.
type Retrier interface {
	Retry(ctx context.Context, tx *db.Tx, operation, by int64) error
}

// Operations are the operations on events.
type Operations struct {
	DB      *db.DB
	Servers *server.Store
	Queue   *job.Queue
	Retrier Retrier
	Router  *api.Router
	Sites   *site.Printer

	news news
}

// Register adds the operations.
func (o *Operations) Register() {
	o.news.db = o.DB
	const many, single = "/orgs/{organization}/servers/{server}/events", "/orgs/{organization}/servers/{server}/events/{event}"
	view := []access.Permission{access.ServerView}
	states := []string{job.StatePending, job.StateRunning, job.StateSucceeded, job.StateFailed, job.StateCancelled}
	filters := []api.Filter{
		{Name: "initiated_by", Column: "initiator_id", Number: true},
		{Name: "ran_as"},
		{Name: "site_id", Number: true},
		{Name: "state", Enum: states, Description: "The state of the event's work, as in meta.operation.state.", Where: inState},
		{Name: "longer_than", Description: "Work that took, or so far takes, more than this number of seconds.", Where: o.longerThan},
	}
	sorts := []string{"created_at", "updated_at"}
	includes := []api.Include{{Name: "initiator", Resource: account.Resource{}}, {Name: "site", Resource: site.Resource{}}}
	included := append([]any{account.Resource{}, site.Resource{}}, o.Sites.Included()...)
	api.Index(o.Router, api.Operation{
		ID: "organizations.events.index", Method: http.MethodGet, Path: "/orgs/{organization}/events", Tag: "Servers", Mode: api.Sync, Permissions: view,
		Summary: "List events of an organization", Filters: append(slices.Clip(filters),
			api.Filter{Name: "server_id", Number: true}), Sorts: sorts, Includes: includes, Included: included,
		Defaults: api.NewestFirst,
	}, o.Servers.Organizations.InPath, o.ofOrganization)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.events.index", Method: http.MethodGet, Path: many, Tag: "Servers", Mode: api.Sync, Permissions: view,
		Verb: "of-server", Summary: "List events of a server", Filters: filters, Sorts: sorts, Includes: includes, Included: included,
		Defaults: api.NewestFirst,
	}, o.Servers.InPath, o.ofServer)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.events.show", Method: http.MethodGet, Path: single, Tag: "Servers", Mode: api.Sync, Permissions: view,
		Summary: "Get an event", Includes: includes, Included: included,
	}, o.inPath, o.show)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.events.output.show", Method: http.MethodGet, Path: single + "/output", Tag: "Servers", Mode: api.Sync, Permissions: view,
		Noun: "events", Verb: "output", Summary: "Get an event's output",
		Description: "Reading the output of a command, a deployment or a recipe also requires the permissions for running it.",
	}, o.inPath, o.output)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.events.retry.store", Method: http.MethodPost, Path: single + "/retry", Tag: "Servers", Mode: api.Async, Permissions: view,
		Status:    http.StatusAccepted,
		Extension: true, Conflict: true, Noun: "events", Verb: "retry", Summary: "Retry the work of an event", Further: sameAsStart,
	}, o.inPath, o.retry)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.events.cancel.store", Method: http.MethodPost, Path: single + "/cancel", Tag: "Servers", Mode: api.Async, Permissions: view,
		Status:    http.StatusAccepted,
		Extension: true, Conflict: true, Noun: "events", Verb: "cancel", Summary: "Cancel the work of an event",
		Description: "The work's processes are killed, and what can be rolled back is rolled back.", Further: sameAsStart,
	}, o.inPath, o.cancel)
	api.Stream(o.Router, api.Operation{
		ID: "organizations.events.stream", Method: http.MethodGet, Path: "/orgs/{organization}/events/stream", Tag: "Servers", Mode: api.Sync, Permissions: view,
		Extension: true,
		Summary:   "Follow events", Description: "Server-sent events, one for each piece of output; Last-Event-ID resumes a stream.",
	}, o.Servers.Organizations.InPath, o.stream)
}

// inState selects the events whose work is in one of the states.
func inState(values []string) db.Cond {
	var states []any
	for _, v := range values {
		states = append(states, v)
	}
	c := db.Equal("state", states...)
	return db.Cond{SQL: "EXISTS (SELECT 1 FROM operations WHERE operations.id = events.operation_id AND " + c.SQL + ")", Args: c.Args}
}

// longerThan selects the events whose work took more than the smallest number of seconds, or takes longer already.
func (o *Operations) longerThan(values []string) db.Cond {
	least := int64(math.MaxInt64)
	for _, v := range values {
		if n, err := strconv.ParseInt(v, 10, 32); err == nil && n >= 0 {
			least = min(least, n*time.Second.Microseconds())
		}
	}
	return db.Cond{
		SQL:  "EXISTS (SELECT 1 FROM operations WHERE operations.id = events.operation_id AND COALESCE(operations.finished_at, ?) - events.created_at > ?)",
		Args: []any{o.DB.Clock.Now().UnixMicro(), least},
	}
}

// sameAsStart is what retrying and cancelling work requires: what starting it did.
var sameAsStart = []api.Further{{}}

// operation returns the operation of an event that has one.
func operation(ctx context.Context, q *query.Granted, c api.Call[Path]) (query.Operation, error) {
	op, err := q.GetOrganizationOperation(ctx, c.Parent, *c.Parent.Event.OperationID)
	if err != nil {
		return op, fmt.Errorf("read work of event %d: %w", c.Parent.Event.ID, err)
	}
	return op, nil
}

// work returns the operation of an event, if the caller has what it took to begin it.
func (o *Operations) work(ctx context.Context, q *query.Granted, c api.Call[Path]) (query.Operation, error) {
	op, err := operation(ctx, q, c)
	if err != nil {
		return op, err
	}
	return op, c.Require(c.Parent.Grant, job.Needs(op)...)
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := o.Servers.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("event")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetServerEvent(ctx, parent.Server, id)
	if err != nil {
		return Path{}, fmt.Errorf("read event %d: %w", id, err)
	}
	return Path{Path: parent, Event: row}, nil
}

func (o *Operations) ofOrganization(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, c.Parent.Grant, server.VisibleOf(c.Parent.Grant))
}

func (o *Operations) ofServer(ctx context.Context, c api.Call[server.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, c.Parent.Grant, db.Equal("server_id", c.Parent.Server.ID))
}

func (o *Operations) page(ctx context.Context, list api.ListQuery, g access.Grant, where db.Cond) (api.Collection[Resource], error) {
	page, err := db.Select[query.Event](ctx, o.DB.Reader(), list.Of("events", where))
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	data, included, err := o.resources(ctx, o.DB.Reader(), list, g, page.Rows...)
	return api.Collection[Resource]{Data: data, Included: included, Next: page.Next, Prev: page.Prev}, err
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	doc, err := o.document(ctx, o.DB.Reader(), c.List, c.Parent.Grant, c.Parent.Event)
	if err != nil || c.Parent.Event.OperationID == nil {
		return doc, err
	}
	own, err := o.record(ctx, c)
	if err == nil {
		doc.Data.Meta.Own = append(doc.Data.Meta.Own, own)
	}
	return doc, err
}

// record is what was planned, when it was applied, how it was verified and what would undo it. A plan shows what its files contain, so that
// reading it takes what the work took.
func (o *Operations) record(ctx context.Context, c api.Call[Path]) (Meta, error) {
	op, err := operation(ctx, o.DB.Read(), c)
	if err != nil {
		return Meta{}, err
	}
	record, err := job.RecordOf(ctx, o.DB.Read(), c.Parent.Event.ID)
	if err != nil {
		return Meta{}, err
	}
	out := Meta{Plan: record.Plan}
	if out.Plan != nil && c.Require(c.Parent.Grant, job.Needs(op)...) != nil {
		out.Plan = &api.DryRun{Hash: record.Plan.Hash, Servers: []api.ServerDryRun{}}
	}
	if op.State != job.StateSucceeded || op.FinishedAt == nil {
		return out, nil
	}
	out.Applied = &Applied{At: api.TimeOf(*op.FinishedAt)}
	if op.AskedBy != nil {
		out.Applied.By = new(strconv.FormatInt(*op.AskedBy, 10))
	}
	out.Proof = &Proof{Result: "none", Checks: []Check{}}
	for _, check := range record.Checks {
		out.Proof.Result, out.Proof.At = "passed", api.NullTimeOf(&record.At)
		out.Proof.Checks = append(out.Proof.Checks, Check{Kind: string(check.Kind), Evidence: check.Evidence})
	}
	out.Undo, err = o.Router.Undo(c.Request, record.Undo)
	return out, err
}

func (o *Operations) document(ctx context.Context, q query.DBTX, list api.ListQuery, g access.Grant, row query.Event) (api.Document[Resource], error) {
	data, included, err := o.resources(ctx, q, list, g, row)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	return api.Document[Resource]{Data: data[0], Included: included}, nil
}

func (o *Operations) resources(ctx context.Context, q query.DBTX, list api.ListQuery, g access.Grant, rows ...query.Event) ([]Resource, []any, error) {
	var operations []*int64
	var users, sites []any
	for _, row := range rows {
		operations = append(operations, row.OperationID)
		if row.InitiatorID != nil && !slices.Contains(users, any(*row.InitiatorID)) {
			users = append(users, *row.InitiatorID)
		}
		if row.SiteID != nil && !slices.Contains(sites, any(*row.SiteID)) {
			sites = append(sites, *row.SiteID)
		}
	}
	ops, err := job.ReadOperations(ctx, q, operations...)
	if err != nil {
		return nil, nil, err
	}
	names, err := serverNames(ctx, q, rows)
	if err != nil {
		return nil, nil, err
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		id := strconv.FormatInt(row.ID, 10)
		out[i] = Resource{
			ID: id, Meta: &api.Meta{Operation: job.Meta(ops, row.OperationID)},
			Attributes:    EventAttributes{Description: row.Description, RanAs: row.RanAs, CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt)},
			Relationships: &Relationships{Initiator: api.One[account.UserAttributes](deref(row.InitiatorID)), Site: api.One[site.SiteAttributes](deref(row.SiteID))},
			Links:         o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/events/%s", g.Slug, deref(row.ServerID), id)),
		}
		if name := names[deref(row.ServerID)]; name != "" {
			out[i].Meta.Own = []any{Meta{ServerName: name}}
		}
		out[i].Meta.Included = list.Counts(map[string]int{"initiator": one(row.InitiatorID), "site": one(row.SiteID)})
	}
	included, err := o.include(ctx, q, list, g, users, sites)
	return out, included, err
}

// serverNames returns the names of the servers of events by their numbers.
func serverNames(ctx context.Context, q query.DBTX, events []query.Event) (map[int64]string, error) {
	var ids []any
	for _, e := range events {
		if e.ServerID != nil && !slices.Contains(ids, any(*e.ServerID)) {
			ids = append(ids, *e.ServerID)
		}
	}
	names := map[int64]string{}
	if len(ids) == 0 {
		return names, nil
	}
	rows, err := db.All[query.Server](ctx, q, "servers", db.Equal("id", ids...))
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, err
}

func (o *Operations) include(ctx context.Context, q query.DBTX, list api.ListQuery, g access.Grant, users, sites []any) ([]any, error) {
	var included []any
	if list.Includes("initiator") && len(users) > 0 {
		shown, err := organization.Initiators(ctx, q, o.Router, g, users)
		if err != nil {
			return nil, err
		}
		included = append(included, shown...)
	}
	if list.Includes("site") && len(sites) > 0 {
		rows, err := db.All[query.Site](ctx, q, "sites", db.Equal("id", sites...))
		if err != nil {
			return nil, err
		}
		slugs := map[int64]string{}
		for _, row := range rows {
			slugs[row.OrganizationID] = g.Slug
		}
		resources, _, err := o.Sites.Resources(ctx, q, api.ListQuery{}, slugs, rows...)
		if err != nil {
			return nil, err
		}
		for _, r := range resources {
			included = append(included, r)
		}
	}
	return included, nil
}

func (o *Operations) output(ctx context.Context, c api.Call[Path]) (api.Document[OutputResource], error) {
	if err := o.mayRead(ctx, c); err != nil {
		return api.Document[OutputResource]{}, err
	}
	text, err := job.Output(ctx, o.DB.Read(), c.Parent.Event.ID, nil)
	if err != nil {
		return api.Document[OutputResource]{}, err
	}
	id := strconv.FormatInt(c.Parent.Event.ID, 10)
	return api.Document[OutputResource]{Data: OutputResource{
		ID: id, Attributes: EventOutputAttributes{Output: text},
		Links: o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/events/%s/output", c.Parent.Slug, c.Parent.Server.ID, id)),
	}}, nil
}

// mayRead checks that the caller is allowed to read the output of an event's work: a script prints whatever it finds, including
// secrets, and a restore prints an engine's messages about rows.
func (o *Operations) mayRead(ctx context.Context, c api.Call[Path]) error {
	if c.Parent.Event.OperationID == nil {
		return nil
	}
	op, err := operation(ctx, o.DB.Read(), c)
	if err != nil {
		return err
	}
	if !op.Prints {
		return nil
	}
	return c.Require(c.Parent.Grant, job.Needs(op)...)
}

func (o *Operations) retry(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
	var err error
	if c.Parent.Path, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Document[Resource]{}, err
	}
	if c.Parent.Event.OperationID == nil {
		return api.Document[Resource]{}, api.Conflict("This event has no work to retry.")
	}
	op, err := o.work(ctx, tx.Granted, c)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	if err := o.Retrier.Retry(ctx, tx, op.ID, c.Parent.UserID); errors.Is(err, job.ErrNotFailed) {
		return api.Document[Resource]{}, api.Conflict("Only work that failed or was cancelled can be retried.")
	} else if err != nil {
		return api.Document[Resource]{}, err
	}
	doc, err := o.document(ctx, tx.SQL, api.ListQuery{}, c.Parent.Grant, c.Parent.Event)
	doc.Event = c.Parent.Event.ID
	return doc, err
}

func (o *Operations) cancel(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
	var err error
	if c.Parent.Path, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Document[Resource]{}, err
	}
	if c.Parent.Event.OperationID == nil {
		return api.Document[Resource]{}, api.Conflict("This event has no work that could be cancelled.")
	}
	op, err := o.work(ctx, tx.Granted, c)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	if err := o.Queue.Cancel(ctx, tx, op.ID); errors.Is(err, job.ErrEnded) {
		return api.Document[Resource]{}, api.Conflict("This work has ended.")
	} else if err != nil {
		return api.Document[Resource]{}, err
	}
	doc, err := o.document(ctx, tx.SQL, api.ListQuery{}, c.Parent.Grant, c.Parent.Event)
	doc.Event = c.Parent.Event.ID
	return doc, err
}

func deref(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}

func one(id *int64) int {
	if id == nil {
		return 0
	}
	return 1
}
