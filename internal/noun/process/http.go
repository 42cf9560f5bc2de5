package process

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// CreateBackgroundProcessRequest asks for a process.
type CreateBackgroundProcessRequest struct {
	Name         string  `json:"name"`
	SiteID       *int64  `json:"site_id,omitempty"`
	Command      string  `json:"command" doc:"One line, which bash runs in the directory."`
	User         string  `json:"user" doc:"root, forge, or the account of a site on the server."`
	Directory    *string `json:"directory,omitempty" nullable:"true" doc:"Defaults to the site's directory, or the account's home."`
	Processes    int64   `json:"processes" minimum:"1" doc:"The number of instances."`
	Startsecs    *int64  `json:"startsecs,omitempty" minimum:"0" doc:"How many seconds an instance must run to count as running, default 1."`
	Stopwaitsecs *int64  `json:"stopwaitsecs,omitempty" minimum:"0" doc:"How many seconds an instance is given to stop before it is killed, default 10."`
	Stopsignal   *string `json:"stopsignal,omitempty" nullable:"true" doc:"The signal that stops an instance, default TERM."`
}

// UpdateBackgroundProcessRequest changes a process.
type UpdateBackgroundProcessRequest struct {
	Name   string `json:"name"`
	Config string `json:"config,omitempty"`
}

// BackgroundProcessActionRequest asks for something to be done with a process.
type BackgroundProcessActionRequest struct {
	Action string `json:"action" enum:"restart,stop,start,empty-log"`
}

// Logs reads logs on servers.
type Logs interface {
	Read(ctx context.Context, srv query.Server, files *wire.LogFiles, param func(name string) string) (string, *api.Meta, error)
}

// Operations are the operations on processes.
type Operations struct {
	*Maker
	Router    *api.Router
	Logs      Logs
	LogParams []api.Param
}

const (
	many   = "/orgs/{organization}/servers/{server}/background-processes"
	single = many + "/{backgroundProcess}"
)

// Register adds the operations.
func (o *Operations) Register() {
	const tag = "Background Processes"
	view, create := []access.Permission{access.ServerView}, []access.Permission{access.ServerCreateDaemons}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.background-processes.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view,
		Noun: "processes", Summary: "List background processes",
		Filters: []api.Filter{{Name: "user", Column: "unix_user"}, {Name: "site_id", Number: true}, {Name: "directory"}}, Sorts: []string{"user"},
	}, o.Load, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.background-processes.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async, Permissions: create,
		Status: http.StatusAccepted, ChangesHost: true, Removable: true,
		Noun:    "processes",
		Summary: "Create a background process", Description: "The process is started immediately and at boot, and restarted whenever it exits.",
		Example: map[string]any{"command": "sleep 1000"},
	}, o.Load, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.background-processes.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view,
		Noun: "processes", Summary: "Get a background process",
	}, o.InPath, o.Single)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.background-processes.update", Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Async, Permissions: create,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true,
		Noun: "processes", Summary: "Update a background process", Description: "The process restarts.",
		Shown: map[string]string{"name": "meta.process.name"},
	}, o.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.background-processes.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async,
		Permissions: []access.Permission{access.ServerDeleteDaemons}, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Noun: "processes",
		Summary: "Delete a background process", Description: "The process is stopped first. 409 if it belongs to an integration.",
	}, o.InPath, o.destroy)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.background-processes.log.show", Method: http.MethodGet, Path: single +
			"/log", Tag: tag, Mode: api.Sync, Permissions: create, Query: o.LogParams, Conflict: true,
		Noun: "processes", Verb: "log",
		Summary: "Get the output of a background process", Description: "Read from the server; 409 while it is unreachable.",
	}, o.InPath, o.log)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.background-processes.actions.store", Method: http.MethodPost, Path: single +
			"/actions", Tag: "Servers", Mode: api.Async, Permissions: create, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Noun: "processes", Verb: "act", Summary: "Start, stop or restart a background process, or empty its log",
		Description: "A stopped process stays stopped when the server starts.",
		Actions: map[string]api.Action{
			"empty-log": {Summary: "Empty the log of a background process"},
			"restart":   {Summary: "Restart a background process"},
			"start":     {Summary: "Start a background process"},
			"stop": {Summary: "Stop a background process", Description: "It stays stopped when the server starts.",
				Asks: "What it works on waits until it is started again."},
		},
	}, o.InPath, o.act)
}

