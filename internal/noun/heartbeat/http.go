package heartbeat

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// CreateHeartbeatRequest asks for a heartbeat.
type CreateHeartbeatRequest struct {
	Name            string `json:"name" maxLength:"255"`
	GracePeriod     int64  `json:"grace_period" enum:"1,2,5,10,30,60"`
	Frequency       int64  `json:"frequency" enum:"1,5,10,30,60,1440,10080,312480,-1"`
	CustomFrequency string `json:"custom_frequency,omitempty" doc:"A cron expression with five fields, in the server's time; required when the frequency is -1."`
}

// UpdateHeartbeatRequest changes the settings of a heartbeat. A custom frequency that is left out is unchanged.
type UpdateHeartbeatRequest struct {
	Name            string `json:"name" maxLength:"255"`
	GracePeriod     int64  `json:"grace_period" enum:"1,2,5,10,30,60"`
	Frequency       int64  `json:"frequency" enum:"1,5,10,30,60,1440,10080,312480,-1"`
	CustomFrequency string `json:"custom_frequency,omitempty"`
}

// Operations are the operations on heartbeats.
type Operations struct {
	DB     *db.DB
	Box    *secret.Box
	Sites  *site.Store
	Router *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/sites/{site}/heartbeats"
	const single = many + "/{heartbeat}"
	view, manage := []access.Permission{access.ServerView}, []access.Permission{access.SiteManageHeartbeats}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.heartbeats.index", Method: http.MethodGet, Path: many, Tag: "Sites", Mode: api.Sync, Permissions: view,
		Summary: "List heartbeats",
	}, o.Sites.InPath, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.heartbeats.store", Method: http.MethodPost, Path: many, Tag: "Sites", Mode: api.Sync, Permissions: manage,
		Summary: "Create a heartbeat",
		Description: "The heartbeat's address must be called at least as often as its frequency says. After the first call, a longer silence than the frequency " +
			"and the grace period is reported as an event.",
		Example: map[string]any{"grace_period": 10},
	}, o.Sites.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.heartbeats.show", Method: http.MethodGet, Path: single, Tag: "Sites", Mode: api.Sync, Permissions: view,
		Summary: "Get a heartbeat",
	}, o.inPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.heartbeats.update", Method: http.MethodPut, Path: single, Tag: "Sites", Mode: api.Sync, Permissions: manage,
		Summary:     "Update a heartbeat",
		Description: "The heartbeat's address does not change.",
	}, o.inPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.heartbeats.destroy", Method: http.MethodDelete, Path: single, Tag: "Sites", Mode: api.Sync, Permissions: manage,
		Status: http.StatusNoContent, Summary: "Delete a heartbeat",
	}, o.inPath, o.destroy)
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := o.Sites.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("heartbeat")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetHeartbeat(ctx, parent.Site, id)
	if err != nil {
		return Path{}, fmt.Errorf("read heartbeat %d: %w", id, err)
	}
	return Path{Path: parent, Heartbeat: row}, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.DB.Reader(), c.List.Of("heartbeats", db.Equal("site_id", c.Parent.Site.ID)),
		api.TryEach(func(row query.Heartbeat) (Resource, error) { return o.resource(c.Parent, row) }))
}

