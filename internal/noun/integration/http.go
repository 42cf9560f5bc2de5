package integration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Operations are the operations on integrations.
type Operations struct {
	DB        *db.DB
	Box       *secret.Box
	Sites     *site.Store
	Projects  *project.Store
	Processes *process.Maker
	Schedules *schedule.Maker
	Detector  *Detector
	Ledger    *ledger.Ledger
	Queue     *job.Queue
	Router    *api.Router
}

const prefix = "/orgs/{organization}/servers/{server}/sites/{site}/integrations/"

// Register adds the operations.
func (o *Operations) Register() {
	registerDaemon(o, ids{
		store:   "organizations.servers.sites.integrations.horizon.store",
		show:    "organizations.servers.sites.integrations.horizon.show",
		destroy: "organizations.servers.sites.integrations.horizon.destroy",
	}, horizon, func(s state) HorizonIntegrationAttributes {
		return HorizonIntegrationAttributes{s.enabled(), s.installed}
	})
	registerDaemon(o, ids{
		store:   "organizations.servers.sites.integrations.pulse.store",
		show:    "organizations.servers.sites.integrations.pulse.show",
		destroy: "organizations.servers.sites.integrations.pulse.destroy",
	}, pulse, func(s state) PulseIntegrationAttributes { return PulseIntegrationAttributes{s.enabled(), s.installed} })
	registerDaemon(o, ids{
		store:   "organizations.servers.sites.integrations.inertia.store",
		show:    "organizations.servers.sites.integrations.inertia.show",
		destroy: "organizations.servers.sites.integrations.inertia.destroy",
	}, inertia, func(s state) InertiaIntegrationAttributes {
		return InertiaIntegrationAttributes{s.enabled(), s.installed}
	})
	registerWith(o, ids{
		store:   "organizations.servers.sites.integrations.octane.store",
		show:    "organizations.servers.sites.integrations.octane.show",
		destroy: "organizations.servers.sites.integrations.octane.destroy",
		example: map[string]any{"port": "8000"},
	}, octane, octaneAttributes, checkOctane)
	registerWith(o, ids{
		store:   "organizations.servers.sites.integrations.reverb.store",
		show:    "organizations.servers.sites.integrations.reverb.show",
		destroy: "organizations.servers.sites.integrations.reverb.destroy",
		example: map[string]any{"host": "ws.example.com", "port": "8080", "connections": 1000},
	}, reverb, reverbAttributes, checkReverb)
	o.registerScheduler()
	o.registerMaintenance()
}

// state is the state of an integration of a site.
type state struct {
	process   *query.BackgroundProcess
	settings  Settings
	installed bool
}

func (s state) enabled() string { return strconv.FormatBool(s.process != nil) }

// answer is the document of an integration that is a program.
type answer[A api.Attributes] = api.Document[api.Resource[A, Relationships]]

func (o *Operations) path(p site.Path, kind string) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/integrations/%s", p.Slug, p.Server.ID, p.Site.ID, kind)
}

// ids are the operations on one kind, and an example of what it needs to know.
type ids struct {
	store, show, destroy string
	example              map[string]any
}

// registerDaemon adds the operations on a kind that is asked for without more words.
func registerDaemon[A api.Attributes](o *Operations, id ids, kind string, attributes func(state) A) {
	register(o, id, kind, attributes)
	api.WriteChecked(o.Router, storeOf(id, kind, false), o.Sites.InPath, func(ctx context.Context, c api.Call[site.Path], _ api.NoBody) error {
		return o.mustHave(ctx, c.Parent, kind)
	}, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (answer[A], error) {
		return store(ctx, o, tx, c, kind, Settings{}, attributes)
	})
}

