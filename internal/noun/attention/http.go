package attention

import (
	"context"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// AttentionAttributes describe one thing that needs attention.
type AttentionAttributes struct {
	Kind         string       `json:"kind"`
	Subject      string       `json:"subject" doc:"The name of the resource concerned."`
	Text         string       `json:"text" doc:"The problem; empty if the kind describes it completely."`
	Organization *int64       `json:"organization_id" doc:"Null for the panel itself."`
	ServerID     *int64       `json:"server_id" doc:"Null for the panel itself."`
	SiteID       *int64       `json:"site_id"`
	ResourceID   *int64       `json:"resource_id"`
	EventID      *int64       `json:"event_id" doc:"The event of the work that failed or does not begin."`
	Since        api.NullTime `json:"since"`
	EndsAt       api.NullTime `json:"ends_at" doc:"When the certificate expires."`
}

// ResourceType returns attention.
func (AttentionAttributes) ResourceType() string { return "attention" }

// Resource is one thing that needs attention, in a document.
type Resource = api.Resource[AttentionAttributes, api.NoRelationships]

// Operations are the operations on what needs attention.
type Operations struct {
	Store         *Store
	Organizations *organization.Store
	Router        *api.Router
}

const about = "Failures, work that does not begin, unreachable servers, full disks, certificates about to expire, backups that were never verified, " +
	"files changed outside Hostler, pending restarts and reboots, and deploy hooks known to former members, on the servers visible to the caller; the " +
	"most urgent first."

// Register adds the operations.
func (o *Operations) Register() {
	api.Index(o.Router, api.Operation{
		ID: "organizations.attention.index", Method: http.MethodGet, Path: "/orgs/{organization}/attention", Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Summary: "List what needs attention",
		Description: about,
	}, o.Organizations.InPath, o.index)
	api.Index(o.Router, api.Operation{
		ID: "attention.index", Method: http.MethodGet, Path: "/attention", Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Verb: "all", Summary: "List what needs attention in all organizations",
		Description: "The lists of all organizations of the caller as one. " + about,
	}, api.Self, o.everywhere)
}

func (o *Operations) everywhere(ctx context.Context, c api.Call[access.Actor]) (api.Collection[Resource], error) {
	grants, err := o.Organizations.Grants(ctx, c.Parent, access.ServerView)
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	slugs := map[int64]string{}
	for _, g := range grants {
		slugs[g.OrganizationID] = g.Slug
	}
	items, err := o.Store.List(ctx, grants...)
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	return o.page(c.List, items, slugs, func(i Item) string { return strconv.FormatInt(i.OrganizationID, 10) + "-" + id(i) })
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	items, err := o.Store.List(ctx, c.Parent.Grant)
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	return o.page(c.List, items, map[int64]string{c.Parent.OrganizationID: c.Parent.Slug}, id)
}

// page returns a page of items, whose ids id tells apart.
func (o *Operations) page(list api.ListQuery, items []Item, slugs map[int64]string, id func(Item) string) (api.Collection[Resource], error) {
	at := make([]int64, len(items)) // pages are by position: the list is rebuilt each time
	for i := range at {
		at[i] = int64(i + 1)
	}
	return api.PagedFrom(list, at, func(place int64) int64 { return place }, func(n int64) Resource {
		item := items[n-1]
		return Resource{
			ID: id(item), Links: o.Router.Links(place(slugs[item.OrganizationID], item)),
			Attributes: AttentionAttributes{
				Kind: item.Kind, Subject: item.Subject, Text: item.Text, Organization: api.OrNull(item.OrganizationID), ServerID: api.OrNull(item.ServerID),
				SiteID: item.SiteID, ResourceID: item.ResourceID, EventID: item.EventID, Since: api.NullTimeOf(item.Since), EndsAt: api.NullTimeOf(item.EndsAt),
			},
		}
	})
}

// id returns an id that stays the same as long as the same thing needs attention.
func id(i Item) string {
	out := i.Kind + "-" + strconv.FormatInt(i.ServerID, 10)
	if i.Noun != "" {
		out = i.Kind + "-" + i.Noun + "-" + strconv.FormatInt(i.ServerID, 10)
	}
	for _, n := range []*int64{i.SiteID, i.ResourceID} {
		if n != nil {
			out += "-" + strconv.FormatInt(*n, 10)
		}
	}
	return out
}

// place returns the path of the resource concerned.
func place(slug string, i Item) string {
	if i.ServerID == 0 && slug == "" {
		return "/attention"
	}
	if i.ServerID == 0 {
		return "/orgs/" + slug
	}
	out := "/orgs/" + slug + "/servers/" + strconv.FormatInt(i.ServerID, 10)
	if i.SiteID != nil {
		return "/orgs/" + slug + "/sites/" + strconv.FormatInt(*i.SiteID, 10)
	}
	return out
}
