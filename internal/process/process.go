// Package process is programs that always run on servers: workers of queues, and whatever else somebody starts.
package process

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/server"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// Aspect is the part of a server that processes belong to.
const Aspect = "process"

const resource = "backgroundProcesses"

const (
	deadline     = 10 * time.Minute
	maxProcesses = 100
	maxInstances = 100
	maxCommand   = 2000
	// maxSeconds is the longest time that a process may be given to start or to end.
	maxSeconds = 3600

	defaultStart = 1
	defaultStop  = 10
)

// What is under way with a process; what was seen of it last stands beside it.
const (
	statusInstalling = "installing"
	statusRemoving   = "removing"
	statusRestarting = "restarting"
	statusStarting   = "starting"
	statusStopping   = "stopping"

	seenRunning = "running"
	seenStopped = "stopped"
	seenFatal   = "fatal"
	seenBackoff = "backoff"
	seenExited  = "exited"
	seenUnknown = "unknown"
)

// BackgroundProcessAttributes are the attributes of a process.
type BackgroundProcessAttributes struct {
	Command   string   `json:"command"`
	User      string   `json:"user"`
	Directory *string  `json:"directory"`
	Processes int64    `json:"processes"`
	Status    string   `json:"status" enum:"installing,removing,restarting,starting,stopping,running,stopped,fatal,backoff,exited,unknown"`
	CreatedAt api.Time `json:"created_at"`
}

// ResourceType is backgroundProcesses.
func (BackgroundProcessAttributes) ResourceType() string { return resource }

// Unlinked marks resources without links.
func (BackgroundProcessAttributes) Unlinked() {}

// Resource is a process in a document.
type Resource = api.Resource[BackgroundProcessAttributes, api.NoRelationships]

// BackgroundProcessLogAttributes is what a process printed.
type BackgroundProcessLogAttributes struct {
	Content string `json:"content"`
}

// ResourceType is backgroundProcessLogs.
func (BackgroundProcessLogAttributes) ResourceType() string { return "backgroundProcessLogs" }

// LogResource is a process's log in a document.
type LogResource = api.Resource[BackgroundProcessLogAttributes, api.NoRelationships]

// Path is a process that the caller may know of.
type Path struct {
	server.Path
	Process query.BackgroundProcess
}

// Spec is a process as somebody wants it.
type Spec struct {
	Name, Command, User string
	SiteID              *int64
	Directory           *string
	Processes           int64
	Startsecs           int64
	Stopwaitsecs        int64
	Stopsignal          string
	// Integration is the one that it belongs to.
	Integration string
}

// check says all that is wrong with what was asked for, but for the site and the account.
func (s *Spec) check(f api.Fields) {
	if s.Name = strings.TrimSpace(s.Name); len(f["name"]) == 0 && (s.Name == "" || len(s.Name) > 255 || strings.ContainsFunc(s.Name, unicode.IsControl)) {
		f.Add("name", "The name must be a line of text.")
	}
	if s.Command = strings.TrimSpace(s.Command); len(f["command"]) == 0 {
		switch {
		case s.Command == "":
			f.Add("command", "The command is required.")
		case len(s.Command) > maxCommand || strings.ContainsFunc(s.Command, unicode.IsControl):
			f.Add("command", "The command must be one line of at most %d bytes.", maxCommand)
		}
	}
	if s.Directory != nil && *s.Directory == "" {
		s.Directory = nil
	}
	if s.Directory != nil && len(f["directory"]) == 0 {
		dir, err := value.ParseAbsPath(*s.Directory)
		if err != nil {
			f.Add("directory", "%s", err)
		}
		s.Directory = new(dir.String())
	}
	if s.Processes > maxInstances {
		f.Add("processes", "The processes must not be more than %d.", maxInstances)
	}
	for field, n := range map[string]int64{"startsecs": s.Startsecs, "stopwaitsecs": s.Stopwaitsecs} {
		if n > maxSeconds {
			f.Add(field, "The %s must not be more than %d.", field, maxSeconds)
		}
	}
	if s.Stopsignal = strings.TrimPrefix(strings.ToUpper(s.Stopsignal), "SIG"); s.Stopsignal == "" {
		s.Stopsignal = "TERM"
	}
	if len(f["stopsignal"]) == 0 && !slices.Contains(render.StopSignals(), s.Stopsignal) {
		f.Add("stopsignal", "The stopsignal must be one of %s.", strings.Join(render.StopSignals(), ", "))
	}
}

// Maker makes processes for others: integrations.
type Maker struct{ Jobs *job.Queue }

// Make writes a process and the work on it down.
func (m *Maker) Make(ctx context.Context, tx *db.Tx, p server.Path, s Spec) (query.BackgroundProcess, int64, error) {
	row, err := tx.InsertBackgroundProcess(ctx, query.InsertBackgroundProcessParams{ServerID: p.Server.ID, SiteID: s.SiteID, Integration: s.Integration, Name: s.Name, Command: s.Command, UnixUser: s.User,
		Directory: s.Directory, Processes: s.Processes, Startsecs: s.Startsecs, Stopwaitsecs: s.Stopwaitsecs, Stopsignal: s.Stopsignal, CreatedAt: tx.Micros()})
	if err != nil {
		return row, 0, fmt.Errorf("create background process: %w", err)
	}
	event, err := m.begin(ctx, tx, p, &row, statusInstalling, "create", "Installing process "+row.Name, change{After: row})
	return row, event, err
}

