package organization

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// leastAudit is how many days an audit log is kept at least, unless the installation keeps it for less: whoever sets it is also recorded in it.
const leastAudit = 30

// RetentionAttributes are how many days an organization keeps old rows.
type RetentionAttributes struct {
	EventsDays     *int64 `json:"events_days"`
	OutputDays     *int64 `json:"output_days" doc:"The number of days to keep the output of events."`
	AuditDays      *int64 `json:"audit_days" doc:"The number of days to keep the audit log."`
	DeliveriesDays *int64 `json:"deliveries_days" doc:"The number of days to keep sent webhooks and notifications."`
	// The limits are what the installation keeps.
	MaximumEventsDays     *int64 `json:"maximum_events_days" doc:"The installation's period; null for forever."`
	MaximumOutputDays     *int64 `json:"maximum_output_days"`
	MaximumAuditDays      *int64 `json:"maximum_audit_days"`
	MaximumDeliveriesDays *int64 `json:"maximum_deliveries_days"`
}

// ResourceType returns retentions.
func (RetentionAttributes) ResourceType() string { return "retentions" }

// RetentionResource is how long an organization keeps old rows, in a document.
type RetentionResource = api.Resource[RetentionAttributes, api.NoRelationships]

// UpdateRetentionRequest sets how long an organization keeps old rows. Null is as long as the installation does.
type UpdateRetentionRequest struct {
	EventsDays     *int64 `json:"events_days,omitempty" nullable:"true"`
	OutputDays     *int64 `json:"output_days,omitempty" nullable:"true"`
	AuditDays      *int64 `json:"audit_days,omitempty" nullable:"true"`
	DeliveriesDays *int64 `json:"deliveries_days,omitempty" nullable:"true"`
}

func (o *Operations) registerRetention() {
	const path = "/orgs/{organization}/retention"
	api.Show(o.Router, api.Operation{
		ID: "organizations.retention.show", Method: http.MethodGet, Path: path, Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.OrganizationView}, Extension: true, Summary: "Get the retention periods of an organization",
	}, o.Store.InPath,
		func(_ context.Context, c api.Call[Path]) (api.Document[RetentionResource], error) {
			return o.retentionDocument(c.Parent.Organization), nil
		})
	api.Write(o.Router, api.Operation{
		ID: "organizations.retention.update", Method: http.MethodPut, Path: path, Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.OrganizationManage}, Extension: true, Summary: "Set the retention periods of an organization",
		Description: "A period can't be longer than the installation's. Old rows are deleted every hour; a longer period does not bring them back. Open " +
			"work, and the operation that a resource shows, are kept.",
		Formerly: "orgs retention",
		Example:  map[string]any{"audit_days": 365},
	}, o.Store.InPath, o.updateRetention)
}

// daysOf returns a time in days, nil for forever.
func daysOf(d time.Duration) *int64 {
	if d == 0 {
		return nil
	}
	return new(int64(d / (24 * time.Hour)))
}

func (o *Operations) retentionDocument(org query.Organization) api.Document[RetentionResource] {
	return api.Document[RetentionResource]{Data: RetentionResource{
		ID: strconv.FormatInt(org.ID, 10), Links: o.Router.Links("/orgs/" + org.Slug + "/retention"),
		Attributes: RetentionAttributes{
			EventsDays: org.KeepEventsDays, OutputDays: org.KeepOutputDays, AuditDays: org.KeepAuditDays,
			DeliveriesDays: org.KeepDeliveriesDays, MaximumEventsDays: daysOf(o.Keep.Events), MaximumOutputDays: daysOf(o.Keep.Output),
			MaximumAuditDays: daysOf(o.Keep.Audit), MaximumDeliveriesDays: daysOf(o.Keep.Deliveries),
		},
	}}
}

func (o *Operations) updateRetention(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateRetentionRequest) (api.Document[RetentionResource], error) {
	var none api.Document[RetentionResource]
	for _, f := range []struct {
		name  string
		days  *int64
		most  time.Duration
		least int64
	}{
		{"events_days", b.EventsDays, o.Keep.Events, 1},
		{"output_days", b.OutputDays, o.Keep.Output, 1},
		{"audit_days", b.AuditDays, o.Keep.Audit, leastAudit},
		{"deliveries_days", b.DeliveriesDays, o.Keep.Deliveries, 1},
	} {
		most := int64(36_500)
		if days := daysOf(f.most); days != nil {
			most = *days
		}
		if least := min(f.least, most); f.days != nil && (*f.days < least || *f.days > most) {
			c.Fields.Add(f.name, "The %s must be between %d and %d.", f.name, least, most)
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if err := tx.LockRow(ctx, "organizations", c.Parent.OrganizationID); err != nil {
		return none, fmt.Errorf("set retention: %w", err)
	}
	was, err := tx.GetOrganization(ctx, c.Parent)
	if err != nil {
		return none, fmt.Errorf("set retention: %w", err)
	}
	b = api.Over(c, UpdateRetentionRequest{
		EventsDays: api.Copied(was.KeepEventsDays), OutputDays: api.Copied(was.KeepOutputDays),
		AuditDays: api.Copied(was.KeepAuditDays), DeliveriesDays: api.Copied(was.KeepDeliveriesDays),
	})
	org, err := tx.SetOrganizationRetention(ctx, query.SetOrganizationRetentionParams{
		ID: c.Parent.OrganizationID, KeepEventsDays: b.EventsDays,
		KeepOutputDays: b.OutputDays, KeepAuditDays: b.AuditDays, KeepDeliveriesDays: b.DeliveriesDays, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("set retention: %w", err)
	}
	return o.retentionDocument(org), nil
}
