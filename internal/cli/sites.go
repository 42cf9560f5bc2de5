package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var siteColumns = []column{
	columnID, attribute("NAME", "name"),
	{"SERVER", func(r client.Resource) string { return r.Related("server") }},
	attribute("TYPE", "app_type"), attribute("STATUS", "status"), columnWork,
}

var siteDetails = []column{
	{"id", columnID.of},
	attribute("name", "name"), attribute("url", "url"),
	{"server", func(r client.Resource) string { return r.Related("server") }},
	attribute("type", "app_type"),
	attribute("status", "status"), attribute("user", "user"), attribute("web directory", "web_directory"), attribute("php", "php_version"),
	{"balancing", func(r client.Resource) string {
		if r.Meta.Balancer == nil {
			return ""
		}
		return r.Meta.Balancer.Method
	}},
	columnTags,
	{"repository", func(r client.Resource) string { return repositoryOf(r).URL }},
	{"branch", func(r client.Resource) string { return repositoryOf(r).Branch }},
	{"operation", columnWork.of},
	attribute("created", "created_at"),
}

// repository is where the code of a site comes from; each is empty without one.
type repository struct{ Provider, URL, Branch string }

func repositoryOf(r client.Resource) repository {
	var a struct{ Repository repository }
	_ = json.Unmarshal(r.Attributes, &a) // a resource that is shown without it has none
	return a.Repository
}

func newSites(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "sites", Short: "Manage sites and load balancer nodes"}
	c.AddCommand(newSitesList(g, nil), newSitesShow(g, nil), newSitesAdd(g, nil), newSitesAddBalancer(g, nil), newSitesUpdate(g, nil), newSitesRepository(g, nil),
		newSitesDelete(g, nil), newSiteMetrics(g, nil), newNodes(g))
	return c
}

type onServer struct{ Server string }

func (o *onServer) flag(c *cobra.Command, text string) {
	c.Flags().StringVar(&o.Server, "server", "", text)
}

type sitesListOptions struct {
	onServer
	tagged
}

func newSitesList(g *globals, run func(context.Context, *session, sitesListOptions) error) *cobra.Command {
	if run == nil {
		run = sitesList
	}
	var o sitesListOptions
	c := command(g, &cobra.Command{Use: "list", Short: "List sites"}, &o, nil, run)
	o.flag(c, "only sites on this server")
	o.tagFlag(c)
	return c
}

func sitesList(ctx context.Context, s *session, o sitesListOptions) error {
	list, err := s.path("/sites")
	if err == nil && o.Server != "" {
		_, list, err = s.server(ctx, o.Server)
		list += "/sites"
	}
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, o.of(list))
	if err != nil {
		return err
	}
	return s.list(rows, siteColumns...)
}

func newSitesShow(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = sitesShow
	}
	var o named
	return command(g, &cobra.Command{Use: "show SITE", Short: "Show a site", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func sitesShow(ctx context.Context, s *session, o named) error {
	r, _, _, err := s.site(ctx, o.What)
	if err != nil {
		return err
	}
	return s.one(r, siteDetails...)
}

type sitesAddOptions struct {
	changeOptions
	onServer
	tags
	Domain, Type, WebDirectory, WWW, PHP string
	Repository, Branch                   string
	Isolated                             string
	Wildcard                             bool
	program
}

// program are the flags for what runs a site's programs.
type program struct {
	Runtime, RuntimeVersion, StartCommand string
	Limits                                []string
}

func (p *program) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.Runtime, "runtime", "", "what runs the site's programs: system, node, python, ruby or go")
	f.StringVar(&p.RuntimeVersion, "runtime-version", "", "version of the runtime node, for example 22 or 22.11.0")
	f.StringVar(&p.StartCommand, "start-command", "", "line that starts the site's own program, which listens on 127.0.0.1:$PORT")
	f.StringSliceVar(&p.Limits, "limit", nil,
		"limit of what the site may use of its server, for example memory-max=512 (MB) or cpu-quota=150 (percent); replaces all, none for no limits (repeatable)")
}

