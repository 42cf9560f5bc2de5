package packages

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Task writes the files of credentials.
type Task struct{ Vault Vault }

// Aspect returns it for the engine.
func (c *Task) Aspect() job.Aspect {
	return task.Kind[query.Site]{Load: siteOf, Gone: "the site was deleted", Ready: c.ready, Steps: c.steps, Write: c.write}.Aspect()
}

// siteOf returns the site that has the file: it is written from all credentials.
func siteOf(ctx context.Context, q *query.Queries, op query.Operation) (query.Site, error) {
	if op.SiteID == nil {
		return query.Site{}, db.ErrNotFound
	}
	return q.GetSite(ctx, *op.SiteID)
}

// ready says that the site's directory does not exist yet.
func (c *Task) ready(_ context.Context, _ *query.Queries, _ query.Operation, row query.Site) (string, error) {
	return site.Awaited(row), nil
}

// steps returns the file of the work's kind, with its current content. Later changes by the site's user are not drift, but are not overwritten either.
func (c *Task) steps(ctx context.Context, q *query.Queries, _ query.Server, op query.Operation, row query.Site) ([]job.Stage, error) {
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

// write removes deleted credentials. Everything else stays as requested, and its operation reports whether that is on the host.
func (c *Task) write(ctx context.Context, tx *db.Tx, op query.Operation, _ query.Site, at job.State) error {
	switch {
	case at == job.Queued:
		return tx.SetPackageCredentialWork(ctx, op.ResourceID, op.Action == "delete", &op.ID, tx.Micros())
	case op.Action != "delete" || !at.Ended():
		return nil
	case at.Done():
		_, err := tx.DeletePackageCredential(ctx, op.ResourceID)
		return err
	}
	return tx.SetPackageCredentialWork(ctx, op.ResourceID, false, &op.ID, tx.Micros())
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
