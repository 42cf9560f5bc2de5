package packages

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

var _ interface {
	job.Aspect
	job.Waiter
} = (*Task)(nil)

// Task writes the files of credentials.
type Task struct{ Vault Vault }

// Waits says that the site's directory does not exist yet.
func (c *Task) Waits(ctx context.Context, q *query.Queries, op query.Operation) (string, error) {
	if op.SiteID == nil {
		return "", nil
	}
	row, err := q.GetSite(ctx, *op.SiteID)
	if errors.Is(err, db.ErrNotFound) {
		return "", nil // the plan says what became of it
	}
	if err != nil {
		return "", fmt.Errorf("read site %d: %w", *op.SiteID, err)
	}
	return site.Awaited(row), nil
}

// Plan returns the file of the work's kind, with its current content. Later changes by the site's user are not drift, but are not overwritten either.
func (c *Task) Plan(ctx context.Context, q *query.Queries, _ query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	op := included[0]
	if op.SiteID == nil {
		return nil, nil
	}
	row, err := q.GetSite(ctx, *op.SiteID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, job.Planned(errors.New("the site was deleted"))
	}
	if err != nil {
		return nil, fmt.Errorf("read site %d: %w", *op.SiteID, err)
	}
	all, err := q.ListPackageCredentials(ctx, row.ID, op.ResourceType)
	if err != nil {
		return nil, fmt.Errorf("list package credentials: %w", err)
	}
	step, err := c.file(row, op.ResourceType, all)
	if err != nil {
		return nil, err
	}
	return []job.Stage{{Name: "credentials", Change: wire.Change{Steps: []wire.Step{step}}}}, nil
}

func (c *Task) file(row query.Site, kind string, all []query.PackageCredential) (wire.Step, error) {
	base, err := site.Base(row)
	if err != nil {
		return wire.Step{}, job.Planned(err)
	}
	name, render := composerFile, composerText
	if kind == npm {
		name, render = npmFile, npmText
	}
	f := &wire.File{Path: base.String() + "/" + name, Mode: 0o600, Owner: row.UnixUser, Group: row.UnixUser, Secret: true, Keep: true}
	var rows []query.PackageCredential
	for _, r := range all {
		if !r.Removing {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		f.Absent = true
		return wire.Step{Name: "remove " + name, File: f}, nil
	}
	if f.Content, err = render(rows, c.Vault.open); err != nil {
		return wire.Step{}, err
	}
	return wire.Step{Name: "write " + name, File: f}, nil
}

func (v Vault) open(row query.PackageCredential) (string, error) {
	raw, err := v.Box.Open(sealedAt(row.ID), row.Secret)
	return string(raw), err
}

// Settle removes deleted credentials; everything else stays as requested, and its operation reports whether that is on the host.
func (c *Task) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if op.Action != "delete" {
		return nil
	}
	if done {
		if _, err := tx.DeletePackageCredential(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("delete package credential %d: %w", op.ResourceID, err)
		}
		return nil
	}
	return c.mark(ctx, tx, op, false)
}

// Resume continues a retried deletion.
func (c *Task) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	return c.mark(ctx, tx, op, op.Action == "delete")
}

func (c *Task) mark(ctx context.Context, tx *db.Tx, op query.Operation, removing bool) error {
	if err := tx.SetPackageCredentialWork(ctx, op.ResourceID, removing, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("note package credential %d: %w", op.ResourceID, err)
	}
	return nil
}

// Environment returns the variables with which a site's package managers find the files.
func Environment(ctx context.Context, q *query.Queries, row query.Site) (map[string]string, error) {
	all, err := q.ListPackageCredentials(ctx, row.ID, npm)
	if err != nil {
		return nil, fmt.Errorf("list package credentials: %w", err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	base, err := site.Base(row)
	if err != nil {
		return nil, err
	}
	return map[string]string{npmVariable: base.String() + "/" + npmFile}, nil
}
