package cli

import (
	"context"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"
)

var peerColumns = []column{
	columnID, attribute("NAME", "name"), attribute("PRIVATE ADDRESS", "private_ip_address"),
	attribute("CONNECTION", "connection_status"),
}

func newNetwork(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "network", Short: "Manage a server's network peers"}
	c.AddCommand(newNetworkList(g, nil), newNetworkSet(g, nil))
	return c
}

func newNetworkList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = networkList
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List peers", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func networkList(ctx context.Context, s *session, o named) error {
	_, server, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, server+"/network")
	if err != nil {
		return err
	}
	return s.list(rows, peerColumns...)
}

type networkSetOptions struct {
	changeOptions
	Server string
	Peers  []string
}

func newNetworkSet(g *globals, run func(context.Context, *session, networkSetOptions) error) *cobra.Command {
	if run == nil {
		run = networkSet
	}
	var o networkSetOptions
	c := command(g, &cobra.Command{
		Use: "set SERVER [PEER]...", Short: "Replace the list of peers", Args: cobra.MinimumNArgs(1),
		Long: "The server and its peers can connect to each other's private addresses on all ports. Without peers, all connections are removed.",
	}, &o, func(args []string) { o.Server, o.Peers = args[0], args[1:] }, run)
	o.flagsWithPlan(c)
	return c
}

func networkSet(ctx context.Context, s *session, o networkSetOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	ids := make([]int64, len(o.Peers))
	for i, name := range o.Peers {
		peer, _, err := s.server(ctx, name)
		if err != nil {
			return err
		}
		if ids[i], err = strconv.ParseInt(peer.ID, 10, 64); err != nil {
			return err
		}
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPut, path: server + "/network", body: map[string]any{"servers": ids}, server: server})
}
