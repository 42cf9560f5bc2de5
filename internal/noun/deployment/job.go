package deployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Listener is notified of deployments that ended.
type Listener interface {
	// DeploymentEnded is called in the transaction that ends a deployment; good is whether it is live.
	DeploymentEnded(ctx context.Context, tx *db.Tx, d query.Deployment, good bool) error
}

// Sources reports whether everything needed for fetching is set up at the provider of a site's repository.
type Sources interface {
	Ready(ctx context.Context, q *query.Queries, site int64) (bool, error)
}

// Task does deployments: each is one run on its host, which ends there whatever becomes of us.
type Task struct {
	Projects  *project.Store
	Sources   Sources
	Listeners []Listener
	// Environment returns additional variables for a site's scripts; it may be nil.
	Environment func(ctx context.Context, q *query.Queries, row query.Site) (map[string]string, error)
}

// Aspect returns it for the engine.
func (c *Task) Aspect() job.Aspect { return c.kind().Aspect() }

func (c *Task) kind() task.Kind[query.Deployment] {
	return task.Kind[query.Deployment]{
		Load: task.Row((*query.Queries).GetDeployment), Gone: "the site was deleted", Ready: c.ready, Steps: c.steps, Heard: c.heard, Write: c.write,
	}
}

// ready says that the site does not exist on its server yet, or that its repository can't be fetched yet.
func (c *Task) ready(ctx context.Context, q *query.Queries, op query.Operation, d query.Deployment) (string, error) {
	row, err := q.GetSite(ctx, d.SiteID)
	if err != nil {
		return "", fmt.Errorf("read site of deployment %d: %w", d.ID, err)
	}
	if awaited := site.Awaited(row); awaited != "" {
		return awaited, nil
	}
	if switching, err := site.Switching(ctx, q.Granted(), row.ID); err != nil || switching != "" {
		return switching, err
	}
	n, err := q.CountEnvironmentsBefore(ctx, &row.ID, op.ID) // earlier versions are written first
	if err != nil {
		return "", fmt.Errorf("look for variables of site %d: %w", row.ID, err)
	}
	if n > 0 {
		return "Waiting until the site's environment is written.", nil
	}
	return keyed(ctx, q, c.Sources, row.ID)
}

// steps returns the one stage of a deployment.
func (c *Task) steps(ctx context.Context, q *query.Queries, srv query.Server, op query.Operation, d query.Deployment) ([]job.Stage, error) {
	row, err := q.GetSite(ctx, d.SiteID)
	if err != nil {
		return nil, fmt.Errorf("read site of deployment %d: %w", d.ID, err)
	}
	if row.Status == site.StatusFailed || row.Status == site.StatusUninstalling {
		return nil, job.Planned(errors.New("the site is not installed on its server"))
	}
	code, err := c.Projects.Get(ctx, q.Granted(), row)
	if errors.Is(err, project.ErrNone) {
		return nil, job.Planned(err)
	}
	if err != nil {
		return nil, err
	}
	code.ZeroDowntime = project.InReleases(row.Type, code)
	key, err := c.Projects.PrivateKey(code)
	if err != nil {
		return nil, err
	}
	var more map[string]string
	if c.Environment != nil {
		if more, err = c.Environment(ctx, q, row); err != nil {
			return nil, err
		}
	}
	variables, err := c.variables(d)
	if err != nil {
		return nil, err
	}
	lenient, err := unlooked(ctx, q, code)
	if err != nil {
		return nil, err
	}
	domains, err := q.ListDomains(ctx, row.ID)
	if err != nil {
		return nil, fmt.Errorf("read domains of site %d: %w", row.ID, err)
	}
	own := slices.ContainsFunc(domains, func(d query.Domain) bool { return d.Nginx != nil })
	script, err := Script(Input{
		Lenient: lenient, OwnNginx: own, More: more, Variables: variables, Server: srv, Site: row, Project: code, Deployment: d,
		Attempt: op.Attempt, PrivateKey: key,
	})
	if err != nil {
		return nil, job.Planned(err)
	}
	return []job.Stage{{Name: "deploy script", Script: &script, Detach: true, Within: timeLimit(code)}}, nil
}

