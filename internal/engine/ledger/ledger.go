// Package ledger records what is applied on hosts and what is requested. A resource that lives on a host has a specification; the
// one that the host has is applied, the one that an operation asks for is a wish, and the row of the resource is one fold of
// both. Accepting, settling, cancelling, superseding and retrying an operation write wishes or what is applied, and then fold:
// nothing else writes the row.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
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
	// Needs are the permissions for retrying or cancelling work on one that the service began (job.Work).
	Needs []access.Permission
	// Write makes the resource's row show a fold, even if the row does not exist yet or no longer exists.
	Write func(ctx context.Context, tx *db.Tx, serverID int64, row Row[S]) error
	// Keep returns the conflict for which one can't be removed now, nil for none; nil if one always can. A deletion that failed asks it again when it is
	// retried: what the resource is needed for may have come since.
	Keep func(ctx context.Context, tx *db.Tx, server query.Server, id int64) error
}

// Kind is any Noun, for lists of them.
type Kind interface{ any() kind }

// kind is a Noun without its type: the fields of the same names, of specifications that are not decoded.
type kind struct {
	name, above string
	needs       []access.Permission
	keep        func(ctx context.Context, tx *db.Tx, server query.Server, id int64) error
	write       func(ctx context.Context, tx *db.Tx, serverID, id int64, f folded) error
	// parent returns the parent of a resource with this specification; id is 0 for none.
	parent func(specification json.RawMessage) (kind string, id int64, err error)
}

