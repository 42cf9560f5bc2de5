package schedule

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// CreateScheduledJobRequest asks for a job.
type CreateScheduledJobRequest struct {
	Name        *string `json:"name,omitempty" nullable:"true"`
	Command     string  `json:"command" doc:"One line, which bash runs in the site's directory, or in the account's home."`
	User        string  `json:"user" doc:"root, forge, or the account of a site on the server."`
	Frequency   string  `json:"frequency" enum:"minutely,hourly,nightly,weekly,monthly,reboot,custom"`
	Cron        *string `json:"cron,omitempty" nullable:"true"`
	Heartbeat   *bool   `json:"heartbeat,omitempty" nullable:"true" doc:"Create a heartbeat that the job calls on success. For jobs of sites."`
	GracePeriod *int64  `json:"grace_period,omitempty" enum:"1,2,5,10,30,60" doc:"The heartbeat's grace period, in minutes; default 5."`
}

// UpdateScheduledJobRequest changes a job. What it leaves out stays.
type UpdateScheduledJobRequest struct {
	Name      *string `json:"name,omitempty" nullable:"true"`
	Command   string  `json:"command,omitempty" doc:"One line, which bash runs in the site's directory, or in the account's home."`
	User      string  `json:"user,omitempty" doc:"root, forge, or the account of a site on the server."`
	Frequency string  `json:"frequency,omitempty" enum:"minutely,hourly,nightly,weekly,monthly,reboot,custom"`
	Cron      *string `json:"cron,omitempty" nullable:"true"`
}

// Heartbeats makes heartbeats of sites.
type Heartbeats interface {
	Make(ctx context.Context, tx *db.Tx, siteID int64, name string, frequency int64, cron *string, gracePeriod int64) (query.Heartbeat, error)
}

// Logs reads logs on servers.
type Logs interface {
	Read(ctx context.Context, srv query.Server, files *wire.LogFiles, param func(name string) string) (string, *api.Meta, error)
}

// Operations are the operations on scheduled jobs.
type Operations struct {
	*Maker
	Sites      *site.Store
	Logs       Logs
	Heartbeats Heartbeats
	// Users are the accounts that something on a server can run as.
	Users func(ctx context.Context, q *query.Granted, server query.Server) ([]string, error)
}

// Register adds the operations, on servers and on sites.
func (o *Operations) Register() {
	o.register(ids{
		noun:    "scheduled-jobs",
		index:   "organizations.servers.scheduled-jobs.index",
		store:   "organizations.servers.scheduled-jobs.store",
		show:    "organizations.servers.scheduled-jobs.show",
		update:  "organizations.servers.scheduled-jobs.update",
		destroy: "organizations.servers.scheduled-jobs.destroy",
		output:  "organizations.servers.scheduled-jobs.outputs.show",
	}, "/orgs/{organization}/servers/{server}", func(ctx context.Context, actor access.Actor, path api.PathValues) (At, error) {
		p, err := o.Sites.Servers.InPath(ctx, actor, path)
		return At{Path: p}, err
	})
	o.register(ids{
		noun:    "site-scheduled-jobs",
		index:   "organizations.servers.sites.scheduled-jobs.index",
		store:   "organizations.servers.sites.scheduled-jobs.store",
		show:    "organizations.servers.sites.scheduled-jobs.show",
		update:  "organizations.servers.sites.scheduled-jobs.update",
		destroy: "organizations.servers.sites.scheduled-jobs.destroy",
		output:  "organizations.servers.sites.scheduled-jobs.outputs.show",
	}, "/orgs/{organization}/servers/{server}/sites/{site}",
		func(ctx context.Context, actor access.Actor, path api.PathValues) (At, error) {
			p, err := o.Sites.InPath(ctx, actor, path)
			return At{Path: p.Path, Site: &p.Site}, err
		})
}

// ids are the operations on jobs in one place, and the noun of their commands.
type ids struct{ noun, index, store, show, update, destroy, output string }

