package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Parent is what a part belongs to: a server, or a site on one.
type Parent interface {
	access.Authority
	InOrganization() int64
	// On returns the server, and the site on it; 0 for none.
	On() (p Path, siteID int64)
}

// On returns the server itself.
func (p Path) On() (Path, int64) { return p, 0 }

// Part is a resource that the caller can see, and its parent.
type Part[P Parent, R any] struct {
	At  P
	ID  int64
	Row R
}

// Require asks for permissions where the part is.
func (p Part[P, R]) Require(permissions ...access.Permission) error {
	return p.At.Require(permissions...)
}

// InOrganization returns the organization that the part is in.
func (p Part[P, R]) InOrganization() int64 { return p.At.InOrganization() }

// Parts are the resources of one noun that belong to servers or to sites: how they are found, changed and removed. R is their row, S their
// specification.
type Parts[P Parent, R, S any] struct {
	DB     *db.DB
	Ledger *ledger.Ledger
	Noun   *ledger.Noun[S]
	// Load finds what they belong to. Param is the name of one in paths; Get reads its row.
	Load  api.Loader[P]
	Param string
	Get   func(q *query.Queries, ctx context.Context, parent, id int64) (R, error)
	// Aspect is the part of a server that they are converged with, Within how long a change may take.
	Aspect string
	Within time.Duration
}

// InPath loads a resource with what it belongs to. One of another parent is not found.
func (n *Parts[P, R, S]) InPath(ctx context.Context, actor access.Actor, path api.Path) (Part[P, R], error) {
	var part Part[P, R]
	var err error
	if part.At, err = n.Load(ctx, actor, path); err != nil {
		return part, err
	}
	if part.ID, err = path.ID(n.Param); err != nil {
		return part, err
	}
	part.Row, err = n.Read(ctx, n.DB.Read(), part.At, part.ID)
	return part, err
}

// Read reads the row of a resource as it is now.
func (n *Parts[P, R, S]) Read(ctx context.Context, q *query.Queries, at P, id int64) (R, error) {
	host, parent := at.On()
	if parent == 0 {
		parent = host.Server.ID
	}
	row, err := n.Get(q, ctx, parent, id)
	if err != nil {
		return row, fmt.Errorf("read %s %d: %w", n.Noun.Kind, id, err)
	}
	return row, nil
}

// Accept asks for a change of one resource; others may change with it.
func (n *Parts[P, R, S]) Accept(ctx context.Context, tx *db.Tx, at P, action, description string, wishes ...ledger.Wish) (job.Accepted, error) {
	p, site := at.On()
	return n.Ledger.Accept(ctx, tx, job.Work{Grant: p.Grant, ServerID: p.Server.ID, SiteID: site, Ready: p.Server.IsReady, Aspect: n.Aspect, Resource: wishes[0].Kind, ResourceID: wishes[0].ID,
		Action: action, Description: description, RanAs: "root", Within: n.Within}, wishes...)
}

// Created answers with a resource that was just accepted.
func (n *Parts[P, R, S]) Created(ctx context.Context, tx *db.Tx, at P, wish ledger.Wish, description string) (R, job.Accepted, error) {
	accepted, err := n.Accept(ctx, tx, at, "create", description, wish)
	if err != nil {
		var none R
		return none, accepted, err
	}
	row, err := n.Read(ctx, tx.Queries, at, wish.ID)
	return row, accepted, err
}

// Remove asks for the removal of a resource. refuse returns why it is refused, and may be nil; a second request while the first
// is open changes nothing.
func (n *Parts[P, R, S]) Remove(ctx context.Context, tx *db.Tx, part Part[P, R], description string, refuse func(R) error) (api.Empty, error) {
	p, _ := part.At.On()
	if err := tx.LockServer(ctx, p.Server.ID); err != nil {
		return api.Empty{}, err
	}
	row, err := n.Read(ctx, tx.Queries, part.At, part.ID)
	if errors.Is(err, db.ErrNotFound) {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, err
	}
	now, err := n.Noun.Row(ctx, tx.Queries, part.ID)
	if err != nil || now.Phase == ledger.Deleting {
		return api.Empty{}, err
	}
	if refuse != nil {
		if err := refuse(row); err != nil {
			return api.Empty{}, err
		}
	}
	accepted, err := n.Accept(ctx, tx, part.At, "delete", description, n.Noun.Remove(part.ID))
	return api.Empty{Event: accepted.EventID}, err
}