// registerWith adds the operations on a kind that needs to know more.
func registerWith[A api.Attributes, B any](
	o *Operations, id ids, kind string, attributes func(state) A,
	check func(context.Context, *Operations, api.Call[site.Path], B) (Settings, error),
) {
	register(o, id, kind, attributes)
	api.WriteChecked(o.Router, storeOf(id, kind, true), o.Sites.InPath, func(ctx context.Context, c api.Call[site.Path], b B) error {
		if _, err := check(ctx, o, c, b); err != nil || len(c.Fields) > 0 {
			return err
		}
		return o.mustHave(ctx, c.Parent, kind)
	}, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b B) (answer[A], error) {
		var none answer[A]
		if err := c.Fields.Err(); err != nil {
			return none, err
		}
		s, err := check(ctx, o, c, b)
		if err != nil {
			return none, err
		}
		return store(ctx, o, tx, c, kind, s, attributes)
	})
}

func storeOf(id ids, kind string, replaces bool) api.Operation {
	op := api.Operation{
		ID: id.store, Method: http.MethodPost, Path: prefix + kind, Example: id.example,
		Tag: "Integrations", Mode: api.Async, Permissions: []access.Permission{access.ServerCreateDaemons},
		Status: http.StatusAccepted, Refused: true, Conflict: true, Noun: kind, Verb: "enable", Summary: "Switch " + daemons[kind].title + " on",
		Description: "Adds a background process to the site, and a line to the deploy script that restarts it. 400 if the site's composer.lock does not contain " +
			"the package.",
	}
	if replaces {
		op.Description += " Previous settings are replaced."
	}
	return op
}

// register adds what all kinds of programs have.
func register[A api.Attributes](o *Operations, id ids, kind string, attributes func(state) A) {
	title := daemons[kind].title
	api.Show(o.Router, api.Operation{
		ID: id.show, Method: http.MethodGet, Path: prefix + kind,
		Tag: "Integrations", Mode: api.Sync, Permissions: []access.Permission{access.ServerView}, Conflict: true,
		Noun: kind, Summary: "Get a site's " + title, Description: "Queries the server for what is installed; 409 while it can't be reached.",
		Included: []any{process.Resource{}},
	}, o.Sites.InPath, func(ctx context.Context, c api.Call[site.Path]) (answer[A], error) {
		has, err := o.Detector.installed(ctx, c.Parent, kind)
		if err != nil {
			return answer[A]{}, err
		}
		return document(ctx, o, o.DB.Reader(), o.DB.Read(), c.Parent, kind, has, attributes)
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID: id.destroy, Method: http.MethodDelete, Path: prefix + kind,
		Tag: "Integrations", Mode: api.Async, Permissions: []access.Permission{access.ServerDeleteDaemons},
		Status: http.StatusAccepted, Extension: kind == inertia, Before: "/orgs/{organization}/sites/{site}",
		Noun: kind, Summary: "Switch " + title + " off", Description: "Removes its background process and its line in the deploy script.",
		Asks: "Its background process is stopped and deleted.",
	}, o.Sites.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Empty, error) {
		return o.destroy(ctx, tx, c.Parent, kind)
	})
}

// mustHave refuses what the site has not installed.
func (o *Operations) mustHave(ctx context.Context, p site.Path, kind string) error {
	has, err := o.Detector.installed(ctx, p, kind)
	if err == nil && !has {
		return api.BadRequest("The site does not have %s installed: its composer.lock does not name it.", packages[kind].name)
	}
	return err
}

func processOf(ctx context.Context, q *query.Granted, site query.Site, kind string) (*query.BackgroundProcess, error) {
	rows, err := q.ListSiteBackgroundProcesses(ctx, site)
	if err != nil {
		return nil, fmt.Errorf("list processes of site %d: %w", site.ID, err)
	}
	if i := slices.IndexFunc(rows, func(r query.BackgroundProcess) bool { return r.Integration == kind }); i >= 0 {
		return &rows[i], nil
	}
	return nil, nil
}

