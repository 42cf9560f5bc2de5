package monitor

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// MonitorAttributes are the attributes of a monitor.
type MonitorAttributes struct {
	Type           string    `json:"type" enum:"cpu_load,disk,free_memory,used_memory,inodes,reboot_required,certificate_days,url"`
	Operator       string    `json:"operator" enum:"gte,lte"`
	Threshold      float64   `json:"threshold"`
	Minutes        *int64    `json:"minutes"`
	Notify         string    `json:"notify"`
	Status         string    `json:"status"`
	State          string    `json:"state" enum:"OK,ALERT,UNKNOWN"`
	StateChangedAt *api.Time `json:"state_changed_at" nullable:"true"`
	CreatedAt      api.Time  `json:"created_at"`
	UpdatedAt      api.Time  `json:"updated_at"`
}

// ResourceType returns monitors.
func (MonitorAttributes) ResourceType() string { return Noun.Kind }

// Metas are what the meta of these resources has besides.
func (MonitorAttributes) Metas() []any { return []any{Meta{}, recipient.Meta{}} }

// Resource is a monitor in a document.
type Resource = api.Resource[MonitorAttributes, api.NoRelationships]

// CreateMonitorRequest asks for a monitor.
type CreateMonitorRequest struct {
	Type      string  `json:"type" enum:"cpu_load,disk,free_memory,used_memory,inodes,reboot_required,certificate_days,url"`
	Operator  string  `json:"operator" enum:"gte,lte"`
	Threshold float64 `json:"threshold" doc:"In percent, except for reboot_required, certificate_days and url."`
	Minutes   *int64  `json:"minutes,omitempty" minimum:"1" maximum:"60"`
	Notify    string  `json:"notify" format:"email" doc:"The address to notify of each change of state."`
	URL       string  `json:"url,omitempty" maxLength:"2000"`
}

// UpdateMonitorRequest changes a monitor. What it leaves out stays.
type UpdateMonitorRequest struct {
	Operator  string  `json:"operator,omitempty" enum:"gte,lte"`
	Threshold float64 `json:"threshold,omitempty" doc:"In percent, except for reboot_required, certificate_days and url."`
	Minutes   *int64  `json:"minutes,omitempty" nullable:"true" minimum:"1" maximum:"60"`
	Notify    string  `json:"notify,omitempty" format:"email" doc:"The address to notify of each change of state."`
	URL       string  `json:"url,omitempty" maxLength:"2000" doc:"For the type url, the URL to request. Another URL begins with the state UNKNOWN."`
}

// Meta is what monitors add to meta.
type Meta struct {
	Monitor MonitorMeta `json:"monitor"`
}

// MonitorMeta describes a monitor beyond its attributes.
type MonitorMeta struct {
	URL string `json:"url" doc:"The URL that is requested; empty unless the type is url."`
}

// Path is a monitor that the caller can see.
type Path = server.Part[server.Path, query.Monitor]

// Operations are the operations on monitors.
type Operations struct {
	server.Parts[server.Path, query.Monitor, Specification, MonitorAttributes]
	Guard      outbound.Guard
	Recipients *recipient.Asker
}

// NewOperations makes them.
func NewOperations(d *db.DB, servers *server.Store, l *ledger.Ledger, guard outbound.Guard, recipients *recipient.Asker, r *api.Router) *Operations {
	return &Operations{Guard: guard, Recipients: recipients, Parts: server.Parts[server.Path, query.Monitor, Specification, MonitorAttributes]{
		DB: d, Router: r, Noun: Noun,
		Acceptor: server.Acceptor{Ledger: l, Name: Aspect, Within: deadline},
		Load:     servers.InPath, Collection: "monitors", Param: "monitor", Table: "monitors", Get: (*query.Queries).GetMonitor, Attributes: shown, More: more,
	}}
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single, tag = "/orgs/{organization}/servers/{server}/monitors", "/orgs/{organization}/servers/{server}/monitors/{monitor}", "Monitors"
	view := []access.Permission{access.ServerView}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.monitors.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view, Summary: "List monitors",
		Filters: []api.Filter{{Name: "status"}, {Name: "state"}, {Name: "type"}, {Name: "notify"}}, Sorts: []string{"state", "status", "created_at", "updated_at"},
		Formerly: "servers monitors list",
	}, o.Load, o.Index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.monitors.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async,
		Permissions: []access.Permission{access.ServerCreateMonitors},
		Status:      http.StatusAccepted, ChangesHost: true, Removable: true, Summary: "Create a monitor",
		Description: "The server measures every minute, whether or not Hostler can reach it; URLs are requested by Hostler. Mail is sent when the threshold " +
			"is crossed and when the value recovers.",
		Formerly: "servers monitors add",
		Example:  map[string]any{"notify": "ops@example.com"},
	}, o.Load, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.monitors.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view, Summary: "Get a monitor",
	}, o.InPath, o.Single)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.monitors.update", Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Async,
		Permissions: []access.Permission{access.ServerCreateMonitors},
		Status:      http.StatusAccepted, ChangesHost: true, Conflict: true, Extension: true, Summary: "Update a monitor",
		Description: "Omitted fields are unchanged. What a monitor measures can't be changed.",
		Example:     map[string]any{"threshold": 90},
	}, o.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.monitors.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async,
		Permissions: []access.Permission{access.ServerDeleteMonitors},
		Status:      http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Delete a monitor",
		Formerly: "servers monitors delete",
	}, o.InPath, o.destroy)
}

