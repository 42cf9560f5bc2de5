package firewall

import (
	"context"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/value"
)

// confirmWithin is how long a host keeps rules that nobody confirmed.
const confirmWithin = 30 * time.Second

// Plan is the whole set of rules as one Change: a file that is checked, loaded, and kept only if a new connection gets through.
func (a *Converger) Plan(ctx context.Context, q *query.Queries, server query.Server, w job.Pending) ([]job.Stage, error) {
	rows, err := q.ListFirewallRules(ctx, server.ID)
	if err != nil {
		return nil, fmt.Errorf("list firewall rules: %w", err)
	}
	change, err := Change(server, effective(rows, w))
	if err != nil {
		return nil, job.Planned(err)
	}
	return []job.Stage{{Name: "firewall", Change: change, Confirm: host.ConfirmReachable}}, nil
}

// Change makes a host's rules these. It is pure.
func Change(server query.Server, rules []query.FirewallRule) (wire.Change, error) {
	text, err := text(server, rules)
	if err != nil {
		return wire.Change{}, err
	}
	load := []string{"nft", "-f", render.FirewallPath}
	return wire.Change{ConfirmWithin: confirmWithin, Steps: []wire.Step{
		{Name: "write firewall rules", File: &wire.File{Path: render.FirewallPath, Content: []byte(text), Mode: 0o600}},
		{Name: "check firewall rules", Validate: &wire.Exec{Argv: []string{"nft", "-c", "-f", render.FirewallPath}}},
		{Name: "load firewall rules", Action: &wire.Action{Argv: load, Undo: load}},
	}}, nil
}

// ChangeOf is the rules of a server that is being set up: those that are asked for, as if they were installed.
func (a *Converger) ChangeOf(ctx context.Context, q *query.Queries, server query.Server) (wire.Change, error) {
	rows, err := q.ListFirewallRules(ctx, server.ID)
	if err != nil {
		return wire.Change{}, fmt.Errorf("list firewall rules: %w", err)
	}
	return Change(server, effective(rows, job.Pending{}))
}

// effective are the rules that a host should have: without what is being removed, and with held work as if it had not been asked for.
func effective(rows []query.FirewallRule, w job.Pending) []query.FirewallRule {
	var out []query.FirewallRule
	for _, r := range rows {
		_, held := w.Holds("rules", r.ID)
		switch {
		case w.Deletes("rules", r.ID): // whatever its status was made to say
		case r.Status == StatusFailed:
		case r.Status == StatusInstalling && held:
		case r.Status == StatusRemoving && !held:
		default:
			out = append(out, r)
		}
	}
	return out
}

func text(server query.Server, rules []query.FirewallRule) (string, error) {
	port, err := value.NewPort(int(server.SSHPort))
	if err != nil {
		return "", fmt.Errorf("SSH port of server %d: %w", server.ID, err)
	}
	in := render.FirewallInput{SSHPort: port}
	if server.ControlAddresses != "" {
		if in.Hostler, err = value.ParseIPSet(server.ControlAddresses); err != nil {
			return "", fmt.Errorf("addresses of Hostler as server %d sees them: %w", server.ID, err)
		}
	}
	for _, r := range rules {
		rule := render.FirewallRule{ID: r.ID, Deny: r.Type == Deny}
		if r.Port != nil {
			if rule.Port, err = value.ParsePortSpec(*r.Port); err != nil {
				return "", fmt.Errorf("port of rule %d: %w", r.ID, err)
			}
		}
		if r.IPAddress != nil {
			if rule.From, err = value.ParseIPSet(*r.IPAddress); err != nil {
				return "", fmt.Errorf("addresses of rule %d: %w", r.ID, err)
			}
		}
		in.Rules = append(in.Rules, rule)
	}
	return render.Firewall(in), nil
}
