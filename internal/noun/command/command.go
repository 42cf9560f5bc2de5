// Package command runs users' commands in the directory of a site, as the site's user, and stores their output.
package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Aspect is the aspect of commands: each runs in parallel to everything else.
const Aspect = "command"

const (
	resource = "commands"
	// timeLimit is the longest run of a command, queueFor the longest wait for its server.
	timeLimit = 5 * time.Minute
	queueFor  = 10 * time.Minute
	// maxCommand is the longest command, in bytes.
	maxCommand = 10_000
)

// The states of a command.
const (
	statusWaiting  = "waiting"
	statusFinished = "finished"
	statusTimeout  = "timeout"
	statusFailed   = "failed"
)

// CommandAttributes are the attributes of a command.
type CommandAttributes struct {
	Command     string   `json:"command"`
	Status      string   `json:"status" enum:"waiting,running,finished,timeout,failed"`
	ExitCode    *int64   `json:"exit_code"`
	ErrorOutput *string  `json:"error_output" doc:"Why the command failed, unless it exited with a nonzero status."`
	Duration    string   `json:"duration" doc:"The duration, such as 1.5s; empty until the command ends."`
	UserID      int64    `json:"user_id"`
	CreatedAt   api.Time `json:"created_at"`
	UpdatedAt   api.Time `json:"updated_at"`
}

// ResourceType returns commands.
func (CommandAttributes) ResourceType() string { return "commands" }

// Relationships are a command's relationships.
type Relationships struct {
	User api.ToOne[account.UserAttributes] `json:"user"`
}

// Resource is a command in a document.
type Resource = api.Resource[CommandAttributes, Relationships]

// CommandOutputAttributes is the output of a command so far.
type CommandOutputAttributes struct {
	Output string `json:"output"`
}

// ResourceType returns commandOutputs.
func (CommandOutputAttributes) ResourceType() string { return "commandOutputs" }

// OutputResource is a command's output in a document.
type OutputResource = api.Resource[CommandOutputAttributes, api.NoRelationships]

// RunSiteCommandRequest asks for a command.
type RunSiteCommandRequest struct {
	Command string `json:"command"`
}

// Path is a command that the caller can see.
type Path struct {
	site.Path
	Command query.Command
}

