package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// siteDriver asks for sites, whose mark is the directory that is served.
var siteDriver = &driver{
	kind: site.Sites.Kind, aspect: site.Aspect, noun: site.Sites, applied: site.StatusInstalled, failed: site.StatusFailed,
	aspects: siteAspects,
	mark:    func(number string) string { return "/served/" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		name := fmt.Sprintf("site-%c%c%c.example.com", 'a'+w.number/400%20, 'a'+w.number/20%20, 'a'+w.number%20)
		row, err := tx.InsertSite(ctx, query.InsertSiteParams{
			OrganizationID: w.grant.OrganizationID, ServerID: w.server.ID, Name: name, Type: sitetype.StaticHTML, Status: site.StatusInstalling,
			UnixUser: site.DefaultUser, WebDirectory: mark, WWWRedirectType: "none",
		})
		if err != nil {
			return ledger.Wish{}, err
		}
		return site.Sites.Want(row.ID, site.Specification{Name: name, Type: row.Type, User: row.UnixUser, WebDirectory: mark, Enclosed: true})
	},
	with: func(ctx context.Context, tx *db.Tx, w *walker, id int64) ([]ledger.Wish, error) {
		if !slices.Contains(w.nouns, domainDriver) {
			return nil, nil
		}
		row, err := tx.Ungranted().GetSite(ctx, id)
		if err != nil {
			return nil, err
		}
		first, err := tx.InsertDomain(ctx, query.InsertDomainParams{SiteID: id, Name: row.Name, Type: site.DomainPrimary, Status: domain.StatusConnecting,
			WWWRedirectType: "none"})
		if err != nil {
			return nil, err
		}
		wish, err := domain.Domains.Want(first.ID, domain.SpecificationOf(first))
		return []ledger.Wish{wish}, err
	},
	update: func(ctx context.Context, tx *db.Tx, _ *walker, id int64, mark string) (ledger.Wish, error) {
		row, err := site.Sites.Row(ctx, tx.Granted, id)
		if err == nil && row.Phase == ledger.Gone {
			err = db.ErrNotFound
		}
		row.Specification.WebDirectory = mark
		wish, failed := site.Sites.Want(id, row.Specification)
		return wish, errors.Join(err, failed)
	},
	remove: site.Sites.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetSite(ctx, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}
