// Package domain is the domains of a site: the names that it answers to, each with a vhost and certificates of its own.
package domain

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// The states of a domain. One that could not be connected is disabled: that is what is true on the host.
const (
	StatusConnecting = "connecting"
	StatusEnabled    = site.DomainEnabled
	StatusUpdating   = "updating"
	StatusEnabling   = "enabling"
	StatusDisabling  = "disabling"
	StatusDisabled   = "disabled"
	StatusRemoving   = "removing"
)

// markPrimary is the action that makes a domain the primary one.
const markPrimary = "mark-as-primary"

// off tells whether a domain with this status is not served, and is not about to be.
func off(status string) bool { return status == StatusDisabled || status == StatusDisabling }

// The types of a domain.
const (
	Primary = site.DomainPrimary
	Alias   = "alias"
)

// Resource is the type of the resource.
const Resource = "domainRecords"

// Types are the types of resources that the work of this package is about.
func Types() []string { return []string{Resource} }

const maxDomains = 200

// Path is a domain that the caller may know of.
type Path struct {
	site.Path
	Domain query.Domain
}

// Store reads the domains of sites that were loaded for the caller.
type Store struct {
	DB    *db.DB
	Sites *site.Store
}

// InPath loads organization, server, site and domain.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.Path) (Path, error) {
	parent, err := s.Sites.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("domainRecord")
	if err != nil {
		return Path{}, err
	}
	row, err := s.DB.Read().GetDomain(ctx, parent.Site.ID, id)
	if err != nil {
		return Path{}, fmt.Errorf("read domain %d: %w", id, err)
	}
	return Path{Path: parent, Domain: row}, nil
}

// URL is where a domain is read.
func URL(p site.Path, id int64) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/domains/%d", p.Slug, p.Server.ID, p.Site.ID, id)
}

// names are all that a domain answers to.
func names(row query.Domain) ([]string, error) {
	d, err := value.ParseDomain(row.Name)
	if err != nil {
		return nil, err
	}
	return site.Names(d, row.WWWRedirectType, row.Wildcard), nil
}

// claim takes names that the domain does not have yet.
func claim(ctx context.Context, tx *db.Tx, f api.Fields, field string, serverID int64, row query.Domain) error {
	wanted, err := names(row)
	if err != nil {
		return err
	}
	has, err := tx.ListDomainNames(ctx, &row.ID)
	if err != nil {
		return fmt.Errorf("list names of domain: %w", err)
	}
	for _, name := range wanted {
		if slices.Contains(has, name) {
			continue
		}
		n, err := tx.ClaimDomainName(ctx, serverID, name, row.SiteID, &row.ID)
		if err != nil {
			return fmt.Errorf("claim name of domain: %w", err)
		}
		if n == 0 {
			f.Add(field, "The name %s is already used on this server.", name)
		}
	}
	return f.Err()
}

// release gives up the names that none of these states of a domain answers to.
func release(ctx context.Context, tx *db.Tx, id int64, states ...query.Domain) error {
	var keep []string
	for _, s := range states {
		n, err := names(s)
		if err != nil {
			return err
		}
		keep = append(keep, n...)
	}
	has, err := tx.ListDomainNames(ctx, &id)
	if err != nil {
		return fmt.Errorf("list names of domain: %w", err)
	}
	for _, name := range has {
		if !slices.Contains(keep, name) {
			if err := tx.ReleaseDomainName(ctx, &id, name); err != nil {
				return fmt.Errorf("release name of domain: %w", err)
			}
		}
	}
	return nil
}

// Change is the request of work on a domain: what it was, to put it back, and what was asked for, to try it again.
type Change struct {
	Before query.Domain `json:"before"`
	After  query.Domain `json:"after"`
	// Primary is the domain that was the primary one before another was made it.
	Primary int64 `json:"primary,omitempty"`
}

// Begin accepts work on a domain, whose row says what it is to be, and gives it the status that it has meanwhile.
func Begin(ctx context.Context, tx *db.Tx, jobs *job.Queue, p site.Path, was query.Domain, row *query.Domain, status, action, description string) (job.Accepted, error) {
	return begin(ctx, tx, jobs, p, Change{Before: was}, row, status, action, description)
}

func begin(ctx context.Context, tx *db.Tx, jobs *job.Queue, p site.Path, c Change, row *query.Domain, status, action, description string) (job.Accepted, error) {
	row.UpdatedAt = tx.Micros()
	if err := put(ctx, tx, *row); err != nil {
		return job.Accepted{}, err
	}
	c.After = *row
	accepted, err := site.BeginPart(ctx, tx, jobs, p, Resource, row.ID, action, description, c)
	if err != nil {
		return accepted, err
	}
	row.Status, row.OperationID = status, &accepted.OperationID
	if err := tx.SetDomainStatus(ctx, row.ID, status, row.OperationID, tx.Micros()); err != nil {
		return accepted, fmt.Errorf("set status of domain: %w", err)
	}
	return accepted, nil
}

// put writes a domain. What it says of www and of wildcards the site says too, where it is the primary one.
func put(ctx context.Context, tx *db.Tx, row query.Domain) error {
	err := tx.UpdateDomain(ctx, query.UpdateDomainParams{ID: row.ID, WWWRedirectType: row.WWWRedirectType, Wildcard: row.Wildcard, CertificateID: row.CertificateID, Nginx: row.Nginx, NginxBase: row.NginxBase, NginxRule: row.NginxRule, UpdatedAt: tx.Micros()})
	if err != nil {
		return fmt.Errorf("write domain %d: %w", row.ID, err)
	}
	if err := tx.FollowDomain(ctx, row.SiteID, row.ID, row.Wildcard, row.WWWRedirectType); err != nil {
		return fmt.Errorf("write site of domain %d: %w", row.ID, err)
	}
	return nil
}

func changeOf(op query.Operation) (Change, error) {
	var c Change
	if err := json.Unmarshal([]byte(op.Request), &c); err != nil {
		return c, fmt.Errorf("read what domain %s was: %w", strconv.FormatInt(op.ResourceID, 10), err)
	}
	c.Before.NginxRule, c.After.NginxRule = ruleOf(c.Before, c.Before), ruleOf(c.After, c.Before)
	return c, nil
}

// ruleOf is the rule of a domain in work that may be from before configurations were judged: what was served then is kept, what was only asked
// for is judged.
func ruleOf(row, before query.Domain) string {
	switch {
	case row.NginxRule != "":
		return row.NginxRule
	case row.Nginx != nil && before.Nginx != nil && *row.Nginx == *before.Nginx:
		return site.NginxKept
	}
	return site.NginxJudged
}
