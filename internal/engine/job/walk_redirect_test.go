package job_test

import (
	"context"
	"errors"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
	"github.com/hostlerhq/hostler/test/walk"
)

// redirectDriver asks for redirects, whose mark is the target. The row of one that could not be installed goes.
var redirectDriver = &driver{
	kind: redirect.Rules.Kind, aspect: site.Aspect, noun: redirect.Rules, applied: redirect.StatusInstalled,
	includes: []vhost.Include{redirect.Include{}},
	aspects:  siteAspects, prepare: prepareSite,
	mark: func(number string) string { return "/to-" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		at, err := w.home(ctx, tx)
		if err != nil {
			return ledger.Wish{}, err
		}
		row, err := tx.InsertRedirectRule(ctx, query.InsertRedirectRuleParams{SiteID: at, Source: "^/from" + mark + "$", Target: mark, Type: redirect.Permanent,
			Status: redirect.StatusInstalling})
		if err != nil {
			return ledger.Wish{}, err
		}
		w.homes[walk.Resource{Kind: redirect.Rules.Kind, ID: row.ID}] = at
		return redirect.Rules.Want(row.ID, redirect.Specification{SiteID: row.SiteID, From: row.Source, To: row.Target, Type: row.Type})
	},
	update: func(_ context.Context, _ *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error) {
		at := w.homes[walk.Resource{Kind: redirect.Rules.Kind, ID: id}]
		return redirect.Rules.Want(id, redirect.Specification{SiteID: at, From: "^/from" + mark + "$", To: mark, Type: redirect.Permanent})
	},
	remove: redirect.Rules.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetRedirectRule(ctx, w.homes[walk.Resource{Kind: redirect.Rules.Kind, ID: id}], id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}
