// Package domain manages the domains of a site: its names, each with its own vhost and certificates.
package domain

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// The states of a domain. One that could not be connected is disabled: that is what is true on the host.
const (
	StatusConnecting = "connecting"
	StatusEnabled    = "enabled"
	StatusUpdating   = "updating"
	StatusEnabling   = "enabling"
	StatusDisabling  = "disabling"
	StatusDisabled   = "disabled"
	StatusRemoving   = "removing"
)

// markPrimary is the action that makes a domain the primary one.
const markPrimary = "mark-as-primary"

// off reports whether a domain with this status is not served, and is not about to be.
func off(status string) bool { return status == StatusDisabled || status == StatusDisabling }

// The types of a domain.
const (
	Primary = site.DomainPrimary
	Alias   = "alias"
)

// Kind is the type of the resource.
const Kind = "domainRecords"

const maxDomains = 200

// Specification is what a domain asks of its server.
type Specification struct {
	SiteID int64  `json:"site_id"`
	Name   string `json:"name"`
	// Primary is set for the domain that names its site.
	Primary bool `json:"primary"`
	// First is set for the domain that its site was made with; it keeps the vhost of that time.
	First           bool   `json:"first"`
	WWWRedirectType string `json:"www_redirect_type"`
	Wildcard        bool   `json:"wildcard"`
	// Challenge is the label that dns-01 challenges are delegated to, "" for domains from before there was one.
	Challenge string `json:"challenge,omitempty"`
	// Disabled is set for a domain that is not served.
	Disabled bool `json:"disabled"`
	// Nginx is a user's configuration, NginxBase the version of ours that it is based on, and NginxRule the rule for it.
	Nginx     *string `json:"nginx,omitempty"`
	NginxBase *string `json:"nginx_base,omitempty"`
	NginxRule string  `json:"nginx_rule"`
}

// Domains is the noun.
var Domains = &ledger.Noun[Specification]{Kind: Kind, Version: 1, Parent: "sites", In: func(s Specification) int64 { return s.SiteID }, Write: write}

// SpecificationOf returns what the row of a domain asks for.
func SpecificationOf(row query.Domain) Specification {
	return Specification{
		SiteID: row.SiteID, Name: row.Name, Primary: row.Type == Primary, First: row.First, WWWRedirectType: row.WWWRedirectType,
		Wildcard: row.Wildcard, Challenge: row.Challenge,
		Disabled: off(row.Status), Nginx: row.Nginx, NginxBase: row.NginxBase, NginxRule: row.NginxRule,
	}
}

// rowOf returns a domain as vhosts are made of it.
func rowOf(id int64, s Specification) query.Domain {
	kind := Alias
	if s.Primary {
		kind = Primary
	}
	return query.Domain{
		ID: id, SiteID: s.SiteID, Name: s.Name, Type: kind, First: s.First, WWWRedirectType: s.WWWRedirectType, Wildcard: s.Wildcard,
		Challenge: s.Challenge,
		Nginx:     s.Nginx, NginxBase: s.NginxBase, NginxRule: s.NginxRule,
	}
}

// write makes the row of a domain show a fold, and claims its names. The site's row takes its values from its primary domain.
func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	if row.Phase == ledger.Gone { // its names go with the row
		if _, err := tx.DeleteDomain(ctx, row.ID); err != nil {
			return fmt.Errorf("delete domain %d: %w", row.ID, err)
		}
		return nil
	}
	s := row.Specification
	s.Primary = names(row)
	d := rowOf(row.ID, s)
	n, err := tx.PutDomain(ctx, query.PutDomainParams{
		ID: d.ID, SiteID: d.SiteID, Name: d.Name, Type: d.Type, Status: statusOf(row),
		WWWRedirectType: d.WWWRedirectType, Wildcard: d.Wildcard, First: d.First,
		Challenge: d.Challenge, Nginx: d.Nginx, NginxBase: d.NginxBase, NginxRule: d.NginxRule, OperationID: row.OperationID, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("write domain %d: %w", row.ID, err)
	}
	if n == 0 && (row.Phase == ledger.Creating || row.Phase == ledger.Updating) {
		return api.Conflict("The site was deleted.")
	}
	if n == 0 {
		return nil
	}
	if s.Primary {
		if err := tx.NameSite(ctx, d.SiteID, d.Name, d.Wildcard, d.WWWRedirectType); err != nil {
			return fmt.Errorf("name site %d: %w", d.SiteID, err)
		}
	}
	return hold(ctx, tx, serverID, d, row.Phase)
}

