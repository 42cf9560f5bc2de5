// Package process manages background processes on servers: queue workers, and other programs.
package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
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

// The verbs of work beside create, update and delete.
const (
	actionStart   = "start"
	actionStop    = "stop"
	actionRestart = "restart"
	actionEmpty   = "empty-log"
)

// Open changes of a process; its observed state is stored separately.
const (
	statusInstalling = "installing"
	statusRemoving   = "removing"
	statusRestarting = "restarting"
	statusStarting   = "starting"
	statusStopping   = "stopping"

	seenRunning = "running"
	seenStopped = "stopped"
	// StatusFatal is a process that could not be installed, or that ends repeatedly.
	StatusFatal = "fatal"
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

// ResourceType returns backgroundProcesses.
func (BackgroundProcessAttributes) ResourceType() string { return resource }

// Columns are what a table shows.
func (BackgroundProcessAttributes) Columns() []string {
	return []string{"meta.process.name", "command", "user", "processes", "status"}
}

// Metas are what the meta of these resources has besides.
func (BackgroundProcessAttributes) Metas() []any { return []any{Meta{}} }

// Unlinked marks resources without links.
func (BackgroundProcessAttributes) Unlinked() {}

// Resource is a process in a document.
type Resource = server.Document[BackgroundProcessAttributes]

// BackgroundProcessLogAttributes is what a process printed.
type BackgroundProcessLogAttributes struct {
	Content string `json:"content"`
}

// ResourceType returns backgroundProcessLogs.
func (BackgroundProcessLogAttributes) ResourceType() string { return "backgroundProcessLogs" }

// LogResource is a process's log in a document.
type LogResource = api.Resource[BackgroundProcessLogAttributes, api.NoRelationships]

// Path is a process visible to the caller.
type Path = server.Part[server.Path, query.BackgroundProcess]

// Specification is what a process asks of its server.
type Specification struct {
	Name         string  `json:"name"`
	Command      string  `json:"command"`
	User         string  `json:"user"`
	SiteID       *int64  `json:"site_id,omitempty"`
	Directory    *string `json:"directory,omitempty"`
	Processes    int64   `json:"processes"`
	Startsecs    int64   `json:"startsecs"`
	Stopwaitsecs int64   `json:"stopwaitsecs"`
	Stopsignal   string  `json:"stopsignal"`
	// Stopped keeps the process from running, also when the server starts.
	Stopped bool `json:"stopped,omitempty"`
	// RestartedAt and EmptiedAt are the times of the last request for a restart, and for an emptied log, in microseconds: no two
	// requests are equal, so that each is performed even if it is retried after another.
	RestartedAt int64 `json:"restarted_at,omitempty"`
	EmptiedAt   int64 `json:"emptied_at,omitempty"`
	// Integration is the one that the process belongs to, "" for one that a person asked for.
	Integration string `json:"integration,omitempty"`
}

// Processes is the noun.
var Processes = &ledger.Noun[Specification]{Kind: resource, Version: 1, Parent: "sites", In: func(s Specification) int64 {
	if s.SiteID == nil {
		return 0
	}
	return *s.SiteID
}, Account: func(s Specification) string { return s.User }, Needs: []access.Permission{access.ServerCreateDaemons, access.ServerDeleteDaemons}, Write: write}

// write shows open changes; the observed state of a process is stored separately. A process of a deleted site was deleted with it.
func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	s, gone := row.Specification, row.Phase == ledger.Gone
	if s.SiteID != nil {
		if _, err := tx.Ungranted().GetSite(ctx, *s.SiteID); errors.Is(err, db.ErrNotFound) {
			gone = true
		} else if err != nil {
			return fmt.Errorf("read site of process %d: %w", row.ID, err)
		}
	}
	var err error
	if gone {
		_, err = tx.DeleteBackgroundProcess(ctx, row.ID)
	} else {
		err = tx.PutBackgroundProcess(ctx, query.PutBackgroundProcessParams{
			ID: row.ID, ServerID: serverID, SiteID: s.SiteID, Integration: s.Integration, Name: s.Name, Command: s.Command, UnixUser: s.User,
			Directory: s.Directory, Processes: s.Processes, Startsecs: s.Startsecs, Stopwaitsecs: s.Stopwaitsecs, Stopsignal: s.Stopsignal, Stopped: s.Stopped,
			Status: status(row), OperationID: row.OperationID,
			CreatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write process %d: %w", row.ID, err)
	}
	return nil
}

// status returns what is under way with a process, "" for nothing: what was seen of it is shown then.
func status(row ledger.Row[Specification]) string {
	switch row.Phase {
	case ledger.Failed:
		return StatusFatal
	case ledger.Creating:
		return statusInstalling
	case ledger.Deleting:
		return statusRemoving
	case ledger.Updating:
		was, s := *row.Applied, row.Specification
		switch {
		case s.RestartedAt != was.RestartedAt:
			return statusRestarting
		case s.Stopped == was.Stopped && s.EmptiedAt != was.EmptiedAt:
			return ""
		case s.Stopped:
			return statusStopping
		default:
			return statusStarting
		}
	}
	return ""
}

// check reports all errors of a request, except for the site and the account.
func (s *Specification) check(f api.Fields) {
	s.Name = f.Line("name", s.Name, 255)
	if s.Command = f.Command("command", s.Command, maxCommand); s.Command == "" && len(f["command"]) == 0 {
		f.Add("command", "The command is required.")
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

// Maker accepts work on processes, for people and for integrations.
type Maker struct {
	server.Parts[server.Path, query.BackgroundProcess, Specification, BackgroundProcessAttributes]
}

// NewMaker makes one. The documents of processes have no links.
func NewMaker(d *db.DB, servers *server.Store, l *ledger.Ledger) *Maker {
	return &Maker{server.Parts[server.Path, query.BackgroundProcess, Specification, BackgroundProcessAttributes]{
		DB: d, Noun: Processes, Acceptor: server.Acceptor{Ledger: l, Name: Aspect, Within: deadline},
		Load: servers.InPath, Collection: "background-processes", Param: "backgroundProcess", Table: "background_processes",
		Get: (*query.Queries).GetBackgroundProcess, Attributes: document, More: observed,
	}}
}

// Make accepts a new process.
func (m *Maker) Make(ctx context.Context, tx *db.Tx, p server.Path, s Specification) (query.BackgroundProcess, job.Accepted, error) {
	row, err := tx.InsertBackgroundProcess(ctx, query.InsertBackgroundProcessParams{
		ServerID: p.Server.ID, SiteID: s.SiteID, Integration: s.Integration, Name: s.Name, Command: s.Command, UnixUser: s.User,
		Directory: s.Directory, Processes: s.Processes, Startsecs: s.Startsecs, Stopwaitsecs: s.Stopwaitsecs, Stopsignal: s.Stopsignal, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return row, job.Accepted{}, fmt.Errorf("create background process: %w", err)
	}
	return m.Accept(ctx, tx, p, row.ID, s, "create", "Installing process "+s.Name)
}

// Alter accepts what edit makes of the newest specification of a process, and restarts it.
func (m *Maker) Alter(ctx context.Context, tx *db.Tx, p server.Path, id int64, edit func(*Specification)) (query.BackgroundProcess, job.Accepted, error) {
	s, err := newest(ctx, tx, id)
	if err != nil {
		return query.BackgroundProcess{}, job.Accepted{}, err
	}
	edit(&s)
	s.RestartedAt = tx.Micros()
	return m.Accept(ctx, tx, p, id, s, "update", "Changing process "+s.Name)
}

// act accepts an action that people ask for.
func (m *Maker) act(ctx context.Context, tx *db.Tx, p server.Path, id int64, action string) (int64, error) {
	s, err := newest(ctx, tx, id)
	if err != nil {
		return 0, err
	}
	words := "Restarting"
	switch action {
	case actionStart:
		s.Stopped, words = false, "Starting"
	case actionStop:
		s.Stopped, words = true, "Stopping"
	case actionEmpty:
		s.EmptiedAt, words = tx.Micros(), "Clearing the log of"
	default:
		s.Stopped, s.RestartedAt = false, tx.Micros()
	}
	_, accepted, err := m.Accept(ctx, tx, p, id, s, action, words+" process "+s.Name)
	return accepted.EventID, err
}

// Enclose restarts the processes of an account whose units predate enclosures. Those that serve visitors continue until they are
// changed or restarted.
func (m *Maker) Enclose(ctx context.Context, tx *db.Tx, srv query.Server, user string) error {
	rows, err := tx.ListBackgroundProcesses(ctx, srv)
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	for _, row := range rows {
		if row.UnixUser != user || row.Status != "" || row.Integration == "octane" || row.Integration == "reverb" {
			continue
		}
		s, err := newest(ctx, tx, row.ID)
		if err != nil {
			return err
		}
		s.RestartedAt = tx.Micros()
		p := server.Path{Server: srv, Grant: access.Grant{OrganizationID: srv.OrganizationID}}
		if _, _, err := m.Accept(ctx, tx, p, row.ID, s, actionRestart, "Isolating process "+row.Name+" from other sites"); err != nil {
			return err
		}
	}
	return nil
}

// newest returns the specification that a wish is made on.
func newest(ctx context.Context, tx *db.Tx, id int64) (Specification, error) {
	row, err := Processes.Row(ctx, tx.Granted, id)
	return row.Specification, err
}

// Users are the accounts that something on a server can run as.
func Users(ctx context.Context, q *query.Granted, server query.Server) ([]string, error) {
	sites, err := q.ListServerSites(ctx, server)
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

func document(r query.BackgroundProcess) (id int64, operation *int64, a BackgroundProcessAttributes) {
	return r.ID, r.OperationID, BackgroundProcessAttributes{
		Command: r.Command, User: r.UnixUser, Directory: r.Directory, Processes: r.Processes,
		CreatedAt: api.TimeOf(r.CreatedAt),
	}
}

// Meta is what background processes add to meta.
type Meta struct {
	Process ProcessMeta `json:"process"`
}

// ProcessMeta describes a background process beyond its attributes.
type ProcessMeta struct {
	Name         string `json:"name"`
	SiteID       *int64 `json:"site_id"`
	Startsecs    int64  `json:"startsecs"`
	Stopwaitsecs int64  `json:"stopwaitsecs"`
	Stopsignal   string `json:"stopsignal"`
	Integration  string `json:"integration" doc:"The integration that created it; empty if it was created directly."`
}

// observed adds to documents how processes are, and what else is known of them. What is on a server that can't be reached is not known.
func observed(_ context.Context, _ query.DBTX, p server.Path, rows []query.BackgroundProcess, documents []Resource) error {
	for i, row := range rows {
		documents[i].Attributes.Status = shown(p.Server, row)
		documents[i].Meta.Own = []any{Meta{ProcessMeta{
			Name: row.Name, SiteID: row.SiteID, Startsecs: row.Startsecs, Stopwaitsecs: row.Stopwaitsecs,
			Stopsignal: row.Stopsignal, Integration: row.Integration,
		}}}
	}
	return nil
}

func shown(srv query.Server, row query.BackgroundProcess) string {
	switch {
	case row.Status != "":
		return row.Status
	case srv.ConnectionStatus == nil || *srv.ConnectionStatus != "connected":
		return seenUnknown
	}
	return row.Observed
}
