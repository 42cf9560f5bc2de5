package redirect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
)

// created is the request of work that adds rules: what it takes to add them again when it is tried again.
type created struct {
	Rules    []query.RedirectRule `json:"rules"`
	Replaced []int64              `json:"replaced,omitempty"`
}

// order is the request of work that reorders.
type order struct {
	Before []int64 `json:"before"`
	After  []int64 `json:"after"`
}

// Settle writes what is true now. There is no status for a rule that could not be installed: it is not on the host, so it is gone.
func (Part) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	switch {
	case op.ResourceType == resourceOrder:
		if done {
			return nil
		}
		return putBack(ctx, tx, op)
	case op.Action == "delete" && done:
		if _, err := tx.DeleteRedirectRule(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("delete redirect rule %d: %w", op.ResourceID, err)
		}
		return nil
	}
	// Only what still belongs to this operation: a rule may be removed by newer work meanwhile.
	settled, gone := StatusInstalling, StatusRemoving
	if !done {
		settled, gone = gone, settled
	}
	if op.Action == "create" {
		if err := tx.DeleteRedirectRules(ctx, &op.ID, gone); err != nil {
			return fmt.Errorf("settle redirect rules: %w", err)
		}
	}
	if err := tx.SettleRedirectRules(ctx, &op.ID, settled, tx.Micros()); err != nil {
		return fmt.Errorf("settle redirect rules: %w", err)
	}
	return nil
}

// putBack makes the order what it was. Where a newer one was asked for that stands, and what it would be put back to is what this one would.
func putBack(ctx context.Context, tx *db.Tx, op query.Operation) error {
	var was order
	if err := json.Unmarshal([]byte(op.Request), &was); err != nil {
		return fmt.Errorf("read the order of redirects: %w", err)
	}
	next, err := tx.NextOperation(ctx, op.ResourceType, op.ResourceID, op.ID)
	if errors.Is(err, db.ErrNotFound) {
		return place(ctx, tx, was.Before)
	}
	if err != nil {
		return fmt.Errorf("put the order of redirects back: %w", err)
	}
	var asked order
	if err := json.Unmarshal([]byte(next.Request), &asked); err != nil {
		return fmt.Errorf("read the order of redirects: %w", err)
	}
	asked.Before = was.Before
	raw, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("put the order of redirects back: %w", err)
	}
	return tx.SetOperationRequest(ctx, next.ID, string(raw))
}

// place gives rules positions in this order; rules that came later keep theirs, which are above.
func place(ctx context.Context, tx *db.Tx, order []int64) error {
	for i, id := range order {
		if err := tx.SetRedirectRulePosition(ctx, id, int64(i)+1); err != nil {
			return fmt.Errorf("order redirect rules: %w", err)
		}
	}
	return nil
}

// Resume makes rules that are tried again installing or removing once more; those that were taken away come back.
func (Part) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	switch {
	case op.ResourceType == resourceOrder:
		var asked order
		if err := json.Unmarshal([]byte(op.Request), &asked); err != nil {
			return fmt.Errorf("read the order of redirects: %w", err)
		}
		return place(ctx, tx, asked.After)
	case op.Action == "delete":
		if err := tx.SetRedirectRuleStatus(ctx, op.ResourceID, StatusRemoving, &op.ID, tx.Micros()); err != nil {
			return fmt.Errorf("delete redirect rule %d: %w", op.ResourceID, err)
		}
		return nil
	}
	var work created
	if err := json.Unmarshal([]byte(op.Request), &work); err != nil {
		return fmt.Errorf("read redirect rules: %w", err)
	}
	for _, r := range work.Rules {
		rows, err := tx.ListRedirectRules(ctx, r.SiteID)
		if err != nil {
			return fmt.Errorf("list redirect rules: %w", err)
		}
		if slices.ContainsFunc(rows, func(o query.RedirectRule) bool { return o.ID != r.ID && o.Source == r.Source }) {
			continue // made again by hand meanwhile
		}
		if err := tx.RestoreRedirectRule(ctx, query.RestoreRedirectRuleParams{ID: r.ID, SiteID: r.SiteID, Source: r.Source, Target: r.Target, Type: r.Type, Position: r.Position,
			Status: StatusInstalling, OperationID: &op.ID, CreatedAt: r.CreatedAt, UpdatedAt: tx.Micros()}); err != nil {
			return fmt.Errorf("create redirect rule %d: %w", r.ID, err)
		}
	}
	return mark(ctx, tx, work, op.ID)
}
