package cli

import (
	"context"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
)

var serviceColumns = []column{
	attribute("NAME", "name"), attribute("VERSION", "version"), attribute("UNIT", "unit"),
	attribute("STATE", "state"), attribute("DETAIL", "detail"), attribute("LOG", "log"),
}

func newServices(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "services", Short: "Manage services: nginx, PHP, the database engine, Redis and background processes"}
	c.AddCommand(newServicesList(g, nil), newServicesAct(g, "restart", "reboot", "Restart a service", nil),
		newServicesAct(g, "reload", "reload", "Reload PHP", nil), newServicesAct(g, "stop", "stop", "Stop a service", nil))
	return c
}

func newServicesList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = servicesList
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List services and their states", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func servicesList(ctx context.Context, s *session, o named) error {
	_, server, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, server+"/services")
	if err != nil {
		return err
	}
	return s.list(rows, serviceColumns...)
}

type servicesActOptions struct {
	deleteOptions
	Server, Action string
}

func newServicesAct(g *globals, verb, action, short string, run func(context.Context, *session, servicesActOptions) error) *cobra.Command {
	if run == nil {
		run = servicesAct
	}
	o := servicesActOptions{Action: action}
	c := command(g, &cobra.Command{
		Use: verb + " SERVER SERVICE", Short: short, Args: cobra.ExactArgs(2),
		Long: "The service is nginx, mysql, postgres, redis, supervisor (all background processes), or a version of PHP such as php84.",
	}, &o, func(args []string) { o.Server, o.What = args[0], args[1] }, run)
	o.flagsWithPlan(c)
	if action == "stop" {
		o.yesFlag(c)
	}
	return c
}

func servicesAct(ctx context.Context, s *session, o servicesActOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	if o.Action == "stop" {
		if err := s.confirmAs(ctx, o.Yes || o.DryRun, "stops", "service", o.What, "Anything that depends on it fails until it is started again."); err != nil {
			return err
		}
	}
	name, body := o.What, map[string]any{"action": o.Action}
	if strings.HasPrefix(name, "php") {
		name, body["version"] = "php", name
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: server + "/services/" + name + "/actions", body: body, server: server})
}
