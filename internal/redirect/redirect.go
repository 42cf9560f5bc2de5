// Package redirect is the redirects of a site: rules, in an order, that lead from paths elsewhere.
package redirect

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// The states of a rule.
const (
	StatusInstalling = "installing"
	StatusInstalled  = "installed"
	StatusRemoving   = "removing"
)

// The types of a rule.
const (
	Temporary = "redirect"  // 302
	Permanent = "permanent" // 301
)

// What work on rules is about: one rule, or all of a site, whose id stands for them then.
const (
	resourceRule   = "redirect-rules"
	resourceOrder  = "redirect-rules-order"
	resourceImport = "redirect-rules-import"
)

// Types are the types of resources that the work of this package is about.
func Types() []string { return []string{resourceRule, resourceOrder, resourceImport} }

// maxRules bounds what nginx goes through with every request.
const maxRules = 1000

// Path is a rule that the caller may know of.
type Path struct {
	site.Path
	Rule query.RedirectRule
}

// parsed is a rule as it was asked for.
type parsed struct {
	From value.RedirectSource
	To   value.RedirectTarget
	Type string
}

func insert(ctx context.Context, tx *db.Tx, siteID, position int64, p parsed) (query.RedirectRule, error) {
	row, err := tx.InsertRedirectRule(ctx, query.InsertRedirectRuleParams{SiteID: siteID, Source: p.From.String(), Target: p.To.String(), Type: p.Type, Position: position,
		Status: StatusInstalling, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()})
	if err != nil {
		return row, fmt.Errorf("create redirect rule: %w", err)
	}
	return row, nil
}

func path(p site.Path, row query.RedirectRule) string {
	return "/orgs/" + p.Slug + "/servers/" + strconv.FormatInt(p.Server.ID, 10) + "/sites/" + strconv.FormatInt(p.Site.ID, 10) + "/redirect-rules/" + strconv.FormatInt(row.ID, 10)
}

func last(rows []query.RedirectRule) int64 {
	if len(rows) == 0 {
		return 0
	}
	return rows[len(rows)-1].Position
}

// staying are the rules that are not being removed.
func staying(rows []query.RedirectRule) []query.RedirectRule {
	var out []query.RedirectRule
	for _, r := range rows {
		if r.Status != StatusRemoving {
			out = append(out, r)
		}
	}
	return out
}
