package organization

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// TimezoneAttributes are the attributes of an organization's time zone.
type TimezoneAttributes struct {
	Timezone string `json:"timezone" doc:"An IANA time zone name, such as Europe/Berlin."`
}

// ResourceType returns timezones.
func (TimezoneAttributes) ResourceType() string { return "timezones" }

// TimezoneResource is an organization's time zone in a document.
type TimezoneResource = api.Resource[TimezoneAttributes, api.NoRelationships]

// UpdateTimezoneRequest sets an organization's time zone.
type UpdateTimezoneRequest struct {
	Timezone string `json:"timezone"`
}

// Schedules are those of an organization that go by its clocks.
type Schedules interface {
	Rezone(ctx context.Context, tx *db.Tx, organization query.InOrganization, zone string) error
}

func (o *Operations) registerTimezone() {
	const path = "/orgs/{organization}/timezone"
	api.Show(o.Router, api.Operation{
		ID: "organizations.timezone.show", Method: http.MethodGet, Path: path, Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.OrganizationView}, Extension: true, Summary: "Get the time zone of an organization",
	}, o.Store.InPath, o.showTimezone)
	api.Write(o.Router, api.Operation{
		ID: "organizations.timezone.update", Method: http.MethodPut, Path: path, Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.OrganizationManage}, Extension: true, Summary: "Set the time zone of an organization",
		Description: "The time zone applies to backup schedules, including existing ones.",
		Example:     map[string]any{"timezone": "Europe/Berlin"},
	}, o.Store.InPath, o.updateTimezone)
}

func (o *Operations) timezoneDocument(org query.Organization, zone string) api.Document[TimezoneResource] {
	return api.Document[TimezoneResource]{Data: TimezoneResource{
		ID:    strconv.FormatInt(org.ID, 10),
		Links: o.Router.Links("/orgs/" + org.Slug + "/timezone"), Attributes: TimezoneAttributes{Timezone: zone},
	}}
}

func (o *Operations) showTimezone(_ context.Context, c api.Call[Path]) (api.Document[TimezoneResource], error) {
	return o.timezoneDocument(c.Parent.Organization, c.Parent.Organization.Timezone), nil
}

func (o *Operations) updateTimezone(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateTimezoneRequest) (api.Document[TimezoneResource], error) {
	var none api.Document[TimezoneResource]
	if len(c.Fields["timezone"]) == 0 {
		if _, err := value.ParseTimezone(b.Timezone); err != nil {
			c.Fields.Add("timezone", "%s", err)
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if err := tx.SetOrganizationTimezone(ctx, c.Parent.OrganizationID, b.Timezone, tx.Micros()); err != nil {
		return none, fmt.Errorf("set time zone: %w", err)
	}
	if err := o.Schedules.Rezone(ctx, tx, c.Parent, b.Timezone); err != nil {
		return none, err
	}
	return o.timezoneDocument(c.Parent.Organization, b.Timezone), nil
}
