package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Hosts runs queries on a host.
type Hosts interface {
	Run(ctx context.Context, t host.Target, run wire.Run, on func(wire.Event)) (wire.Result, error)
	ForgetRun(ctx context.Context, t host.Target, id string) error
}

// Asker queries the engines of servers.
type Asker struct {
	Hosts   Hosts
	Targets job.Targets
	Clock   clock.Clock
}

// errSilent is returned if an engine does not report its state, for example because it is stopped. Its server can be reached.
var errSilent = errors.New("the engine does not answer")

// maxReason is the length of what is shown of an engine's error.
const maxReason = 300

// ask runs steps that change nothing, and returns what they print; the error of one that fails is what its program said last.
// Questions of one lane do not overlap on a server.
func (a Asker) ask(ctx context.Context, server query.Server, lane string, within time.Duration, steps ...wire.Step) (string, error) {
	target, err := a.Targets.Target(server)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	run := wire.Run{
		ID: lane + "-" + secret.Random(8), Lane: lane, Deadline: a.Clock.Now().Add(within), Left: within, Change: &wire.Change{Steps: steps},
	}
	var out strings.Builder
	result, err := a.Hosts.Run(ctx, target, run, func(ev wire.Event) {
		if ev.Kind == wire.EventOutput {
			out.WriteString(ev.Text)
		}
	})
	if err != nil {
		return "", err
	}
	_ = a.Hosts.ForgetRun(ctx, target, run.ID) // it may contain hashes of passwords; otherwise the host forgets old runs
	if result.State != wire.StateSucceeded {
		said := strings.Split(strings.TrimSpace(out.String()), "\n")
		return "", fmt.Errorf("%w: %s", errSilent, cmp.Or(text.Clean(text.Line(said[len(said)-1]), maxReason), result.Reason))
	}
	return out.String(), nil
}
