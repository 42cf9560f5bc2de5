package dnsrecord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// subject is a domain whose records are at a provider.
type subject struct {
	domain  query.Domain
	site    query.Site
	server  query.Server
	row     query.DNSProvider
	records dns.Records
}

// open opens the provider for a domain.
func (s *Store) open(ctx context.Context, q *query.Granted, at subject, provider int64) (subject, error) {
	var err error
	at.records, at.row, err = s.Providers.Records(ctx, q, access.Grant{OrganizationID: at.site.OrganizationID}, provider)
	return at, err
}

// gatherWithin is how long a provider may take to say what it has.
const gatherWithin = 30 * time.Second

// gather reads what a plan is computed from: the rows, and what the provider has. Without names it is for a removal.
func (s *Store) gather(ctx context.Context, q *query.Granted, at subject, wants []Want, named []string) (Input, error) {
	in := Input{Wants: wants, Zones: map[string]dns.Zone{}, Live: map[string][]dns.Record{}, Holders: map[string]string{}, Named: named,
		Delegations: map[string]string{}}
	var err error
	if in.Own, err = q.ListDomainDNSRecords(ctx, at.domain); err != nil {
		return in, fmt.Errorf("list DNS records of domain %d: %w", at.domain.ID, err)
	}
	for _, w := range wants {
		if err := s.holder(ctx, q, at, w, &in); err != nil {
			return in, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, gatherWithin)
	defer cancel()
	for _, name := range namesOf(wants) {
		zone, err := at.records.Zone(ctx, name)
		if err != nil {
			return in, late(ctx, at, err)
		}
		in.Zones[name] = zone
		if err := in.read(ctx, at, name, true); err != nil {
			return in, late(ctx, at, err)
		}
	}
	for _, own := range in.Own {
		if _, read := in.Live[own.Name]; !read {
			in.Zones[own.Name] = dns.Zone{ID: own.ZoneID, Name: own.Zone}
			if err := in.read(ctx, at, own.Name, false); err != nil && dns.KindOf(err) != dns.NoZone {
				return in, late(ctx, at, err)
			}
		}
	}
	return in, nil
}

// late returns a provider that did not answer in time as a problem of it.
func late(ctx context.Context, at subject, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &dns.Problem{Kind: dns.Away, Reason: dns.Titles()[at.row.Provider] + " did not answer in time."}
	}
	return err
}

// read reads the records at a name, and whether it is delegated.
func (in Input) read(ctx context.Context, at subject, name string, above bool) error {
	zone := in.Zones[name]
	live, err := at.records.At(ctx, zone, name)
	if err != nil {
		return err
	}
	slices.SortFunc(live, func(a, b dns.Record) int {
		return strings.Compare(a.Type+" "+a.Value+" "+a.ID, b.Type+" "+b.Value+" "+b.ID)
	})
	in.Live[name] = live
	delegated := func(name string, records []dns.Record) bool {
		return name != zone.Name && slices.ContainsFunc(records, func(r dns.Record) bool { return r.Type == dns.NS })
	}
	if delegated(name, live) {
		in.Delegations[name] = name
		return nil
	}
	for _, parent, _ := strings.Cut(name, "."); above && parent != zone.Name && strings.HasSuffix(parent, "."+zone.Name); _, parent, _ = strings.Cut(parent, ".") {
		records, read := in.Live[parent]
		if !read {
			if records, err = at.records.At(ctx, zone, parent); err != nil {
				return err
			}
		}
		if delegated(parent, records) {
			in.Delegations[name] = parent
			return nil
		}
	}
	return nil
}

// holder notes which other site a record is kept for. That of a deleted domain is this one's, if it is at the same provider.
func (s *Store) holder(ctx context.Context, q *query.Granted, at subject, w Want, in *Input) error {
	row, err := q.GetDNSRecordNamed(ctx, at.site, w.Name, w.Type)
	if errors.Is(err, db.ErrNotFound) || err == nil && row.DomainID != nil && *row.DomainID == at.domain.ID {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read who holds %s: %w", w.Name, err)
	}
	if row.DomainID == nil {
		if row.DNSProviderID == at.row.ID {
			in.Own = append(in.Own, row)
		}
		return nil
	}
	other, err := q.Ungranted().GetSiteOfDomain(ctx, *row.DomainID)
	if err != nil {
		return fmt.Errorf("read site of domain %d: %w", *row.DomainID, err)
	}
	in.Holders[key(w.Type, w.Name)] = "another site of this organization"
	if other.ServerID == at.server.ID {
		in.Holders[key(w.Type, w.Name)] = "the site " + other.Name + " on this server"
	}
	return nil
}

// find reads a domain by its id, for work.
func (s *Store) find(ctx context.Context, q *query.Granted, id int64) (at subject, err error) {
	u := q.Ungranted()
	if at.site, err = u.GetSiteOfDomain(ctx, id); err != nil {
		return at, fmt.Errorf("read site of domain %d: %w", id, err)
	}
	if at.domain, err = u.GetDomain(ctx, at.site.ID, id); err != nil {
		return at, fmt.Errorf("read domain %d: %w", id, err)
	}
	if at.server, err = u.GetServer(ctx, at.site.ServerID); err != nil {
		return at, fmt.Errorf("read server of domain %d: %w", id, err)
	}
	return at, nil
}

func of(p site.Path, d query.Domain) subject {
	return subject{domain: d, site: p.Site, server: p.Server}
}
