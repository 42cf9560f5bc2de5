// Package schedule is what servers run again and again: each job is a file of cron of its own, so that one that is wrong breaks no other.
package schedule

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/server"
	"github.com/hostlerhq/hostler/internal/value"
)

// Aspect is the part of a server that scheduled jobs belong to.
const Aspect = "schedule"

const (
	resource = "scheduledJobs"
	deadline = 10 * time.Minute
	maxJobs  = 200
	// maxCommand is the longest command, in bytes.
	maxCommand = 2000
)

// The states of a job.
const (
	statusInstalling = "installing"
	statusInstalled  = "installed"
	statusRemoving   = "removing"
	statusFailed     = "failed"
)

// The frequencies of the contract, with what cron calls them.
const (
	minutely = "minutely"
	reboot   = "reboot"
	custom   = "custom"
)

var crons = map[string]string{minutely: "* * * * *", "hourly": "0 * * * *", "nightly": "0 0 * * *", "weekly": "0 0 * * 0", "monthly": "0 0 1 * *", reboot: "@reboot"}

// JobAttributes are the attributes of a scheduled job.
type JobAttributes struct {
	Name        *string      `json:"name"`
	Command     string       `json:"command"`
	Status      string       `json:"status"`
	User        string       `json:"user"`
	Frequency   string       `json:"frequency" doc:"For people: Minutely, Custom."`
	Cron        string       `json:"cron"`
	NextRunTime string       `json:"next_run_time" doc:"By the server's clock, in UTC; empty for what runs when the server starts."`
	CreatedAt   api.NullTime `json:"created_at"`
	UpdatedAt   api.NullTime `json:"updated_at"`
}

// ResourceType is scheduledJobs.
func (JobAttributes) ResourceType() string { return resource }

// Resource is a scheduled job in a document.
type Resource = api.Resource[JobAttributes, api.NoRelationships]

// JobOutputAttributes is what the last run of a job printed.
type JobOutputAttributes struct {
	Output string `json:"output" doc:"The first line says when it began and how it ended."`
}

// ResourceType is scheduledJobOutputs.
func (JobOutputAttributes) ResourceType() string { return "scheduledJobOutputs" }

// OutputResource is the output of a job in a document.
type OutputResource = api.Resource[JobOutputAttributes, api.NoRelationships]

// Path is a job that the caller may know of. Site is the one in the path, nil where there is none.
type Path struct {
	server.Path
	Site *query.Site
	Job  query.ScheduledJob
}

// Spec is a job as somebody wants it.
type Spec struct {
	Name            *string
	Command, User   string
	Frequency, Cron string
	SiteID          *int64
	HeartbeatID     *int64
	Integration     string
}

// check says all that is wrong with what was asked for, but for the account.
func (s *Spec) check(f api.Fields, cron *string) {
	if s.Name != nil {
		if *s.Name = strings.TrimSpace(*s.Name); len(f["name"]) == 0 && (len(*s.Name) > 255 || strings.ContainsFunc(*s.Name, unicode.IsControl)) {
			f.Add("name", "The name must be a line of text.")
		}
		if *s.Name == "" {
			s.Name = nil
		}
	}
	if s.Command = strings.TrimSpace(s.Command); len(f["command"]) == 0 {
		switch {
		case s.Command == "":
			f.Add("command", "The command is required.")
		case len(s.Command) > maxCommand || strings.ContainsFunc(s.Command, unicode.IsControl):
			f.Add("command", "The command must be one line of at most %d bytes.", maxCommand)
		}
	}
	if len(f["frequency"]) > 0 || len(f["cron"]) > 0 {
		return
	}
	if s.Frequency != custom {
		s.Cron = crons[s.Frequency]
		return
	}
	if cron == nil || *cron == "" {
		f.Add("cron", "The cron is required when the frequency is custom.")
		return
	}
	c, err := value.ParseCron(*cron)
	if err != nil {
		f.Add("cron", "%s", err)
	}
	s.Cron = c.String()
}

// Maker makes jobs for others: integrations.
type Maker struct{ Jobs *job.Queue }

