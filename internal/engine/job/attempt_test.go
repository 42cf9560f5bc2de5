package job_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// installing is work whose plan has the installation only until that is done.
type installing struct {
	mu        sync.Mutex
	installed bool
}

func (i *installing) plan(context.Context, *query.Queries, query.Server, []query.Operation) ([]job.Stage, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	stages := []job.Stage{named("configure"), named("check")}
	if !i.installed {
		first := named("install")
		first.After = func(context.Context, query.Server) error {
			i.mu.Lock()
			defer i.mu.Unlock()
			i.installed = true
			return nil
		}
		stages = slices.Insert(stages, 0, first)
	}
	return stages, nil
}

func named(name string) job.Stage {
	return job.Stage{Name: name, Change: wire.Change{Steps: []wire.Step{{Name: name}}}}
}

// A stage is found by the name of the one before it: what is done may be no part of the plan any longer, and leaves none out.
func TestStagesFollowByName(t *testing.T) {
	t.Parallel()
	b := newBenchWith(t, func(*bench) map[string]job.Aspect {
		return map[string]job.Aspect{"installing": planned((&installing{}).plan)}
	})
	var ran []string
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		ran = append(ran, run.Change.Steps[0].Name)
		return done(run)
	})
	b.wantEnd(b.begin("installing", 1), job.StateSucceeded, "")
	if want := []string{"install", "configure", "check"}; !slices.Equal(ran, want) {
		t.Errorf("the host ran %q, want %q", ran, want)
	}
}

// A plan with two stages of one name is refused: which one follows the first would be unclear.
func TestEqualStagesAreRefused(t *testing.T) {
	t.Parallel()
	b := newBenchWith(t, func(*bench) map[string]job.Aspect {
		return map[string]job.Aspect{"twice": always(nil, named("copy"), named("check"), named("copy")), "unnamed": always(nil, named(""))}
	})
	for _, aspect := range []string{"twice", "unnamed"} {
		op := query.Operation{ServerID: b.server.ID, Aspect: aspect}
		if stages, err := b.engine.Stages(t.Context(), op); err == nil || !strings.Contains(err.Error(), "two stages named") {
			t.Errorf("%s: %d stages, %v", aspect, len(stages), err)
		}
	}
}
