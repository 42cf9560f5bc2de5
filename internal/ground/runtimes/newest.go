package runtimes

import (
	"context"
	"sync"
	"time"
)

const (
	// askEvery is how often a mirror is asked for the newest release of a line that sites have, lookEvery how often such lines are looked for.
	askEvery  = time.Hour
	lookEvery = time.Minute
)

// Newest knows the newest release of each line that was asked for, as the mirrors tell it once an hour. Each replica asks for itself, and
// knows none right after its start.
type Newest struct {
	Mirrors Mirrors

	mu    sync.Mutex
	known map[line]newest
}

type line struct{ kind, name string }

type newest struct {
	version string
	asked   time.Time
}

// Of returns the newest release of the line that a version is of; "" if it is not known, or is no newer. It sends no request.
func (n *Newest) Of(name, version string) string {
	k := Named(name)
	if n == nil || k == nil || k.parts == 0 || !Exact(version) {
		return ""
	}
	of := line{name, k.Line(version)}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[line]newest{}
	}
	is := n.known[of]
	n.known[of] = is // to be asked for
	if is.version == "" || Compare(is.version, version) <= 0 {
		return ""
	}
	return is.version
}

// Ask asks the mirrors for the lines that are due. What a mirror does not answer stays as it was until it is due again.
func (n *Newest) Ask(ctx context.Context, now time.Time) {
	var due []line
	n.mu.Lock()
	for of, is := range n.known {
		if now.Sub(is.asked) >= askEvery {
			due = append(due, of)
		}
	}
	n.mu.Unlock()
	for _, of := range due {
		m := n.Mirrors[of.kind]
		exact, err := m.ask(ctx, m.URL+"/"+m.Kind.list(of.name), of.name)
		n.mu.Lock()
		is := newest{version: n.known[of].version, asked: now}
		if err == nil {
			is.version = exact
		}
		n.known[of] = is
		n.mu.Unlock()
	}
}

// Run asks until ctx ends.
func (n *Newest) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			n.Ask(ctx, time.Now())
		}
	}
}
