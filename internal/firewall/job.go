package firewall

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
)

// Converger makes hosts agree with the rows of rules.
type Converger struct{}

// Name is the aspect that rules are converged in.
func (a *Converger) Name() string { return Aspect }

// Settle writes what is true now: an installed rule, a failed one, or none any more.
func (a *Converger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	switch {
	case op.ResourceType != "rules": // the base rule of Hostler itself
		return nil
	case op.Action == "delete" && done:
		if _, err := tx.DeleteFirewallRule(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("delete firewall rule %d: %w", op.ResourceID, err)
		}
		return nil
	case op.Action == "delete":
		return a.set(ctx, tx, op, StatusInstalled)
	case done: // unless it is being removed already: that work is newer
		if err := tx.SettleFirewallRule(ctx, op.ResourceID, StatusInstalled, &op.ID, tx.Micros()); err != nil {
			return fmt.Errorf("settle firewall rule %d: %w", op.ResourceID, err)
		}
		return nil
	default:
		return a.set(ctx, tx, op, StatusFailed)
	}
}

// Resume makes a rule that is tried again installing or removing once more.
func (a *Converger) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	if op.ResourceType != "rules" {
		return nil
	}
	if op.Action == "delete" {
		return a.set(ctx, tx, op, StatusRemoving)
	}
	return a.set(ctx, tx, op, StatusInstalling)
}

func (a *Converger) set(ctx context.Context, tx *db.Tx, op query.Operation, status string) error {
	if err := tx.SetFirewallRuleStatus(ctx, op.ResourceID, status, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("set status of firewall rule %d: %w", op.ResourceID, err)
	}
	return nil
}
