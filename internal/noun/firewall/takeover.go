package firewall

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/ufw"
)

// TakeOver asks for the rules of ufw instead of the default rules of a server that is being set up: nothing is opened that was
// closed. Repeating it replaces the earlier request.
func (d Defaults) TakeOver(ctx context.Context, tx *db.Tx, server query.Server, rules []ufw.Rule) error {
	if server.OperationID == nil {
		return fmt.Errorf("take over firewall rules of server %d: no operation sets it up", server.ID)
	}
	if err := d.Ledger.Detach(ctx, tx, *server.OperationID, server.ID, Rules.Kind); err != nil {
		return fmt.Errorf("take over firewall rules: %w", err)
	}
	specs := make([]Specification, len(rules))
	for i, r := range rules {
		specs[i] = Specification{Name: "ufw: all ports", Port: r.Port, Type: Allow, IPAddress: r.From}
		if r.Deny {
			specs[i].Type = Deny
		}
		if !r.Port.IsZero() {
			specs[i].Name = "ufw: " + r.Port.String()
		}
	}
	return d.ask(ctx, tx, server, *server.OperationID, specs...)
}
