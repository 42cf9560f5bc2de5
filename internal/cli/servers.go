package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var serverColumns = []column{
	columnID, attribute("NAME", "name"), attribute("TYPE", "type"), attribute("ADDRESS", "ip_address"),
	attribute("CONNECTION", "connection_status"),
	{"STATE", func(r client.Resource) string { return r.Meta.Provisioning }},
	columnWork,
}

var serverDetails = []column{
	{"id", columnID.of},
	attribute("name", "name"), attribute("type", "type"), attribute("address", "ip_address"),
	attribute("private address", "private_ip_address"),
	attribute("ssh port", "ssh_port"),
	{"system", func(r client.Resource) string {
		if r.Meta.OS == nil {
			return ""
		}
		return r.Meta.OS.Name
	}},
	attribute("php", "php_version"), attribute("database", "database_type"), attribute("time zone", "timezone"), attribute("connection", "connection_status"),
	{"updates", updatesOf},
	{"state", func(r client.Resource) string { return r.Meta.Provisioning }},
	{"operation", columnWork.of},
	attribute("created", "created_at"),
}

func newServers(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "servers", Short: "Servers"}
	c.AddCommand(newServersList(g, nil), newServersShow(g, nil), newServersAdd(g, nil), newServersOrder(g, nil), newServersUpdate(g, nil),
		newServersDelete(g, nil),
		newServersDrift(g, nil), newServersHostKeys(g, nil), newServersReboot(g, "reboot", "Reboot a server", nil),
		newServersReboot(g, "power-cycle", "Power-cycle a server through its provider", nil), newServersRepair(g, nil), newServersRetry(g,
			nil), newServersLine(g, nil), newServersArchive(g, nil),
		newArchives(g, nil), newServersReconnect(g, nil), newServersTransfer(g, nil), newServersUpgrade(g, nil), newServices(g), newMetrics(g, nil))
	return c
}

func newServersList(g *globals, run func(context.Context, *session, tagged) error) *cobra.Command {
	if run == nil {
		run = serversList
	}
	var o tagged
	c := command(g, &cobra.Command{Use: "list", Short: "List servers"}, &o, nil, run)
	o.tagFlag(c)
	return c
}

func serversList(ctx context.Context, s *session, o tagged) error {
	list, err := s.path("/servers")
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, o.of(list))
	if err != nil {
		return err
	}
	return s.list(rows, serverColumns...)
}

// named is the options of commands that take one name or id.
type named struct{ What string }

func (n *named) set(args []string) { n.What = args[0] }

func newServersShow(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = serversShow
	}
	var o named
	return command(g, &cobra.Command{Use: "show SERVER", Short: "Show a server", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func serversShow(ctx context.Context, s *session, o named) error {
	r, _, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	return s.one(r, serverDetails...)
}

type serversUpdateOptions struct {
	changeOptions
	tags
	Server                                  string
	Name, Address, PrivateAddress, Timezone *string
}

func newServersUpdate(g *globals, run func(context.Context, *session, serversUpdateOptions) error) *cobra.Command {
	if run == nil {
		run = serversUpdate
	}
	var o serversUpdateOptions
	var name, address, private, zone string
	c := &cobra.Command{Use: "update SERVER", Short: "Edit a server's details", Args: cobra.ExactArgs(1)}
	command(g, c, &o, func(args []string) {
		o.Server = args[0]
		for flag, given := range map[string]struct{ text, into any }{
			"name": {&name, &o.Name}, "address": {&address, &o.Address},
			"private-address": {&private, &o.PrivateAddress}, "timezone": {&zone, &o.Timezone},
		} {
			if c.Flags().Changed(flag) {
				*given.into.(**string) = given.text.(*string)
			}
		}
	}, run)
	c.Flags().StringVar(&name, "name", "", "new name")
	c.Flags().StringVar(&address, "address", "", "IP address")
	c.Flags().StringVar(&private, "private-address", "", "private IP address, empty for none")
	c.Flags().StringVar(&zone, "timezone", "", "time zone (Europe/Berlin)")
	o.replaceTagsFlag(c)
	o.flags(c)
	return c
}

func serversUpdate(ctx context.Context, s *session, o serversUpdateOptions) error {
	_, path, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{}
	for field, value := range map[string]*string{"name": o.Name, "ip_address": o.Address, "private_ip_address": o.PrivateAddress, "timezone": o.Timezone} {
		if value != nil {
			body[field] = *value
		}
	}
	o.put(body)
	if len(body) == 0 {
		return usage("nothing to update: use --name, --address, --private-address, --timezone or --tag")
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPut, path: path, body: body, server: path, read: path, columns: serverDetails})
}

type deleteOptions struct {
	changeOptions
	Server, What string
	Yes, Force   bool
}

func (o *deleteOptions) yesFlag(c *cobra.Command) {
	c.Flags().BoolVarP(&o.Yes, "yes", "y", false, "skip the confirmation")
}

type serversDeleteOptions struct {
	deleteOptions
	Preserve bool
}

func newServersDelete(g *globals, run func(context.Context, *session, serversDeleteOptions) error) *cobra.Command {
	if run == nil {
		run = serversDelete
	}
	var o serversDeleteOptions
	c := command(g, &cobra.Command{Use: "delete SERVER", Short: "Delete a server", Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	c.Flags().BoolVar(&o.Preserve, "preserve", false, "keep an ordered server at its provider, where you keep paying for it")
	o.flags(c)
	o.yesFlag(c)
	return c
}

func serversDelete(ctx context.Context, s *session, o serversDeleteOptions) error {
	r, path, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	left := "Hostler's keys and agent are removed from it. Its sites and data stay on the server."
	query := ""
	switch {
	case o.Preserve:
		query = "?preserve_at_provider=true"
	case r.Attribute("provider") != "custom":
		left = "It is destroyed at its provider, with all sites and data on it."
	}
	if err := s.confirm(ctx, o.Yes, "server", r.Attribute("name"), left); err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodDelete, path: path + query, server: path, read: path, columns: serverDetails})
}

func newServersDrift(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = serversDrift
	}
	var o named
	return command(g, &cobra.Command{
		Use: "drift SERVER", Short: "Show a server's drift", Args: cobra.ExactArgs(1),
		Long: "Compares the server with the configuration that Hostler applied, without changing it. The exit status is 5 if there are differences.",
	}, &o, o.set, run)
}

