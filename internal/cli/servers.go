package cli

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

func newServers(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "servers", Short: "Servers", Args: unknownCommand, RunE: showHelp}
	c.AddCommand(newServersDrift(g), newServersHostKeys(g), newServersReconnect(g), newServersRetry(g), newServersMetrics(g))
	return c
}

func newServersDrift(g *globals) *cobra.Command {
	return command(g, &cobra.Command{
		Example: "  hostler servers drift web-1",
		Use:     "drift SERVER", Short: "Show a server's drift", Args: cobra.ExactArgs(1),
		Long: "Compares the server with the configuration that Hostler applied, without changing it. The exit status is 5 if there are differences.",
	}, func(ctx context.Context, s *session, args []string) error {
		_, path, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		r, err := s.client.One(ctx, http.MethodGet, path+"/drift", nil)
		if err != nil {
			return err
		}
		differences := show.Objects(r.Value("differences"))
		switch {
		case s.AsSent():
			err = s.JSON(r)
		case len(differences) == 0:
			_, _ = fmt.Fprintln(s.Out, "No differences.")
		default:
			for _, d := range differences {
				_, _ = fmt.Fprint(s.Out, text.VisibleLine(fmt.Sprintf("%s: %s %s", str(d["step"]), str(d["path"]), str(d["what"]))), "\n", show.Indented(str(d["diff"])))
			}
		}
		if err == nil && len(differences) > 0 {
			err = exit(CodeFailed, "%d differences", len(differences))
		}
		return err
	})
}

func str(v any) string {
	text, _ := v.(string)
	return text
}

func newServersHostKeys(g *globals) *cobra.Command {
	var confirm []string
	c := command(g, &cobra.Command{
		Example: "  hostler servers host-keys web-1\n  hostler servers host-keys web-1 --confirm SHA256:…",
		Use:     "host-keys SERVER", Short: "Show a server's SSH host keys, or confirm new ones", Args: cobra.ExactArgs(1),
		Long: "Shows the host keys that identify the server and those that it presents now. The exit status is 5 if they changed: Hostler then does not log in.\n\n" +
			"Find out why they changed first: the connection may be intercepted. If the keys were replaced on purpose, print the fingerprints on the server's " +
			"console (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub) and pass those that are the same to --confirm. From then on, Hostler trusts any " +
			"machine with these keys, and sends it secrets and commands as root. Failed operations can then be retried.",
	}, func(ctx context.Context, s *session, args []string) error {
		return serversHostKeys(ctx, s, args[0], confirm)
	})
	c.Flags().StringArrayVar(&confirm, "confirm", nil, "fingerprint of a presented key, as printed on the server's console (repeatable)")
	return c
}

func serversHostKeys(ctx context.Context, s *session, what string, confirm []string) error {
	server, path, err := s.server(ctx, what)
	if err != nil {
		return err
	}
	path += "/host-keys"
	r, err := s.client.One(ctx, http.MethodGet, path, nil)
	if err == nil && len(confirm) > 0 {
		var keys []string
		if keys, err = confirmedKeys(r, confirm); err == nil {
			r, err = s.client.One(ctx, http.MethodPut, path, map[string]any{"host_keys": keys})
		}
	}
	if err == nil && s.AsSent() {
		err = s.JSON(r)
	}
	if err != nil {
		return err
	}
	for _, list := range []string{"confirmed", "presented"} {
		for _, k := range hostKeysOf(r, list) {
			if !s.AsSent() {
				_, _ = fmt.Fprintf(s.Out, "%s  %s\n", list, text.VisibleLine(str(k["fingerprint"])))
			}
		}
	}
	if r.Value("changed") == true {
		return exit(CodeFailed, "the host keys of %s changed; see hostler servers host-keys --help", text.VisibleLine(server.Attribute("name")))
	}
	return nil
}

// hostKeysOf returns the keys of a list in a document of host keys.
func hostKeysOf(r client.Resource, list string) []map[string]any { return show.Objects(r.Value(list)) }

// confirmedKeys returns the presented keys that have the given fingerprints.
func confirmedKeys(r client.Resource, fingerprints []string) ([]string, error) {
	var keys []string
	presented := hostKeysOf(r, "presented")
	for _, f := range fingerprints {
		at := slices.IndexFunc(presented, func(k map[string]any) bool { return k["fingerprint"] == f })
		if at < 0 {
			return nil, usage("the server presents no key with the fingerprint %s; nothing was changed", f)
		}
		keys = append(keys, str(presented[at]["public_key"]))
	}
	return keys, nil
}

func newServersReconnect(g *globals) *cobra.Command {
	return command(g, &cobra.Command{
		Example: "  hostler servers reconnect web-1",
		Use:     "reconnect SERVER", Short: "Reconnect an archived server, and print its setup command", Args: cobra.ExactArgs(1),
		Long: "Run the command as root on the same machine, which is recognized by its host keys. The server is then set up and repaired.",
	}, func(ctx context.Context, s *session, args []string) error {
		one, err := s.path("/servers")
		if err != nil {
			return err
		}
		archived, err := s.find(ctx, one+"/archives", one, "archived server", args[0])
		if err != nil {
			return err
		}
		if _, err := s.client.One(ctx, http.MethodDelete, one+"/archives/"+archived.ID, nil); err != nil {
			return err
		}
		return s.change(ctx, changeOptions{}, change{method: http.MethodPost, path: one + "/" + archived.ID + "/line", columns: []show.Column{show.ID, show.Work}})
	})
}

func newServersRetry(g *globals) *cobra.Command {
	var o changeOptions
	c := command(g, &cobra.Command{
		Example: "  hostler servers retry web-1 --wait",
		Use:     "retry SERVER", Short: "Retry the failed work of a server, such as its setup", Args: cobra.ExactArgs(1),
		Long: "Retries the newest work on the server itself: its setup, its deletion, an upgrade. For other work, see hostler events retry.",
	}, func(ctx context.Context, s *session, args []string) error {
		r, path, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		op := r.Meta.Operation
		if op == nil || op.EventID == "" {
			return exit(CodeError, "no work on the server %s can be retried", text.VisibleLine(r.Attribute("name")))
		}
		return s.change(ctx, o, change{
			method: http.MethodPost, path: path + "/events/" + op.EventID + "/retry", server: path, read: path,
			columns: []show.Column{show.ID, show.Attribute("NAME", "name"), show.Work},
		})
	})
	o.flags(c)
	return c
}