func document[A api.Attributes](
	ctx context.Context, o *Operations, r query.DBTX, q *query.Granted, p site.Path, kind string, has bool, attributes func(state) A,
) (answer[A], error) {
	var doc answer[A]
	s := state{installed: has}
	var err error
	if s.process, err = processOf(ctx, q, p.Site, kind); err != nil {
		return doc, err
	}
	row, err := q.GetIntegration(ctx, p.Site, kind)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return doc, fmt.Errorf("read integration: %w", err)
	}
	s.settings = read(row)
	doc.Data = api.Resource[A, Relationships]{
		ID: strconv.FormatInt(p.Site.ID, 10), Links: o.Router.Links(o.path(p, kind)), Attributes: attributes(s),
		Relationships: &Relationships{}, Meta: &api.Meta{},
	}
	if s.process != nil {
		found, err := o.Processes.Documents(ctx, r, p.Path, *s.process)
		if err != nil {
			return doc, err
		}
		doc.Data.Relationships.BackgroundProcess = api.One[process.BackgroundProcessAttributes](s.process.ID)
		doc.Data.Meta.Operation, doc.Included = found[0].Meta.Operation, []any{found[0]}
	}
	return doc, nil
}

func store[A api.Attributes](
	ctx context.Context, o *Operations, tx *db.Tx, c api.Call[site.Path], kind string, s Settings, attributes func(state) A,
) (answer[A], error) {
	var none answer[A]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	row := c.Parent.Site
	if err := free(ctx, tx, c.Fields, row, s.Port); err != nil {
		return none, err
	}
	spec := process.Specification{
		Name: daemons[kind].title, Command: s.command(kind), User: row.UnixUser, SiteID: &row.ID, Processes: 1, Startsecs: 1,
		Stopwaitsecs: daemons[kind].stop, Stopsignal: "TERM", Integration: kind,
	}
	have, err := processOf(ctx, tx.Granted, row, kind)
	if err != nil {
		return none, err
	}
	var accepted job.Accepted
	if have == nil {
		_, accepted, err = o.Processes.Make(ctx, tx, c.Parent.Path, spec)
	} else {
		_, accepted, err = o.Processes.Alter(ctx, tx, c.Parent.Path, have.ID, func(s *process.Specification) {
			s.Name, s.Command, s.Directory, s.Processes = spec.Name, spec.Command, nil, spec.Processes
			s.Startsecs, s.Stopwaitsecs, s.Stopsignal = spec.Startsecs, spec.Stopwaitsecs, spec.Stopsignal
		})
	}
	if err != nil {
		return none, err
	}
	if err := o.setRestartLine(ctx, tx, row, daemons[kind].line, true); err != nil {
		return none, err
	}
	if err := o.serve(ctx, tx, c.Parent, kind, s); err != nil {
		return none, err
	}
	doc, err := document(ctx, o, tx.SQL, tx.Granted, c.Parent, kind, true, attributes)
	doc.Event, doc.Location = accepted.EventID, o.path(c.Parent, kind)
	return doc, err
}

// free refuses a port that another site has.
func free(ctx context.Context, tx *db.Tx, f api.Fields, row query.Site, port int64) error {
	claims, err := tx.ListServerPortClaims(ctx, row)
	if err != nil {
		return fmt.Errorf("list ports of sites: %w", err)
	}
	if slices.ContainsFunc(claims, func(c query.SitePort) bool { return c.Port == port && c.SiteID != row.ID }) {
		f.Add("port", "The port is used by another site on this server.")
		return f.Err()
	}
	return nil
}