// Change makes a process another one.
func (m *Maker) Change(ctx context.Context, tx *db.Tx, p server.Path, row query.BackgroundProcess, s Spec) (query.BackgroundProcess, int64, error) {
	was := row
	row.Name, row.Command, row.Directory, row.Processes = s.Name, s.Command, s.Directory, s.Processes
	row.Startsecs, row.Stopwaitsecs, row.Stopsignal = s.Startsecs, s.Stopwaitsecs, s.Stopsignal
	if err := put(ctx, tx, row); err != nil {
		return row, 0, err
	}
	event, err := m.begin(ctx, tx, p, &row, statusRestarting, "update", "Changing process "+row.Name, change{Before: was, After: row})
	return row, event, err
}

// Remove takes a process away.
func (m *Maker) Remove(ctx context.Context, tx *db.Tx, p server.Path, row query.BackgroundProcess) (int64, error) {
	if row.Status == statusRemoving { // a second delete while the first runs
		return 0, nil
	}
	return m.begin(ctx, tx, p, &row, statusRemoving, "delete", "Removing process "+row.Name, change{Before: row, After: row})
}

// Enclose restarts the processes of an account whose units are from before accounts were closed off. Those that answer visitors go on as they are
// until they are changed or restarted.
func (m *Maker) Enclose(ctx context.Context, tx *db.Tx, srv query.Server, user string) error {
	rows, err := tx.ListBackgroundProcesses(ctx, srv.ID)
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	for _, row := range rows {
		if row.UnixUser != user || row.Status != "" || row.Integration == "octane" || row.Integration == "reverb" {
			continue
		}
		p := server.Path{Server: srv, Grant: access.Grant{OrganizationID: srv.OrganizationID}}
		if _, err := m.begin(ctx, tx, p, &row, statusRestarting, actionRestart, "Closing process "+row.Name+" off from other sites", change{Before: row, After: row}); err != nil {
			return err
		}
	}
	return nil
}

func (m *Maker) begin(ctx context.Context, tx *db.Tx, p server.Path, row *query.BackgroundProcess, status, action, description string, request change) (int64, error) {
	w := job.Work{Grant: p.Grant, ServerID: p.Server.ID, Ready: p.Server.IsReady, Aspect: Aspect, Resource: resource, ResourceID: row.ID, Action: action, Description: description, RanAs: "root", Request: request, Within: deadline}
	if row.SiteID != nil {
		w.SiteID = *row.SiteID
	}
	accepted, err := m.Jobs.Begin(ctx, tx, w)
	if err != nil {
		return 0, err
	}
	row.Status, row.OperationID = status, &accepted.OperationID
	if err := tx.SetBackgroundProcessWork(ctx, row.ID, status, row.OperationID, tx.Micros()); err != nil {
		return 0, fmt.Errorf("note work on process %d: %w", row.ID, err)
	}
	return accepted.EventID, nil
}

func put(ctx context.Context, tx *db.Tx, row query.BackgroundProcess) error {
	err := tx.UpdateBackgroundProcess(ctx, query.UpdateBackgroundProcessParams{ID: row.ID, Name: row.Name, Command: row.Command, Directory: row.Directory, Processes: row.Processes,
		Startsecs: row.Startsecs, Stopwaitsecs: row.Stopwaitsecs, Stopsignal: row.Stopsignal, Stopped: row.Stopped, UpdatedAt: tx.Micros()})
	if err != nil {
		return fmt.Errorf("write process %d: %w", row.ID, err)
	}
	return nil
}

// Users are the accounts that something on a server can run as.
func Users(ctx context.Context, q *query.Queries, serverID int64) ([]string, error) {
	sites, err := q.ListServerSites(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	out := []string{"root", site.DefaultUser}
	for _, row := range sites {
		if row.UnixUser != "" && !slices.Contains(out, row.UnixUser) {
			out = append(out, row.UnixUser)
		}
	}
	return out, nil
}

// Resources makes the documents of processes of one server. What is on a server that can't be reached is not known.
func Resources(ctx context.Context, q query.DBTX, srv query.Server, rows ...query.BackgroundProcess) ([]Resource, error) {
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
		out[i] = Resource{ID: strconv.FormatInt(row.ID, 10), Meta: &api.Meta{Operation: job.Meta(ops, row.OperationID), Process: &api.ProcessMeta{Name: row.Name, SiteID: row.SiteID, Startsecs: row.Startsecs,
			Stopwaitsecs: row.Stopwaitsecs, Stopsignal: row.Stopsignal, Integration: row.Integration}},
			Attributes: BackgroundProcessAttributes{Command: row.Command, User: row.UnixUser, Directory: row.Directory, Processes: row.Processes, Status: shown(srv, row), CreatedAt: api.TimeOf(row.CreatedAt)}}
	}
	return out, nil
}

func shown(srv query.Server, row query.BackgroundProcess) string {
	switch {
	case row.Status != "":
		return row.Status
	case row.Observed == "": // it could not be installed
		return seenFatal
	case srv.ConnectionStatus == nil || *srv.ConnectionStatus != "connected":
		return seenUnknown
	}
	return row.Observed
}
