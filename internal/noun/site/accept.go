package site

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// DomainPrimary is the type of the domain that a site is named after.
const DomainPrimary = "primary"

// FirstDomains give new sites the domain that they are named after.
type FirstDomains interface {
	// Insert inserts the row of a site's first domain; Ask adds it to the operation that installs the site.
	Insert(ctx context.Context, tx *db.Tx, row query.Site) (query.Domain, error)
	Ask(ctx context.Context, tx *db.Tx, serverID, operationID int64, first query.Domain) error
}

// Installer accepts the work of installing new sites.
type Installer struct {
	Ledger  *ledger.Ledger
	Domains FirstDomains
	Printer *Printer
}

// Install accepts the work of installing a new site, which has its first domain, and answers with the site.
func (i Installer) Install(
	ctx context.Context, tx *db.Tx, p server.Path, row query.Site, first query.Domain, asks Specification,
) (api.Document[Resource], error) {
	var none api.Document[Resource]
	accepted, err := AcceptSite(ctx, tx, i.Ledger, p, row.ID, asks, "create", "Installing site "+row.Name)
	if err != nil {
		return none, err
	}
	if err := i.Domains.Ask(ctx, tx, row.ServerID, accepted.OperationID, first); err != nil {
		return none, err
	}
	if row, err = tx.GetSite(ctx, row); err != nil {
		return none, fmt.Errorf("create site: %w", err)
	}
	doc, err := i.Printer.Document(ctx, tx.SQL, api.ListQuery{}, p.Slug, row)
	doc.Location, doc.Event = fmt.Sprintf("/orgs/%s/sites/%d", p.Slug, row.ID), accepted.EventID
	return doc, err
}

// AcceptSite accepts work that makes a site match its specification, with the wishes for its parts that settle with it.
func AcceptSite(
	ctx context.Context, tx *db.Tx, l *ledger.Ledger, p server.Path, id int64, asks Specification,
	action, description string, more ...ledger.Wish,
) (job.Accepted, error) {
	asks.Enclosed = true
	wish, err := Sites.Want(id, asks)
	if err != nil {
		return job.Accepted{}, err
	}
	w := AcceptorOf(l).Work(p, id, Sites.Kind, id, action, description)
	if asks.Port != nil || asks.Runtime != nil || action == "create" {
		w.Within += PackagesWithin
	}
	return l.Accept(ctx, tx, w, append([]ledger.Wish{wish}, more...)...)
}

// FollowProject accepts the work of a site whose project says something else of its code than its server knows: it has a repository now. It accepts none for
// another repository, which the next deployment fetches.
func FollowProject(ctx context.Context, tx *db.Tx, l *ledger.Ledger, p Path, project query.Project) (job.Accepted, error) {
	now, err := Sites.Row(ctx, tx.Granted, p.Site.ID)
	if err != nil {
		return job.Accepted{}, fmt.Errorf("read site %d: %w", p.Site.ID, err)
	}
	next := now.Specification
	next.follow(project)
	if now.Specification.Code == nil && next.Code != nil && project.ZeroDowntime { // what is there becomes the first release, unless it is a program's
		next.Code.Releases, next.Code.Adopted = true, now.Applied != nil && !HasProgram(p.Site)
	}
	if now.Phase == ledger.Gone || now.Phase == ledger.Failed || now.Phase == ledger.Deleting || (next.Code == nil) == (now.Specification.Code == nil) {
		return job.Accepted{}, nil
	}
	return AcceptSite(ctx, tx, l, p.Path, p.Site.ID, next, "update", "Updating site "+p.Site.Name)
}
