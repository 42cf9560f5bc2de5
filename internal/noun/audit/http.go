// Package audit reads the audit log: lines that package api writes in the transaction of each change, and that are never changed.
package audit

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// AuditEntryAttributes are the attributes of a line.
type AuditEntryAttributes struct {
	UserID    *int64         `json:"user_id"`
	Caller    string         `json:"caller" doc:"The credential: token:7, oauth:7, user:7 for a session, or empty."`
	Address   string         `json:"address"`
	Operation string         `json:"operation"`
	Path      string         `json:"path"`
	Status    int64          `json:"status" doc:"The response status; 401, 403 and 429 are refusals."`
	Message   string         `json:"message" doc:"Why the request was refused."`
	Kind      string         `json:"resource_type"`
	Subject   string         `json:"resource_id"`
	Before    map[string]any `json:"before" nullable:"true" doc:"The attributes before the change, without secrets."`
	After     map[string]any `json:"after" nullable:"true"`
	CreatedAt api.Time       `json:"created_at"`
}

// ResourceType returns auditEntries.
func (AuditEntryAttributes) ResourceType() string { return "auditEntries" }

// Columns are what a table shows.
func (AuditEntryAttributes) Columns() []string {
	return []string{"created_at", "caller", "address", "status", "operation", "resource_type", "resource_id", "message"}
}

// Unlinked marks resources without links.
func (AuditEntryAttributes) Unlinked() {}

// Resource is a line in a document.
type Resource = api.Resource[AuditEntryAttributes, api.NoRelationships]

// Operations read the lines.
type Operations struct {
	DB            *db.DB
	Organizations *organization.Store
	Router        *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	manage := []access.Permission{access.OrganizationManage}
	filters := []api.Filter{
		{Name: "operation"},
		{Name: "user_id", Number: true},
		{Name: "status", Number: true},
		{Name: "resource_type"},
		{Name: "resource_id"},
		{Name: "address"},
		{Name: "caller"},
	}
	sorts := []string{"created_at"}
	api.Index(o.Router, api.Operation{
		ID: "organizations.audit.index", Method: http.MethodGet, Path: "/orgs/{organization}/audit", Tag: "Organizations", Mode: api.Sync, Permissions: manage,
		Extension: true, Filters: filters, Sorts: sorts, Summary: "List the audit log of an organization",
		Defaults: api.NewestFirst,
	}, o.Organizations.InPath, o.ofOrganization)
	api.Lines(o.Router, api.Operation{
		ID: "organizations.audit.export", Method: http.MethodGet, Path: "/orgs/{organization}/audit/export", Tag: "Organizations", Mode: api.Sync,
		Permissions: manage,
		Extension:   true, Filters: filters, Summary: "Export the audit log of an organization as JSON lines",
	}, o.Organizations.InPath, o.export)
	api.Index(o.Router, api.Operation{
		ID: "user.audit.index", Method: http.MethodGet, Path: "/user/audit", Tag: "Account", Mode: api.Sync, Personal: true, Extension: true,
		Filters: filters, Sorts: sorts, Summary: "List the audit log of your account",
	}, api.Self, o.ofUser)
}

func attributes(text *string) map[string]any {
	if text == nil {
		return nil
	}
	var m map[string]any
	_ = json.Unmarshal([]byte(*text), &m) // written by us
	return m
}

// AttributesOf returns a line as it is returned and exported.
func AttributesOf(row query.AuditEntry) AuditEntryAttributes {
	return AuditEntryAttributes{
		UserID: row.UserID, Caller: row.Caller, Address: row.Address, Operation: row.Operation, Path: row.Path, Status: row.Status, Message: row.Message,
		Kind: row.ResourceType, Subject: row.ResourceID, Before: attributes(row.Was), After: attributes(row.Became), CreatedAt: api.TimeOf(row.CreatedAt),
	}
}

func (o *Operations) page(ctx context.Context, list api.ListQuery, where db.Cond) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.DB.Reader(), list.Of("audit_entries", where), api.Each(func(row query.AuditEntry) Resource {
		return Resource{ID: strconv.FormatInt(row.ID, 10), Attributes: AttributesOf(row)}
	}))
}

func (o *Operations) ofOrganization(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, db.Equal("organization_id", c.Parent.OrganizationID))
}

func (o *Operations) ofUser(ctx context.Context, c api.Call[access.Actor]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, db.Equal("user_id", c.Parent.UserID))
}

// line is a line of an export.
type line struct {
	ID int64 `json:"id"`
	AuditEntryAttributes
	OrganizationID *int64 `json:"organization_id"`
}

func (o *Operations) export(ctx context.Context, c api.Call[organization.Path], send func(any) error) error {
	return Export(ctx, o.DB, append(c.List.Where, db.Equal("organization_id", c.Parent.OrganizationID)), send)
}

const batch = 500

// Export sends every line that meets the conditions, oldest first, in batches.
func Export(ctx context.Context, d *db.DB, where []db.Cond, send func(any) error) error {
	list := db.List{Table: "audit_entries", Where: where, Limit: batch}
	for {
		page, err := db.Select[query.AuditEntry](ctx, d.Reader(), list)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			if err := send(line{ID: row.ID, OrganizationID: row.OrganizationID, AuditEntryAttributes: AttributesOf(row)}); err != nil {
				return err
			}
		}
		if page.Next == nil {
			return nil
		}
		list.Cursor = *page.Next
	}
}
