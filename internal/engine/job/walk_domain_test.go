package job_test

import (
	"context"
	"errors"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// domainDriver asks for domains of a site, whose mark is in what a user wrote into their vhosts.
var domainDriver = &driver{
	kind: domain.Domains.Kind, aspect: site.Aspect, noun: domain.Domains, applied: domain.StatusEnabled, failed: domain.StatusDisabled,
	aspects: siteAspects, prepare: prepareSite,
	mark: func(number string) string { return number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		name := letters.Replace(mark) + ".example.org" // without digits: the mark of later updates is another one
		row, err := tx.InsertDomain(ctx, query.InsertDomainParams{
			SiteID: w.made[site.Aspect], Name: name, Type: domain.Alias,
			Status: domain.StatusConnecting, WWWRedirectType: "to-www",
		})
		if err != nil {
			return ledger.Wish{}, err
		}
		spec, err := w.marked(ctx, tx, domain.SpecificationOf(row), mark)
		if err != nil {
			return ledger.Wish{}, err
		}
		return domain.Domains.Want(row.ID, spec)
	},
	update: func(ctx context.Context, tx *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error) {
		shown, err := domain.Domains.Row(ctx, tx.Granted, id)
		if err == nil && shown.Phase == ledger.Gone {
			err = db.ErrNotFound
		}
		if err != nil {
			return ledger.Wish{}, err
		}
		spec, err := w.marked(ctx, tx, shown.Specification, mark)
		if err != nil {
			return ledger.Wish{}, err
		}
		return domain.Domains.Want(id, spec)
	},
	remove: domain.Domains.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetDomain(ctx, w.made[site.Aspect], id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}

var letters = strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j")

// marked returns a domain with a mark in its vhost, as if a user had written it.
func (w *walker) marked(ctx context.Context, tx *db.Tx, s domain.Specification, mark string) (domain.Specification, error) {
	row, err := tx.Ungranted().GetSite(ctx, s.SiteID)
	if err != nil {
		return s, err
	}
	d := query.Domain{SiteID: s.SiteID, Name: s.Name, WWWRedirectType: s.WWWRedirectType}
	change, err := vhost.ChangeOf(server.FactsOf(w.server), w.server, []vhost.Desired{{Site: row, Vhosts: []vhost.Vhost{{Domain: d}}}})
	if err != nil {
		return s, err
	}
	for _, step := range change.Steps {
		if step.File != nil && step.File.Path == vhost.DomainFile(d) {
			base := string(step.File.Content)
			text := base + "# " + mark + "\n"
			s.Nginx, s.NginxBase, s.NginxRule = &text, &base, vhost.NginxRoot
		}
	}
	return s, nil
}