// unlooked reports whether the live deployment of a site had nothing to serve, or was not looked at.
func unlooked(ctx context.Context, q *query.Queries, code query.Project) (bool, error) {
	if code.LiveDeploymentID == nil {
		return false, nil
	}
	live, err := q.GetDeployment(ctx, *code.LiveDeploymentID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("read the live deployment %d: %w", *code.LiveDeploymentID, err)
	}
	return live.Unserved == nil || *live.Unserved != "", nil
}

// heard records the host's report of what it deployed.
func (c *Task) heard(ctx context.Context, tx *db.Tx, _ query.Operation, d query.Deployment, r wire.Result) error {
	if len(r.Report) == 0 {
		return nil
	}
	or := func(key string, known *string) *string {
		if v := clean(r.Report[key]); v != "" {
			return &v
		}
		return known
	}
	active := d.ReleaseName
	if r.State == wire.StateSucceeded {
		active = clean(r.Report[release.ReportActive])
	}
	if err := tx.NoteDeployment(ctx, query.NoteDeploymentParams{
		ID: d.ID, CommitHash: or(release.ReportHash, d.CommitHash), CommitAuthor: or(release.ReportAuthor, d.CommitAuthor),
		CommitMessage: or(release.ReportMessage, d.CommitMessage), ReleaseName: active, UpdatedAt: tx.Micros(),
	}); err != nil {
		return fmt.Errorf("note deployment %d: %w", d.ID, err)
	}
	if said := clean(r.Report[release.ReportServed]); said != "" {
		if said == "1" {
			said = ""
		}
		if err := tx.NoteUnserved(ctx, d.ID, &said); err != nil {
			return fmt.Errorf("note what deployment %d serves: %w", d.ID, err)
		}
	}
	project, err := tx.GetProject(ctx, d)
	if err != nil {
		return fmt.Errorf("note deployment %d: %w", d.ID, err)
	}
	if err := pinned(ctx, tx, project, r); err != nil {
		return err
	}
	if active == "" || r.State != wire.StateSucceeded {
		return nil
	}
	return tx.SetProjectReleases(ctx, project.SiteID, clean(r.Report[release.ReportReleases]), active, tx.Micros())
}

// clean takes a claim of a host as one line of text.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	const most = 1000
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return strings.TrimSpace(s)
}

// shows is the status of a deployment.
var shows = task.Shows{
	job.Queued: StatusQueued, job.Begun: StatusDeploying, job.Succeeded: StatusFinished, job.Failed: StatusFailed, job.Cancelled: StatusCancelled,
}

// write shows how a deployment stands, on its site too. Listeners learn of every end that was not a cancellation.
func (c *Task) write(ctx context.Context, tx *db.Tx, _ query.Operation, d query.Deployment, at job.State) (err error) {
	now := tx.Micros()
	d.Status = shows.Of(at)
	switch {
	case at == job.Queued:
		err = tx.QueueDeployment(ctx, d.ID, now)
	case at == job.Begun:
		err = tx.BeginDeployment(ctx, d.ID, now)
	default:
		d.EndedAt = &now
		err = tx.EndDeployment(ctx, d.ID, d.Status, d.EndedAt)
	}
	if err == nil && at.Done() {
		err = tx.NoteLiveDeployment(ctx, d.SiteID, &d.ID)
	}
	if err == nil {
		err = c.mark(ctx, tx, d, d.Status)
	}
	if err != nil || !at.Ended() || at == job.Cancelled {
		return err
	}
	for _, l := range c.Listeners {
		if err := l.DeploymentEnded(ctx, tx, d, at.Done()); err != nil {
			return err
		}
	}
	return nil
}

// mark records the state of a site's newest deployment on the site.
func (c *Task) mark(ctx context.Context, tx *db.Tx, d query.Deployment, status string) error {
	if err := tx.MarkDeployed(ctx, d.SiteID, &d.ID, status); err != nil {
		return fmt.Errorf("note deployment %d on its site: %w", d.ID, err)
	}
	return nil
}
