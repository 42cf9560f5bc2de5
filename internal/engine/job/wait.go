package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// The steps of operations that have not begun: what they wait for is their reason.
const (
	StepOthers  = "waiting for other work" // that makes what they need
	stepServer  = "waiting for the server" // which does something else, or is not set up
	stepTurn    = "waiting for a worker"
	StepStalled = "not begun" // for a minute, though nothing is in the way
)

// ready returns the pending operations that can begin, each after those that it depends on; the others do not stop them. What these wait for is recorded.
func (e *Engine) ready(ctx context.Context, server query.Server, aspect Aspect, pending []query.Operation) ([]query.Operation, error) {
	q := e.db.Read().Ungranted()
	var after map[int64][]int64
	if aspect.After != nil {
		var err error
		if after, err = aspect.After(ctx, q, server.ID, pending[0].Aspect); err != nil {
			return nil, err
		}
	}
	candidates, waits := map[int64]query.Operation{}, map[int64]Reason{}
	for _, op := range pending {
		candidates[op.ID] = op
	}
	drop := func(op query.Operation, reason Reason) {
		delete(candidates, op.ID)
		waits[op.ID] = reason
	}
	if aspect.Waits != nil {
		for _, op := range pending {
			reason, err := aspect.Waits(ctx, q, op)
			if err != nil {
				return nil, err
			}
			if reason != "" {
				drop(op, because(codeWaiting, reason))
			}
		}
	}
	for again := true; again; {
		again = false
		for _, op := range pending {
			if _, is := candidates[op.ID]; !is {
				continue
			}
			i := slices.IndexFunc(after[op.ID], func(id int64) bool { _, is := candidates[id]; return !is })
			if i < 0 {
				continue
			}
			first, err := q.GetOperation(ctx, after[op.ID][i])
			if err != nil {
				return nil, fmt.Errorf("read what operation %d waits for: %w", op.ID, err)
			}
			drop(op, waitsFor(first))
			again = true
		}
	}
	return inOrder(pending, candidates, after), e.noteWaits(ctx, pending, waits)
}

func waitsFor(op query.Operation) Reason {
	return aboutOperation(codeForOperation, "Waiting for “"+op.Description+"” to finish.", op.ID)
}

// inOrder returns those of the operations that are candidates, each after those that it depends on. What depends on itself keeps its place.
func inOrder(pending []query.Operation, candidates map[int64]query.Operation, after map[int64][]int64) []query.Operation {
	out := make([]query.Operation, 0, len(candidates))
	seen := map[int64]bool{}
	var visit func(id int64)
	visit = func(id int64) {
		op, is := candidates[id]
		if !is || seen[id] {
			return
		}
		seen[id] = true
		for _, first := range after[id] {
			visit(first)
		}
		out = append(out, op)
	}
	for _, op := range pending {
		visit(op.ID)
	}
	return out
}

