package app

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/update"
)

// decide returns an error if an update is undecided and the panel is not ready; if it is, the update has succeeded. It is called before any request is
// answered and before any work begins, so that going back loses nothing.
func (a *App) decide(ctx context.Context) error {
	gate := update.GateOf(a.Config.DataDir)
	attempt, err := gate.Attempt()
	if err != nil || attempt == nil && !a.Config.UntilReady {
		return err
	}
	if err := a.Ready(ctx); err != nil {
		return fmt.Errorf("the panel is not ready: %w", err)
	}
	if attempt == nil {
		return nil
	}
	a.Log.InfoContext(ctx, "the update has succeeded", "from", attempt.From, "to", attempt.To)
	return gate.Open()
}
