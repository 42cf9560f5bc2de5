package firewall

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/ufw"
)

// TakeOver makes the rules of ufw those of a server that is being set up, in the place of the ones that every new server has: nothing is open
// that was closed. Done again, it finds the same rules in the place of the first.
func (a *Converger) TakeOver(ctx context.Context, tx *db.Tx, server query.Server, rules []ufw.Rule) error {
	if err := tx.DeleteDefaultRules(ctx, server.ID); err != nil {
		return fmt.Errorf("take over firewall rules: %w", err)
	}
	for _, r := range rules {
		in := query.InsertFirewallRuleParams{ServerID: server.ID, Name: "ufw: all ports", Type: Allow, Status: StatusInstalling, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()}
		if r.Deny {
			in.Type = Deny
		}
		if !r.Port.IsZero() {
			in.Port = new(r.Port.String())
			in.Name = "ufw: " + *in.Port
		}
		if !r.From.IsZero() {
			in.IPAddress = new(r.From.String())
		}
		if _, err := tx.InsertFirewallRule(ctx, in); err != nil {
			return fmt.Errorf("take over firewall rules: %w", err)
		}
	}
	return nil
}
