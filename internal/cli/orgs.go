package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/client/login"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

func newOrgs(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "orgs", Short: "Organizations", Args: unknownCommand, RunE: showHelp}
	c.AddCommand(command(g, &cobra.Command{
		Use: "switch SLUG", Short: "Set the default organization", Args: cobra.ExactArgs(1), Example: "  hostler orgs switch acme",
	},
		func(ctx context.Context, s *session, args []string) error { return orgsSwitch(ctx, g, s, args[0]) }))
	return c
}

func orgsSwitch(ctx context.Context, g *globals, s *session, slug string) error {
	s.org = slug
	path, err := s.path("")
	if err != nil {
		return err
	}
	if _, err := s.client.One(ctx, http.MethodGet, path, nil); client.IsStatus(err, http.StatusNotFound) {
		return exit(CodeNotFound, "no organization %q", slug)
	} else if err != nil {
		return err
	}
	return g.config.Change(func(c *login.Logins) error {
		name := c.Name(g.Profile)
		p, ok := c.Profiles[name]
		if !ok || p.URL != s.url {
			return usage("no login for %s to save this to: set HOSTLER_ORG", s.url)
		}
		p.Org = slug
		c.Profiles[name] = p
		_, _ = fmt.Fprintf(s.Out, "Organization %s\n", text.VisibleLine(slug))
		return nil
	})
}
