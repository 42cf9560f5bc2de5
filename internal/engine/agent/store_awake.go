package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// engineWithin is how long to wait for an engine that does not accept connections: after a crash it replays its log first.
	engineWithin = 5 * time.Minute
	engineEvery  = 200 * time.Millisecond
)

// awake waits until the engine accepts connections, which takes a while after its host or the engine crashed. The error contains its last answer.
func (d *database) awake(ctx context.Context) error {
	within := engineWithin
	if d.x.a.cfg.EngineWithin > 0 {
		within = d.x.a.cfg.EngineWithin
	}
	limit, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for told, said := false, ""; ; told = true {
		text, err := d.knock(limit)
		var exit *program.ExitError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &exit): // the client ran, and got no answer
			said = text
		case limit.Err() == nil: // there is no client, or no account to run it as
			return err
		}
		if !told {
			d.x.wait("engine", d.people()+" to accept connections: "+said)
		}
		select {
		case <-time.After(engineEvery):
			continue
		case <-limit.Done():
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w while %s accepted no connections: %s", context.Cause(ctx), d.people(), said)
		}
		return fmt.Errorf("%s accepted no connections for %s: %s", d.people(), within, said)
	}
}

// knock connects once. The client's message is not part of the run's output.
func (d *database) knock(ctx context.Context) (said string, err error) {
	cred, env, err := d.admin()
	if err != nil {
		return "", err
	}
	out := output.New(nil, nil, nil)
	err = d.x.a.programs.Run(ctx, program.Program{Argv: d.adminArgv(""), Env: env, Cred: cred, Stdin: []byte("SELECT 1;\n"), Out: out, Run: d.x.mark()})
	text, _ := out.Finish()
	return strings.TrimSpace(output.Tail(text, 2000)), err
}

// people returns the engine's display name.
func (d *database) people() string {
	switch d.engine {
	case wire.EnginePostgres:
		return "PostgreSQL"
	case wire.EngineMySQL:
		return "MySQL"
	}
	return "MariaDB"
}