func (o *Operations) register(id ids, below string, load api.Loader[At]) {
	const tag = "Scheduled Jobs"
	many := below + "/scheduled-jobs"
	single, view := many+"/{job}", []access.Permission{access.ServerView}
	parts := o.Parts
	parts.Load = load
	inPath := func(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
		p, err := parts.InPath(ctx, actor, path)
		if err == nil && p.At.Site != nil && (p.Row.SiteID == nil || *p.Row.SiteID != p.At.Site.ID) {
			return Path{}, access.ErrNotFound
		}
		return p, err
	}
	api.Index(o.Router, api.Operation{
		ID: id.index, Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view, Noun: id.noun, Summary: "List scheduled jobs",
		Filters: []api.Filter{{Name: "status"}, {Name: "user", Column: "unix_user"}}, Sorts: []string{"created_at", "updated_at", "status"},
	}, load, o.index)
	api.Write(o.Router, api.Operation{
		ID: id.store, Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async, Permissions: []access.Permission{access.ServerCreateSchedulers},
		Status: http.StatusAccepted, ChangesHost: true, Removable: true,
		Noun: id.noun, Summary: "Create a scheduled job", Description: "The output of the job's last run is stored.",
	}, load, o.store)
	api.Show(o.Router, api.Operation{
		ID: id.show, Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view, Noun: id.noun, Summary: "Get a scheduled job",
	}, inPath, o.Single)
	api.Write(o.Router, api.Operation{
		ID: id.update, Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Async, Permissions: []access.Permission{access.ServerCreateSchedulers},
		Status:      http.StatusAccepted,
		ChangesHost: true, Conflict: true, Extension: true,
		Noun: id.noun, Summary: "Update a scheduled job",
		Description: "Omitted fields are unchanged. A heartbeat that has the job's schedule gets the new one. 409 if the job belongs to an integration.",
		Example:     map[string]any{"name": "example"},
	}, inPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: id.destroy, Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async, Permissions: []access.Permission{access.ServerDeleteSchedulers},
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true,
		Noun: id.noun, Summary: "Delete a scheduled job", Description: "409 if it belongs to an integration.",
	}, inPath, o.destroy)
	api.Show(o.Router, api.Operation{
		ID: id.output, Method: http.MethodGet, Path: single + "/output", Tag: tag, Mode: api.Sync, Permissions: []access.Permission{
			access.ServerView,
			access.ServerCreateSchedulers,
		}, Conflict: true,
		Noun: id.noun, Verb: "output", Summary: "Get the output of a scheduled job's last run", Description: "Read from the server; 409 while it can't be reached.",
	}, inPath, o.output)
}

