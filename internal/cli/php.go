package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var phpColumns = []column{columnID, attribute("VERSION", "version"), attribute("PROGRAM", "binary_name"), attribute("STATUS", "status"), columnWork}

func newPHP(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "php", Short: "Manage PHP versions and their configurations"}
	c.AddCommand(newPHPList(g, nil), newPHPInstall(g, nil), newPHPChange(g, "upgrade", http.MethodPut, "Upgrade the packages of a version", nil),
		newPHPChange(g, "remove", http.MethodDelete, "Remove a version that no site uses", nil), newPHPDefault(g, nil), newPHPConfig(g, nil), newPHPEdit(g, nil),
		newPHPSet(g, nil))
	return c
}

func newPHPList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = phpList
	}
	var o named
	return command(g, &cobra.Command{Use: "list SERVER", Short: "List versions", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func phpList(ctx context.Context, s *session, o named) error {
	_, server, err := s.server(ctx, o.What)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, server+"/php/versions")
	if err != nil {
		return err
	}
	return s.list(rows, phpColumns...)
}

type phpInstallOptions struct {
	changeOptions
	Server, Version string
	CLI, Sites      bool
}

func newPHPInstall(g *globals, run func(context.Context, *session, phpInstallOptions) error) *cobra.Command {
	if run == nil {
		run = phpInstall
	}
	var o phpInstallOptions
	c := &cobra.Command{Use: "install SERVER VERSION", Short: "Install a version, such as 8.4", Args: cobra.ExactArgs(2)}
	command(g, c, &o, func(args []string) { o.Server, o.Version = args[0], args[1] }, run)
	c.Flags().BoolVar(&o.CLI, "cli-default", false, "make it the default php on the command line")
	c.Flags().BoolVar(&o.Sites, "site-default", false, "make it the default version of new sites")
	o.flagsWithPlan(c)
	return c
}

func phpInstall(ctx context.Context, s *session, o phpInstallOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"version": "php" + digits(o.Version), "cli_default": o.CLI, "site_default": o.Sites}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: server + "/php/versions", body: body, server: server})
}

// digits returns those of a version: 84 for 8.4 and php84.
func digits(version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(version, "php"), ".", "")
}

// phpVersion finds a version of a server by its name, such as 8.4 or php84.
func phpVersion(ctx context.Context, s *session, server, name string) (client.Resource, error) {
	rows, err := s.client.All(ctx, server+"/php/versions")
	if err != nil {
		return client.Resource{}, err
	}
	for _, r := range rows {
		if digits(r.Attribute("version")) == digits(name) {
			return r, nil
		}
	}
	return client.Resource{}, fmt.Errorf("the server does not have PHP %s", name)
}

type phpChangeOptions struct {
	deleteOptions
	Method string
}

func newPHPChange(g *globals, verb, method, short string, run func(context.Context, *session, phpChangeOptions) error) *cobra.Command {
	if run == nil {
		run = phpChange
	}
	o := phpChangeOptions{Method: method}
	c := command(g, &cobra.Command{Use: verb + " SERVER VERSION", Short: short, Args: cobra.ExactArgs(2)}, &o,
		func(args []string) { o.Server, o.What = args[0], args[1] }, run)
	o.flagsWithPlan(c)
	if method == http.MethodDelete {
		o.yesFlag(c)
	}
	return c
}

func phpChange(ctx context.Context, s *session, o phpChangeOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	r, err := phpVersion(ctx, s, server, o.What)
	if err != nil {
		return err
	}
	if o.Method == http.MethodDelete {
		if err := s.confirm(ctx, o.Yes || o.DryRun, "PHP", r.Attribute("version"), "Its packages and settings are removed from the server."); err != nil {
			return err
		}
	}
	return s.change(ctx, o.changeOptions, change{method: o.Method, path: server + "/php/versions/" + r.ID, server: server})
}

type phpDefaultOptions struct {
	changeOptions
	Server, Version string
	CLI             bool
}

func newPHPDefault(g *globals, run func(context.Context, *session, phpDefaultOptions) error) *cobra.Command {
	if run == nil {
		run = phpDefault
	}
	var o phpDefaultOptions
	c := &cobra.Command{Use: "default SERVER VERSION", Short: "Set the default version of new sites, or of the command line", Args: cobra.ExactArgs(2)}
	command(g, c, &o, func(args []string) { o.Server, o.Version = args[0], args[1] }, run)
	c.Flags().BoolVar(&o.CLI, "cli", false, "set the default of the command line")
	o.flags(c)
	return c
}

