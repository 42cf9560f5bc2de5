package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Wish is what an operation asks for one resource: a whole specification, or its removal.
type Wish struct {
	Kind    string
	ID      int64
	Version int
	// Specification is nil for a removal.
	Specification json.RawMessage
}

// wish makes a Wish of columns.
func wish(kind string, id, version int64, spec *string) Wish {
	w := Wish{Kind: kind, ID: id, Version: int(version)}
	if spec != nil {
		w.Specification = json.RawMessage(*spec)
	}
	return w
}

// text is the specification as a column, nil for a removal.
func (w Wish) text() *string {
	if w.Specification == nil {
		return nil
	}
	return new(string(w.Specification))
}

func (w Wish) key() key { return key{w.Kind, w.ID} }

// key names a resource.
type key struct {
	kind string
	id   int64
}

func keys(wishes []Wish) map[key]bool {
	out := make(map[key]bool, len(wishes))
	for _, w := range wishes {
		out[w.key()] = true
	}
	return out
}

// Noun is a kind of resource that lives on a host. S is its specification: a type with JSON names, never a row.
type Noun[S any] struct {
	// Kind is the API's resource type.
	Kind string
	// Version of S; a change that can't decode older specifications increments it.
	Version int
	// Parent is the kind of resource that one belongs to and is removed with, "" for a resource that belongs only to its server;
	// In returns its id, 0 for none.
	Parent string
	In     func(S) int64
	// Account returns the account of the host that one is or runs as, or that it lets in; nil for a noun without accounts. What has an account that is
	// removed is removed with it.
	Account func(S) string
	// Needs are the permissions for retrying or cancelling work on one that the service began (job.Work).
	Needs []access.Permission
	// Write makes the resource's row show a fold, even if the row does not exist yet or no longer exists.
	Write func(ctx context.Context, tx *db.Tx, serverID int64, row Row[S]) error
	// Keep returns the conflict for which one can't be removed now, nil for none; nil if one always can. A deletion that failed asks it again when it is
	// retried, unless it was Forced: what the resource is needed for may have come since.
	Keep func(ctx context.Context, tx *db.Tx, server query.Server, id int64) error
}

// Kind is any Noun, for lists of them.
type Kind interface{ any() kind }

// kind is a Noun whose specifications are not decoded.
type kind struct {
	name, parentKind string
	needs            []access.Permission
	keep             func(ctx context.Context, tx *db.Tx, server query.Server, id int64) error
	write            func(ctx context.Context, tx *db.Tx, serverID, id int64, f folded) error
	// parentOf returns the parent of a resource with this specification; its id is 0 for none.
	parentOf func(specification json.RawMessage) (key, error)
	// accountOf returns the account of a resource with this specification, "" for none.
	accountOf func(specification json.RawMessage) (string, error)
}

func (n *Noun[S]) any() kind {
	return kind{name: n.Kind, parentKind: n.Parent, needs: n.Needs, keep: n.Keep, write: n.write, parentOf: n.parentOf, accountOf: n.accountOf}
}

func (n *Noun[S]) write(ctx context.Context, tx *db.Tx, serverID, id int64, f folded) error {
	row, err := n.row(id, f)
	if err != nil {
		return err
	}
	return n.Write(ctx, tx, serverID, row)
}

func (n *Noun[S]) row(id int64, f folded) (Row[S], error) {
	row := Row[S]{ID: id, Phase: f.phase, OperationID: f.operation}
	if f.applied != nil {
		row.Applied = new(S)
		if err := n.decode(f.applied, row.Applied); err != nil {
			return row, err
		}
	}
	return row, n.decode(f.specification, &row.Specification)
}

func (n *Noun[S]) parentOf(raw json.RawMessage) (key, error) {
	if n.Parent == "" || raw == nil {
		return key{}, nil
	}
	var spec S
	if err := n.decode(raw, &spec); err != nil {
		return key{}, err
	}
	return key{n.Parent, n.In(spec)}, nil
}

func (n *Noun[S]) accountOf(raw json.RawMessage) (string, error) {
	if n.Account == nil || raw == nil {
		return "", nil
	}
	var spec S
	if err := n.decode(raw, &spec); err != nil {
		return "", err
	}
	return n.Account(spec), nil
}

// Row returns what the row of a resource shows: a wish is based on its specification. Its phase is Gone for a resource that does not exist.
func (n *Noun[S]) Row(ctx context.Context, q *query.Granted, id int64) (Row[S], error) {
	f, err := read(ctx, q.Ungranted(), n.Kind, id)
	if err != nil {
		return Row[S]{}, err
	}
	return n.row(id, f)
}

// Known returns every specification of a noun that a server has, or that open operations ask for: possibly several of one resource.
func (n *Noun[S]) Known(ctx context.Context, q *query.Granted, serverID int64) ([]Resource[S], error) {
	wishes, err := known(ctx, q.Ungranted(), serverID)
	if err != nil {
		return nil, err
	}
	return n.list(slices.Values(wishes))
}

func (n *Noun[S]) decode(raw json.RawMessage, into *S) error {
	if raw == nil {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read a specification of %s: %w", n.Kind, err)
	}
	return nil
}

// Want returns the wish for a resource with a specification.
func (n *Noun[S]) Want(id int64, spec S) (Wish, error) {
	raw, err := json.Marshal(spec)
	if err != nil {
		return Wish{}, fmt.Errorf("write a specification of %s: %w", n.Kind, err)
	}
	return Wish{Kind: n.Kind, ID: id, Version: n.Version, Specification: raw}, nil
}

// Removal returns the wish to remove a resource.
func (n *Noun[S]) Removal(id int64) Wish { return Wish{Kind: n.Kind, ID: id, Version: n.Version} }
