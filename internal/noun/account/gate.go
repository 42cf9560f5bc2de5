package account

import (
	"context"
	"sync"
)

// How many passwords are checked at once: by anybody, and besides by people who were signed in from where they are before.
const (
	checksAnybody = 2
	checksKnown   = 1
)

// gate lets a few through at once. Of each network one waits for a place at a time, the others of it behind that one, so that a flood from somewhere
// holds up itself; and a place is kept for people who are where they were signed in before, so that floods from everywhere do not hold up those.
type gate struct {
	anybody, known chan struct{}

	mu    sync.Mutex
	lanes map[string]*lane
}

// lane is where those of a network wait for each other.
type lane struct {
	turn chan struct{}
	in   int
}

func newGate() *gate {
	return &gate{anybody: make(chan struct{}, checksAnybody), known: make(chan struct{}, checksKnown), lanes: map[string]*lane{}}
}

// pass runs f when there is room.
func (g *gate) pass(ctx context.Context, network string, known bool, f func() error) error {
	if known { // the accounts that can be waited for this way are the caller's own: no lane is needed
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
