package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"
)

var (
	processColumns = []column{
		columnID, attribute("COMMAND", "command"), attribute("USER", "user"),
		attribute("PROCESSES", "processes"), attribute("STATUS", "status"), columnWork,
	}
	processDetails = []column{
		{"id", columnID.of},
		attribute("command", "command"), attribute("user", "user"),
		attribute("directory", "directory"), attribute("processes", "processes"), attribute("status", "status"),
		{"operation", columnWork.of},
	}
)

func newProcesses(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "processes", Short: "Manage background processes"}
	c.AddCommand(newProcessesList(g, nil), newProcessesAdd(g, nil), newProcessesDelete(g, nil), newProcessesLog(g, nil))
	for action, short := range map[string]string{
		"start": "Start a process", "stop": "Stop a process; it stays stopped after a reboot",
		"restart": "Restart a process",
	} {
		c.AddCommand(newProcessesAction(g, action, short, nil))
	}
	return c
}

func newProcessesList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o named) error {
			return s.listBelow(ctx, o.What, "/background-processes", processColumns)
		}
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List processes", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

type processesAddOptions struct {
	changeOptions
	Server, Command, Name, User, Directory string
	Processes                              int
}

func newProcessesAdd(g *globals, run func(context.Context, *session, processesAddOptions) error) *cobra.Command {
	if run == nil {
		run = processesAdd
	}
	var o processesAddOptions
	c := command(g, &cobra.Command{
		Use: "add SERVER COMMAND", Short: "Create a process", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.Server, o.Command = args[0], args[1] }, run)
	f := c.Flags()
	f.StringVar(&o.Name, "name", "", "name (default: the command)")
	f.StringVar(&o.User, "user", "forge", "user to run as")
	f.StringVar(&o.Directory, "directory", "", "working directory (default: the user's home directory)")
	f.IntVar(&o.Processes, "processes", 1, "number of instances")
	o.flagsWithPlan(c)
	return c
}

func processesAdd(ctx context.Context, s *session, o processesAddOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"name": o.Name, "command": o.Command, "user": o.User, "processes": o.Processes}
	if o.Name == "" {
		body["name"] = o.Command
	}
	if o.Directory != "" {
		body["directory"] = o.Directory
	}
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPost, path: server + "/background-processes", body: body, server: server, columns: processDetails,
	})
}

type processOptions struct {
	changeOptions
	Server, ID string
}

func (o *processOptions) set(args []string) { o.Server, o.ID = args[0], args[1] }

// process returns the path of a process and that of its server.
func (s *session) process(ctx context.Context, o processOptions) (server, path string, err error) {
	_, server, err = s.server(ctx, o.Server)
	if err != nil {
		return "", "", err
	}
	r, err := s.client.One(ctx, http.MethodGet, server+"/background-processes/"+o.ID, nil)
	return server, server + "/background-processes/" + r.ID, err
}

func newProcessesAction(g *globals, action, short string, run func(context.Context, *session, processOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o processOptions) error {
			server, path, err := s.process(ctx, o)
			if err != nil {
				return err
			}
			return s.change(ctx, o.changeOptions, change{
				method: http.MethodPost, path: path + "/actions", body: map[string]any{"action": action}, server: server,
				read: path, columns: processDetails,
			})
		}
	}
	var o processOptions
	c := command(g, &cobra.Command{Use: action + " SERVER ID", Short: short, Args: cobra.ExactArgs(2)}, &o, o.set, run)
	o.flagsWithPlan(c)
	return c
}

type processDeleteOptions struct {
	processOptions
	Yes bool
}

func newProcessesDelete(g *globals, run func(context.Context, *session, processDeleteOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o processDeleteOptions) error {
			server, path, err := s.process(ctx, o.processOptions)
			if err != nil {
				return err
			}
			if err := s.confirm(ctx, o.Yes || o.DryRun, "process", o.ID, "The process is stopped and its output is deleted."); err != nil {
				return err
			}
			return s.change(ctx, o.changeOptions, change{method: http.MethodDelete, path: path, server: server, read: path, columns: processDetails})
		}
	}
	var o processDeleteOptions
	c := command(g, &cobra.Command{Use: "delete SERVER ID", Short: "Delete a process", Args: cobra.ExactArgs(2)}, &o, func(args []string) { o.set(args) }, run)
	o.flagsWithPlan(c)
	c.Flags().BoolVar(&o.Yes, "yes", false, "skip the confirmation")
	return c
}

func newProcessesLog(g *globals, run func(context.Context, *session, logsOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o logsOptions) error {
			server, path, err := s.process(ctx, processOptions{Server: o.What, ID: o.Log})
			if err != nil {
				return err
			}
			if o.Clear {
				return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: path + "/actions", body: map[string]any{"action": "empty-log"}, server: server})
			}
			return s.log(ctx, o, path+"/log", server)
		}
	}
	var o logsOptions
	c := command(g, &cobra.Command{
		Use: "log SERVER ID", Short: "Show a process's output", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.What, o.Log = args[0], args[1] }, run)
	o.logFlags(c)
	return c
}