// noteWaits records what operations wait for, where that is news.
func (e *Engine) noteWaits(ctx context.Context, pending []query.Operation, waits map[int64]Reason) error {
	news := slices.DeleteFunc(slices.Clone(pending), func(op query.Operation) bool {
		reason, is := waits[op.ID]
		return !is || op.Step == StepOthers && op.Reason == reason.Text
	})
	if len(news) == 0 {
		return nil
	}
	err := e.on(ctx, news, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range news {
			if err := noteReason(ctx, tx, op.ID, StepOthers, waits[op.ID]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record what is waited for: %w", err)
	}
	return nil
}

// stalledAfter is how long work may wait for a worker, with nothing in its way, before it needs attention.
const stalledAfter = time.Minute

// idle is since when the oldest operation of an aspect could begin and has not.
type idle struct {
	mu    sync.Mutex
	since map[Converge]able
}

type able struct {
	oldest int64
	at     time.Time
}

// explain records what operations wait for that have not begun and that no worker looks at: their lane is taken, or their server is not set up.
func (e *Engine) explain(ctx context.Context) error {
	q := e.db.Read().Ungranted()
	groups, err := q.ListWaiting(ctx)
	if err != nil {
		return fmt.Errorf("list waiting operations: %w", err)
	}
	busy := map[string]query.Operation{}
	if len(groups) > 0 {
		running, err := db.All[query.Operation](ctx, e.db.Reader(), "operations", db.Equal("state", StateRunning))
		if err != nil {
			return err
		}
		for _, op := range running {
			busy[e.lanes.name(Converge{ServerID: op.ServerID, Aspect: op.Aspect})] = op
		}
	}
	waits := make([]query.ExplainWaitingParams, 0, len(groups))
	e.idle.mu.Lock()
	defer e.idle.mu.Unlock()
	was := e.idle.since
	e.idle.since = map[Converge]able{}
	for _, g := range groups {
		w := query.ExplainWaitingParams{ServerID: g.ServerID, Aspect: g.Aspect, SaidStep: g.Step, SaidReason: g.Reason}
		var reason Reason
		if w.Step, reason, err = e.whatFor(ctx, g, busy); err != nil {
			return err
		}
		if w.Step == stepTurn {
			what := Converge{ServerID: g.ServerID, Aspect: g.Aspect}
			a := able{g.Oldest, e.db.Clock.Now()}
			if before, is := was[what]; is && before.oldest == a.oldest {
				a = before
			}
			if other, is := e.idle.since[what]; !is || a.at.Before(other.at) {
				e.idle.since[what] = a
			}
			if e.db.Clock.Now().Sub(a.at) >= stalledAfter {
				w.Step = StepStalled
				reason = because(codeStalled, "Nothing stands in the way, but this has not begun for a minute. The panel's log may say why.")
			}
		}
		w.Reason, w.ReasonCode, w.ReasonParams = reason.Text, string(reason.Code), reason.params()
		if w.Step != g.Step || w.Reason != g.Reason {
			waits = append(waits, w)
		}
	}
	if len(waits) == 0 {
		return nil
	}
	err = e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := db.LockServersOf(ctx, tx, waits, func(w query.ExplainWaitingParams) int64 { return w.ServerID }); err != nil {
			return err
		}
		for _, w := range waits {
			if err := tx.ExplainWaiting(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record what is waited for: %w", err)
	}
	return nil
}

// whatFor returns what operations of an aspect that have not begun wait for. busy are operations that are at work, by lane.
func (e *Engine) whatFor(ctx context.Context, g query.ListWaitingRow, busy map[string]query.Operation) (step string, reason Reason, err error) {
	said := Reason{Text: g.Reason, Code: Code(g.ReasonCode), Params: paramsOf(g.ReasonParams)}
	if g.Step == StepOthers { // said by who knows
		return g.Step, said, nil
	}
	q, what := e.db.Read().Ungranted(), Converge{ServerID: g.ServerID, Aspect: g.Aspect}
	server, err := q.GetServer(ctx, g.ServerID)
	if errors.Is(err, db.ErrNotFound) {
		return g.Step, said, nil
	}
	if err != nil {
		return "", Reason{}, fmt.Errorf("read server %d: %w", g.ServerID, err)
	}
	if !e.due(server, g.Aspect) {
		if g.Aspect == e.whole.First {
			return stepServer, because(codeForCommand, "Waiting until the server's setup command has been run."), nil
		}
		return stepServer, because(codeForSetup, "Waiting until the server is set up."), nil
	}
	if op, is := busy[e.lanes.name(what)]; is {
		return stepServer, waitsFor(op), nil
	}
	open, err := q.ListOpenRuns(ctx, g.ServerID, g.Aspect)
	if err != nil {
		return "", Reason{}, fmt.Errorf("list open runs: %w", err)
	}
	if len(open) > 0 && len(open[0].Operations) > 0 {
		op, err := q.GetOperation(ctx, open[0].Operations[0])
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return "", Reason{}, fmt.Errorf("read operation %d: %w", open[0].Operations[0], err)
		}
		return stepServer, aboutOperation(codeForResult, "Waiting for the server to say how “"+op.Description+"” ended.", op.ID), nil
	}
	return stepTurn, because(codeForWorker, "Waiting for a worker."), nil
}
