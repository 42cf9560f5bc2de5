// Package schedule manages scheduled jobs of servers: each is a separate cron file, so that an invalid one does not break others.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Aspect is the part of a server that scheduled jobs belong to.
const Aspect = "schedule"

// crontabLine matches the beginning of a line of a crontab: when it runs, and a command.
var crontabLine = regexp.MustCompile(`^(?:@(?:reboot|yearly|annually|monthly|weekly|daily|midnight|hourly)|` +
	`(?:[0-9*][0-9*/,-]*\s+){2}(?:(?i:[0-9a-z*][0-9a-z*/,-]*)\s+){2}(?i:[0-9a-z*][0-9a-z*/,-]*))\s+\S`)

const (
	resource = "scheduledJobs"
	deadline = 10 * time.Minute
	maxJobs  = 200
	// maxCommand is the longest command, in bytes.
	maxCommand = 2000
)

// The frequencies of the contract, with what cron calls them.
const (
	minutely = "minutely"
	reboot   = "reboot"
	custom   = "custom"
)

var crons = map[string]string{
	minutely: "* * * * *", "hourly": "0 * * * *", "nightly": "0 0 * * *", "weekly": "0 0 * * 0", "monthly": "0 0 1 * *",
	reboot: "@reboot",
}

// JobAttributes are the attributes of a scheduled job.
type JobAttributes struct {
	Name        *string      `json:"name"`
	Command     string       `json:"command"`
	Status      string       `json:"status"`
	User        string       `json:"user"`
	Frequency   string       `json:"frequency" doc:"A display name, such as Minutely or Custom."`
	Cron        string       `json:"cron"`
	NextRunTime string       `json:"next_run_time" doc:"By the server's clock, in UTC; empty for jobs that run when the server starts."`
	CreatedAt   api.NullTime `json:"created_at"`
	UpdatedAt   api.NullTime `json:"updated_at"`
}

// ResourceType returns scheduledJobs.
func (JobAttributes) ResourceType() string { return resource }

// Metas are what the meta of these resources has besides.
func (JobAttributes) Metas() []any { return []any{Meta{}} }

// Resource is a scheduled job in a document.
type Resource = server.Document[JobAttributes]

// JobOutputAttributes is what the last run of a job printed.
type JobOutputAttributes struct {
	Output string `json:"output" doc:"The first line contains the start time and the result of the run."`
}

// ResourceType returns scheduledJobOutputs.
func (JobOutputAttributes) ResourceType() string { return "scheduledJobOutputs" }

// OutputResource is the output of a job in a document.
type OutputResource = api.Resource[JobOutputAttributes, api.NoRelationships]

// At is where jobs are asked for: a server, or a site of it.
type At struct {
	server.Path
	// Site is nil where none is named.
	Site *query.Site
}

// On returns the server, and the site that is named.
func (a At) On() (server.Path, int64) {
	if a.Site == nil {
		return a.Path, 0
	}
	return a.Path, a.Site.ID
}

// URL returns where the jobs are.
func (a At) URL() string {
	if a.Site == nil {
		return a.Path.URL()
	}
	return a.Path.URL() + "/sites/" + strconv.FormatInt(a.Site.ID, 10)
}

// Lock locks the server, and reads it and the named site again.
func (a At) Lock(ctx context.Context, tx *db.Tx) (At, error) {
	if a.Site == nil {
		var err error
		a.Path, err = a.Path.Lock(ctx, tx)
		return a, err
	}
	p, err := site.Path{Path: a.Path, Site: *a.Site}.Current(ctx, tx)
	return At{Path: p.Path, Site: &p.Site}, err
}

// Path is a job visible to the caller.
type Path = server.Part[At, query.ScheduledJob]

// Specification is what a job asks of its server.
type Specification struct {
	Name      *string `json:"name,omitempty"`
	Command   string  `json:"command"`
	User      string  `json:"user"`
	Frequency string  `json:"frequency"`
	Cron      string  `json:"cron"`
	SiteID    *int64  `json:"site_id,omitempty"`
	// HeartbeatID is the heartbeat that is called when the job went well. It belongs to the job and goes with it.
	HeartbeatID *int64 `json:"heartbeat_id,omitempty"`
	// Leads has that heartbeat follow a new schedule.
	Leads bool `json:"leads,omitempty"`
	// Integration is the one that the job belongs to, "" for one that a person asked for.
	Integration string `json:"integration,omitempty"`
}

func (s Specification) title(id int64) string {
	if s.Name != nil {
		return *s.Name
	}
	return strconv.FormatInt(id, 10)
}

