package job_test

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// siteAspects returns the aspects of the parts of sites, all of which make one plan.
func siteAspects(w *walker) map[string]job.Aspect {
	return map[string]job.Aspect{site.Aspect: sites(w).Aspect()}
}

func sites(w *walker) *vhost.Converger {
	c := vhost.NewConverger(converge.Converger{Ledger: w.ledger, Box: w.box}, vhost.Planner{Domains: domain.Include{Certificates: certificate.Include{}}})
	for _, d := range w.nouns {
		c.Include(d.includes...)
	}
	return c
}

// prepareSite makes the site that parts belong to.
func prepareSite(ctx context.Context, tx *db.Tx, w *walker) error {
	if w.made[site.Aspect] != 0 {
		return nil
	}
	row, err := tx.InsertSite(ctx, query.InsertSiteParams{
		OrganizationID: w.grant.OrganizationID, ServerID: w.server.ID, Name: "shop.example.com",
		Type: sitetype.StaticHTML, Status: site.StatusInstalled,
		UnixUser: "forge", WebDirectory: "/", WWWRedirectType: "none",
	})
	if err != nil {
		return err
	}
	w.made[site.Aspect] = row.ID
	wish, err := site.Sites.Want(row.ID, site.Specification{Name: row.Name, Type: row.Type, User: row.UnixUser, WebDirectory: row.WebDirectory, Enclosed: true})
	if err != nil {
		return err
	}
	return apply(ctx, tx, w, wish)
}
