package job_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// ordered is how many redirects the site of orderDriver has: there are 720 orders of them.
const ordered = 6

// orderDriver asks for orders of the redirects of a site of its own. The mark is their text in that order; no host refuses one.
var orderDriver = &driver{
	kind: redirect.Orders.Kind, aspect: site.Aspect, noun: redirect.Orders, applied: present,
	aspects: siteAspects, prepare: prepareOrders,
	mark: func(number string) string {
		var in render.RedirectsInput
		for _, i := range permutation(number) {
			from, err := value.ParseRedirectSource(fmt.Sprintf("^/first-%d$", i))
			if err != nil {
				panic(err)
			}
			to, err := value.ParseRedirectTarget("/then")
			if err != nil {
				panic(err)
			}
			in.Rules = append(in.Rules, render.Redirect{From: from, To: to, Permanent: true})
		}
		text, err := render.NginxRedirects(in)
		if err != nil {
			panic(err)
		}
		return text
	},
	create: wantOrder,
	update: func(ctx context.Context, tx *db.Tx, w *walker, _ int64, mark string) (ledger.Wish, error) {
		return wantOrder(ctx, tx, w, mark)
	},
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := redirect.Orders.Row(ctx, w.db.Read(), id)
		if err != nil {
			return "", err
		}
		rules, err := w.db.Read().Ungranted().ListRedirectRules(ctx, id)
		if err != nil {
			return "", err
		}
		ids := make([]int64, len(rules))
		for i, r := range rules {
			ids[i] = r.ID
		}
		if row.Phase == ledger.Applied && !slices.Equal(ids, row.Specification.Rules) {
			return fmt.Sprintf("an order of %v, and rows are %v", row.Specification.Rules, ids), nil
		}
		return shown(row.Phase), nil
	},
}

// permutation returns an order other than the first that belongs to a number, and to no other number of a walk.
func permutation(number string) []int {
	n, _ := strconv.Atoi(strings.TrimPrefix(number, poisoned))
	if n *= 2; strings.HasPrefix(number, poisoned) {
		n++
	}
	n = n%719 + 1
	left, out := []int{0, 1, 2, 3, 4, 5}, []int(nil)
	for size := ordered; size > 0; size-- {
		out, left = append(out, left[n%size]), slices.Delete(left, n%size, n%size+1)
		n /= size
	}
	return out
}

// wantOrder asks for the order of a mark.
func wantOrder(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
	siteID := w.made[redirect.Orders.Kind]
	rules, err := tx.Ungranted().ListRedirectRules(ctx, siteID)
	if err != nil {
		return ledger.Wish{}, err
	}
	slices.SortFunc(rules, func(a, b query.RedirectRule) int {
		return strings.Index(mark, a.Source) - strings.Index(mark, b.Source)
	})
	o := redirect.Order{SiteID: siteID}
	for _, r := range rules {
		o.Rules = append(o.Rules, r.ID)
	}
	return redirect.Orders.Want(siteID, o)
}

func prepareOrders(ctx context.Context, tx *db.Tx, w *walker) error {
	row, err := tx.InsertSite(ctx, query.InsertSiteParams{
		OrganizationID: w.grant.OrganizationID, ServerID: w.server.ID, Name: "order.example.com",
		Type: sitetype.StaticHTML, Status: site.StatusInstalled, UnixUser: "forge", WebDirectory: "/", WWWRedirectType: "none",
	})
	if err != nil {
		return err
	}
	w.made[redirect.Orders.Kind] = row.ID
	w.made[redirect.Orders.Kind+strconv.FormatInt(row.ID, 10)] = row.ID
	wish, err := site.Sites.Want(row.ID, site.Specification{Name: row.Name, Type: row.Type, User: row.UnixUser, WebDirectory: row.WebDirectory, Enclosed: true})
	if err == nil {
		err = apply(ctx, tx, w, wish)
	}
	for i := range ordered {
		if err != nil {
			return err
		}
		r, failed := tx.InsertRedirectRule(ctx, query.InsertRedirectRuleParams{
			SiteID: row.ID, Source: fmt.Sprintf("^/first-%d$", i),
			Target: "/then", Type: redirect.Permanent,
			Position: int64(i), Status: redirect.StatusInstalled,
		})
		if failed != nil {
			return failed
		}
		if wish, err = redirect.Rules.Want(r.ID, redirect.Specification{SiteID: row.ID, From: r.Source, To: r.Target, Type: r.Type}); err == nil {
			err = apply(ctx, tx, w, wish)
		}
	}
	return err
}