// Jobs is the noun.
var Jobs = &ledger.Noun[Specification]{Kind: resource, Version: 1, Parent: "sites", In: func(s Specification) int64 {
	if s.SiteID == nil {
		return 0
	}
	return *s.SiteID
}, Account: func(s Specification) string { return s.User }, Write: write}

// write deletes the heartbeat of a job with it: nothing calls it any more. A job whose site was deleted went with the site.
func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	had, err := tx.Ungranted().GetScheduledJob(ctx, serverID, row.ID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("read scheduled job %d: %w", row.ID, err)
	}
	s, gone := row.Specification, row.Phase == ledger.Gone
	if s.SiteID != nil {
		if _, err := tx.Ungranted().GetSite(ctx, *s.SiteID); errors.Is(err, db.ErrNotFound) {
			gone = true
		} else if err != nil {
			return fmt.Errorf("read site of scheduled job %d: %w", row.ID, err)
		}
	}
	if gone {
		if _, err := tx.DeleteScheduledJob(ctx, row.ID); err != nil {
			return fmt.Errorf("delete scheduled job %d: %w", row.ID, err)
		}
		if had.HeartbeatID == nil {
			return nil
		}
		if err := tx.DeleteHeartbeat(ctx, *had.HeartbeatID); err != nil {
			return fmt.Errorf("delete heartbeat of scheduled job %d: %w", row.ID, err)
		}
		return nil
	}
	if s.HeartbeatID != nil {
		if _, err := tx.Ungranted().GetHeartbeatByID(ctx, *s.HeartbeatID); errors.Is(err, db.ErrNotFound) { // deleted on its own
			s.HeartbeatID = nil
		} else if err != nil {
			return fmt.Errorf("read heartbeat of scheduled job %d: %w", row.ID, err)
		}
	}
	err = tx.PutScheduledJob(ctx, query.PutScheduledJobParams{
		ID: row.ID, ServerID: serverID, SiteID: s.SiteID, Integration: s.Integration, Name: s.Name, Command: s.Command, UnixUser: s.User,
		Frequency: s.Frequency, Cron: s.Cron, HeartbeatID: s.HeartbeatID, Status: server.PartStatus(row.Phase), OperationID: row.OperationID, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("write scheduled job %d: %w", row.ID, err)
	}
	if row.Phase != ledger.Applied || had.Status == server.PartInstalled {
		return nil
	}
	srv, err := tx.Ungranted().GetServer(ctx, serverID)
	if err != nil {
		return fmt.Errorf("read server of scheduled job %d: %w", row.ID, err)
	}
	if s.Leads && s.HeartbeatID != nil {
		if err := lead(ctx, tx, srv, *s.HeartbeatID, s.Cron); err != nil {
			return fmt.Errorf("change the heartbeat of scheduled job %d: %w", row.ID, err)
		}
	}
	if err := tx.SetJobLook(ctx, row.ID, firstLook(query.ScheduledJob{Cron: s.Cron}, srv.Timezone, time.UnixMicro(tx.Micros())), ""); err != nil {
		return fmt.Errorf("look at scheduled job %d later: %w", row.ID, err)
	}
	return nil
}

// lead gives a heartbeat the schedule of its job. What it waits for is the next run.
func lead(ctx context.Context, tx *db.Tx, srv query.Server, id int64, cron string) error {
	beat, err := tx.Ungranted().GetHeartbeatByID(ctx, id)
	if err != nil || beat.CustomFrequency != nil && *beat.CustomFrequency == cron {
		return err
	}
	if beat.DueAt != nil {
		if next, ok := dueAfter(query.ScheduledJob{Cron: cron}, srv.Timezone, time.UnixMicro(tx.Micros())); ok {
			beat.DueAt = new(next.UnixMicro())
		}
	}
	return tx.UpdateHeartbeat(ctx, query.UpdateHeartbeatParams{
		ID: id, Name: beat.Name, Frequency: beat.Frequency, CustomFrequency: &cron, GracePeriod: beat.GracePeriod, DueAt: beat.DueAt, UpdatedAt: tx.Micros(),
	})
}

// Facts are what a plan knows beside the ledger.
type Facts struct {
	// Pings are the addresses of heartbeats by their ids.
	Pings map[int64]Ping
}

// Ping is the address of a heartbeat: what is below an address of Hostler's, sealed at a place.
type Ping struct {
	Below string
	Place secret.Place
	Token []byte
}

// Reader reads Facts. Heartbeats are called below an address, at tokens that are sealed at a place each.
type Reader struct {
	Below string
	Place func(heartbeat int64) secret.Place
}

