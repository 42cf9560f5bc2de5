package domain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
)

// putBack makes the row what the host still has. Where newer work was asked for its wish stands, and what that would be put back to is this.
func (p Part) putBack(ctx context.Context, tx *db.Tx, op query.Operation, c Change) error {
	next, err := tx.NextOperation(ctx, op.ResourceType, op.ResourceID, op.ID)
	if errors.Is(err, db.ErrNotFound) {
		before := c.Before
		if now, err := tx.GetDomain(ctx, before.SiteID, before.ID); err == nil {
			before.CertificateID = now.CertificateID // certificates have work of their own
		}
		if err := put(ctx, tx, before); err != nil {
			return err
		}
		if err := release(ctx, tx, op.ResourceID, before); err != nil {
			return err
		}
		status := StatusEnabled
		if before.Status == StatusDisabled {
			status = StatusDisabled
		}
		return p.set(ctx, tx, op, status)
	}
	if err != nil {
		return fmt.Errorf("put domain %d back: %w", op.ResourceID, err)
	}
	asked, err := changeOf(next)
	if err != nil {
		return err
	}
	asked.Before = c.Before
	raw, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("put domain %d back: %w", op.ResourceID, err)
	}
	return tx.SetOperationRequest(ctx, next.ID, string(raw))
}

// during is the status while work goes on.
var during = map[string]string{"create": StatusConnecting, "update": StatusUpdating, "enable": StatusEnabling, "disable": StatusDisabling, "delete": StatusRemoving, "mark-as-primary": StatusUpdating}

// Resume makes a domain that is tried again transitional once more.
func (p Part) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	c, err := changeOf(op)
	if err != nil {
		return err
	}
	if op.Action == "update" {
		now, err := tx.GetDomain(ctx, c.After.SiteID, c.After.ID)
		if err != nil {
			return fmt.Errorf("resume domain %d: %w", op.ResourceID, err)
		}
		c.After.CertificateID = now.CertificateID
		if err := put(ctx, tx, c.After); err != nil {
			return err
		}
	}
	return p.set(ctx, tx, op, during[op.Action])
}
