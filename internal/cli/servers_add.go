package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

type serversAddOptions struct {
	changeOptions
	tags
	Name, Type, Address, PrivateAddress string
	SSHPort                             int
	PHP, Database                       string
	TakeOver                            bool
	SSH                                 sshOptions
}

func newServersAdd(g *globals, run func(context.Context, *session, serversAddOptions) error) *cobra.Command {
	if run == nil {
		run = serversAdd
	}
	var o serversAddOptions
	c := command(g, &cobra.Command{
		Use: "add NAME", Short: "Add a server", Args: cobra.ExactArgs(1),
		Long: `Prints the setup command to run on the server as root. With --ssh, the command is run over SSH, as root or with passwordless sudo. The
host key must be in known_hosts, match --host-key-fingerprint, or be confirmed.`,
	}, &o,
		func(args []string) { o.Name = args[0] }, run)
	f := c.Flags()
	f.StringVar(&o.Type, "type", "app", "app, web, loadbalancer, database, cache, worker or meilisearch")
	f.StringVar(&o.Address, "address", "", "IP address that Hostler connects to (default: from --ssh)")
	f.StringVar(&o.PrivateAddress, "private-address", "", "private IP address")
	f.IntVar(&o.SSHPort, "ssh-port", 0, "SSH port (default: from --ssh, or 22)")
	f.StringVar(&o.PHP, "php", "", "PHP version, for example php84 (default: the latest available)")
	f.StringVar(&o.Database, "database", "", "database engine, for example mariadb1011 or postgres15")
	o.tagsFlag(c, "tag (repeatable)")
	f.BoolVar(&o.TakeOver, "take-over", false, "if ufw is active, adopt its rules and disable it")
	o.SSH.flags(c)
	o.flags(c)
	_ = c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions([]string{"app", "web", "loadbalancer", "database", "cache", "worker", "meilisearch"},
		cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o serversAddOptions) body() map[string]any {
	custom := map[string]any{"ip_address": o.Address}
	body := map[string]any{"name": o.Name, "provider": "custom", "type": o.Type, "custom": custom}
	if o.TakeOver {
		body["take_over"] = true
	}
	if o.PrivateAddress != "" {
		custom["private_ip_address"] = o.PrivateAddress
	}
	if o.SSHPort != 0 {
		custom["ssh_port"] = o.SSHPort
	}
	if o.PHP != "" {
		body["php_version"] = o.PHP
	}
	if o.Database != "" {
		body["database_type"] = o.Database
	}
	o.put(body)
	return body
}

func serversAdd(ctx context.Context, s *session, o serversAddOptions) error {
	list, err := s.path("/servers")
	if err != nil {
		return err
	}
	if o.SSH.Target == "" {
		r, answer, err := s.client.Send(ctx, http.MethodPost, list, o.body())
		if err != nil {
			return err
		}
		return s.pasteLine(ctx, o, list, r, answer)
	}
	// SSH access is tested before the server is created: a server that can't be entered would only be in the way.
	conn, err := o.SSH.dial(ctx, s)
	if err != nil {
		return err
	}
	defer conn.close()
	if o.Address == "" {
		o.Address = conn.host
	}
	if o.SSHPort == 0 {
		o.SSHPort = conn.port
	}
	r, answer, err := s.client.Send(ctx, http.MethodPost, list, o.body())
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "Server %s was created. Running its setup command on %s\n", r.ID, cell(o.SSH.Target))
	s.shownOnce(r)
	if r.Meta.Bootstrap == nil {
		return exit(CodeError, "the response contains no setup command")
	}
	if err := conn.bootstrap(ctx, s, r.Meta.Bootstrap.Command); err != nil {
		return exit(CodeFailed, "server %s was created, but its setup command failed on %s: %s\nRun it there as root within a week:\n%s",
			r.ID, o.SSH.Target, err, r.Meta.Bootstrap.Command)
	}
	if o.Wait {
		return s.awaitServer(ctx, o.changeOptions, list, r, answer)
	}
	return s.one(r, serverDetails...)
}

// pasteLine prints the line for a person with a shell on the server.
func (s *session) pasteLine(ctx context.Context, o serversAddOptions, list string, r client.Resource, answer client.Answer) error {
	s.shownOnce(r)
	if r.Meta.Bootstrap == nil {
		return exit(CodeError, "the response contains no setup command")
	}
	to := s.out
	if s.json && !o.Wait {
		return s.printJSON(r)
	}
	if s.json {
		to = s.err
	}
	s.printLine(to, r)
	if o.Wait {
		return s.awaitServer(ctx, o.changeOptions, list, r, answer)
	}
	return nil
}

func (s *session) printLine(to io.Writer, r client.Resource) {
	_, _ = fmt.Fprintf(to, "Run this command on server %s as root:\n\n%s\n\n", r.ID, cell(r.Meta.Bootstrap.Command))
	if r.Meta.Bootstrap.Warning != "" {
		_, _ = fmt.Fprintln(s.err, cell(r.Meta.Bootstrap.Warning))
	}
}

func newServersLine(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = serversLine
	}
	var o named
	return command(g, &cobra.Command{
		Use: "setup-command SERVER", Short: "Generate a new setup command", Args: cobra.ExactArgs(1),
		Long: "The command contains a secret and is shown once. Generating a new one invalidates the old one.",
	}, &o, o.set, run)
}

func serversLine(ctx context.Context, s *session, o named) error {
	_, path, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodPost, path+"/line", nil)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(r)
	}
	if r.Meta.Bootstrap == nil {
		return exit(CodeError, "the response contains no setup command")
	}
	s.printLine(s.out, r)
	return nil
}

func (s *session) awaitServer(ctx context.Context, o changeOptions, list string, r client.Resource, answer client.Answer) error {
	path := list + "/" + r.ID
	if err := s.await(ctx, path, answer.Event, o.Timeout); err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return s.one(r, serverDetails...)
}
