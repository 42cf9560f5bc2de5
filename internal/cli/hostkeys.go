package cli

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

type hostKeysOptions struct {
	Server  string
	Confirm []string
}

func newServersHostKeys(g *globals, run func(context.Context, *session, hostKeysOptions) error) *cobra.Command {
	if run == nil {
		run = serversHostKeys
	}
	var o hostKeysOptions
	c := command(g, &cobra.Command{
		Use: "host-keys SERVER", Short: "Show a server's SSH host keys, or confirm new ones", Args: cobra.ExactArgs(1),
		Long: "Shows the host keys that identify the server and those that it presents now. The exit status is 5 if they changed: Hostler then does not log in.\n\n" +
			"Find out why they changed first: the connection may be intercepted. If the keys were replaced on purpose, print the fingerprints on the server's " +
			"console (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub) and pass those that are the same to --confirm. From then on, Hostler trusts any " +
			"machine with these keys, and sends it secrets and commands as root. Failed operations can then be retried.",
	},
		&o, func(args []string) { o.Server = args[0] }, run)
	c.Flags().StringArrayVar(&o.Confirm, "confirm", nil, "fingerprint of a presented key, as printed on the server's console (repeatable)")
	return c
}

func serversHostKeys(ctx context.Context, s *session, o hostKeysOptions) error {
	server, path, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	path += "/host-keys"
	r, err := s.client.One(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if len(o.Confirm) > 0 {
		keys, err := confirmedKeys(r, o.Confirm)
		if err != nil {
			return err
		}
		if r, err = s.client.One(ctx, http.MethodPut, path, map[string]any{"host_keys": keys}); err != nil {
			return err
		}
	}
	changed := r.Value("changed") == true
	if s.json {
		err = s.printJSON(r)
	} else {
		for _, list := range []string{"confirmed", "presented"} {
			for _, k := range hostKeysOf(r, list) {
				_, _ = fmt.Fprintf(s.out, "%s  %s\n", list, cell(k["fingerprint"]))
			}
		}
	}
	switch {
	case err != nil:
		return err
	case changed:
		return exit(CodeFailed, "the host keys of %s changed; see hostler servers host-keys --help", cell(server.Attribute("name")))
	}
	return nil
}

// hostKeysOf returns the keys of a list in a document of host keys.
func hostKeysOf(r client.Resource, list string) []map[string]string {
	all, _ := r.Value(list).([]any)
	var out []map[string]string
	for _, k := range all {
		m, _ := k.(map[string]any)
		out = append(out, map[string]string{"public_key": str(m["public_key"]), "fingerprint": str(m["fingerprint"])})
	}
	return out
}

// confirmedKeys returns the presented keys that have the given fingerprints.
func confirmedKeys(r client.Resource, fingerprints []string) ([]string, error) {
	var keys []string
	for _, f := range fingerprints {
		presented := hostKeysOf(r, "presented")
		at := slices.IndexFunc(presented, func(k map[string]string) bool { return k["fingerprint"] == f })
		if at < 0 {
			return nil, usage("the server presents no key with the fingerprint %s; nothing was changed", f)
		}
		keys = append(keys, presented[at]["public_key"])
	}
	return keys, nil
}
