package agent

import (
	"context"

	"github.com/hostlerhq/hostler/internal/host/wire"
)

// Facts is what the host says of itself.
func (a *Agent) Facts(context.Context) (wire.Facts, error) { return wire.Facts{}, nil }

// Drift compares the host with a Change and changes nothing.
func (a *Agent) Drift(context.Context, wire.Change) (wire.Drift, error) { return wire.Drift{}, nil }
