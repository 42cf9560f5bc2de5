package organization

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// RateLimitAttributes are the attributes of an organization's limit of requests.
type RateLimitAttributes struct {
	RequestsPerMinute *int64 `json:"requests_per_minute" doc:"The limit of each token and person in this organization; null for the installation's limit."`
	Default           int64  `json:"default" doc:"The installation's limit."`
	Minimum           int64  `json:"minimum"`
	Maximum           int64  `json:"maximum"`
}

// ResourceType returns rateLimits.
func (RateLimitAttributes) ResourceType() string { return "rateLimits" }

// RateLimitResource is an organization's limit in a document.
type RateLimitResource = api.Resource[RateLimitAttributes, api.NoRelationships]

// UpdateRateLimitRequest sets an organization's limit.
type UpdateRateLimitRequest struct {
	RequestsPerMinute *int64 `json:"requests_per_minute" nullable:"true" doc:"Null restores the installation's limit."`
}

func (o *Operations) registerLimit() {
	const path = "/orgs/{organization}/rate-limit"
	api.Show(o.Router, api.Operation{
		ID: "organizations.rate-limit.show", Method: http.MethodGet, Path: path, Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.OrganizationView}, Extension: true, Summary: "Get the rate limit of an organization",
	}, o.Store.InPath, o.showLimit)
	api.Write(o.Router, api.Operation{
		ID: "organizations.rate-limit.update", Method: http.MethodPut, Path: path, Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.OrganizationManage}, Extension: true, Summary: "Set the rate limit of an organization",
		Description: "The limit is the number of requests per minute for each token and person in the organization. A lower limit of a token takes " +
			"precedence.",
		Example: map[string]any{"requests_per_minute": 600},
	}, o.Store.InPath, o.updateLimit)
}

func (o *Operations) limitDocument(org query.Organization) api.Document[RateLimitResource] {
	limits := o.Router.RateLimits()
	return api.Document[RateLimitResource]{Data: RateLimitResource{
		ID: strconv.FormatInt(org.ID, 10), Links: o.Router.Links("/orgs/" + org.Slug + "/rate-limit"),
		Attributes: RateLimitAttributes{RequestsPerMinute: org.RateLimit, Default: int64(limits.Default), Minimum: int64(limits.Least), Maximum: int64(limits.Most)},
	}}
}

func (o *Operations) showLimit(_ context.Context, c api.Call[Path]) (api.Document[RateLimitResource], error) {
	return o.limitDocument(c.Parent.Organization), nil
}

func (o *Operations) updateLimit(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateRateLimitRequest) (api.Document[RateLimitResource], error) {
	if b.RequestsPerMinute != nil {
		o.Router.RateLimits().Check(c.Fields, "requests_per_minute", *b.RequestsPerMinute)
	}
	if err := c.Fields.Err(); err != nil {
		return api.Document[RateLimitResource]{}, err
	}
	org, err := tx.SetOrganizationRateLimit(ctx, c.Parent.OrganizationID, b.RequestsPerMinute, tx.Micros())
	if err != nil {
		return api.Document[RateLimitResource]{}, fmt.Errorf("set rate limit: %w", err)
	}
	return o.limitDocument(org), nil
}

// RateLimit returns an organization's limit, zero for none, and for an organization that the actor can't see.
func (s *Store) RateLimit(ctx context.Context, actor access.Actor, slug string) (int, error) {
	row, err := s.DB.Read().GetRateLimitOfMember(ctx, actor, slug)
	if errors.Is(err, db.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read rate limit: %w", err)
	}
	if row.RateLimit == nil || !actor.Reaches(row.ID) {
		return 0, nil
	}
	return int(*row.RateLimit), nil
}
