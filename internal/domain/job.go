package domain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
)

// putBack makes the row what the host still has. Where newer work was asked for its wish stands, and what that would be put back to is this.
func (p Part) putBack(ctx context.Context, tx *db.Tx, op query.Operation, c Change) error {
	if op.Action == markPrimary {
		if err := unmark(ctx, tx, op, c); err != nil {
			return err
		}
	}
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
	return asked.keep(ctx, tx, next)
}

// keep writes what an operation is about anew.
func (c Change) keep(ctx context.Context, tx *db.Tx, op query.Operation) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("note what domain %d was: %w", op.ResourceID, err)
	}
	return tx.SetOperationRequest(ctx, op.ID, string(raw))
}

// mark makes a domain the primary one, which names the site, and returns the one that was.
func mark(ctx context.Context, tx *db.Tx, row query.Domain) (was int64, err error) {
	rows, err := tx.ListDomains(ctx, row.SiteID)
	if err != nil {
		return 0, fmt.Errorf("list domains: %w", err)
	}
	for _, d := range rows {
		if d.Type == Primary {
			was = d.ID
		}
	}
	if err := tx.SetDomainTypes(ctx, row.SiteID, row.ID); err != nil {
		return 0, fmt.Errorf("make domain primary: %w", err)
	}
	if err := tx.RenameSite(ctx, row.SiteID, row.Name, row.Wildcard, row.WWWRedirectType); err != nil {
		return 0, fmt.Errorf("name site: %w", err)
	}
	return was, nil
}

// unmark makes the domain primary again that was so before work that failed. Where another one is to become it by now, that wish stands, and
// would be put back to the same. A domain that is on its way out can't be it: then the new one stays, which is served as well.
func unmark(ctx context.Context, tx *db.Tx, op query.Operation, c Change) error {
	pending, err := tx.ListPendingOperations(ctx, op.ServerID, op.Aspect)
	if err != nil {
		return fmt.Errorf("list newer work: %w", err)
	}
	for _, next := range pending {
		if next.ID == op.ID || next.ResourceType != Resource || next.Action != markPrimary || next.SiteID == nil || *next.SiteID != c.Before.SiteID {
			continue
		}
		asked, err := changeOf(next)
		if err != nil {
			return err
		}
		if asked.Primary == c.Before.ID {
			asked.Primary = c.Primary
			return asked.keep(ctx, tx, next)
		}
	}
	now, err := tx.GetDomain(ctx, c.Before.SiteID, c.Before.ID)
	if err != nil {
		return fmt.Errorf("put domain %d back: %w", op.ResourceID, err)
	}
	if now.Type != Primary {
		return nil
	}
	old, err := tx.GetDomain(ctx, c.Before.SiteID, c.Primary)
	if errors.Is(err, db.ErrNotFound) || err == nil && (old.Status == StatusRemoving || off(old.Status)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("put domain %d back: %w", op.ResourceID, err)
	}
	_, err = mark(ctx, tx, old)
	return err
}

// during is the status while work goes on.
var during = map[string]string{"create": StatusConnecting, "update": StatusUpdating, "enable": StatusEnabling, "disable": StatusDisabling, "delete": StatusRemoving, markPrimary: StatusUpdating}

// Resume makes a domain that is tried again transitional once more. What was put back when it failed is asked for anew: what it would be put back
// to is how it is now, and the names that it gave up are claimed again. A 409 tells what speaks against it.
func (p Part) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	c, err := changeOf(op)
	if err != nil {
		return err
	}
	if err := tx.LockServer(ctx, op.ServerID); err != nil {
		return fmt.Errorf("resume domain %d: %w", op.ResourceID, err)
	}
	now, err := tx.GetDomain(ctx, c.After.SiteID, c.After.ID)
	if errors.Is(err, db.ErrNotFound) {
		return api.Conflict("The domain was deleted.")
	}
	if err != nil {
		return fmt.Errorf("resume domain %d: %w", op.ResourceID, err)
	}
	if _, err := tx.NextOperation(ctx, op.ResourceType, op.ResourceID, op.ID); err == nil {
		return api.Conflict("There is newer work on the domain.")
	} else if !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("resume domain %d: %w", op.ResourceID, err)
	}
	if off(now.Status) && (op.Action == "update" || op.Action == markPrimary) {
		return api.Conflict("The domain is disabled. Enable it first.")
	}
	if err := p.again(ctx, tx, op, c, now); err != nil {
		return err
	}
	return p.set(ctx, tx, op, during[op.Action])
}

func (p Part) again(ctx context.Context, tx *db.Tx, op query.Operation, c Change, now query.Domain) error {
	switch op.Action {
	case "create", "delete":
		return nil
	case "update":
		c.After.CertificateID = now.CertificateID
		if err := put(ctx, tx, c.After); err != nil {
			return err
		}
		var taken *api.Error
		if err := claim(ctx, tx, api.Fields{}, "name", op.ServerID, c.After); errors.As(err, &taken) {
			return api.Conflict("Another domain of the server has one of the names by now.")
		} else if err != nil {
			return err
		}
	case markPrimary:
		if now.Type == Primary {
			break
		}
		was, err := mark(ctx, tx, now)
		if err != nil {
			return err
		}
		c.Primary = was
	}
	c.Before = now
	return c.keep(ctx, tx, op)
}
