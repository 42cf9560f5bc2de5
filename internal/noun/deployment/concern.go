package deployment

import (
	"context"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Concerns lists sites whose newest deployment failed.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Deployment](ctx, l.Rows, "deployments", server.AttendedOf(l.Grants...),
		db.Cond{SQL: "id IN (SELECT latest_deployment_id FROM projects WHERE deployment_status IN ('failed', 'failed-build'))"})
	if err != nil {
		return nil, err
	}
	sites, err := site.Of(ctx, l, rows, func(r query.Deployment) int64 { return r.SiteID })
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{
			Kind: "deployment-failed", Subject: sites[r.SiteID].Name, ServerID: r.ServerID, SiteID: &r.SiteID, ResourceID: &r.ID,
			Since: r.EndedAt, OperationID: r.OperationID,
		})
	}
	return out, err
}

// Unserved lists sites whose live deployment has nothing in the web directory.
func Unserved(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Deployment](ctx, l.Rows, "deployments", server.AttendedOf(l.Grants...),
		db.Cond{SQL: "unserved <> '' AND id IN (SELECT live_deployment_id FROM projects)"})
	if err != nil {
		return nil, err
	}
	sites, err := site.Of(ctx, l, rows, func(r query.Deployment) int64 { return r.SiteID })
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{
			Kind: "nothing-served", Subject: sites[r.SiteID].Name, Text: *r.Unserved, ServerID: r.ServerID, SiteID: &r.SiteID, ResourceID: &r.ID,
			Since: r.EndedAt,
		})
	}
	return out, err
}

// Readers are the people to whom deploy hooks were shown.
type Readers struct {
	Rights interface {
		// Holds reports whether a member of an organization has permissions on a server, whatever they signed in with.
		Holds(ctx context.Context, q *query.Granted, organization, user, server int64, needed ...access.Permission) (bool, error)
	}
}

// Concerns lists sites whose deploy hook was shown to people who have lost the permission to see it. It works for them until the site has another one.
func (r Readers) Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	staff := db.Cond{
		SQL: "NOT EXISTS (SELECT 1 FROM memberships WHERE memberships.user_id = hook_readers.user_id AND memberships.role_id BETWEEN ? AND ?" +
			" AND memberships.organization_id = (SELECT sites.organization_id FROM sites WHERE sites.id = hook_readers.site_id))",
		Args: []any{access.RoleOwner, access.RoleDeveloper},
	}
	shown, err := db.All[query.HookReader](ctx, l.Rows, "hook_readers", site.AttendedOf(l.Grants...), staff)
	if err != nil || len(shown) == 0 {
		return nil, err
	}
	sites, err := site.Of(ctx, l, shown, func(h query.HookReader) int64 { return h.SiteID })
	if err != nil {
		return nil, err
	}
	names, err := namesOf(ctx, l, shown)
	if err != nil {
		return nil, err
	}
	type place struct{ user, server int64 }
	holds, known := map[place]bool{}, map[int64][]string{}
	for _, h := range shown {
		at := place{h.UserID, sites[h.SiteID].ServerID}
		if _, asked := holds[at]; !asked {
			if holds[at], err = r.Rights.Holds(ctx, l.Read, sites[h.SiteID].OrganizationID, at.user, at.server, access.ServerView,
				access.SiteManageDeploys); err != nil {
				return nil, err
			}
		}
		if !holds[at] {
			known[h.SiteID] = append(known[h.SiteID], names[h.UserID])
		}
	}
	var out []concern.Item
	for id, names := range known {
		slices.Sort(names)
		out = append(out, concern.Item{
			Kind: "hook-known", Subject: sites[id].Name, ServerID: sites[id].ServerID, SiteID: new(id),
			Text: "Its deploy hook is known to users without access: " + strings.Join(names, ", ") + ". Regenerate it.",
		})
	}
	return out, nil
}

// namesOf returns the names of those to whom hooks were shown.
func namesOf(ctx context.Context, l concern.Look, shown []query.HookReader) (map[int64]string, error) {
	var ids []any
	out := map[int64]string{}
	for _, h := range shown {
		ids, out[h.UserID] = append(ids, h.UserID), "a user whose account was deleted"
	}
	users, err := db.All[query.User](ctx, l.Rows, "users", db.Equal("id", ids...))
	for _, u := range users {
		out[u.ID] = u.Name
	}
	return out, err
}