// Facts reads what plans for a server know.
func (r Reader) Facts(ctx context.Context, q *query.Queries, srv query.Server) (any, error) {
	beats, err := q.ListServerHeartbeats(ctx, srv.ID)
	if err != nil {
		return nil, fmt.Errorf("list heartbeats: %w", err)
	}
	facts := Facts{Pings: map[int64]Ping{}}
	for _, h := range beats {
		facts.Pings[h.ID] = Ping{Below: r.Below, Place: r.Place(h.ID), Token: h.Token}
	}
	return facts, nil
}

// check reports all errors of a request, except for the account.
func (s *Specification) check(f api.Fields, cron *string) {
	if s.Name != nil {
		if *s.Name = strings.TrimSpace(*s.Name); *s.Name != "" {
			f.Line("name", *s.Name, 255)
		}
		if *s.Name == "" {
			s.Name = nil
		}
	}
	if s.Command = f.Command("command", s.Command, maxCommand); len(f["command"]) == 0 {
		switch {
		case s.Command == "":
			f.Add("command", "The command is required.")
		case crontabLine.MatchString(s.Command):
			f.Add("command", "The command begins with when it runs, as in a crontab. That goes into cron, with the frequency custom.")
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

// Maker accepts jobs, for people and for integrations.
type Maker struct {
	server.Parts[At, query.ScheduledJob, Specification, JobAttributes]
}

// NewMaker makes one.
func NewMaker(d *db.DB, l *ledger.Ledger, r *api.Router) *Maker {
	m := &Maker{server.Parts[At, query.ScheduledJob, Specification, JobAttributes]{
		DB: d, Router: r, Noun: Jobs, Acceptor: server.Acceptor{Ledger: l, Name: Aspect, Within: deadline},
		Collection: "scheduled-jobs", Param: "job", Table: "scheduled_jobs", Get: (*query.Queries).GetScheduledJob, Attributes: document,
	}}
	m.More = m.next
	return m
}

// Make accepts a new job.
func (m *Maker) Make(ctx context.Context, tx *db.Tx, at At, s Specification) (query.ScheduledJob, job.Accepted, error) {
	row, err := tx.InsertScheduledJob(ctx, query.InsertScheduledJobParams{
		ServerID: at.Server.ID, SiteID: s.SiteID, Integration: s.Integration, Name: s.Name, Command: s.Command, UnixUser: s.User,
		Frequency: s.Frequency, Cron: s.Cron, HeartbeatID: s.HeartbeatID, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return row, job.Accepted{}, fmt.Errorf("create scheduled job: %w", err)
	}
	return m.Accept(ctx, tx, at, row.ID, s, "create", "Installing scheduled job "+s.title(row.ID))
}

// Leave asks for a job to go.
func (m *Maker) Leave(ctx context.Context, tx *db.Tx, at At, row query.ScheduledJob, refuse func() error) (api.Empty, error) {
	return m.Drop(ctx, tx, at, row.ID, "Removing scheduled job "+Specification{Name: row.Name}.title(row.ID), nil, refuse)
}

func document(r query.ScheduledJob) (id int64, operation *int64, a JobAttributes) {
	return r.ID, r.OperationID, JobAttributes{
		Name: r.Name, Command: r.Command, Status: r.Status, User: r.UnixUser, Frequency: text.Capital(r.Frequency), Cron: r.Cron,
		CreatedAt: api.NullTimeOf(&r.CreatedAt), UpdatedAt: api.NullTimeOf(&r.UpdatedAt),
	}
}

// Meta is what scheduled jobs add to meta.
type Meta struct {
	Job JobMeta `json:"job"`
}

// JobMeta describes a scheduled job beyond its attributes.
type JobMeta struct {
	SiteID      *int64 `json:"site_id"`
	HeartbeatID *int64 `json:"heartbeat_id"`
	Integration string `json:"integration" doc:"The integration that created it; empty if it was created directly."`
	Unstarted   string `json:"unstarted" doc:"Why the server's cron has not started it although it was due; empty if it has, or if it was not due yet."`
}

// next adds to documents when jobs run next, and what they belong to.
func (m *Maker) next(_ context.Context, _ query.DBTX, at At, rows []query.ScheduledJob, documents []Resource) error {
	for i, row := range rows {
		documents[i].Attributes.NextRunTime = nextRun(at.Server, row, m.DB.Clock.Now())
		documents[i].Meta.Own = []any{Meta{JobMeta{SiteID: row.SiteID, HeartbeatID: row.HeartbeatID, Integration: row.Integration, Unstarted: row.Unstarted}}}
	}
	return nil
}

// nextRun returns when a job runs next, in the contract's form of times.
func nextRun(srv query.Server, row query.ScheduledJob, now time.Time) string {
	next, ok := dueAfter(row, srv.Timezone, now)
	if !ok {
		return ""
	}
	return next.Format("2006-01-02T15:04:05.000000Z")
}
