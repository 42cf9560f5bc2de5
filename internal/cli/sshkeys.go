package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

func newSSHKeys(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "ssh-keys", Short: "Keys that people log in to servers with", Args: unknownCommand, RunE: showHelp}
	c.AddCommand(newSSHKeysAdd(g), newSSHKeysDelete(g))
	return c
}

// servers returns the servers of an organization that are named, with their paths; of no names it returns none.
func (s *session) servers(ctx context.Context, names []string) (rows []client.Resource, paths []string, err error) {
	for _, what := range names {
		r, path, err := s.server(ctx, what)
		if err != nil {
			return nil, nil, err
		}
		rows, paths = append(rows, r), append(paths, path)
	}
	return rows, paths, nil
}

// sshKeys returns the keys of servers, of all if none is named.
func (s *session) sshKeys(ctx context.Context, servers []string) ([]client.Resource, error) {
	path, err := s.path("/ssh-keys")
	if err != nil {
		return nil, err
	}
	named, _, err := s.servers(ctx, servers)
	if err != nil {
		return nil, err
	}
	rows, err := s.client.All(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(servers) > 0 {
		rows = slices.DeleteFunc(rows, func(k client.Resource) bool {
			return !slices.ContainsFunc(named, func(r client.Resource) bool { return r.ID == k.Attribute("server_id") })
		})
	}
	return rows, nil
}

// many is how work on several servers is waited for.
type many struct {
	Wait    bool
	Timeout time.Duration
}

func (o *many) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.Wait, "wait", false, "wait until it is done on each server")
	c.Flags().DurationVar(&o.Timeout, "timeout", 10*time.Minute, "maximum time to wait for one server")
}

// sent is a request that changes one of several servers.
type sent struct{ name, server, method, path string }

// each sends a request for each server, and prints what came of it. One that is refused does not stop the others.
func (s *session) each(ctx context.Context, o many, done string, body any, requests []sent) error {
	events, failed := make([]string, len(requests)), 0
	say := func(r sent, what string) {
		_, _ = fmt.Fprintf(s.Out, "%s: %s\n", text.VisibleLine(r.name), text.Visible(what))
	}
	for i, r := range requests {
		_, answer, err := s.client.Send(ctx, r.method, r.path, body)
		switch {
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			failed++
			say(r, err.Error())
		case !o.Wait || answer.Event == "":
			say(r, "accepted")
		}
		events[i] = answer.Event
	}
	for i, r := range requests {
		if !o.Wait || events[i] == "" {
			continue
		}
		if err := s.await(ctx, r.server, events[i], o.Timeout); err != nil {
			if ctx.Err() != nil {
				return err
			}
			failed++
			say(r, err.Error())
			continue
		}
		say(r, done)
	}
	if failed > 0 {
		return exit(CodeFailed, "failed on %d of %d servers", failed, len(requests))
	}
	return nil
}

type sshKeysAddOptions struct {
	many
	File, Name, User, Options string
	Servers                   []string
}

func newSSHKeysAdd(g *globals) *cobra.Command {
	var o sshKeysAddOptions
	c := command(g, &cobra.Command{
		Example: "  hostler ssh-keys add ~/.ssh/id_ed25519.pub --server web-1 --server web-2 --wait",
		Use:     "add FILE", Short: "Add an SSH key to servers", Args: cobra.ExactArgs(1),
		Long: "FILE has a public key, such as ~/.ssh/id_ed25519.pub. Its owner can log in to the account on each server.",
	}, func(ctx context.Context, s *session, args []string) error {
		o.File = args[0]
		return sshKeysAdd(ctx, s, o)
	})
	f := c.Flags()
	f.StringArrayVar(&o.Servers, "server", nil, "server to add it to (repeatable)")
	f.StringVar(&o.Name, "name", "", "name of the key (default: its comment)")
	f.StringVar(&o.User, "user", "forge", "root, forge, or the account of a site")
	f.StringVar(&o.Options, "options", "", `restrictions as in authorized_keys, such as 'restrict,from="10.0.0.0/8"' (administrators only)`)
	_ = c.MarkFlagRequired("server")
	o.flags(c)
	return c
}

