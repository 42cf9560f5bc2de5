package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// How many servers are checked in parallel, and for how long each.
const (
	lookAtOnce = 16
	lookWithin = 30 * time.Second
)

// eachConnected calls f for every server that is set up, a few in parallel.
func (e *Engine) eachConnected(ctx context.Context, f func(ctx context.Context, server query.Server) error) error {
	servers, err := db.All[query.Server](ctx, e.db.Reader(), "servers", db.Equal("is_ready", true))
	if err != nil {
		return err
	}
	return each(ctx, servers, f)
}

// each calls f for servers, lookAtOnce at a time, each within lookWithin.
func each(ctx context.Context, servers []query.Server, f func(ctx context.Context, server query.Server) error) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	turns := make(chan struct{}, lookAtOnce)
	for _, server := range servers {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			ctx, cancel := context.WithTimeout(ctx, lookWithin)
			defer cancel()
			if err := f(ctx, server); err != nil {
				mu.Lock()
				errs = append(errs, fmt.Errorf("server %d: %w", server.ID, err))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Watch reads the facts of every server and records which servers can be reached. A failure is checked a second time before it is reported. It is not reported
// at all if another replica holds the lane and reaches the server.
func (e *Engine) Watch(ctx context.Context) error {
	gaveUp, err := e.lanes.mine(ctx)
	if err != nil {
		return err
	}
	return e.eachConnected(ctx, func(ctx context.Context, server query.Server) error {
		err := e.look(ctx, server)
		if host.Reason(err) != "" && !errors.Is(err, host.ErrHostKeyChanged) {
			err = e.look(ctx, server)
		}
		switch {
		case err == nil:
			if err := e.lanes.back(ctx, gaveUp[server.ID]); err != nil {
				return err
			}
			return e.learn(ctx, server, answered)
		case host.Reason(err) == "":
			return err
		case !errors.Is(err, host.ErrHostKeyChanged) && len(gaveUp[server.ID]) > 0:
			return nil
		}
		of, _ := contactOf(err)
		return e.learn(context.WithoutCancel(ctx), server, of)
	})
}

// busy reports whether work on a server has not ended, which may be half done on its host.
func (e *Engine) busy(ctx context.Context, server query.Server) (bool, error) {
	for _, name := range slices.Sorted(maps.Keys(e.aspects)) {
		pending, err := e.db.Read().Ungranted().ListPendingOperations(ctx, server.ID, name)
		if err != nil {
			return false, fmt.Errorf("list pending work: %w", err)
		}
		if len(pending) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// LookForDrift compares every server and reports what it finds as an event, once for each finding. One with open work is checked the next time.
func (e *Engine) LookForDrift(ctx context.Context) error {
	return e.eachConnected(ctx, func(ctx context.Context, server query.Server) error {
		found, err := e.steadyDrift(ctx, server)
		if err == nil {
			found, err = e.unmade(ctx, server, found)
		}
		switch {
		case host.Reason(err) != "" || errors.Is(err, errUnsteady):
			return nil // the connection watch reports the former, and the latter passes
		case err != nil:
			return err
		}
		return e.tellDrift(ctx, server, found)
	})
}

var errUnsteady = errors.New("the server is being worked on")

// steadyDrift returns differences that are not due to open work: a second check finds the same.
func (e *Engine) steadyDrift(ctx context.Context, server query.Server) ([]wire.Difference, error) {
	look := func() ([]wire.Difference, error) {
		busy, err := e.busy(ctx, server)
		if err != nil {
			return nil, err
		}
		if busy {
			return nil, errUnsteady
		}
		found, err := e.whole.Drift(ctx, server)
		var plan *PlanError
		if errors.As(err, &plan) {
			return []wire.Difference{{Step: "plan", What: "refused", Diff: text.Sentence(plan.Error()) + "\n"}}, nil
		}
		return found, err
	}
	found, err := look()
	if err != nil || len(found) == 0 {
		return found, err
	}
	again, err := look()
	if err == nil && !slices.Equal(found, again) {
		err = errUnsteady
	}
	return found, err
}

// driftOf begins the names of the settings with what was found on servers, before their ids; an empty one is a server without drift.
const driftOf = "drift:"

// Drifting returns the ids of servers that were found to differ from what is applied when they were last compared.
func Drifting(ctx context.Context, q query.DBTX) ([]any, error) {
	found, err := db.All[query.Setting](ctx, q, "settings", db.Cond{SQL: "name LIKE '" + driftOf + "%' AND value <> ''"})
	if err != nil {
		return nil, err
	}
	var ids []any
	for _, f := range found {
		if id, err := strconv.ParseInt(strings.TrimPrefix(f.Name, driftOf), 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (e *Engine) tellDrift(ctx context.Context, server query.Server, found []wire.Difference) error {
	setting := driftOf + strconv.FormatInt(server.ID, 10)
	raw, err := json.Marshal(found)
	if err != nil {
		return fmt.Errorf("note drift: %w", err)
	}
	sum := sha256.Sum256(raw)
	now := hex.EncodeToString(sum[:])
	if len(found) == 0 {
		now = ""
	}
	return e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		before, err := tx.Ungranted().GetSetting(ctx, setting)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return fmt.Errorf("note drift: %w", err)
		}
		if before == now {
			return nil
		}
		if err := tx.PutSetting(ctx, setting, now); err != nil {
			return fmt.Errorf("note drift: %w", err)
		}
		if now == "" {
			return nil
		}
		ranAs := "root"
		event, err := tx.InsertEvent(ctx, query.InsertEventParams{
			OrganizationID: server.OrganizationID, ServerID: &server.ID,
			Description: "Drift found on " + server.Name, RanAs: &ranAs, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
		})
		if err != nil {
			return fmt.Errorf("note drift: %w", err)
		}
		var pieces []Piece
		for _, d := range found {
			pieces = append(pieces, Piece{Kind: "drift", Step: d.Step, Content: fmt.Sprintf("%s: %s %s\n%s", d.Step, d.Path, d.What, d.Diff)})
		}
		if err := Say(ctx, tx, event.ID, pieces...); err != nil {
			return fmt.Errorf("note drift: %w", err)
		}
		if e.drifted == nil {
			return nil
		}
		return e.drifted(ctx, tx, server, found)
	})
}