func serversDrift(ctx context.Context, s *session, o named) error {
	_, path, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodGet, path+"/drift", nil)
	if err != nil {
		return err
	}
	differences, _ := r.Value("differences").([]any)
	switch {
	case s.json:
		err = s.printJSON(r)
	case len(differences) == 0:
		_, _ = fmt.Fprintln(s.out, "No differences.")
	}
	for _, d := range differences {
		if m, _ := d.(map[string]any); !s.json {
			text := func(name string) string { return fmt.Sprint(cmp.Or(str(m[name]), "-")) }
			_, _ = fmt.Fprintf(s.out, "%s: %s %s\n%s", cell(text("step")), cell(text("path")), cell(text("what")), indent(plain(str(m["diff"]))))
		}
	}
	if err == nil && len(differences) > 0 {
		err = exit(CodeFailed, "%d differences", len(differences))
	}
	return err
}

func str(v any) string {
	text, _ := v.(string)
	return text
}

type retryOptions struct {
	changeOptions
	What string
}

func newServersRetry(g *globals, run func(context.Context, *session, retryOptions) error) *cobra.Command {
	if run == nil {
		run = serversRetry
	}
	var o retryOptions
	c := command(g, &cobra.Command{Use: "retry SERVER", Short: "Retry a server's failed setup or deletion", Args: cobra.ExactArgs(1)}, &o,
		func(args []string) { o.What = args[0] }, run)
	o.flags(c)
	return c
}

func serversRetry(ctx context.Context, s *session, o retryOptions) error {
	r, path, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	op := r.Meta.Operation
	if op == nil || op.EventID == "" {
		return exit(CodeError, "this server has no failed operation to retry")
	}
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPost, path: path + "/events/" + op.EventID + "/retry", server: path, read: path,
		columns: serverDetails,
	})
}

func newServersRepair(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = serversRepair
	}
	var o deleteOptions
	c := command(g, &cobra.Command{
		Use: "repair SERVER", Short: "Restore a server to its expected state", Args: cobra.ExactArgs(1),
		Long: "Restores files, systemd units, accounts and packages to their expected state. Missing databases and data directories are reported, not recreated.",
	},
		&o, func(args []string) { o.What = args[0] }, run)
	o.flagsWithPlan(c)
	o.yesFlag(c)
	return c
}

func serversRepair(ctx context.Context, s *session, o deleteOptions) error {
	r, path, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	if err := s.confirmAs(ctx, o.Yes || o.DryRun, "repairs", "server", r.Attribute("name"), "Files changed outside Hostler are overwritten."); err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: path + "/repairs", server: path, read: path, columns: serverDetails})
}

type serversRebootOptions struct {
	deleteOptions
	Action string
}

// newServersReboot returns the command of an action after which a server boots.
func newServersReboot(g *globals, action, short string, run func(context.Context, *session, serversRebootOptions) error) *cobra.Command {
	if run == nil {
		run = serversReboot
	}
	o := serversRebootOptions{Action: action}
	c := command(g, &cobra.Command{Use: action + " SERVER", Short: short, Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	o.flagsWithPlan(c)
	o.yesFlag(c)
	return c
}

func serversReboot(ctx context.Context, s *session, o serversRebootOptions) error {
	r, path, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	if err := s.confirmAs(ctx, o.Yes || o.DryRun, map[string]string{"reboot": "reboots", "power-cycle": "power-cycles"}[o.Action], "server",
		r.Attribute("name"), "Its sites are offline until the server is back."); err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPost, path: path + "/actions", body: map[string]any{"action": o.Action}, server: path,
		read: path, columns: serverDetails,
	})
}