// maxPublicKey is more than a file with a public key has, in bytes.
const maxPublicKey = 16 << 10

func sshKeysAdd(ctx context.Context, s *session, o sshKeysAddOptions) error {
	raw, err := os.ReadFile(o.File)
	if err != nil {
		return fmt.Errorf("read the key: %w", err)
	}
	key := strings.TrimSpace(string(raw))
	if strings.Contains(key, "PRIVATE KEY") { // it does not leave this machine
		return fmt.Errorf("%s is a private key; name the file that ends in .pub", o.File)
	}
	if len(key) > maxPublicKey {
		return fmt.Errorf("%s is not a public key", o.File)
	}
	if fields := strings.Fields(key); o.Name == "" && len(fields) > 2 {
		o.Name = strings.Join(fields[2:], " ")
	}
	if o.Name == "" {
		return usage("the key has no comment; give it a name with --name")
	}
	rows, paths, err := s.servers(ctx, o.Servers)
	if err != nil {
		return err
	}
	requests := make([]sent, len(rows))
	for i, r := range rows {
		requests[i] = sent{name: r.Attribute("name"), server: paths[i], method: http.MethodPost, path: paths[i] + "/ssh-keys"}
	}
	body := map[string]any{"name": o.Name, "key": key, "user": o.User}
	if o.Options != "" {
		body["options"] = o.Options
	}
	return s.each(ctx, o.many, "added", body, requests)
}

type sshKeysDeleteOptions struct {
	many
	Key           string
	Servers       []string
	Yes           bool
	CloseSessions bool
}

func newSSHKeysDelete(g *globals) *cobra.Command {
	var o sshKeysDeleteOptions
	c := command(g, &cobra.Command{
		Use: "delete KEY", Short: "Remove an SSH key, by its name or fingerprint, from all servers", Args: cobra.ExactArgs(1),
		Example: "  hostler ssh-keys delete ada@laptop --close-sessions --wait",
	},
		func(ctx context.Context, s *session, args []string) error {
			o.Key = args[0]
			return sshKeysDelete(ctx, s, o)
		})
	f := c.Flags()
	f.StringArrayVar(&o.Servers, "server", nil, "only from this server (repeatable)")
	f.BoolVar(&o.CloseSessions, "close-sessions", false, "close the sessions that were opened with it, and end what runs in them")
	f.BoolVarP(&o.Yes, "yes", "y", false, "skip the confirmation")
	o.flags(c)
	return c
}

func sshKeysDelete(ctx context.Context, s *session, o sshKeysDeleteOptions) error {
	rows, err := s.sshKeys(ctx, o.Servers)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(k client.Resource) bool {
		return k.Attribute("name") != o.Key && k.Attribute("fingerprint") != o.Key
	})
	if len(rows) == 0 {
		return exit(CodeNotFound, "no SSH key %q on these servers", o.Key)
	}
	if other := slices.IndexFunc(rows, func(k client.Resource) bool { return k.Attribute("fingerprint") != rows[0].Attribute("fingerprint") }); other > 0 {
		return exit(CodeUsage, "several keys are named %q; give the fingerprint of one: %s, %s", o.Key, rows[0].Attribute("fingerprint"),
			rows[other].Attribute("fingerprint"))
	}
	list, err := s.path("/servers")
	if err != nil {
		return err
	}
	query, left := "", "Its open sessions are not closed."
	if o.CloseSessions {
		query, left = "?close_sessions=true", "Its open sessions are closed."
	}
	if err := s.confirmAs(ctx, o.Yes, fmt.Sprintf("removes the key from %d accounts in", len(rows)), "organization", s.org, left); err != nil {
		return err
	}
	requests := make([]sent, len(rows))
	for i, k := range rows {
		server := list + "/" + k.Attribute("server_id")
		requests[i] = sent{
			name: k.Attribute("server_name") + ", " + k.Attribute("user"), server: server, method: http.MethodDelete,
			path: server + "/ssh-keys/" + k.ID + query,
		}
	}
	return s.each(ctx, o.many, "removed", nil, requests)
}
