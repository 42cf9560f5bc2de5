package account

import (
	"context"
	"sync"
)

// How many passwords are checked at once: in general, and in addition for people at addresses where they have signed in before.
const (
	checksAnybody = 2
	checksKnown   = 1
)

// gate admits a few at once. One request per network waits for a slot at a time, the others of the network behind it, so that a
// flood from one network delays only itself; and a slot is reserved for people at addresses where they have signed in before, so
// that floods from everywhere do not delay them.
type gate struct {
	anybody, known chan struct{}

	mu    sync.Mutex
	lanes map[string]*lane
}

// lane is the queue of a network.
type lane struct {
	turn chan struct{}
	in   int
}

func newGate() *gate {
	return &gate{anybody: make(chan struct{}, checksAnybody), known: make(chan struct{}, checksKnown), lanes: map[string]*lane{}}
}

// pass runs f when there is room.
func (g *gate) pass(ctx context.Context, network string, known bool, f func() error) error {
	if known { // only the caller's own accounts can be waited for this way: no lane is needed
		select {
		case g.anybody <- struct{}{}:
			defer func() { <-g.anybody }()
		case g.known <- struct{}{}:
			defer func() { <-g.known }()
		case <-ctx.Done():
			return ctx.Err()
		}
		return f()
	}
	l := g.enter(network)
	defer g.leave(network, l)
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case g.anybody <- struct{}{}:
		defer func() { <-g.anybody }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return f()
}

func (g *gate) enter(network string) *lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, ok := g.lanes[network]
	if !ok {
		l = &lane{turn: make(chan struct{}, 1)}
		g.lanes[network] = l
	}
	l.in++
	return l
}

func (g *gate) leave(network string, l *lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.in--; l.in == 0 {
		delete(g.lanes, network)
	}
}
