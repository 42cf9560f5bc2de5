package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

func newOrgs(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "orgs", Short: "Organizations"}
	c.AddCommand(newOrgsList(g, nil), newOrgsSwitch(g, nil), newOrgsLimit(g, nil), newOrgsRetention(g, nil), newOrgsTimezone(g, nil))
	return c
}

func newOrgsList(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = orgsList
	}
	return command(g, &cobra.Command{Use: "list", Short: "List organizations"}, &none{}, nil, run)
}

func orgsList(ctx context.Context, s *session, _ none) error {
	rows, err := s.client.All(ctx, "/orgs")
	if err != nil {
		return err
	}
	return s.list(rows, column{"", func(r client.Resource) string {
		if r.Attribute("slug") == s.org {
			return "*"
		}
		return " "
	}}, attribute("SLUG", "slug"), attribute("NAME", "name"))
}

type orgsSwitchOptions struct{ Slug string }

func newOrgsSwitch(g *globals, run func(context.Context, *session, orgsSwitchOptions) error) *cobra.Command {
	if run == nil {
		run = func(ctx context.Context, s *session, o orgsSwitchOptions) error { return orgsSwitch(ctx, g, s, o) }
	}
	var o orgsSwitchOptions
	return command(g, &cobra.Command{Use: "switch SLUG", Short: "Set the default organization", Args: cobra.ExactArgs(1)}, &o,
		func(args []string) { o.Slug = args[0] }, run)
}

func orgsSwitch(ctx context.Context, g *globals, s *session, o orgsSwitchOptions) error {
	s.org = o.Slug
	path, err := s.path("")
	if err != nil {
		return err
	}
	if _, err := s.client.One(ctx, http.MethodGet, path, nil); client.IsStatus(err, http.StatusNotFound) {
		return exit(CodeNotFound, "no organization %q", o.Slug)
	} else if err != nil {
		return err
	}
	return g.config.change(func(c *config) error {
		name := c.name(g.Profile)
		p, ok := c.Profiles[name]
		if !ok || p.URL != s.url {
			return usage("no login for %s to save this to: set HOSTLER_ORG", s.url)
		}
		p.Org = o.Slug
		c.Profiles[name] = p
		_, _ = fmt.Fprintf(s.out, "Organization %s\n", cell(o.Slug))
		return nil
	})
}

type orgsLimitOptions struct{ Requests string }

func newOrgsLimit(g *globals, run func(context.Context, *session, orgsLimitOptions) error) *cobra.Command {
	if run == nil {
		run = orgsLimit
	}
	var o orgsLimitOptions
	return command(g, &cobra.Command{
		Use: "limit [REQUESTS|default]", Short: "Show or set the rate limit (requests per minute per token)",
		Args: cobra.MaximumNArgs(1),
	}, &o,
		func(args []string) { o.Requests = append(args, "")[0] }, run)
}

func orgsLimit(ctx context.Context, s *session, o orgsLimitOptions) error {
	path, err := s.path("/rate-limit")
	if err != nil {
		return err
	}
	method, body := http.MethodGet, any(nil)
	if o.Requests != "" {
		var n *int
		if o.Requests != "default" {
			given, err := strconv.Atoi(o.Requests)
			if err != nil {
				return usage("%q is not a number or default", o.Requests)
			}
			n = &given
		}
		method, body = http.MethodPut, map[string]any{"requests_per_minute": n}
	}
	r, err := s.client.One(ctx, method, path, body)
	if err != nil {
		return err
	}
	return s.one(r, column{"requests per minute", func(r client.Resource) string {
		return cmp.Or(r.Attribute("requests_per_minute"), r.Attribute("default")+" (default)")
	}},
		attribute("minimum", "minimum"), attribute("maximum", "maximum"))
}

type orgsRetentionOptions struct{ Events, Output, Audit, Deliveries string }

func newOrgsRetention(g *globals, run func(context.Context, *session, orgsRetentionOptions) error) *cobra.Command {
	if run == nil {
		run = orgsRetention
	}
	var o orgsRetentionOptions
	c := command(g, &cobra.Command{
		Use: "retention", Short: "Show or set the retention periods, in days",
		Long: "Show or set the retention periods, in days. Periods without a flag are unchanged.",
	}, &o, nil, run)
	c.Flags().StringVar(&o.Events, "events", "", "days to keep events, or default")
	c.Flags().StringVar(&o.Output, "output-of-events", "", "days to keep the output of events, or default")
	c.Flags().StringVar(&o.Audit, "audit", "", "days to keep the audit log, or default")
	c.Flags().StringVar(&o.Deliveries, "deliveries", "", "days to keep sent webhooks and notifications, or default")
	return c
}

func orgsRetention(ctx context.Context, s *session, o orgsRetentionOptions) error {
	path, err := s.path("/retention")
	if err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	kinds := []struct{ title, field, given string }{
		{"events", "events_days", o.Events},
		{"output of events", "output_days", o.Output},
		{"audit log", "audit_days", o.Audit},
		{"deliveries", "deliveries_days", o.Deliveries},
	}
	body := map[string]any{}
	var columns []column
	for _, k := range kinds {
		if k.given != "" {
			body[k.field] = nil
		}
		if k.given != "" && k.given != "default" {
			n, err := strconv.Atoi(k.given)
			if err != nil {
				return usage("%q is not a number of days or default", k.given)
			}
			body[k.field] = n
		}
		columns = append(columns, column{k.title, func(r client.Resource) string {
			return cmp.Or(r.Attribute(k.field), cmp.Or(r.Attribute("maximum_"+k.field), "forever")+" (default)")
		}})
	}
	if len(body) > 0 {
		if r, err = s.client.One(ctx, http.MethodPut, path, body); err != nil {
			return err
		}
	}
	return s.one(r, columns...)
}

type orgsTimezoneOptions struct{ Zone string }

func newOrgsTimezone(g *globals, run func(context.Context, *session, orgsTimezoneOptions) error) *cobra.Command {
	if run == nil {
		run = orgsTimezone
	}
	var o orgsTimezoneOptions
	return command(g, &cobra.Command{Use: "timezone [ZONE]", Short: "Show or set the time zone for backup schedules", Args: cobra.MaximumNArgs(1)}, &o,
		func(args []string) { o.Zone = append(args, "")[0] }, run)
}

func orgsTimezone(ctx context.Context, s *session, o orgsTimezoneOptions) error {
	path, err := s.path("/timezone")
	if err != nil {
		return err
	}
	method, body := http.MethodGet, any(nil)
	if o.Zone != "" {
		method, body = http.MethodPut, map[string]any{"timezone": o.Zone}
	}
	r, err := s.client.One(ctx, method, path, body)
	if err != nil {
		return err
	}
	return s.one(r, attribute("time zone", "timezone"))
}
