package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// siteLogs maps the words of the command line to the logs of sites.
var siteLogs = map[string]string{"access": "nginx-access", "error": "nginx-error", "application": "application"}

type logsOptions struct {
	changeOptions
	What, Log, Search string
	Lines             int
	Clear             bool
}

func newLogs(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "logs", Short: "Logs of sites and servers"}
	c.AddCommand(newLogsSite(g, nil), newLogsServer(g, nil))
	return c
}

func (o *logsOptions) logFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Search, "search", "", "only lines with this text")
	f.IntVar(&o.Lines, "lines", 100, "maximum number of lines")
	f.BoolVar(&o.Clear, "clear", false, "empty the log instead of showing it")
	o.flagsWithPlan(c)
}

func newLogsSite(g *globals, run func(context.Context, *session, logsOptions) error) *cobra.Command {
	if run == nil {
		run = logsSite
	}
	var o logsOptions
	c := command(g, &cobra.Command{
		Use: "site SITE [access|error|application]", Short: "Show a log of a site", Args: cobra.RangeArgs(1, 2),
	}, &o, func(args []string) {
		o.What, o.Log = args[0], "application"
		if len(args) > 1 {
			o.Log = args[1]
		}
	}, run)
	o.logFlags(c)
	return c
}

func logsSite(ctx context.Context, s *session, o logsOptions) error {
	kind, ok := siteLogs[o.Log]
	if !ok {
		return usage("there is no log %q: give access, error or application", o.Log)
	}
	_, server, path, err := s.site(ctx, o.What)
	if err != nil {
		return err
	}
	return s.log(ctx, o, path+"/logs/"+kind, server)
}

func newLogsServer(g *globals, run func(context.Context, *session, logsOptions) error) *cobra.Command {
	if run == nil {
		run = logsServer
	}
	var o logsOptions
	c := command(g, &cobra.Command{
		Use:   "server SERVER LOG",
		Short: "Show a log of a server: nginx-access, nginx-error, database, auth, system, packages, upgrades, php84",
		Args:  cobra.ExactArgs(2),
	}, &o,
		func(args []string) { o.What, o.Log = args[0], args[1] }, run)
	o.logFlags(c)
	return c
}

func logsServer(ctx context.Context, s *session, o logsOptions) error {
	_, server, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	return s.log(ctx, o, server+"/logs/"+url.PathEscape(o.Log), server)
}

// log shows the contents of a log, or empties it.
func (s *session) log(ctx context.Context, o logsOptions, path, server string) error {
	if o.Clear {
		return s.change(ctx, o.changeOptions, change{method: http.MethodDelete, path: path, server: server})
	}
	query := url.Values{"lines": {strconv.Itoa(o.Lines)}}
	if o.Search != "" {
		query.Set("search", o.Search)
	}
	r, err := s.client.One(ctx, http.MethodGet, path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	if s.json {
		return s.one(r)
	}
	_, err = fmt.Fprint(s.out, printable(r.Attribute("content")))
	return err
}

// printable removes from a log what a terminal would interpret: sites write what visitors send them.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, text)
}