// Operations are the operations on commands.
type Operations struct {
	DB     *db.DB
	Sites  *site.Store
	Queue  *job.Queue
	Router *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/servers/{server}/sites/{site}/commands", "/orgs/{organization}/servers/{server}/sites/{site}/commands/{command}"
	view, manage := []access.Permission{access.ServerView}, []access.Permission{access.SiteManageCommands}
	included := []any{account.Resource{}}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.commands.index", Method: http.MethodGet, Path: many, Tag: "Commands", Mode: api.Sync, Permissions: view,
		Summary: "List commands of a site",
		Filters: []api.Filter{{Name: "user_id", Number: true}, {Name: "status"}, {Name: "command", Text: true}}, Sorts: []string{
			"status", "created_at",
			"updated_at",
		}, Included: included,
	}, o.Sites.InPath, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.commands.store", Method: http.MethodPost, Path: many, Tag: "Commands", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, RateLimit: api.CommandRateLimit,
		Summary:     "Run a command",
		Description: "Runs the command with bash, in the site's directory, as the site's user, for at most five minutes. It is never run twice.",
	}, o.Sites.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.commands.show", Method: http.MethodGet, Path: single, Tag: "Commands", Mode: api.Sync, Permissions: view,
		Summary: "Get a command", Included: included,
	}, o.inPath, o.show)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.commands.destroy", Method: http.MethodDelete, Path: single, Tag: "Commands", Mode: api.Sync, Permissions: manage,
		Status:  http.StatusAccepted,
		Summary: "Delete a command", Description: "A running command is ended first, with all its processes, and stays in the list.",
	}, o.inPath, o.destroy)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.commands.output.show", Method: http.MethodGet, Path: single + "/output", Tag: "Commands", Mode: api.Sync,
		Permissions: append(view, manage...), Noun: "commands", Verb: "output", Summary: "Get a command's output",
	}, o.inPath, o.output)
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := o.Sites.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("command")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetSiteCommand(ctx, parent.Site, id)
	if err != nil {
		return Path{}, fmt.Errorf("read command %d: %w", id, err)
	}
	return Path{Path: parent, Command: row}, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[Resource], error) {
	q := o.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("commands", db.Equal("site_id", c.Parent.Site.ID)), func(rows ...query.Command) ([]Resource, error) {
		return o.resources(ctx, q, c.Parent, rows...)
	})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return api.Single(o.resources(ctx, o.DB.Reader(), c.Parent.Path, c.Parent.Command))
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b RunSiteCommandRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	switch {
	case len(c.Fields["command"]) > 0:
	case strings.TrimSpace(b.Command) == "":
		c.Fields.Add("command", "The command is required.")
	case len(b.Command) > maxCommand || strings.ContainsRune(b.Command, 0):
		c.Fields.Add("command", "The command must be text of at most %d bytes.", maxCommand)
	}
	if c.Parent.Site.Type == sitetype.Balancer {
		c.Fields.State("A site on a load balancer has no directory to run commands in.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertCommand(ctx, query.InsertCommandParams{
		SiteID: c.Parent.Site.ID, UserID: c.Parent.UserID, Command: b.Command, Status: statusWaiting,
		CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("keep command: %w", err)
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: c.Parent.Server.ID, SiteID: c.Parent.Site.ID,
		Ready: c.Parent.Server.IsReady, Aspect: job.Beside(Aspect, row.ID),
		Resource: resource, ResourceID: row.ID, Action: "create", Description: "Running a command of " +
			c.Parent.Site.Name, RanAs: c.Parent.Site.UnixUser, Lasting: true, Within: queueFor + timeLimit,
	})
	if err != nil {
		return none, err
	}
	row.OperationID = &accepted.OperationID
	if err := tx.SetCommandOperation(ctx, row.ID, row.OperationID); err != nil {
		return none, fmt.Errorf("keep command: %w", err)
	}
	data, err := o.resources(ctx, tx.SQL, c.Parent, row)
	if err != nil {
		return none, err
	}
	return api.Document[Resource]{Data: data[0], Event: accepted.EventID, Location: o.path(c.Parent, row.ID)}, nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent.Path, err = c.Parent.Latest(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if id := c.Parent.Command.OperationID; id != nil {
		switch err := o.Queue.Cancel(ctx, tx, *id); {
		case err == nil: // it has ended, and can be deleted
			return api.Empty{}, nil
		case !errors.Is(err, job.ErrEnded):
			return api.Empty{}, err
		}
	}
	if err := tx.DeleteCommand(ctx, c.Parent.Command.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete command: %w", err)
	}
	return api.Empty{}, nil
}

func (o *Operations) output(ctx context.Context, c api.Call[Path]) (api.Document[OutputResource], error) {
	row := c.Parent.Command
	text, err := job.Printed(ctx, o.DB.Read(), row.OperationID)
	if err != nil {
		return api.Document[OutputResource]{}, fmt.Errorf("read output of command %d: %w", row.ID, err)
	}
	return api.Document[OutputResource]{Data: OutputResource{
		ID: strconv.FormatInt(row.ID, 10), Attributes: CommandOutputAttributes{Output: text},
		Links: o.Router.Links(o.path(c.Parent.Path, row.ID) + "/output"),
	}}, nil
}

func (o *Operations) path(p site.Path, id int64) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/commands/%d", p.Slug, p.Server.ID, p.Site.ID, id)
}

func (o *Operations) resources(ctx context.Context, q query.DBTX, p site.Path, rows ...query.Command) ([]Resource, error) {
	return job.Described(ctx, q, rows, func(row query.Command) *int64 { return row.OperationID }, func(row query.Command, meta *api.Meta) Resource {
		return Resource{
			ID: strconv.FormatInt(row.ID, 10), Links: o.Router.Links(o.path(p, row.ID)), Meta: meta,
			Relationships: &Relationships{User: api.One[account.UserAttributes](row.UserID)},
			Attributes: CommandAttributes{
				Command: row.Command, Status: row.Status, ExitCode: row.ExitCode, ErrorOutput: row.ErrorOutput, Duration: duration(row),
				UserID:    row.UserID,
				CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt),
			},
		}
	})
}

func duration(row query.Command) string {
	if row.StartedAt == nil || row.EndedAt == nil {
		return ""
	}
	return (time.Duration(*row.EndedAt-*row.StartedAt) * time.Microsecond).Round(10 * time.Millisecond).String()
}