// Make writes a job and the work on it down.
func (m *Maker) Make(ctx context.Context, tx *db.Tx, p server.Path, s Spec) (query.ScheduledJob, int64, error) {
	row, err := tx.InsertScheduledJob(ctx, query.InsertScheduledJobParams{ServerID: p.Server.ID, SiteID: s.SiteID, Integration: s.Integration, Name: s.Name, Command: s.Command, UnixUser: s.User,
		Frequency: s.Frequency, Cron: s.Cron, HeartbeatID: s.HeartbeatID, CreatedAt: tx.Micros()})
	if err != nil {
		return row, 0, fmt.Errorf("create scheduled job: %w", err)
	}
	event, err := m.begin(ctx, tx, p, &row, statusInstalling, "create", "Installing scheduled job "+nameOf(row))
	return row, event, err
}

// Remove takes a job away.
func (m *Maker) Remove(ctx context.Context, tx *db.Tx, p server.Path, row query.ScheduledJob) (int64, error) {
	if row.Status == statusRemoving { // a second delete while the first runs
		return 0, nil
	}
	return m.begin(ctx, tx, p, &row, statusRemoving, "delete", "Removing scheduled job "+nameOf(row))
}

func (m *Maker) begin(ctx context.Context, tx *db.Tx, p server.Path, row *query.ScheduledJob, status, action, description string) (int64, error) {
	w := job.Work{Grant: p.Grant, ServerID: p.Server.ID, Ready: p.Server.IsReady, Aspect: Aspect, Resource: resource, ResourceID: row.ID, Action: action, Description: description, RanAs: "root", Request: was{row.Status}, Within: deadline}
	if row.SiteID != nil {
		w.SiteID = *row.SiteID
	}
	accepted, err := m.Jobs.Begin(ctx, tx, w)
	if err != nil {
		return 0, err
	}
	row.Status, row.OperationID = status, &accepted.OperationID
	if err := tx.SetScheduledJobStatus(ctx, row.ID, status, row.OperationID, tx.Micros()); err != nil {
		return 0, fmt.Errorf("set status of scheduled job %d: %w", row.ID, err)
	}
	return accepted.EventID, nil
}

// was is the request of work: the status from before.
type was struct {
	Status string `json:"status"`
}

func nameOf(row query.ScheduledJob) string {
	if row.Name != nil {
		return *row.Name
	}
	return strconv.FormatInt(row.ID, 10)
}

// Resources makes the documents of jobs of one server.
func Resources(ctx context.Context, q query.DBTX, r *api.Router, slug string, srv query.Server, now time.Time, s *query.Site, rows ...query.ScheduledJob) ([]Resource, error) {
	ids := make([]*int64, len(rows))
	for i, row := range rows {
		ids[i] = row.OperationID
	}
	ops, err := job.Operations(ctx, q, ids...)
	if err != nil {
		return nil, err
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		out[i] = Resource{ID: strconv.FormatInt(row.ID, 10), Links: r.Links(URL(slug, srv.ID, s, row.ID)),
			Meta: &api.Meta{Operation: job.Meta(ops, row.OperationID), Job: &api.JobMeta{SiteID: row.SiteID, HeartbeatID: row.HeartbeatID, Integration: row.Integration}},
			Attributes: JobAttributes{Name: row.Name, Command: row.Command, Status: row.Status, User: row.UnixUser, Frequency: strings.ToUpper(row.Frequency[:1]) + row.Frequency[1:], Cron: row.Cron,
				NextRunTime: nextRun(srv, row, now), CreatedAt: api.NullTimeOf(&row.CreatedAt), UpdatedAt: api.NullTimeOf(&row.UpdatedAt)}}
	}
	return out, nil
}

// nextRun is when a job runs next, in the contract's form of times.
func nextRun(srv query.Server, row query.ScheduledJob, now time.Time) string {
	cron, err := value.ParseCron(row.Cron)
	if err != nil {
		return ""
	}
	zone := time.UTC
	if z, err := value.ParseTimezone(srv.Timezone); err == nil {
		zone = z.Location()
	}
	next, err := cron.Next(now, zone)
	if err != nil {
		return ""
	}
	return next.Format("2006-01-02T15:04:05.000000Z")
}

// URL is the path of a job: below its site where it was asked for there.
func URL(slug string, serverID int64, s *query.Site, id int64) string {
	at := fmt.Sprintf("/orgs/%s/servers/%d", slug, serverID)
	if s != nil {
		at += fmt.Sprintf("/sites/%d", s.ID)
	}
	return at + fmt.Sprintf("/scheduled-jobs/%d", id)
}
