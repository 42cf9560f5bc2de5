package firewall

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// confirmWithin is how long a host keeps rules that no connection confirmed.
const confirmWithin = 30 * time.Second

// Plan returns the whole set of rules as one Change: a file that is checked, loaded, and kept only if a new connection gets through.
func Plan(v ledger.View) ([]job.Stage, error) {
	change, err := change(v)
	if err != nil {
		return nil, err
	}
	return []job.Stage{{Name: "firewall", Change: change, Confirm: host.ConfirmReachable}}, nil
}

func change(v ledger.View) (wire.Change, error) {
	text, err := text(v)
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

// ChangeOf returns the rules of a server as a part of setting it up: what is applied, and until it is ready its first rules.
func (d Defaults) ChangeOf(ctx context.Context, q *query.Queries, server query.Server) (wire.Change, error) {
	var first []int64
	if !server.IsReady && server.OperationID != nil {
		first = append(first, *server.OperationID)
	}
	v, err := ledger.Load(ctx, q, server, first...)
	if err != nil {
		return wire.Change{}, err
	}
	c, err := change(v)
	return c, job.Planned(err)
}

func text(v ledger.View) (string, error) {
	rules, err := Rules.Of(v)
	if err != nil {
		return "", err
	}
	port, err := value.NewPort(int(v.Server.SSHPort))
	if err != nil {
		return "", fmt.Errorf("SSH port of server %d: %w", v.Server.ID, err)
	}
	in := render.FirewallInput{SSHPort: port, Metadata: server.AtProvider(v.Server)}
	if v.Server.ControlAddresses != "" {
		if in.Hostler, err = value.ParseIPSet(v.Server.ControlAddresses); err != nil {
			return "", fmt.Errorf("addresses of Hostler as server %d sees them: %w", v.Server.ID, err)
		}
	}
	for _, r := range rules {
		s := r.Specification
		if err := errors.Join(s.Port.Err(), s.IPAddress.Err()); err != nil {
			return "", fmt.Errorf("rule %d: %w", r.ID, err)
		}
		in.Rules = append(in.Rules, render.FirewallRule{ID: r.ID, Deny: s.Type == Deny, Port: s.Port, From: s.IPAddress})
	}
	if in.Private, in.Peers, err = peers(v); err != nil {
		return "", err
	}
	return render.Firewall(in), nil
}

// peers returns the server's own private address, and those that are let in to it.
func peers(v ledger.View) (own netip.Addr, out []render.FirewallPeer, err error) {
	network, ok, err := Networks.Get(v, v.Server.ID)
	if err != nil || !ok || len(network.Peers) == 0 {
		return own, nil, err
	}
	if own, err = netip.ParseAddr(network.Address); err != nil {
		return own, nil, fmt.Errorf("private address of server %d: %w", v.Server.ID, err)
	}
	for _, p := range network.Peers {
		from, err := netip.ParseAddr(p.Address)
		if err != nil {
			return own, nil, fmt.Errorf("private address of server %d: %w", p.ServerID, err)
		}
		out = append(out, render.FirewallPeer{ServerID: p.ServerID, From: from})
	}
	return own, out, nil
}