func (o *Operations) show(_ context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	data, err := o.resource(c.Parent.Path, c.Parent.Heartbeat)
	return api.Document[Resource]{Data: data}, err
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CreateHeartbeatRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	cron := check(c.Fields, b.Name, b.Frequency, b.CustomFrequency)
	n, err := tx.CountHeartbeats(ctx, c.Parent.Site)
	if err != nil {
		return none, fmt.Errorf("count heartbeats: %w", err)
	}
	if n >= maxHeartbeats {
		c.Fields.Add("name", "A site can have at most %d heartbeats.", maxHeartbeats)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := o.Make(ctx, tx, c.Parent.Site.ID, strings.TrimSpace(b.Name), b.Frequency, cron, b.GracePeriod)
	if err != nil {
		return none, err
	}
	data, err := o.resource(c.Parent, row)
	return api.Document[Resource]{Data: data, Location: path(c.Parent, row.ID)}, err
}

// Make creates a heartbeat, with an unguessable address.
func (o *Operations) Make(ctx context.Context, tx *db.Tx, siteID int64, name string, frequency int64, cron *string,
	gracePeriod int64,
) (query.Heartbeat, error) {
	token := secret.Random(24)
	row, err := tx.InsertHeartbeat(ctx, query.InsertHeartbeatParams{
		SiteID: siteID, Name: name, Frequency: frequency, CustomFrequency: cron,
		GracePeriod: gracePeriod, TokenHash: secret.Hash(token), Token: []byte{}, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return row, fmt.Errorf("create heartbeat: %w", err)
	}
	if row.Token, err = o.Box.Seal(SealedAt(row.ID), []byte(token)); err != nil {
		return row, err
	}
	if err := tx.SealHeartbeat(ctx, row.ID, row.Token); err != nil {
		return row, fmt.Errorf("create heartbeat: %w", err)
	}
	return row, nil
}

// Renew gives a heartbeat another address; the old one no longer exists.
func Renew(ctx context.Context, tx *db.Tx, box *secret.Box, id int64) error {
	token := secret.Random(24)
	sealed, err := box.Seal(SealedAt(id), []byte(token))
	if err != nil {
		return err
	}
	if err := tx.RenewHeartbeat(ctx, id, secret.Hash(token), sealed, tx.Micros()); err != nil {
		return fmt.Errorf("renew the address of heartbeat %d: %w", id, err)
	}
	return nil
}

// check says all that is wrong with a request.
func check(f api.Fields, name string, frequency int64, custom string) (cron *string) {
	f.Line("name", name, 0)
	if len(f["custom_frequency"]) > 0 || len(f["frequency"]) > 0 {
		return nil
	}
	switch {
	case frequency == customFrequency && custom == "":
		f.Add("custom_frequency", "The custom_frequency is required when the frequency is -1.")
	case frequency == customFrequency:
		c, err := value.ParseCron(custom)
		if err != nil {
			f.Add("custom_frequency", "%s", err)
		}
		return new(c.String())
	case custom != "":
		f.Add("custom_frequency", "The custom_frequency can only be used when the frequency is -1.")
	}
	return nil
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateHeartbeatRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	row := c.Parent.Heartbeat
	if row.CustomFrequency != nil && b.Frequency == customFrequency {
		b = api.Over(c, UpdateHeartbeatRequest{CustomFrequency: *row.CustomFrequency})
	}
	cron := check(c.Fields, b.Name, b.Frequency, b.CustomFrequency)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	other := row.Frequency != b.Frequency || (row.CustomFrequency == nil) != (cron == nil) || cron != nil && *row.CustomFrequency != *cron
	row.Name, row.Frequency, row.CustomFrequency, row.GracePeriod = strings.TrimSpace(b.Name), b.Frequency, cron, b.GracePeriod
	if other && row.DueAt != nil { // from now on; what was missing stays so until the next call
		due, err := next(row, tx.Now, zoneOf(c.Parent.Server))
		if err != nil {
			return none, err
		}
		row.DueAt = new(due.UnixMicro())
	}
	if err := tx.UpdateHeartbeat(ctx, query.UpdateHeartbeatParams{
		ID: row.ID, Name: row.Name, Frequency: row.Frequency, CustomFrequency: row.CustomFrequency,
		GracePeriod: row.GracePeriod, DueAt: row.DueAt, UpdatedAt: tx.Micros(),
	}); err != nil {
		return none, fmt.Errorf("update heartbeat %d: %w", row.ID, err)
	}
	data, err := o.resource(c.Parent.Path, row)
	return api.Document[Resource]{Data: data}, err
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if err := tx.DeleteHeartbeat(ctx, c.Parent.Heartbeat.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete heartbeat %d: %w", c.Parent.Heartbeat.ID, err)
	}
	return api.Empty{}, nil
}

func path(p site.Path, id int64) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/heartbeats/%d", p.Slug, p.Server.ID, p.Site.ID, id)
}

func (o *Operations) resource(p site.Path, row query.Heartbeat) (Resource, error) {
	a := HeartbeatAttributes{Name: row.Name, GracePeriod: row.GracePeriod, Frequency: row.Frequency, CustomFrequency: row.CustomFrequency}
	if row.Status != statusUnknown {
		a.Status = &row.Status
	}
	if mayManage(p.Grant) {
		url, err := o.URL(row)
		if err != nil {
			return Resource{}, err
		}
		a.PingURL = api.NullSecretOf(&url)
	}
	meta := &api.Meta{Own: []any{Meta{HeartbeatMeta{LastPingAt: api.NullTimeOf(row.LastPingAt), DueAt: api.NullTimeOf(row.DueAt)}}}}
	return Resource{ID: strconv.FormatInt(row.ID, 10), Attributes: a, Links: o.Router.Links(path(p, row.ID)), Meta: meta}, nil
}

// URL returns the address of a heartbeat.
func (o *Operations) URL(row query.Heartbeat) (string, error) {
	token, err := o.Box.Open(SealedAt(row.ID), row.Token)
	if err != nil {
		return "", err
	}
	return o.Router.URL(PingPath + string(token)), nil
}

// Meta is what heartbeats add to meta.
type Meta struct {
	Heartbeat HeartbeatMeta `json:"heartbeat"`
}

// HeartbeatMeta is when a heartbeat was last called, and is expected.
type HeartbeatMeta struct {
	LastPingAt api.NullTime `json:"last_ping_at"`
	DueAt      api.NullTime `json:"due_at"`
}
