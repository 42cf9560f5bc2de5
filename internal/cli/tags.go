package cli

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// tagged is the filter of lists whose resources have tags.
type tagged struct{ Tag string }

func (o *tagged) tagFlag(c *cobra.Command) {
	c.Flags().StringVar(&o.Tag, "tag", "", "only those with this tag")
}

// of returns the list's path with the filter.
func (o *tagged) of(list string) string {
	if o.Tag == "" {
		return list
	}
	return list + "?" + url.Values{"filter[tag]": {o.Tag}}.Encode()
}

// columnTags shows tags.
var columnTags = column{"tags", func(r client.Resource) string { return strings.Join(r.Meta.Tags, ", ") }}

// tags is the flag of commands that set tags; nil leaves them.
type tags struct{ Tags []string }

func (o *tags) flag(c *cobra.Command, text string) {
	c.Flags().StringArrayVar(&o.Tags, "tag", nil, text)
}

// replaceFlag is flag where existing tags are replaced.
func (o *tags) replaceFlag(c *cobra.Command) {
	o.flag(c, "tag; replaces all existing tags (repeatable, empty for none)")
}

// put adds the tags to a request; a single empty one means none.
func (o *tags) put(body map[string]any) {
	switch {
	case o.Tags == nil:
	case len(o.Tags) == 1 && o.Tags[0] == "":
		body["tags"] = []string{}
	default:
		body["tags"] = o.Tags
	}
}

type sitesUpdateOptions struct {
	changeOptions
	tags
	Site              string
	WebDirectory, PHP string
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
	o.replaceFlag(c)
	c.MarkFlagsOneRequired("web-directory", "php", "tag")
	o.flagsWithPlan(c)
	return c
}

func sitesUpdate(ctx context.Context, s *session, o sitesUpdateOptions) error {
	r, server, path, err := s.site(ctx, o.Site)
	if err != nil {
		return err
	}
	read, err := s.path("/sites/%s", r.ID)
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
	o.put(body)
	return s.change(ctx, o.changeOptions, change{method: http.MethodPut, path: path, body: body, server: server, read: read, columns: siteDetails})
}