// setRestartLine writes the line of an integration into the site's deploy script, or takes it out.
func (o *Operations) setRestartLine(ctx context.Context, tx *db.Tx, row query.Site, line string, on bool) error {
	p, err := o.Projects.Get(ctx, tx.Granted, row)
	if errors.Is(err, project.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	directory := "$FORGE_SITE_PATH"
	if p.ZeroDowntime { // the release that is made, which is live only at the script's end
		directory = "$FORGE_RELEASE_DIRECTORY"
	}
	below, err := site.Place{Site: row, Releases: p.ZeroDowntime, Code: true}.Application()
	if err != nil {
		return err
	}
	text, changed := setLine(p.Script, line, path.Join(directory, below), on)
	if !changed || p.Script == "" {
		return nil
	}
	if err := tx.SetProjectScript(ctx, row.ID, text, p.AutoSource, tx.Micros()); err != nil {
		return fmt.Errorf("change deploy script: %w", err)
	}
	return nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, p site.Path, kind string) (api.Empty, error) {
	var err error
	if p, err = p.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	row := p.Site
	event, err := o.leave(ctx, tx, p, kind)
	if err != nil {
		return api.Empty{}, err
	}
	have, err := processOf(ctx, tx.Granted, row, kind)
	if err != nil || have == nil { // it is off
		return api.Empty{Event: event}, err
	}
	if err := o.setRestartLine(ctx, tx, row, daemons[kind].line, false); err != nil {
		return api.Empty{}, err
	}
	return o.Processes.Drop(ctx, tx, p.Path, have.ID, "Removing process "+have.Name, nil, nil)
}

// serve accepts that nginx hands requests to a program. It is work of the site's aspect, beside that on the process.
func (o *Operations) serve(ctx context.Context, tx *db.Tx, p site.Path, kind string, s Settings) error {
	if !answers(kind) {
		return nil
	}
	row, err := tx.GetIntegration(ctx, p.Site, kind)
	if errors.Is(err, db.ErrNotFound) {
		row, err = tx.PutIntegration(ctx, query.PutIntegrationParams{SiteID: p.Site.ID, Kind: kind, Settings: "{}", CreatedAt: tx.Micros()})
	}
	if err != nil {
		return fmt.Errorf("write integration: %w", err)
	}
	wish, err := Integrations.Want(row.ID, Specification{SiteID: p.Site.ID, Kind: kind, Settings: s})
	if err != nil {
		return err
	}
	_, err = site.AcceptorOf(o.Ledger).Accept(ctx, tx, p.Path, p.Site.ID, "update", "Serving "+daemons[kind].title+" of "+p.Site.Name, wish)
	return err
}

// leave accepts that nginx no longer forwards to a program, if it does.
func (o *Operations) leave(ctx context.Context, tx *db.Tx, p site.Path, kind string) (event int64, err error) {
	row, err := tx.GetIntegration(ctx, p.Site, kind)
	if errors.Is(err, db.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read integration: %w", err)
	}
	now, err := Integrations.Row(ctx, tx.Granted, row.ID)
	if err != nil || now.Phase == ledger.Gone || now.Phase == ledger.Deleting {
		return 0, err
	}
	accepted, err := site.AcceptorOf(o.Ledger).Accept(ctx, tx, p.Path, p.Site.ID, "delete",
		"No longer serving "+daemons[kind].title+" of "+p.Site.Name, Integrations.Removal(row.ID))
	return accepted.EventID, err
}

func (o *Operations) registerScheduler() {
	api.Show(o.Router, api.Operation{
		ID:     "organizations.servers.sites.integrations.laravel-scheduler.show",
		Method: http.MethodGet, Path: prefix + scheduler, Tag: "Integrations", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Conflict: true,
		Noun: "scheduler", Summary: "Get a site's scheduler", Description: "Queries the server for what is installed; 409 while it can't be reached.",
		Included: []any{schedule.Resource{}},
	}, o.Sites.InPath, func(ctx context.Context, c api.Call[site.Path]) (api.Document[schedulerResource], error) {
		has, err := o.Detector.installed(ctx, c.Parent, scheduler)
		if err != nil {
			return api.Document[schedulerResource]{}, err
		}
		return o.scheduler(ctx, o.DB.Reader(), o.DB.Read(), c.Parent, has)
	})
	api.WriteChecked(o.Router, api.Operation{
		ID:     "organizations.servers.sites.integrations.laravel-scheduler.store",
		Method: http.MethodPost, Path: prefix + scheduler, Tag: "Integrations", Mode: api.Async,
		Permissions: []access.Permission{access.ServerCreateSchedulers}, Status: http.StatusAccepted, Refused: true, Conflict: true,
		Noun: "scheduler", Verb: "enable", Summary: "Switch a site's scheduler on",
		Description: "Adds a scheduled job that runs every minute. 400 if the site's composer.lock does not contain Laravel.",
	}, o.Sites.InPath, func(ctx context.Context, c api.Call[site.Path], _ api.NoBody) error {
		return o.mustHave(ctx, c.Parent, scheduler)
	}, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Document[schedulerResource], error) {
		var none api.Document[schedulerResource]
		var err error
		if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
			return none, err
		}
		row := c.Parent.Site
		have, err := jobOf(ctx, tx.Granted, row)
		if err != nil {
			return none, err
		}
		var accepted job.Accepted
		if have == nil {
			_, accepted, err = o.Schedules.Make(ctx, tx, schedule.At{Path: c.Parent.Path, Site: &c.Parent.Site}, schedule.Specification{
				Name: new("Laravel scheduler"), Command: "php artisan schedule:run", User: row.UnixUser, Frequency: "minutely",
				Cron: "* * * * *", SiteID: &row.ID, Integration: scheduler,
			})
			if err != nil {
				return none, err
			}
		}
		doc, err := o.scheduler(ctx, tx.SQL, tx.Granted, c.Parent, true)
		doc.Event, doc.Location = accepted.EventID, o.path(c.Parent, scheduler)
		return doc, err
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID:     "organizations.servers.sites.integrations.laravel-scheduler.destroy",
		Method: http.MethodDelete, Path: prefix + scheduler, Tag: "Integrations", Mode: api.Async,
		Permissions: []access.Permission{access.ServerDeleteSchedulers}, Status: http.StatusAccepted,
		Before: "/orgs/{organization}/sites/{site}", Noun: "scheduler", Summary: "Switch a site's scheduler off",
		Asks: "Its scheduled tasks do not run until it is enabled again.",
	}, o.Sites.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Empty, error) {
		var err error
		if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
			return api.Empty{}, err
		}
		row := c.Parent.Site
		have, err := jobOf(ctx, tx.Granted, row)
		if err != nil || have == nil { // it is off
			return api.Empty{}, err
		}
		return o.Schedules.Leave(ctx, tx, schedule.At{Path: c.Parent.Path, Site: &c.Parent.Site}, *have, nil)
	})
}

