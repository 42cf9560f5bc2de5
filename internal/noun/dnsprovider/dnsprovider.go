// Package dnsprovider is the accounts at DNS providers that an organization proves its names through. Their secrets go in and never come out.
package dnsprovider

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// Path is a provider that the caller can see.
type Path struct {
	organization.Path
	Provider query.DNSProvider
}

// Store reads providers for callers.
type Store struct {
	DB            *db.DB
	Box           *secret.Box
	Organizations *organization.Store
	Guard         outbound.Guard
	// Bases are addresses of providers' APIs in the place of the real ones, for tests.
	Bases map[string]string
}

// InOrganization loads the organization that a path names. Names belong to the organization as a whole: a role in a team does not reach them.
func (s *Store) InOrganization(ctx context.Context, actor access.Actor, path api.PathValues) (organization.Path, error) {
	p, err := s.Organizations.InPath(ctx, actor, path)
	if err == nil && !p.Direct {
		p.Role = p.Role.Without(access.SetOf(access.CredentialView, access.CredentialManage))
	}
	return p, err
}

// InPath loads the organization and the provider that a path names.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := s.InOrganization(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("dnsProvider")
	if err != nil {
		return Path{}, err
	}
	row, err := s.DB.Read().GetDNSProvider(ctx, org, id)
	if err != nil {
		return Path{}, fmt.Errorf("read DNS provider %d: %w", id, err)
	}
	return Path{Path: org, Provider: row}, nil
}

// Usable reports whether a caller may prove names through a provider: access.ErrNotFound for one of another organization, and for callers that
// are in the organization through a team only.
func (s *Store) Usable(ctx context.Context, q *query.Granted, g access.Grant, id int64) error {
	_, err := q.GetDNSProvider(ctx, g, id)
	if errors.Is(err, db.ErrNotFound) || err == nil && !g.Direct {
		return access.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("read DNS provider %d: %w", id, err)
	}
	return nil
}

// Open returns the provider with this id in an organization, to publish through.
func (s *Store) Open(ctx context.Context, q *query.Granted, organization query.InOrganization, id int64) (dns.Publisher, error) {
	_, with, err := s.unsealed(ctx, q, organization, id)
	if err != nil {
		return nil, err
	}
	return dns.New(with, s.Guard)
}

// Records returns the provider with this id in an organization, with the records of its zones.
func (s *Store) Records(ctx context.Context, q *query.Granted, organization query.InOrganization, id int64) (dns.Records, query.DNSProvider, error) {
	row, with, err := s.unsealed(ctx, q, organization, id)
	if err != nil {
		return nil, row, err
	}
	records, err := dns.NewRecords(with, s.Guard, s.Bases[row.Provider])
	return records, row, err
}

func (s *Store) unsealed(ctx context.Context, q *query.Granted, organization query.InOrganization, id int64) (query.DNSProvider, dns.Settings, error) {
	row, err := q.GetDNSProvider(ctx, organization, id)
	if err != nil {
		return row, dns.Settings{}, fmt.Errorf("read DNS provider %d: %w", id, err)
	}
	plain, err := s.Box.Open(sealedAt(row.ID), row.Secret)
	return row, settings(row, string(plain)), err
}

func settings(row query.DNSProvider, plain string) dns.Settings {
	s := dns.Settings{Provider: row.Provider, Nameserver: row.Nameserver, Key: row.KeyName, Algorithm: row.Algorithm}
	if row.Provider == dns.RFC2136 {
		s.Secret = plain
	} else {
		s.Token = plain
	}
	return s
}

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "dns_providers", Row: strconv.FormatInt(id, 10), Column: "secret"}
}