func (o *Operations) index(ctx context.Context, c api.Call[server.Path]) (api.Collection[Resource], error) {
	for i := range c.List.Sort { // the column is not named user, which SQL reserves
		c.List.Sort[i].Column = "unix_user"
	}
	return o.Index(ctx, c)
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateBackgroundProcessRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	s := Specification{
		Name: b.Name, Command: b.Command, User: b.User, SiteID: b.SiteID, Directory: b.Directory, Processes: b.Processes,
		Startsecs: defaultStart, Stopwaitsecs: defaultStop,
	}
	if b.Startsecs != nil {
		s.Startsecs = *b.Startsecs
	}
	if b.Stopwaitsecs != nil {
		s.Stopwaitsecs = *b.Stopwaitsecs
	}
	if b.Stopsignal != nil {
		s.Stopsignal = *b.Stopsignal
	}
	s.check(c.Fields)
	users, err := Users(ctx, tx.Granted, c.Parent.Server)
	if err != nil {
		return none, err
	}
	if len(c.Fields["user"]) == 0 && !slices.Contains(users, b.User) {
		c.Fields.Add("user", "The user must be root, forge or the account of a site on this server.")
	}
	if err := checkSite(ctx, tx, c.Fields, c.Parent.Server, b.SiteID); err != nil {
		return none, err
	}
	all, err := tx.ListBackgroundProcesses(ctx, c.Parent.Server)
	if err != nil {
		return none, fmt.Errorf("list processes: %w", err)
	}
	if len(all) >= maxProcesses {
		c.Fields.Add("name", "A server can have at most %d background processes.", maxProcesses)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, accepted, err := o.Make(ctx, tx, c.Parent, s)
	if err != nil {
		return none, err
	}
	doc, err := api.Single(o.Documents(ctx, tx.SQL, c.Parent, row))
	doc.Location, doc.Event = o.URL(c.Parent, row.ID), accepted.EventID
	return doc, err
}

// checkSite refuses a site that is not on the server.
func checkSite(ctx context.Context, tx *db.Tx, f api.Fields, server query.Server, id *int64) error {
	if id == nil || len(f["site_id"]) > 0 {
		return nil
	}
	_, err := tx.GetServerSite(ctx, server, *id)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("read site %d: %w", *id, err)
	}
	if err != nil {
		f.Add("site_id", "There is no such site on this server.")
	}
	return nil
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateBackgroundProcessRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := o.Editable(ctx, tx, &c.Parent, "process")
	if err != nil {
		return none, err
	}
	s, err := newest(ctx, tx, row.ID)
	if err != nil {
		return none, err
	}
	s.Name = b.Name
	s.read(c.Fields, b.Config)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	s.RestartedAt = tx.Micros()
	return o.Change(ctx, tx, c.Parent.At, row.ID, s, "update", "Changing process "+s.Name)
}

// read applies lines of key=value to a process. Errors are reported under the field config.
func (s *Specification) read(f api.Fields, config string) {
	own := api.Fields{}
	if len(config) > 10_000 {
		f.Add("config", "The config is too long.")
		return
	}
	for line := range strings.Lines(config) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[") {
			continue
		}
		key, text, _ := strings.Cut(line, "=")
		key, text = strings.TrimSpace(key), strings.TrimSpace(text)
		number := func(into *int64, least int64) {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < least {
				own.Add(key, "%s must be a number of at least %d.", key, least)
				return
			}
			*into = n
		}
		switch key {
		case "command":
			s.Command = text
		case "directory":
			s.Directory = &text
		case "numprocs":
			number(&s.Processes, 1)
		case "startsecs":
			number(&s.Startsecs, 0)
		case "stopwaitsecs":
			number(&s.Stopwaitsecs, 0)
		case "stopsignal":
			s.Stopsignal = text
		default:
			own.Add(key, "%q can't be set here: there are command, directory, numprocs, startsecs, stopwaitsecs and stopsignal.", key)
		}
	}
	name := api.Fields{"name": f["name"]}
	s.check(own)
	if len(own["name"]) > 0 && len(name["name"]) == 0 {
		f["name"] = own["name"]
	}
	delete(own, "name")
	for _, key := range sortedKeys(own) {
		f["config"] = append(f["config"], own[key]...)
	}
}

func sortedKeys(f api.Fields) []string {
	keys := make([]string, 0, len(f))
	for k := range f {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.Remove(ctx, tx, c.Parent, "Removing process "+c.Parent.Row.Name, func(now Path) error {
		if now.Row.Integration != "" {
			return api.Conflict("The process belongs to the integration %s of its site; turn it off.", now.Row.Integration)
		}
		return nil
	})
}

func (o *Operations) log(ctx context.Context, c api.Call[Path]) (api.Document[LogResource], error) {
	text, meta, err := o.Logs.Read(ctx, c.Parent.At.Server,
		&wire.LogFiles{Paths: []string{render.ProcessLog(c.Parent.ID), render.ProcessLogBefore(c.Parent.ID)}}, c.Query)
	if err != nil {
		return api.Document[LogResource]{}, err
	}
	return api.Document[LogResource]{Data: LogResource{
		ID: strconv.FormatInt(c.Parent.ID, 10), Attributes: BackgroundProcessLogAttributes{Content: text},
		Meta:  meta,
		Links: o.Router.Links(o.URL(c.Parent.At, c.Parent.ID) + "/log"),
	}}, nil
}

func (o *Operations) act(ctx context.Context, tx *db.Tx, c api.Call[Path], b BackgroundProcessActionRequest) (api.Empty, error) {
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	row, err := o.Editable(ctx, tx, &c.Parent, "process")
	if err != nil {
		return api.Empty{}, err
	}
	event, err := o.Maker.act(ctx, tx, c.Parent.At, row.ID, b.Action)
	return api.Empty{Event: event}, err
}
