package cli

import (
	"context"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"
)

func newArchives(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = archives
	}
	return command(g, &cobra.Command{Use: "archives", Short: "List archived servers"}, &none{}, nil, run)
}

func archives(ctx context.Context, s *session, _ none) error {
	list, err := s.path("/servers/archives")
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, list)
	if err != nil {
		return err
	}
	return s.list(rows, serverColumns...)
}

func newServersArchive(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = serversArchive
	}
	var o deleteOptions
	c := command(g, &cobra.Command{
		Use: "archive SERVER", Short: "End access to a server and keep its records", Args: cobra.ExactArgs(1),
		Long: "Hostler's keys are removed from the server, unless it can't be reached. The server keeps running. Its pending operations are cancelled, and " +
			"it leaves its network.",
	},
		&o, func(args []string) { o.What = args[0] }, run)
	o.flags(c)
	o.yesFlag(c)
	return c
}

func serversArchive(ctx context.Context, s *session, o deleteOptions) error {
	r, path, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	if err := s.confirmAs(ctx, o.Yes, "archives", "server", r.Attribute("name"),
		"Hostler's keys are removed from it. It is managed again once it is reconnected."); err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.ID, 10, 64)
	if err != nil {
		return err
	}
	list, err := s.path("/servers/archives")
	if err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPost, path: list, body: map[string]any{"server_id": id}, server: path, read: path,
		columns: serverDetails,
	})
}

func newServersReconnect(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = serversReconnect
	}
	var o named
	return command(g, &cobra.Command{
		Use: "reconnect SERVER", Short: "Reconnect an archived server, and print its setup command", Args: cobra.ExactArgs(1),
		Long: "Run the command as root on the same machine, which is recognized by its host keys. The server is then set up and repaired.",
	}, &o, o.set, run)
}

func serversReconnect(ctx context.Context, s *session, o named) error {
	list, err := s.path("/servers/archives")
	if err != nil {
		return err
	}
	one, err := s.path("/servers")
	if err != nil {
		return err
	}
	r, err := s.find(ctx, list, one, "archived server", o.What)
	if err != nil {
		return err
	}
	if _, err := s.client.One(ctx, http.MethodDelete, list+"/"+r.ID, nil); err != nil {
		return err
	}
	return serversLine(ctx, s, named{What: r.ID})
}