func jobOf(ctx context.Context, q *query.Granted, site query.Site) (*query.ScheduledJob, error) {
	rows, err := q.ListSiteScheduledJobs(ctx, site)
	if err != nil {
		return nil, fmt.Errorf("list scheduled jobs of site %d: %w", site.ID, err)
	}
	if i := slices.IndexFunc(rows, func(r query.ScheduledJob) bool { return r.Integration == scheduler }); i >= 0 {
		return &rows[i], nil
	}
	return nil, nil
}

func (o *Operations) scheduler(ctx context.Context, r query.DBTX, q *query.Granted, p site.Path, has bool) (api.Document[schedulerResource], error) {
	doc := api.Document[schedulerResource]{Data: schedulerResource{
		ID: strconv.FormatInt(p.Site.ID, 10), Links: o.Router.Links(o.path(p, scheduler)),
		Relationships: &JobRelationships{}, Attributes: LaravelSchedulerIntegrationAttributes{LaravelInstalled: has},
		Meta: &api.Meta{},
	}}
	have, err := jobOf(ctx, q, p.Site)
	if err != nil || have == nil {
		return doc, err
	}
	found, err := o.Schedules.Documents(ctx, r, schedule.At{Path: p.Path, Site: &p.Site}, *have)
	if err != nil {
		return doc, err
	}
	doc.Data.Attributes.Enabled, doc.Data.Relationships.Job = true, api.One[schedule.JobAttributes](have.ID)
	doc.Data.Meta.Operation, doc.Included = found[0].Meta.Operation, []any{found[0]}
	return doc, nil
}