// limits reads flags like memory-max=512, which replace all; none takes all away.
func (p *program) limits() (map[string]any, error) {
	if slices.Equal(p.Limits, []string{"none"}) {
		return map[string]any{}, nil
	}
	out := map[string]any{}
	for _, one := range p.Limits {
		name, value, _ := strings.Cut(one, "=")
		name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			return nil, usage("--limit %s: it must be like memory-max=512, with a whole number", one)
		}
		out[name] = n
	}
	return out, nil
}

func (p *program) fill(body map[string]any) error {
	if len(p.Limits) > 0 {
		limits, err := p.limits()
		if err != nil {
			return err
		}
		body["limits"] = limits
	}
	for field, value := range map[string]string{"runtime": p.Runtime, "runtime_version": p.RuntimeVersion, "start_command": p.StartCommand} {
		if value != "" {
			body[field] = value
		}
	}
	return nil
}

func newSitesAdd(g *globals, run func(context.Context, *session, sitesAddOptions) error) *cobra.Command {
	if run == nil {
		run = sitesAdd
	}
	var o sitesAddOptions
	c := command(g, &cobra.Command{
		Use: "add DOMAIN --server SERVER", Short: "Create a site", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.Domain = args[0] }, run)
	o.flag(c, "server name or ID")
	o.tagsFlag(c, "tag (repeatable)")
	f := c.Flags()
	f.StringVar(&o.Type, "type", "php", "php, laravel, symfony, statamic, wordpress, phpmyadmin, nextjs, nuxtjs, static-html, other or custom")
	f.StringVar(&o.Repository, "repository", "", "repository URL (SSH or HTTPS)")
	f.StringVar(&o.Branch, "branch", "", "branch to deploy (default: main)")
	f.StringVar(&o.WebDirectory, "web-directory", "", "web directory, relative to the site's directory")
	f.StringVar(&o.WWW, "www", "", "www redirect: to-www or from-www")
	f.StringVar(&o.PHP, "php", "", "PHP version, for example php84 (default: the server's)")
	f.StringVar(&o.Isolated, "user", "", "isolated user to run the site as")
	f.BoolVar(&o.Wildcard, "wildcard", false, "include all subdomains")
	o.program.flags(c)
	o.flagsWithPlan(c)
	_ = c.MarkFlagRequired("server")
	return c
}

func sitesAdd(ctx context.Context, s *session, o sitesAddOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"type": o.Type, "name": o.Domain}
	for field, value := range map[string]string{
		"web_directory":     o.WebDirectory,
		"www_redirect_type": o.WWW,
		"php_version":       o.PHP,
		"isolated_user":     o.Isolated,
		"repository":        o.Repository,
		"branch":            o.Branch,
	} {
		if value != "" {
			body[field] = value
		}
	}
	if o.Repository != "" && (o.Type == "laravel" || o.Type == "symfony" || o.Type == "statamic") {
		body["install_composer_dependencies"] = true // without their packages none of them runs
	}
	if o.Isolated != "" {
		body["is_isolated"] = true
	}
	if o.Wildcard {
		body["allow_wildcard_subdomains"] = true
	}
	if err := o.fill(body); err != nil {
		return err
	}
	o.put(body)
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: server + "/sites", body: body, server: server, columns: siteDetails})
}

type sitesUpdateOptions struct {
	changeOptions
	tags
	Site              string
	WebDirectory, PHP string
	program
}

func newSitesUpdate(g *globals, run func(context.Context, *session, sitesUpdateOptions) error) *cobra.Command {
	if run == nil {
		run = sitesUpdate
	}
	var o sitesUpdateOptions
	c := command(g, &cobra.Command{
		Use: "update SITE", Short: "Change a site's settings", Args: cobra.ExactArgs(1),
		Long: "Changes settings of a site. Options that are not given keep their values.",
	}, &o, func(args []string) { o.Site = args[0] }, run)
	c.Flags().StringVar(&o.WebDirectory, "web-directory", "", "web directory, relative to the site's directory")
	c.Flags().StringVar(&o.PHP, "php", "", "PHP version, for example php84")
	o.replaceTagsFlag(c)
	o.program.flags(c)
	c.MarkFlagsOneRequired("web-directory", "php", "tag", "runtime", "runtime-version", "start-command", "limit")
	o.flagsWithPlan(c)
	return c
}