func (n *Noun[S]) any() kind {
	return kind{name: n.Kind, above: n.Parent, needs: n.Needs, keep: n.Keep, write: n.write, parent: n.parent}
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

func (n *Noun[S]) parent(raw json.RawMessage) (kind string, id int64, err error) {
	if n.Parent == "" || raw == nil {
		return "", 0, nil
	}
	var spec S
	if err := n.decode(raw, &spec); err != nil {
		return "", 0, err
	}
	return n.Parent, n.In(spec), nil
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
	known, err := q.Ungranted().ListKnown(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("list what server %d has or is to have: %w", serverID, err)
	}
	var out []Resource[S]
	for _, k := range known {
		if k.Kind != n.Kind || k.Specification == nil {
			continue
		}
		r := Resource[S]{ID: k.ID}
		if err := n.decode(json.RawMessage(*k.Specification), &r.Specification); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
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

// Remove returns the wish to remove a resource.
func (n *Noun[S]) Remove(id int64) Wish { return Wish{Kind: n.Kind, ID: id, Version: n.Version} }

// Ledger records a list of nouns.
type Ledger struct {
	queue *job.Queue
	kinds map[string]kind
	// parents are the kinds that are parents of others.
	parents map[string]bool
}

// New makes a ledger of nouns whose accepted work goes to a queue.
func New(queue *job.Queue, kinds ...Kind) *Ledger {
	l := &Ledger{queue: queue, kinds: map[string]kind{}, parents: map[string]bool{}}
	for _, of := range kinds {
		k := of.any()
		l.kinds[k.name], l.parents[k.above] = k, true
	}
	return l
}

// Accept writes an operation with its event and job, its wishes, and the rows that show it, in one transaction. An older
// operation that has not begun and asks only for the same resources is superseded. Children of a removed resource are removed
// with it.
func (l *Ledger) Accept(ctx context.Context, tx *db.Tx, w job.Work, wishes ...Wish) (job.Accepted, error) {
	wishes, err := l.withChildren(ctx, tx, w.ServerID, wishes)
	if err != nil {
		return job.Accepted{}, err
	}
	if noun, ok := l.kinds[w.Resource]; ok && w.Needs == nil {
		w.Needs = noun.needs
	}
	accepted, err := l.queue.Begin(ctx, tx, w)
	if err != nil {
		return accepted, err
	}
	if err := l.supersede(ctx, tx, accepted.OperationID, wishes); err != nil {
		return accepted, err
	}
	return accepted, l.Attach(ctx, tx, accepted.OperationID, w.ServerID, wishes...)
}

// Attach adds wishes to an operation that has not begun, and shows them in their rows.
func (l *Ledger) Attach(ctx context.Context, tx *db.Tx, operationID, serverID int64, wishes ...Wish) error {
	for _, w := range wishes {
		var spec *string
		if w.Specification != nil {
			spec = new(string(w.Specification))
		}
		err := tx.InsertWish(ctx, query.InsertWishParams{OperationID: operationID, Kind: w.Kind, ID: w.ID, Version: int64(w.Version), Specification: spec})
		if err != nil {
			return fmt.Errorf("write what is asked for of %s %d: %w", w.Kind, w.ID, err)
		}
		if err := l.show(ctx, tx, serverID, w.Kind, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// Adopt records as applied a resource that needs nothing on its host, such as one that is not in use. No operation asks for it.
func (l *Ledger) Adopt(ctx context.Context, tx *db.Tx, serverID int64, w Wish) error {
	return l.Found(ctx, tx, query.Operation{ServerID: serverID}, w)
}

// Detach removes the wishes of a kind from an operation that has not begun.
func (l *Ledger) Detach(ctx context.Context, tx *db.Tx, operationID, serverID int64, kind string) error {
	wishes, err := asked(ctx, tx.Ungranted(), operationID)
	if err != nil {
		return err
	}
	if err := tx.DeleteWishes(ctx, operationID, kind); err != nil {
		return fmt.Errorf("drop what operation %d asks for: %w", operationID, err)
	}
	for _, w := range wishes {
		if w.Kind != kind {
			continue
		}
		if err := l.show(ctx, tx, serverID, w.Kind, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// key names a resource.
type key struct {
	kind string
	id   int64
}

// withChildren adds to wishes the removal of all children of what they remove.
func (l *Ledger) withChildren(ctx context.Context, tx *db.Tx, serverID int64, wishes []Wish) ([]Wish, error) {
	if !slices.ContainsFunc(wishes, func(w Wish) bool { return w.Specification == nil && l.parents[w.Kind] }) {
		return wishes, nil
	}
	known, err := tx.Ungranted().ListKnown(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("list what server %d has or is to have: %w", serverID, err)
	}
	children := map[key][]Wish{}
	for _, k := range known {
		noun, ok := l.kinds[k.Kind]
		if !ok || k.Specification == nil {
			continue
		}
		kind, id, err := noun.parent(json.RawMessage(*k.Specification))
		if err != nil {
			return nil, err
		}
		children[key{kind, id}] = append(children[key{kind, id}], Wish{Kind: k.Kind, ID: k.ID, Version: int(k.Version)})
	}
	named := keys(wishes)
	for i := 0; i < len(wishes); i++ { // wishes grow
		if wishes[i].Specification != nil {
			continue
		}
		for _, child := range children[key{wishes[i].Kind, wishes[i].ID}] {
			if k := (key{child.Kind, child.ID}); !named[k] {
				named[k] = true
				wishes = append(wishes, child)
			}
		}
	}
	return wishes, nil
}

func keys(wishes []Wish) map[key]bool {
	out := make(map[key]bool, len(wishes))
	for _, w := range wishes {
		out[key{w.Kind, w.ID}] = true
	}
	return out
}

// supersede ends the older operations that are completely replaced by these wishes.
func (l *Ledger) supersede(ctx context.Context, tx *db.Tx, by int64, wishes []Wish) error {
	named, seen := keys(wishes), map[int64]bool{}
	for _, w := range wishes {
		rivals, err := tx.Ungranted().ListRivals(ctx, w.Kind, w.ID, by)
		if err != nil {
			return fmt.Errorf("list older operations on %s %d: %w", w.Kind, w.ID, err)
		}
		for _, op := range rivals {
			if seen[op.ID] {
				continue
			}
			seen[op.ID] = true
			if !named[key{op.ResourceType, op.ResourceID}] { // it is about something else, such as setting up a server
				continue
			}
			theirs, err := asked(ctx, tx.Ungranted(), op.ID)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(theirs, func(t query.Wish) bool { return !named[key{t.Kind, t.ID}] }) {
				continue
			}
			if err := job.Supersede(ctx, tx, op, by); err != nil {
				return err
			}
			if err := tx.EndWishes(ctx, op.ID); err != nil {
				return fmt.Errorf("end what operation %d asked for: %w", op.ID, err)
			}
		}
	}
	return nil
}

// Settle writes the end of an operation: successful wishes become applied, and the rows show what is true now.
func (l *Ledger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if err := tx.EndWishes(ctx, op.ID); err != nil {
		return fmt.Errorf("end what operation %d asked for: %w", op.ID, err)
	}
	wishes, err := asked(ctx, tx.Ungranted(), op.ID)
	if err != nil {
		return err
	}
	for _, w := range wishes {
		if done {
			if err := apply(ctx, tx, op, w); err != nil {
				return err
			}
		}
		if err := l.show(ctx, tx, op.ServerID, w.Kind, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// Found records as applied what a host was found to have: after work that can't be rolled back failed midway, or to adopt what
// was created by hand. A wish without a specification is a resource that the host does not have.
func (l *Ledger) Found(ctx context.Context, tx *db.Tx, by query.Operation, found ...Wish) error {
	for _, w := range found {
		is := query.Wish{Kind: w.Kind, ID: w.ID, Version: int64(w.Version)}
		if w.Specification != nil {
			is.Specification = new(string(w.Specification))
		}
		if err := apply(ctx, tx, by, is); err != nil {
			return err
		}
		if err := l.show(ctx, tx, by.ServerID, w.Kind, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// apply records that a host has what an operation asked for, or found there.
func apply(ctx context.Context, tx *db.Tx, by query.Operation, w query.Wish) error {
	var err error
	if w.Specification == nil {
		err = tx.DeleteApplied(ctx, w.Kind, w.ID)
	} else {
		err = tx.PutApplied(ctx, query.PutAppliedParams{
			Kind: w.Kind, ID: w.ID, ServerID: by.ServerID, OperationID: by.ID, Version: w.Version,
			Specification: *w.Specification, UpdatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write what is applied of %s %d: %w", w.Kind, w.ID, err)
	}
	return nil
}

// Resume shows the wishes of a retried operation. It returns a conflict if newer work on one of its resources is open or succeeded, or may still be found to
// have.
func (l *Ledger) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	wishes, err := asked(ctx, tx.Ungranted(), op.ID)
	if err != nil {
		return err
	}
	inDoubt, err := newerInDoubt(ctx, tx, op)
	if err != nil {
		return err
	}
	for _, w := range wishes {
		if inDoubt[key{w.Kind, w.ID}] {
			return api.Conflict("A newer operation was changing the same resource when the server stopped answering.")
		}
		newer, err := tx.Ungranted().HasNewer(ctx, w.Kind, w.ID, op.ID)
		if err != nil {
			return fmt.Errorf("look for newer operations on %s %d: %w", w.Kind, w.ID, err)
		}
		if newer {
			return api.Conflict("A newer operation changes the same resource.")
		}
		if err := l.parentStands(ctx, tx, w); err != nil {
			return err
		}
		if w.Specification == nil {
			if err := l.removable(ctx, tx, op.ServerID, w); err != nil {
				return err
			}
		}
	}
	return l.Reopen(ctx, tx, op)
}

// removable returns the conflict for which a resource can't be removed now.
func (l *Ledger) removable(ctx context.Context, tx *db.Tx, serverID int64, w query.Wish) error {
	noun := l.kinds[w.Kind]
	if noun.keep == nil {
		return nil
	}
	server, err := tx.Ungranted().GetServer(ctx, serverID)
	if err != nil {
		return fmt.Errorf("read server %d: %w", serverID, err)
	}
	return noun.keep(ctx, tx, server, w.ID)
}

// newerInDoubt returns what newer operations ask for that have a run with no known end. A run that is not marked as sent counts as well: it may be sent at this
// moment.
func newerInDoubt(ctx context.Context, tx *db.Tx, op query.Operation) (map[key]bool, error) {
	attempts, err := tx.Ungranted().ListAttempts(ctx, op.ServerID)
	if err != nil {
		return nil, fmt.Errorf("list the attempts on server %d: %w", op.ServerID, err)
	}
	found := map[key]bool{}
	for _, ids := range attempts {
		for _, id := range ids {
			if id <= op.ID {
				continue
			}
			wishes, err := asked(ctx, tx.Ungranted(), id)
			if err != nil {
				return nil, err
			}
			for _, w := range wishes {
				found[key{w.Kind, w.ID}] = true
			}
		}
	}
	return found, nil
}

// parentStands returns a conflict if the parent of a resource is removed, or about to be.
func (l *Ledger) parentStands(ctx context.Context, tx *db.Tx, w query.Wish) error {
	f, ok, err := l.parentOf(ctx, tx.Ungranted(), w)
	if ok && (f.phase == Gone || f.phase == Deleting) {
		return api.Conflict("Its parent was deleted.")
	}
	return err
}

// parentOf folds the parent of a wish's resource; ok is false for one that belongs only to its server, or is removed.
func (l *Ledger) parentOf(ctx context.Context, q *query.Queries, w query.Wish) (f folded, ok bool, err error) {
	noun, is := l.kinds[w.Kind]
	if !is || w.Specification == nil {
		return f, false, nil
	}
	kind, id, err := noun.parent(json.RawMessage(*w.Specification))
	if err != nil || id == 0 || l.kinds[kind].name == "" { // a kind that this ledger does not record
		return f, false, err
	}
	f, err = read(ctx, q, kind, id)
	return f, err == nil, err
}

// Reopen is Resume for an operation that newer ones wait for, such as setting up a server: they run after it.
func (l *Ledger) Reopen(ctx context.Context, tx *db.Tx, op query.Operation) error {
	return l.Settle(ctx, tx, op, false)
}

// asked returns the wishes of an operation.
func asked(ctx context.Context, q *query.Queries, operationID int64) ([]query.Wish, error) {
	wishes, err := q.ListWishes(ctx, operationID)
	if err != nil {
		return nil, fmt.Errorf("list what operation %d asks for: %w", operationID, err)
	}
	return wishes, nil
}

// show folds a resource and writes its row.
func (l *Ledger) show(ctx context.Context, tx *db.Tx, serverID int64, kind string, id int64) error {
	noun, ok := l.kinds[kind]
	if !ok {
		return fmt.Errorf("the ledger has no noun %q", kind)
	}
	f, err := read(ctx, tx.Ungranted(), kind, id)
	if err != nil {
		return err
	}
	return noun.write(ctx, tx, serverID, id, f)
}

// read folds a resource.
func read(ctx context.Context, q *query.Queries, kind string, id int64) (folded, error) {
	var applied *query.Applied
	entry, err := q.GetApplied(ctx, kind, id)
	switch {
	case err == nil:
		applied = &entry
	case !errors.Is(err, db.ErrNotFound):
		return folded{}, fmt.Errorf("read what is applied of %s %d: %w", kind, id, err)
	}
	wishes, err := q.ListWished(ctx, kind, id)
	if err != nil {
		return folded{}, fmt.Errorf("list operations on %s %d: %w", kind, id, err)
	}
	return fold(applied, wishes), nil
}

// Due reports whether the parents of the operation's resources are on the host, or not about to be: work waits for the creation of a parent.
func (l *Ledger) Due(ctx context.Context, q *query.Queries, op query.Operation) (bool, error) {
	wishes, err := asked(ctx, q, op.ID)
	if err != nil {
		return false, err
	}
	for _, w := range wishes {
		parent, ok, err := l.parentOf(ctx, q, w)
		if err != nil {
			return false, err
		}
		if ok && parent.phase == Creating && *parent.operation != op.ID {
			return false, nil
		}
	}
	return true, nil
}
