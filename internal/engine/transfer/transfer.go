// Package transfer is how nouns list what a transfer of a server to another organization meets: what prevents it, what it ends, and what can access the server
// afterwards. Nothing is stored; each noun reads its own rows.
package transfer

import (
	"cmp"
	"context"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Effects of items, in the order in which they are listed.
const (
	Blocks   = "blocks"
	Detached = "detached"
	Left     = "left"
	Reaches  = "reaches"
)

// Item is something that a transfer ends, or that stands in its way.
type Item struct {
	// Effect is one of the effects; Type is that of a resource in the API.
	Effect, Type string
	// ID is that of the resource, nil if it has none.
	ID         *int64
	Name, Text string
}

// Of returns an item about a resource.
func Of(effect, kind string, id int64, name, text string) Item {
	return Item{effect, kind, &id, name, text}
}

// Source lists a noun's items.
type Source func(ctx context.Context, l Look) ([]Item, error)

// Look reads what a transfer of a server meets, for one caller.
type Look struct {
	// Rows reads lists, whose conditions limit them to the server.
	Rows   query.DBTX
	Read   *query.Granted
	Grant  access.Grant
	Server query.Server
	// Sites are the names of the server's sites, by id, and OnSites is the condition on rows of them.
	Sites   map[int64]string
	OnSites db.Cond
}

// Here is the condition on rows of the server.
func (l Look) Here() db.Cond { return db.Equal("server_id", l.Server.ID) }

// Items lists what all sources have, first what prevents the transfer, then what is detached or left behind, then what can still access the server afterwards.
func Items(ctx context.Context, l Look, sources []Source) ([]Item, error) {
	out := []Item{}
	for _, source := range sources {
		found, err := source(ctx, l)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	order := []string{Blocks, Detached, Left, Reaches}
	slices.SortStableFunc(out, func(a, b Item) int {
		return cmp.Compare(slices.Index(order, a.Effect), slices.Index(order, b.Effect))
	})
	return out, nil
}

// List returns the items of the rows of a table that meet conditions.
func List[T any](ctx context.Context, l Look, table string, item func(T) Item, where ...db.Cond) ([]Item, error) {
	rows, err := db.All[T](ctx, l.Rows, table, where...)
	var out []Item
	for _, row := range rows {
		out = append(out, item(row))
	}
	return out, err
}