func sitesUpdate(ctx context.Context, s *session, o sitesUpdateOptions) error {
	r, server, path, err := s.site(ctx, o.Site)
	if err != nil {
		return err
	}
	body := map[string]any{}
	if o.WebDirectory != "" {
		body["directory"] = o.WebDirectory
	}
	if o.PHP != "" {
		body["php_version"] = o.PHP
	}
	if err := o.fill(body); err != nil {
		return err
	}
	o.put(body)
	return s.changeSite(ctx, o.changeOptions, r, change{method: http.MethodPut, path: path, body: body, server: server})
}

type repositoryOptions struct {
	changeOptions
	Site, Repository, Branch string
}

func newSitesRepository(g *globals, run func(context.Context, *session, repositoryOptions) error) *cobra.Command {
	if run == nil {
		run = sitesRepository
	}
	var o repositoryOptions
	c := command(g, &cobra.Command{
		Use: "repository SITE", Short: "Change a site's repository or branch", Args: cobra.ExactArgs(1),
		Long: "Changes the repository, the branch or both, used from the next deployment. Options that are not given keep their values.",
	}, &o, func(args []string) { o.Site = args[0] }, run)
	f := c.Flags()
	f.StringVar(&o.Repository, "repository", "", "repository URL (SSH or HTTPS), or owner/name at the site's source control provider")
	f.StringVar(&o.Branch, "branch", "", "branch to deploy")
	c.MarkFlagsOneRequired("repository", "branch")
	o.flagsWithPlan(c)
	return c
}

func sitesRepository(ctx context.Context, s *session, o repositoryOptions) error {
	r, server, path, err := s.site(ctx, o.Site)
	if err != nil {
		return err
	}
	now := repositoryOf(r)
	return s.changeSite(ctx, o.changeOptions, r, change{
		method: http.MethodPut, path: path + "/git", server: server,
		body: map[string]any{
			"source_control_provider": cmp.Or(now.Provider, "custom"),
			"repository":              cmp.Or(o.Repository, now.URL),
			"branch":                  cmp.Or(o.Branch, cmp.Or(now.Branch, "main")),
		},
	})
}

func newSitesDelete(g *globals, run func(context.Context, *session, siteDeleteOptions) error) *cobra.Command {
	if run == nil {
		run = sitesDelete
	}
	var o siteDeleteOptions
	c := command(g, &cobra.Command{Use: "delete SITE", Short: "Delete a site", Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	c.Flags().BoolVar(&o.KeepHome, "keep-home", false, "with the last site of an isolated account, keep the account's home for root (/home/.hostler-kept)")
	o.flagsWithPlan(c)
	o.yesFlag(c)
	return c
}

type siteDeleteOptions struct {
	deleteOptions
	KeepHome bool
}

func sitesDelete(ctx context.Context, s *session, o siteDeleteOptions) error {
	r, server, path, err := s.site(ctx, o.What)
	if err != nil {
		return err
	}
	goes := "The site stops responding. The last site of an isolated account takes the account and its home along."
	if o.KeepHome {
		path += "?keep_home=true"
		goes = "The site stops responding. The last site of an isolated account takes the account along; its home is kept for root."
	}
	if err := s.confirm(ctx, o.Yes || o.DryRun, "site", r.Attribute("name"), goes); err != nil {
		return err
	}
	return s.changeSite(ctx, o.changeOptions, r, change{method: http.MethodDelete, path: path, server: server})
}

// changeSite is change for an existing site, which is read again and shown.
func (s *session) changeSite(ctx context.Context, o changeOptions, site client.Resource, c change) error {
	var err error
	if c.read, err = s.path("/sites/%s", site.ID); err != nil {
		return err
	}
	c.columns = siteDetails
	return s.change(ctx, o, c)
}
