// Package redirect is the redirects of a site: rules, in an order, that lead from paths elsewhere.
package redirect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// The states of a rule. There is none for a rule that could not be installed: its row is deleted, and the ledger keeps the wish.
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

// maxRules bounds what nginx goes through with every request.
const maxRules = 1000

// Specification is what a rule asks of its site.
type Specification struct {
	SiteID int64  `json:"site_id"`
	From   string `json:"from"`
	To     string `json:"to"`
	Type   string `json:"type"`
	// Query matches a source that has a query string with it. Rules from before never matched.
	Query bool `json:"query,omitempty"`
	// CreatedAt is the row's, in microseconds, for a row that went and comes back.
	CreatedAt int64 `json:"created_at"`
}

// Order is the order in which the rules of a site are tried. Rules that it does not name follow, the oldest first.
type Order struct {
	SiteID int64   `json:"site_id"`
	Rules  []int64 `json:"rules"`
}

// Rules and Orders are the nouns. A site has one order, whose id is the site's.
var (
	Rules  = &ledger.Noun[Specification]{Kind: "redirect-rules", Version: 1, Parent: "sites", In: func(s Specification) int64 { return s.SiteID }, Write: write}
	Orders = &ledger.Noun[Order]{Kind: "redirect-rules-order", Version: 1, Parent: "sites", In: func(o Order) int64 { return o.SiteID }, Write: place}
)

var statuses = map[ledger.Phase]string{
	ledger.Applied: StatusInstalled, ledger.Creating: StatusInstalling, ledger.Updating: StatusInstalling,
	ledger.Deleting: StatusRemoving,
}

func write(ctx context.Context, tx *db.Tx, _ int64, row ledger.Row[Specification]) error {
	s, n, err := row.Specification, int64(1), error(nil)
	status, there := statuses[row.Phase]
	if !there {
		_, err = tx.DeleteRedirectRule(ctx, row.ID)
	} else if err = claim(ctx, tx, row); err == nil {
		n, err = tx.UpdateRedirectRule(ctx, query.UpdateRedirectRuleParams{
			ID: row.ID, Source: s.From, Target: s.To, Type: s.Type, Status: status,
			OperationID: row.OperationID, UpdatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write redirect rule %d: %w", row.ID, err)
	}
	if n == 0 {
		return restore(ctx, tx, row, status)
	}
	return nil
}

// claim refuses a source that another rule took since a change that is tried again was accepted.
func claim(ctx context.Context, tx *db.Tx, row ledger.Row[Specification]) error {
	if row.Phase != ledger.Updating {
		return nil
	}
	s := row.Specification
	had, err := tx.Ungranted().GetRedirectRule(ctx, s.SiteID, row.ID)
	if errors.Is(err, db.ErrNotFound) || err == nil && had.Status != StatusInstalled {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read redirect rule %d: %w", row.ID, err)
	}
	own := int64(0)
	if had.Source == s.From {
		own = 1
	}
	return alone(ctx, tx, s, own)
}

// alone refuses a source that more rules of the site have, or are to have, than own.
func alone(ctx context.Context, tx *db.Tx, s Specification, own int64) error {
	n, err := tx.Ungranted().CountRedirectRulesFrom(ctx, s.SiteID, s.From)
	if err != nil {
		return fmt.Errorf("count redirect rules: %w", err)
	}
	if n > own {
		return api.Conflict(sourceTaken)
	}
	return nil
}

// restore makes the row of a rule that could not be installed before. It is a conflict where another rule took its source meanwhile.
func restore(ctx context.Context, tx *db.Tx, row ledger.Row[Specification], status string) error {
	s := row.Specification
	if row.Phase == ledger.Creating {
		if err := alone(ctx, tx, s, 0); err != nil {
			return err
		}
	}
	order, err := Orders.Row(ctx, tx.Granted, s.SiteID)
	if err != nil {
		return err
	}
	err = tx.RestoreRedirectRule(ctx, query.RestoreRedirectRuleParams{
		ID: row.ID, SiteID: s.SiteID, Source: s.From, Target: s.To, Type: s.Type, Position: position(visible(order), row.ID),
		Status: status, OperationID: row.OperationID, CreatedAt: s.CreatedAt, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("restore redirect rule %d: %w", row.ID, err)
	}
	return nil
}

// unplaced is the position of a rule that the order does not name.
const unplaced = math.MaxInt32

// position returns that of a rule in an order.
func position(order []int64, id int64) int64 {
	if i := slices.Index(order, id); i >= 0 {
		return int64(i) + 1
	}
	return unplaced
}

// visible returns the order that rows have: none where the only one that was asked for could not be applied.
func visible(row ledger.Row[Order]) []int64 {
	if row.Phase == ledger.Failed {
		return nil
	}
	return row.Specification.Rules
}

// place makes the rows of a site's rules show their order.
func place(ctx context.Context, tx *db.Tx, _ int64, row ledger.Row[Order]) error {
	if err := tx.SetRedirectRulePositions(ctx, row.ID, unplaced); err != nil {
		return fmt.Errorf("order redirect rules of site %d: %w", row.ID, err)
	}
	for i, id := range visible(row) {
		if err := tx.SetRedirectRulePosition(ctx, id, int64(i)+1); err != nil {
			return fmt.Errorf("order redirect rules of site %d: %w", row.ID, err)
		}
	}
	return nil
}

// Path is a rule visible to the caller.
type Path = server.Part[site.Path, query.RedirectRule]

// parsed is a rule as it was asked for.
type parsed struct {
	From value.RedirectSource
	To   value.RedirectTarget
	Type string
}

// insert makes the row of a rule.
func insert(ctx context.Context, tx *db.Tx, siteID int64, p parsed) (id int64, s Specification, err error) {
	row, err := tx.InsertRedirectRule(ctx, query.InsertRedirectRuleParams{
		SiteID: siteID, Source: p.From.String(), Target: p.To.String(), Type: p.Type, Position: unplaced,
		Status: StatusInstalling, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return 0, s, fmt.Errorf("insert redirect rule: %w", err)
	}
	return row.ID, p.specification(siteID, row.CreatedAt), nil
}

func (p parsed) specification(siteID, createdAt int64) Specification {
	_, query := p.From.Query()
	return Specification{Query: query, SiteID: siteID, From: p.From.String(), To: p.To.String(), Type: p.Type, CreatedAt: createdAt}
}

const sourceTaken = "The site already has a redirect from this source."

// taken reports whether a rule other than self, which is not being removed, has a source.
func taken(rows []query.RedirectRule, self int64, source string) bool {
	return slices.ContainsFunc(staying(rows), func(r query.RedirectRule) bool { return r.ID != self && r.Source == source })
}

// staying returns the rules that are not being removed.
func staying(rows []query.RedirectRule) []query.RedirectRule {
	return slices.DeleteFunc(slices.Clone(rows), func(r query.RedirectRule) bool { return r.Status == StatusRemoving })
}
