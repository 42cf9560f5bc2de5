package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var monitorColumns = []column{columnID, attribute("TYPE", "type"), attribute("OPERATOR", "operator"), {"THRESHOLD", percent}, attribute("MINUTES", "minutes"), attribute("STATE", "state"),
	attribute("CHANGED", "state_changed_at"), attribute("NOTIFY", "notify"), attribute("STATUS", "status"), columnWork}

func percent(r client.Resource) string { return fmt.Sprint(r.Value("threshold")) + "%" }

func newMonitors(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "monitors", Short: "Thresholds of load, memory and disk space"}
	c.AddCommand(newMonitorsList(g, nil), newMonitorsAdd(g, nil), newMonitorsDelete(g, nil))
	return c
}

func newMonitorsList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = monitorsList
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List monitors", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func monitorsList(ctx context.Context, s *session, o named) error {
	_, server, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, server+"/monitors")
	if err != nil {
		return err
	}
	return s.list(rows, monitorColumns...)
}

type monitorsAddOptions struct {
	changeOptions
	Server, Type, Notify string
	Above, Below         float64
	Minutes              int64
	above                bool
}

func newMonitorsAdd(g *globals, run func(context.Context, *session, monitorsAddOptions) error) *cobra.Command {
	if run == nil {
		run = monitorsAdd
	}
	var o monitorsAddOptions
	c := &cobra.Command{Use: "add SERVER TYPE", Short: "Add a monitor", Args: cobra.ExactArgs(2),
		Long: "TYPE is cpu_load, disk, used_memory or free_memory. Thresholds are in percent; a load of 100% is one program that wants to run for each CPU."}
	command(g, c, &o, func(args []string) { o.Server, o.Type, o.above = args[0], args[1], c.Flags().Changed("above") }, run)
	c.Flags().Float64Var(&o.Above, "above", 0, "alert at this or more")
	c.Flags().Float64Var(&o.Below, "below", 0, "alert at this or less")
	c.Flags().Int64Var(&o.Minutes, "minutes", 1, "for how many minutes, from 1 to 60")
	c.Flags().StringVar(&o.Notify, "notify", "", "e-mail address to notify")
	c.MarkFlagsOneRequired("above", "below")
	c.MarkFlagsMutuallyExclusive("above", "below")
	_ = c.MarkFlagRequired("notify")
	o.flagsWithPlan(c)
	return c
}

func monitorsAdd(ctx context.Context, s *session, o monitorsAddOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"type": o.Type, "operator": "lte", "threshold": o.Below, "minutes": o.Minutes, "notify": o.Notify}
	if o.above {
		body["operator"], body["threshold"] = "gte", o.Above
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: server + "/monitors", body: body, server: server, columns: monitorColumns})
}

func newMonitorsDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = monitorsDelete
	}
	var o deleteOptions
	c := command(g, &cobra.Command{Use: "delete SERVER MONITOR", Short: "Delete a monitor, by its id", Args: cobra.ExactArgs(2)}, &o, func(args []string) { o.Server, o.What = args[0], args[1] }, run)
	o.flagsWithPlan(c)
	o.yesFlag(c)
	return c
}

func monitorsDelete(ctx context.Context, s *session, o deleteOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodGet, server+"/monitors/"+o.What, nil)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, o.Yes || o.DryRun, "monitor", r.Attribute("type"), "Its threshold is no longer watched."); err != nil {
		return err
	}
	path := server + "/monitors/" + r.ID
	return s.change(ctx, o.changeOptions, change{method: http.MethodDelete, path: path, server: server, read: path, columns: monitorColumns})
}