// names reports whether a domain names its site. One that never was on the host does so only with its site, or while it is asked for.
func names(row ledger.Row[Specification]) bool {
	s := row.Specification
	return s.Primary && (row.Applied != nil || row.Phase == ledger.Creating || s.First)
}

// statusOf returns the status that the row of a domain shows.
func statusOf(row ledger.Row[Specification]) string {
	s := row.Specification
	settled := StatusEnabled
	if s.Disabled {
		settled = StatusDisabled
	}
	switch row.Phase {
	case ledger.Failed:
		return StatusDisabled
	case ledger.Deleting:
		return StatusRemoving
	case ledger.Creating:
		return StatusConnecting
	case ledger.Updating:
		was := *row.Applied
		switch {
		case was.Disabled && !s.Disabled:
			return StatusEnabling
		case !was.Disabled && s.Disabled:
			return StatusDisabling
		case was.Primary && !s.Primary: // it gives way to another one, which is what is being updated
			if was.Primary = false; reflect.DeepEqual(was, s) {
				return settled
			}
		}
		return StatusUpdating
	}
	return settled
}

// namesOf returns all that a domain answers to.
func namesOf(row query.Domain) ([]string, error) {
	d, err := value.ParseDomain(row.Name)
	if err != nil {
		return nil, err
	}
	return site.Names(d, row.WWWRedirectType, row.Wildcard), nil
}

// hold claims the names that a domain asks for. Its earlier ones are released once no work is open.
func hold(ctx context.Context, tx *db.Tx, serverID int64, row query.Domain, phase ledger.Phase) error {
	switch phase {
	case ledger.Creating, ledger.Updating:
		taken, err := claim(ctx, tx, serverID, row)
		if err == nil && len(taken) > 0 {
			err = api.Conflict("Another domain of the server now has one of the names.")
		}
		return err
	case ledger.Applied, ledger.Failed:
		return release(ctx, tx, row)
	}
	return nil
}

// claim takes the names of a domain that it does not have yet, and returns those that another one has.
func claim(ctx context.Context, tx *db.Tx, serverID int64, row query.Domain) (taken []string, err error) {
	wanted, err := namesOf(row)
	if err != nil {
		return nil, err
	}
	has, err := tx.ListDomainNames(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("list names of domain %d: %w", row.ID, err)
	}
	for _, name := range wanted {
		if slices.Contains(has, name) {
			continue
		}
		n, err := tx.ClaimDomainName(ctx, serverID, name, row.SiteID, &row.ID)
		if err != nil {
			return nil, fmt.Errorf("claim name of domain %d: %w", row.ID, err)
		}
		if n == 0 {
			taken = append(taken, name)
		}
	}
	return taken, nil
}

// release gives up the names that a domain does not answer to.
func release(ctx context.Context, tx *db.Tx, row query.Domain) error {
	keep, err := namesOf(row)
	if err != nil {
		return err
	}
	has, err := tx.ListDomainNames(ctx, row)
	if err != nil {
		return fmt.Errorf("list names of domain %d: %w", row.ID, err)
	}
	for _, name := range has {
		if !slices.Contains(keep, name) {
			if err := tx.ReleaseDomainName(ctx, &row.ID, name); err != nil {
				return fmt.Errorf("release name of domain %d: %w", row.ID, err)
			}
		}
	}
	return nil
}

// Path is a domain visible to the caller.
type Path = server.Part[site.Path, query.Domain]

// Store is the domains of sites.
type Store struct {
	server.Parts[site.Path, query.Domain, Specification, DomainRecordAttributes]
	Sites *site.Store
}

// NewStore makes it.
func NewStore(d *db.DB, sites *site.Store, l *ledger.Ledger, r *api.Router) *Store {
	return &Store{Sites: sites, Parts: server.Parts[site.Path, query.Domain, Specification, DomainRecordAttributes]{
		DB: d, Router: r, Noun: Domains,
		Acceptor: site.AcceptorOf(l),
		Load:     sites.InPath, Collection: "domains", Param: "domainRecord", Table: "domains", Get: (*query.Queries).GetDomain, Attributes: shown,
	}}
}
