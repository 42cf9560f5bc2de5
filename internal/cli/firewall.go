package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"
)

var ruleColumns = []column{
	columnID, attribute("NAME", "name"), attribute("TYPE", "type"), attribute("PORT", "port"),
	attribute("FROM", "ip_address"), attribute("STATUS", "status"), columnWork,
}

var ruleDetails = []column{
	{"id", columnID.of},
	attribute("name", "name"), attribute("type", "type"),
	attribute("port", "port"), attribute("from", "ip_address"), attribute("status", "status"),
	{"operation", columnWork.of},
}

func newFirewall(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "firewall", Short: "Manage firewall rules"}
	c.AddCommand(newFirewallList(g, nil), newFirewallAdd(g, nil), newFirewallDelete(g, nil))
	return c
}

func newFirewallList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = firewallList
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List rules", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func firewallList(ctx context.Context, s *session, o named) error {
	_, server, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, server+"/firewall-rules")
	if err != nil {
		return err
	}
	return s.list(rows, ruleColumns...)
}

type firewallAddOptions struct {
	changeOptions
	Server, Name, Port, From, Type string
}

func newFirewallAdd(g *globals, run func(context.Context, *session, firewallAddOptions) error) *cobra.Command {
	if run == nil {
		run = firewallAdd
	}
	var o firewallAddOptions
	c := command(g, &cobra.Command{
		Use: "add SERVER NAME", Short: "Add a rule", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.Server, o.Name = args[0], args[1] }, run)
	c.Flags().StringVar(&o.Port, "port", "", "port or range such as 8000:8010 (default: all)")
	c.Flags().StringVar(&o.From, "from", "", "IP addresses or CIDR ranges, comma-separated (default: any)")
	c.Flags().StringVar(&o.Type, "type", "allow", "allow or deny")
	o.flagsWithPlan(c)
	_ = c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions([]string{"allow", "deny"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func firewallAdd(ctx context.Context, s *session, o firewallAddOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"name": o.Name, "type": o.Type}
	if o.Port != "" {
		body["port"] = o.Port
	}
	if o.From != "" {
		body["ip_address"] = o.From
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: server + "/firewall-rules", body: body, server: server, columns: ruleDetails})
}

func newFirewallDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = firewallDelete
	}
	var o deleteOptions
	c := command(g, &cobra.Command{
		Use: "delete SERVER RULE", Short: "Delete a rule", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.Server, o.What = args[0], args[1] }, run)
	o.flagsWithPlan(c)
	o.yesFlag(c)
	return c
}

func firewallDelete(ctx context.Context, s *session, o deleteOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	r, path, err := s.rule(ctx, server, o.What)
	if err != nil {
		return err
	}
	consequence := "The ports it allows are closed, including for established connections."
	if r.Attribute("type") == "deny" {
		consequence = "Traffic it denies is allowed if another rule allows it."
	}
	if err := s.confirm(ctx, o.Yes || o.DryRun, "rule", r.Attribute("name"), consequence); err != nil {
		return err
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodDelete, path: path, server: server, read: path, columns: ruleDetails})
}
