package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var monitorColumns = []column{
	columnID, attribute("TYPE", "type"), attribute("OPERATOR", "operator"),
	{"THRESHOLD", threshold},
	attribute("MINUTES", "minutes"), attribute("STATE", "state"),
	attribute("CHANGED", "state_changed_at"), attribute("NOTIFY", "notify"), attribute("STATUS", "status"), columnWork,
}

// threshold is what a monitor alerts at; one of a URL alerts when that fails.
func threshold(r client.Resource) string {
	if r.Meta.Monitor != nil && r.Meta.Monitor.URL != "" {
		return r.Meta.Monitor.URL
	}
	unit, other := map[string]string{"certificate_days": " days", "reboot_required": ""}[r.Attribute("type")]
	if !other {
		unit = "%"
	}
	return fmt.Sprint(r.Value("threshold")) + unit
}

func newMonitors(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "monitors", Short: "Manage monitors of load, memory, disk space, reboots, certificates and URLs"}
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
	URL                  string
	Above, Below         float64
	Minutes              int64
	above, below         bool
}

func newMonitorsAdd(g *globals, run func(context.Context, *session, monitorsAddOptions) error) *cobra.Command {
	if run == nil {
		run = monitorsAdd
	}
	var o monitorsAddOptions
	c := &cobra.Command{
		Use: "add SERVER TYPE", Short: "Add a monitor", Args: cobra.ExactArgs(2),
		Long: `TYPE is one of:
  cpu_load                   percent; at 100 one program wants to run for each CPU
  disk, inodes               percent of the disk of / that is used
  used_memory, free_memory   percent
  certificate_days           days until the first certificate of a site ends, with --below
  reboot_required            updates wait for a reboot; takes no threshold
  url                        what --url says answers with an error, or not at all; takes no threshold`,
	}
	command(g, c, &o, func(args []string) {
		o.Server, o.Type, o.above, o.below = args[0], args[1], c.Flags().Changed("above"), c.Flags().Changed("below")
	}, run)
	c.Flags().Float64Var(&o.Above, "above", 0, "alert at this value or more")
	c.Flags().Float64Var(&o.Below, "below", 0, "alert at this value or less")
	c.Flags().Int64Var(&o.Minutes, "minutes", 1, "number of minutes, from 1 to 60")
	c.Flags().StringVar(&o.URL, "url", "", "URL to request every minute, for the type url")
	c.Flags().StringVar(&o.Notify, "notify", "", "email address to notify")
	c.MarkFlagsMutuallyExclusive("above", "below")
	_ = c.MarkFlagRequired("notify")
	o.flagsWithPlan(c)
	return c
}

func monitorsAdd(ctx context.Context, s *session, o monitorsAddOptions) error {
	if (o.Type == "reboot_required" || o.Type == "url") && !o.above && !o.below {
		o.above, o.Above = true, 1
	}
	if !o.above && !o.below {
		return errors.New("set the threshold with --above or --below")
	}
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"type": o.Type, "operator": "lte", "threshold": o.Below, "minutes": o.Minutes, "notify": o.Notify}
	if o.above {
		body["operator"], body["threshold"] = "gte", o.Above
	}
	if o.URL != "" {
		body["url"] = o.URL
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: server + "/monitors", body: body, server: server, columns: monitorColumns})
}

func newMonitorsDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = monitorsDelete
	}
	var o deleteOptions
	c := command(g, &cobra.Command{Use: "delete SERVER MONITOR", Short: "Delete a monitor by its ID", Args: cobra.ExactArgs(2)}, &o, func(args []string) { o.Server, o.What = args[0], args[1] }, run)
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
	if err := s.confirm(ctx, o.Yes || o.DryRun, "monitor", r.Attribute("type"), "Its threshold is no longer monitored."); err != nil {
		return err
	}
	path := server + "/monitors/" + r.ID
	return s.change(ctx, o.changeOptions, change{method: http.MethodDelete, path: path, server: server, read: path, columns: monitorColumns})
}
