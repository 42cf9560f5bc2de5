package domain

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Alter accepts a change of a domain, which is made on the newest specification, and returns the row that shows it.
func (s *Store) Alter(ctx context.Context, tx *db.Tx, p site.Path, id int64, action, description string, change func(*Specification)) (query.Domain,
	job.Accepted, error,
) {
	asks, err := newest(ctx, tx, id)
	if err != nil {
		return query.Domain{}, job.Accepted{}, err
	}
	change(&asks)
	return s.Accept(ctx, tx, p, id, asks, action, description)
}

// newest returns what a domain was asked to be last.
func newest(ctx context.Context, tx *db.Tx, id int64) (Specification, error) {
	row, err := Domains.Row(ctx, tx.Granted, id)
	row.Specification.Primary = names(row)
	return row.Specification, err
}

// primaries returns the domains of a site that are its primary one on the host, or once some open operation is done.
func primaries(ctx context.Context, tx *db.Tx, serverID, siteID int64) (map[int64]bool, error) {
	known, err := Domains.Known(ctx, tx.Granted, serverID)
	if err != nil {
		return nil, err
	}
	out := map[int64]bool{}
	for _, d := range known {
		if d.Specification.SiteID == siteID && d.Specification.Primary {
			out[d.ID] = true
		}
	}
	return out, nil
}

// mark asks for a domain to be primary, and for all others not to be: the one on the host, and those that older operations ask for.
func mark(ctx context.Context, tx *db.Tx, p site.Path, id int64) ([]ledger.Wish, error) {
	others, err := primaries(ctx, tx, p.Server.ID, p.Site.ID)
	if err != nil {
		return nil, err
	}
	delete(others, id)
	var wishes []ledger.Wish
	for _, d := range append([]int64{id}, slices.Sorted(maps.Keys(others))...) {
		asks, err := newest(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		asks.Primary = d == id
		wish, err := Domains.Want(d, asks)
		if err != nil {
			return nil, err
		}
		wishes = append(wishes, wish)
	}
	return wishes, nil
}

// First gives new sites the domain that they are named after. It is applied by the operation that installs the site.
type First struct{ Ledger *ledger.Ledger }

const challengeBytes = 10

// Insert makes the row of a site's first domain, which takes over the names that the site claimed.
func (f First) Insert(ctx context.Context, tx *db.Tx, row query.Site) (query.Domain, error) {
	first, err := tx.InsertDomain(ctx, query.InsertDomainParams{
		SiteID: row.ID, Name: row.Name, Type: Primary, Status: StatusConnecting, WWWRedirectType: row.WWWRedirectType, Wildcard: row.Wildcards,
		First: true, Challenge: secret.Random(challengeBytes), CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return first, fmt.Errorf("create domain of site %d: %w", row.ID, err)
	}
	if err := tx.AdoptSiteNames(ctx, row.ID, &first.ID); err != nil {
		return first, fmt.Errorf("claim names of site %d: %w", row.ID, err)
	}
	return first, nil
}

// Ask makes the first domain a part of the operation that installs its site.
func (f First) Ask(ctx context.Context, tx *db.Tx, serverID, operationID int64, first query.Domain) error {
	wish, err := Domains.Want(first.ID, SpecificationOf(first))
	if err != nil {
		return err
	}
	return f.Ledger.Attach(ctx, tx, operationID, serverID, wish)
}
