package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// View is what a host should have once the included operations are done: what is applied, overlaid with their wishes. It is the input of a plan.
type View struct {
	Server query.Server
	// Included are the operations that the plan is for; without any it is for everything that the host has, which finds drift.
	Included []query.Operation
	// Facts are what an aspect knows beyond the ledger.
	Facts any

	// Box opens the sealed values of specifications; without one, they are shown as references to their places.
	Box Opener

	before, after, gone entries
	asked               map[key]bool
}

type entries map[key]Wish

// Opener is the half of a secret.Box that a plan is allowed to use.
type Opener interface {
	Open(p secret.Place, sealed []byte) ([]byte, error)
}

// Resource is one resource of a View.
type Resource[S any] struct {
	ID            int64
	Specification S
}

// NewView makes a view of wishes on an empty host.
func NewView(server query.Server, wishes ...Wish) View {
	return View{Server: server}.On(wishes...)
}

// On returns a view of further wishes on this one, as if it were applied.
func (v View) On(wishes ...Wish) View {
	was := v.after
	v.before, v.after, v.gone, v.asked = entries{}, entries{}, entries{}, map[key]bool{}
	maps.Copy(v.before, was)
	maps.Copy(v.after, was)
	for _, w := range wishes {
		v.overlay(w, nil)
	}
	return v
}

// overlay adds a wish. lost is the previous request for a resource that is removed without being applied.
func (v *View) overlay(w Wish, lost json.RawMessage) {
	k := w.key()
	v.asked[k] = true
	if w.Specification != nil {
		v.after[k] = w
		delete(v.gone, k)
		return
	}
	if was, ok := v.after[k]; ok {
		lost = was.Specification
	}
	delete(v.after, k)
	if w.Specification = lost; lost != nil {
		v.gone[k] = w
	}
}

// Whole reports whether the view is of all that the host has, without work.
func (v View) Whole() bool { return len(v.Included) == 0 && len(v.asked) == 0 }

// Asks reports whether an included operation asks for a resource; without operations, whether the host has it.
func (v View) Asks(kind string, id int64) bool {
	return v.Whole() || v.asked[key{kind, id}]
}

// Open opens a sealed value of a specification.
func (v View) Open(p secret.Place, sealed []byte) (secret.String, error) {
	if v.Box == nil {
		return secret.String("{" + p.Table + " " + p.Row + " " + p.Column + "}"), nil
	}
	plain, err := v.Box.Open(p, sealed)
	return secret.String(plain), err
}

// Of returns the resources of a noun that the host should have, by their ids.
func (n *Noun[S]) Of(v View) ([]Resource[S], error) { return n.list(maps.Values(v.after)) }

// Gone returns the resources of a noun that included operations remove, as they are or were requested.
func (n *Noun[S]) Gone(v View) ([]Resource[S], error) { return n.list(maps.Values(v.gone)) }

// Get returns one resource that the host should have.
func (n *Noun[S]) Get(v View, id int64) (spec S, ok bool, err error) { return n.get(v.after, id) }

// Before returns one resource as the host has it before the included operations.
func (n *Noun[S]) Before(v View, id int64) (spec S, ok bool, err error) { return n.get(v.before, id) }

// list returns the resources of a noun among all, by their ids.
func (n *Noun[S]) list(all iter.Seq[Wish]) ([]Resource[S], error) {
	out := []Resource[S]{}
	for w := range all {
		if w.Kind != n.Kind {
			continue
		}
		r := Resource[S]{ID: w.ID}
		if err := n.decode(w.Specification, &r.Specification); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Resource[S]) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

func (n *Noun[S]) get(e entries, id int64) (spec S, ok bool, err error) {
	w, ok := e[key{n.Kind, id}]
	return spec, ok, n.decode(w.Specification, &spec)
}

// Load reads the view of a server, overlaid with the wishes of these operations in the order of their acceptance.
func Load(ctx context.Context, q *query.Queries, server query.Server, included ...int64) (View, error) {
	v := NewView(server)
	applied, err := q.ListApplied(ctx, server.ID)
	if err != nil {
		return v, fmt.Errorf("list what is applied on server %d: %w", server.ID, err)
	}
	for _, a := range applied {
		w := wish(a.Kind, a.ID, a.Version, &a.Specification)
		v.before[w.key()], v.after[w.key()] = w, w
	}
	slices.Sort(included)
	for _, id := range included {
		wishes, err := wishesOf(ctx, q, id)
		if err != nil {
			return v, err
		}
		for _, w := range wishes {
			var lost folded
			if _, has := v.after[w.key()]; !has && w.Specification == nil { // what was begun and failed may exist in part
				if lost, err = read(ctx, q, w.Kind, w.ID); err != nil {
					return v, err
				}
			}
			v.overlay(w, lost.specification)
		}
	}
	return v, nil
}