// maxMonitors is how many monitors a server can have.
const maxMonitors = 50

// maxURLs is how many of them can be of URLs, each of which Hostler asks every minute.
const maxURLs = 20

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateMonitorRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	s := o.check(c.Fields, b)
	rows, err := tx.ListMonitors(ctx, c.Parent.Server)
	if err != nil {
		return none, fmt.Errorf("list monitors: %w", err)
	}
	if len(rows) >= maxMonitors {
		c.Fields.Add("type", "A server can have at most %d monitors.", maxMonitors)
	}
	asked := 0
	for _, m := range rows {
		if m.Type == typeURL {
			asked++
		}
	}
	if b.Type == typeURL && asked >= maxURLs {
		c.Fields.Add("type", "A server can have at most %d monitors of URLs.", maxURLs)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if err := o.Recipients.Ask(ctx, tx, c.Parent, "notify", s.Notify); err != nil {
		return none, err
	}
	row, err := tx.InsertMonitor(ctx, query.InsertMonitorParams{
		ServerID: c.Parent.Server.ID, Type: s.Type, Operator: s.Operator, Threshold: s.Threshold,
		Minutes: s.Minutes, Notify: s.Notify, URL: s.URL,
		Status: server.PartInstalling, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("insert monitor: %w", err)
	}
	return o.Create(ctx, tx, c.Parent, row.ID, s, "Adding a monitor of "+kinds[s.Type].title)
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateMonitorRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := o.Editable(ctx, tx, &c.Parent, "monitor")
	if err != nil {
		return none, err
	}
	b = api.Over(c, UpdateMonitorRequest{Operator: row.Operator, Threshold: row.Threshold, Minutes: api.Copied(row.Minutes), Notify: row.Notify, URL: row.URL})
	s := o.check(c.Fields, CreateMonitorRequest{Type: row.Type, Operator: b.Operator, Threshold: b.Threshold, Minutes: b.Minutes, Notify: b.Notify, URL: b.URL})
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if s.Notify != row.Notify {
		if err := o.Recipients.Ask(ctx, tx, c.Parent.At, "notify", s.Notify); err != nil {
			return none, err
		}
	}
	return o.Change(ctx, tx, c.Parent.At, row.ID, s, "update", "Changing a monitor of "+kinds[s.Type].title)
}

// check reports what is wrong with a request beyond its schema, and turns a valid one into a specification.
func (o *Operations) check(f api.Fields, b CreateMonitorRequest) Specification {
	if len(f["type"]) == 0 {
		kinds[b.Type].check(f, b.Operator, b.Threshold)
	}
	if _, err := value.ParseEmail(b.Notify); len(f["notify"]) == 0 && err != nil {
		f.Add("notify", "The notify field must be an email address.")
	}
	switch _, err := o.Guard.CheckURL(b.URL); {
	case len(f["url"]) > 0 || len(f["type"]) > 0:
	case b.Type != typeURL && b.URL != "":
		f.Add("url", "Only a monitor of the type url has a URL.")
	case b.Type == typeURL && err != nil:
		f.Add("url", "%s", err)
	}
	return Specification(b)
}

// more adds to documents what is asked, and whether the address is notified.
func more(ctx context.Context, q query.DBTX, at server.Path, rows []query.Monitor, documents []Resource) error {
	emails := make([]string, len(rows))
	for i, row := range rows {
		emails[i] = row.Notify
	}
	waiting, err := recipient.Waiting(ctx, q, at.OrganizationID, emails...)
	for i, row := range rows {
		documents[i].Meta.Own = []any{Meta{MonitorMeta{URL: row.URL}}, recipient.MetaOf(waiting, row.Notify)}
	}
	return err
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.Remove(ctx, tx, c.Parent, "Removing a monitor of "+kinds[c.Parent.Row.Type].title, nil)
}

func shown(r query.Monitor) (id int64, operation *int64, a MonitorAttributes) {
	a = MonitorAttributes{
		Type: r.Type, Operator: r.Operator, Threshold: r.Threshold, Minutes: r.Minutes, Notify: r.Notify, Status: r.Status, State: r.State,
		CreatedAt: api.TimeOf(r.CreatedAt), UpdatedAt: api.TimeOf(r.UpdatedAt),
	}
	if r.StateChangedAt != nil {
		a.StateChangedAt = new(api.TimeOf(*r.StateChangedAt))
	}
	return r.ID, r.OperationID, a
}