func phpDefault(ctx context.Context, s *session, o phpDefaultOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	r, err := phpVersion(ctx, s, server, o.Version)
	if err != nil {
		return err
	}
	path := map[bool]string{true: "/php/cli-version", false: "/php/site-version"}[o.CLI]
	return s.change(ctx, o.changeOptions, change{
		method: http.MethodPut, path: server + path, body: map[string]any{"php_version": r.Attribute("version")},
		server: server,
	})
}

type phpConfigOptions struct {
	changeOptions
	Server, Version, Which, User, File string
}

func newPHPConfig(g *globals, run func(context.Context, *session, phpConfigOptions) error) *cobra.Command {
	if run == nil {
		run = phpConfig
	}
	var o phpConfigOptions
	c := &cobra.Command{Use: "config SERVER VERSION fpm|cli|pool", Short: "Print a configuration", Args: cobra.ExactArgs(3)}
	command(g, c, &o, func(args []string) { o.Server, o.Version, o.Which = args[0], args[1], args[2] }, run)
	c.Flags().StringVar(&o.User, "user", "", "with pool: the account of an isolated site (default forge)")
	return c
}

// at returns where a configuration is.
func (o phpConfigOptions) at(ctx context.Context, s *session) (server, path string, err error) {
	if _, server, err = s.server(ctx, o.Server); err != nil {
		return "", "", err
	}
	r, err := phpVersion(ctx, s, server, o.Version)
	return server, server + "/php/versions/" + r.ID + "/configs/" + o.Which, err
}

func phpConfig(ctx context.Context, s *session, o phpConfigOptions) error {
	_, path, err := o.at(ctx, s)
	if err != nil {
		return err
	}
	if o.User != "" {
		path += "?user=" + url.QueryEscape(o.User)
	}
	r, err := s.client.One(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.out, r.Attribute("configuration"))
	return err
}

func newPHPEdit(g *globals, run func(context.Context, *session, phpConfigOptions) error) *cobra.Command {
	if run == nil {
		run = phpEdit
	}
	var o phpConfigOptions
	c := &cobra.Command{Use: "configure SERVER VERSION fpm|cli|pool FILE", Short: "Replace a configuration with a file", Args: cobra.ExactArgs(4)}
	command(g, c, &o, func(args []string) { o.Server, o.Version, o.Which, o.File = args[0], args[1], args[2], args[3] }, run)
	c.Flags().StringVar(&o.User, "user", "", "with pool: the account of an isolated site (default forge)")
	o.flagsWithPlan(c)
	return c
}

func phpEdit(ctx context.Context, s *session, o phpConfigOptions) error {
	text, err := os.ReadFile(o.File)
	if err != nil {
		return err
	}
	server, path, err := o.at(ctx, s)
	if err != nil {
		return err
	}
	body := map[string]any{"config": string(text)}
	if o.User != "" {
		body["user"] = o.User
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPut, path: path, body: body, server: server})
}

type phpSetOptions struct {
	changeOptions
	Server, Name, Value string
}

func newPHPSet(g *globals, run func(context.Context, *session, phpSetOptions) error) *cobra.Command {
	if run == nil {
		run = phpSet
	}
	var o phpSetOptions
	c := &cobra.Command{
		Use: "set SERVER upload|time|opcache VALUE", Short: "Set the upload size limit, the execution time limit, or OPcache, for all versions",
		Args: cobra.ExactArgs(3),
		Long: "VALUE is megabytes for upload, seconds for time, and on or off for opcache. 0 is PHP's own limit.",
	}
	command(g, c, &o, func(args []string) { o.Server, o.Name, o.Value = args[0], args[1], args[2] }, run)
	o.flagsWithPlan(c)
	return c
}

func phpSet(ctx context.Context, s *session, o phpSetOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	ask := change{method: http.MethodPut, server: server}
	switch o.Name {
	case "upload", "time":
		name := map[string]string{"upload": "max_upload_size", "time": "max_execution_time"}[o.Name]
		n, err := strconv.ParseInt(o.Value, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", o.Value)
		}
		ask.path, ask.body = server+"/php/"+strings.ReplaceAll(name, "_", "-"), map[string]any{name: n}
	case "opcache":
		method := map[string]string{"on": http.MethodPost, "off": http.MethodDelete}[o.Value]
		if method == "" {
			return fmt.Errorf("opcache is on or off, not %q", o.Value)
		}
		ask.method, ask.path = method, server+"/php/opcache"
	default:
		return fmt.Errorf("there is no setting %q: it is upload, time or opcache", o.Name)
	}
	return s.change(ctx, o.changeOptions, ask)
}
