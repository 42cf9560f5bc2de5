package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/ledger"
)

// Converger makes hosts agree with the rows of sites.
type Converger struct {
	// Aspect is the ledger's; sites themselves and OldParts are not in it yet.
	ledger.Aspect
	Balancer Balancer
	Domains  Domains
	Parts    []Part
	OldParts []Named
	// Octane is the port of the program that answers for a PHP site in place of PHP-FPM, 0 for a site without one. It may be nil.
	Octane func(v ledger.View, siteID int64) (int64, error)
	// Ports are those that programs of sites listen on beside the sites' own, by site. It may be nil.
	Ports func(v ledger.View) (map[int64][]int64, error)
}

// partOf is the part that an operation is about, nil for one on a site itself.
func (c *Converger) partOf(op query.Operation) OldPart {
	for _, n := range c.OldParts {
		if slices.Contains(n.Types, op.ResourceType) {
			return n.Part
		}
	}
	return nil
}

// Settle writes what is true now: an installed site, a failed one, one as it was before, or none any more.
func (c *Converger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if err := noteEnclosed(ctx, tx, op, done); err != nil {
		return err
	}
	if part := c.partOf(op); part != nil {
		return part.Settle(ctx, tx, op, done)
	}
	if err := c.Aspect.Settle(ctx, tx, op, done); err != nil || op.ResourceType != "sites" { // a site's first domain is installed with it
		return err
	}
	switch {
	case op.Action == actionEnclose:
		return nil
	case op.Action == actionReleases, op.Action == actionInPlace:
		return c.settleSwitch(ctx, tx, op, done)
	case op.Action == "delete" && done:
		if _, err := tx.DeleteSite(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("delete site %d: %w", op.ResourceID, err)
		}
		return nil
	case op.Action == "create" && !done:
		return c.set(ctx, tx, op, StatusFailed)
	case op.Action == "update" && !done:
		return c.restore(ctx, tx, op)
	case op.Action == "delete": // what it was before
		var before Before
		if json.Unmarshal([]byte(op.Request), &before) == nil && before.Site.Status != "" {
			return c.set(ctx, tx, op, before.Site.Status)
		}
		return c.set(ctx, tx, op, StatusInstalled)
	default: // unless newer work has begun: then its status stands
		if err := accountMade(ctx, tx, op.ResourceID); err != nil {
			return err
		}
		if err := tx.SettleSite(ctx, op.ResourceID, StatusInstalled, &op.ID, tx.Micros()); err != nil {
			return fmt.Errorf("settle site %d: %w", op.ResourceID, err)
		}
		return nil
	}
}

// restore puts the row back to what the host still has.
func (c *Converger) restore(ctx context.Context, tx *db.Tx, op query.Operation) error {
	var before Before
	if err := json.Unmarshal([]byte(op.Request), &before); err != nil {
		return fmt.Errorf("read what site %d was: %w", op.ResourceID, err)
	}
	next, err := tx.NextOperation(ctx, op.ResourceType, op.ResourceID, op.ID)
	if errors.Is(err, db.ErrNotFound) {
		return c.put(ctx, tx, op, before)
	}
	if err != nil {
		return fmt.Errorf("put site %d back: %w", op.ResourceID, err)
	}
	// The row says what newer work asks for; what that would be put back to is what this one would have been.
	var asked Before
	if err := json.Unmarshal([]byte(next.Request), &asked); err != nil {
		return fmt.Errorf("read what site %d was: %w", op.ResourceID, err)
	}
	asked.Site, asked.Nodes = before.Site, before.Nodes
	raw, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("put site %d back: %w", op.ResourceID, err)
	}
	return tx.SetOperationRequest(ctx, next.ID, string(raw))
}

func (c *Converger) put(ctx context.Context, tx *db.Tx, op query.Operation, state Before) error {
	s := state.Site
	if _, err := tx.UpdateSite(ctx, query.UpdateSiteParams{ID: op.ResourceID, Type: s.Type, WebDirectory: s.WebDirectory, RootDirectory: s.RootDirectory, PHPVersion: s.PHPVersion, UpdatedAt: tx.Micros()}); err != nil {
		return fmt.Errorf("put site %d back: %w", op.ResourceID, err)
	}
	if s.Type == TypeBalancer {
		if err := tx.SetSiteBalancing(ctx, op.ResourceID, s.BalancerMethod, s.BalancerKeepalive, tx.Micros()); err != nil {
			return fmt.Errorf("put site %d back: %w", op.ResourceID, err)
		}
		if err := tx.DeleteNodes(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("put site %d back: %w", op.ResourceID, err)
		}
		for _, n := range state.Nodes {
			if err := tx.RestoreNode(ctx, query.RestoreNodeParams{SiteID: n.SiteID, ServerID: n.ServerID, Port: n.Port, Weight: n.Weight, Backup: n.Backup, Down: n.Down, CreatedAt: n.CreatedAt, UpdatedAt: tx.Micros()}); err != nil {
				return fmt.Errorf("put site %d back: %w", op.ResourceID, err)
			}
		}
	}
	return c.set(ctx, tx, op, s.Status)
}

// Resume makes a site that is tried again transitional once more. An update that failed is asked for anew, since its row was put back.
func (c *Converger) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	if part := c.partOf(op); part != nil {
		return part.Resume(ctx, tx, op)
	}
	if err := c.Aspect.Resume(ctx, tx, op); err != nil || op.ResourceType != "sites" {
		return err
	}
	switch op.Action {
	case actionReleases, actionInPlace:
		return c.resumeSwitch(ctx, tx, op)
	case actionEnclose:
		return nil
	case "delete":
		return c.set(ctx, tx, op, StatusUninstalling)
	case "update":
		var asked Before
		if err := json.Unmarshal([]byte(op.Request), &asked); err != nil || asked.After == nil {
			return fmt.Errorf("read what site %d was to be: %w", op.ResourceID, err)
		}
		return c.put(ctx, tx, op, *asked.After)
	default:
		return c.set(ctx, tx, op, StatusInstalling)
	}
}

func (c *Converger) set(ctx context.Context, tx *db.Tx, op query.Operation, status string) error {
	if err := tx.SetSiteStatus(ctx, op.ResourceID, status, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("set status of site %d: %w", op.ResourceID, err)
	}
	return nil
}
