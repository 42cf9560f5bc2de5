package job_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// integrationDriver asks for servers of WebSockets, each on a site of its own. The mark is the port, so that a poisoned one is refused by the plan.
var integrationDriver = &driver{
	kind: integration.Integrations.Kind, aspect: site.Aspect, noun: integration.Integrations, applied: present, failed: "failed",
	includes: []vhost.Include{integration.Include{}},
	aspects:  siteAspects, prepare: prepareSite,
	mark: func(number string) string { return number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		row, err := tx.InsertSite(ctx, query.InsertSiteParams{
			OrganizationID: w.grant.OrganizationID, ServerID: w.server.ID, Name: fmt.Sprintf("app-%d.example.com", w.number%1000), Type: sitetype.PHP,
			Status: site.StatusInstalled, UnixUser: "forge", WebDirectory: "/", PHPVersion: "php84", WWWRedirectType: "none",
		})
		if err != nil {
			return ledger.Wish{}, err
		}
		made, err := tx.PutIntegration(ctx, query.PutIntegrationParams{SiteID: row.ID, Kind: "reverb", Settings: "{}"})
		if err != nil {
			return ledger.Wish{}, err
		}
		w.made[integration.Integrations.Kind+strconv.FormatInt(made.ID, 10)] = row.ID
		return wantReverb(w, made.ID, mark)
	},
	update: func(_ context.Context, _ *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error) {
		return wantReverb(w, id, mark)
	},
	remove: integration.Integrations.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetIntegrationByID(ctx, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		if err == nil && row.Status == "" {
			return present, nil
		}
		return row.Status, err
	},
}

func wantReverb(w *walker, id int64, mark string) (ledger.Wish, error) {
	port, err := strconv.ParseInt(mark, 10, 64)
	if err != nil {
		return ledger.Wish{}, err
	}
	siteID := w.made[integration.Integrations.Kind+strconv.FormatInt(id, 10)]
	return integration.Integrations.Want(id, integration.Specification{SiteID: siteID, Kind: "reverb", Settings: integration.Settings{Port: port}})
}
