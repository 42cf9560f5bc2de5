package security

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
)

// change is the request of an update or a delete: what the rule was, to put it back, and what was asked for, to try it again. The users in it are sealed.
type change struct {
	Before query.SecurityRule `json:"before"`
	After  query.SecurityRule `json:"after"`
}

// Settle writes what is true now.
func (p Part) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	switch {
	case op.Action == "delete" && done:
		if _, err := tx.DeleteSecurityRule(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("delete security rule %d: %w", op.ResourceID, err)
		}
		return nil
	case done: // unless newer work has begun: then its status stands
		if err := tx.SettleSecurityRule(ctx, op.ResourceID, StatusInstalled, &op.ID, tx.Micros()); err != nil {
			return fmt.Errorf("settle security rule %d: %w", op.ResourceID, err)
		}
		return nil
	case op.Action == "create":
		return p.set(ctx, tx, op, StatusFailed)
	default:
		return p.putBack(ctx, tx, op)
	}
}

// putBack makes the row what the host still has. Where newer work was asked for its wish stands, and what it would be put back to is this.
func (p Part) putBack(ctx context.Context, tx *db.Tx, op query.Operation) error {
	var was change
	if err := json.Unmarshal([]byte(op.Request), &was); err != nil {
		return fmt.Errorf("read what security rule %d was: %w", op.ResourceID, err)
	}
	next, err := tx.NextOperation(ctx, op.ResourceType, op.ResourceID, op.ID)
	if errors.Is(err, db.ErrNotFound) {
		if err := put(ctx, tx, was.Before); err != nil {
			return err
		}
		status := StatusInstalled
		if was.Before.Status == StatusFailed {
			status = StatusFailed
		}
		return p.set(ctx, tx, op, status)
	}
	if err != nil {
		return fmt.Errorf("put security rule %d back: %w", op.ResourceID, err)
	}
	var asked change
	if err := json.Unmarshal([]byte(next.Request), &asked); err != nil {
		return fmt.Errorf("read what security rule %d was: %w", op.ResourceID, err)
	}
	asked.Before = was.Before
	raw, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("put security rule %d back: %w", op.ResourceID, err)
	}
	return tx.SetOperationRequest(ctx, next.ID, string(raw))
}

// Resume makes a rule that is tried again transitional once more.
func (p Part) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	switch op.Action {
	case "delete":
		return p.set(ctx, tx, op, StatusRemoving)
	case "update":
		var asked change
		if err := json.Unmarshal([]byte(op.Request), &asked); err != nil {
			return fmt.Errorf("read what security rule %d was to be: %w", op.ResourceID, err)
		}
		if err := put(ctx, tx, asked.After); err != nil {
			return err
		}
		return p.set(ctx, tx, op, StatusUpdating)
	default:
		return p.set(ctx, tx, op, StatusInstalling)
	}
}

func (p Part) set(ctx context.Context, tx *db.Tx, op query.Operation, status string) error {
	if err := tx.SetSecurityRuleStatus(ctx, op.ResourceID, status, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("set status of security rule %d: %w", op.ResourceID, err)
	}
	return nil
}