func (o *Operations) index(ctx context.Context, c api.Call[At]) (api.Collection[Resource], error) {
	q, cond := o.DB.Reader(), db.Equal("server_id", c.Parent.Server.ID)
	if c.Parent.Site != nil {
		cond = db.Equal("site_id", c.Parent.Site.ID)
	}
	return api.Paged(ctx, q, c.List.Of("scheduled_jobs", cond), func(rows ...query.ScheduledJob) ([]Resource, error) {
		return o.Documents(ctx, q, c.Parent, rows...)
	})
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[At], b CreateScheduledJobRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	s := Specification{Name: b.Name, Command: b.Command, User: b.User, Frequency: b.Frequency}
	if c.Parent.Site != nil {
		s.SiteID = &c.Parent.Site.ID
	}
	s.check(c.Fields, b.Cron)
	if err := o.checkUser(ctx, tx, c.Fields, c.Parent.Server, b.User); err != nil {
		return none, err
	}
	beats := b.Heartbeat != nil && *b.Heartbeat
	if beats && (s.SiteID == nil || s.Frequency == reboot) {
		c.Fields.Add("heartbeat", "Only recurring jobs of sites can have a heartbeat.")
	}
	all, err := tx.ListScheduledJobs(ctx, c.Parent.Server)
	if err != nil {
		return none, fmt.Errorf("list scheduled jobs: %w", err)
	}
	if len(all) >= maxJobs {
		c.Fields.Add("command", "A server can have at most %d scheduled jobs.", maxJobs)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if beats {
		grace, name := int64(5), s.Command
		if b.GracePeriod != nil {
			grace = *b.GracePeriod
		}
		if s.Name != nil {
			name = *s.Name
		}
		h, err := o.Heartbeats.Make(ctx, tx, *s.SiteID, value.Prefix(name, 255), -1, &s.Cron, grace)
		if err != nil {
			return none, err
		}
		s.HeartbeatID = &h.ID
	}
	row, accepted, err := o.Make(ctx, tx, c.Parent, s)
	if err != nil {
		return none, err
	}
	doc, err := api.Single(o.Documents(ctx, tx.SQL, c.Parent, row))
	doc.Location, doc.Event = o.URL(c.Parent, row.ID), accepted.EventID
	return doc, err
}

// checkUser refuses an account that jobs of a server can't run as.
func (o *Operations) checkUser(ctx context.Context, tx *db.Tx, f api.Fields, srv query.Server, user string) error {
	users, err := o.Users(ctx, tx.Granted, srv)
	if err == nil && len(f["user"]) == 0 && !slices.Contains(users, user) {
		f.Add("user", "The user must be root, forge or the account of a site on this server.")
	}
	return err
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateScheduledJobRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := o.Editable(ctx, tx, &c.Parent, "job")
	if err != nil {
		return none, err
	}
	if row.Integration != "" {
		return none, integrated(row)
	}
	now := UpdateScheduledJobRequest{Name: api.Copied(row.Name), Command: row.Command, User: row.UnixUser, Frequency: row.Frequency}
	if row.Frequency == custom {
		now.Cron = &row.Cron
	}
	b = api.Over(c, now)
	s := Specification{Name: b.Name, Command: b.Command, User: b.User, Frequency: b.Frequency, SiteID: row.SiteID, HeartbeatID: row.HeartbeatID}
	s.check(c.Fields, b.Cron)
	if err := o.checkUser(ctx, tx, c.Fields, c.Parent.At.Server, b.User); err != nil {
		return none, err
	}
	if s.HeartbeatID != nil {
		if s.Frequency == reboot {
			c.Fields.Add("frequency", "The job has a heartbeat, which only recurring jobs can have. Delete the heartbeat first.")
		}
		if s.Leads, err = leads(ctx, tx, c.Parent.At.Server, row); err != nil {
			return none, err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	return o.Change(ctx, tx, c.Parent.At, row.ID, s, "update", "Changing scheduled job "+s.title(row.ID))
}

// leads reports whether the heartbeat of a job has the job's schedule, and not one of its own.
func leads(ctx context.Context, tx *db.Tx, srv query.Server, row query.ScheduledJob) (bool, error) {
	beats, err := tx.ListServerHeartbeats(ctx, srv)
	if err != nil {
		return false, fmt.Errorf("list heartbeats: %w", err)
	}
	return slices.ContainsFunc(beats, func(h query.Heartbeat) bool {
		return h.ID == *row.HeartbeatID && h.CustomFrequency != nil && *h.CustomFrequency == row.Cron
	}), nil
}

// integrated is the conflict of a job that its integration owns.
func integrated(row query.ScheduledJob) error {
	return api.Conflict("The job belongs to the integration %s of its site; turn it off.", row.Integration)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	row, err := o.Current(ctx, tx, &c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	return o.Leave(ctx, tx, c.Parent.At, row, func() error {
		if row.Integration != "" {
			return integrated(row)
		}
		return nil
	})
}

func (o *Operations) output(ctx context.Context, c api.Call[Path]) (api.Document[OutputResource], error) {
	text, meta, err := o.Logs.Read(ctx, c.Parent.At.Server, &wire.LogFiles{Paths: []string{wire.JobLog(c.Parent.ID)}}, func(string) string { return "" })
	if err != nil {
		return api.Document[OutputResource]{}, err
	}
	return api.Document[OutputResource]{Data: OutputResource{
		ID: strconv.FormatInt(c.Parent.ID, 10), Attributes: JobOutputAttributes{Output: text}, Meta: meta,
		Links: o.Router.Links(o.URL(c.Parent.At, c.Parent.ID) + "/output"),
	}}, nil
}
