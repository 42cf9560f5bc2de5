package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

type loginOptions struct {
	URL        string
	TokenStdin bool
}

func newLogin(g *globals, run func(context.Context, *globals, streams, loginOptions) error) *cobra.Command {
	if run == nil {
		run = login
	}
	var o loginOptions
	c := &cobra.Command{Use: "login URL", Short: "Keep a token for an installation", Args: cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Reads a personal access token, tries it, and keeps it for the commands that follow.\nWith --profile several logins are kept beside each other.",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.URL = strings.TrimRight(args[0], "/")
			return coded(run(cmd.Context(), g, g.streams(cmd), o))
		}}
	c.Flags().BoolVar(&o.TokenStdin, "token-stdin", false, "read the token from standard input without asking for it")
	return c
}

func login(ctx context.Context, g *globals, s streams, o loginOptions) error {
	if err := safeURL(o.URL); err != nil {
		return err
	}
	var token string
	var err error
	if o.TokenStdin {
		token, err = s.line(ctx)
	} else {
		token, err = s.readSecret(ctx, "Token: ")
	}
	if err != nil {
		return usage("no token was given")
	}
	api, err := client.New(o.URL, strings.TrimSpace(token))
	if err != nil {
		return usage("%s", err)
	}
	user, err := api.One(ctx, http.MethodGet, "/user", nil)
	if err != nil {
		return err
	}
	orgs, err := api.All(ctx, "/orgs")
	if err != nil && !client.IsStatus(err, http.StatusForbidden) { // a token may lack the scope
		return err
	}
	var slugs []string
	for _, r := range orgs {
		slugs = append(slugs, r.Attribute("slug"))
	}
	kept := profile{URL: o.URL, Token: strings.TrimSpace(token)}
	err = g.config.change(func(c *config) error {
		name := or(g.Profile, defaultProfile)
		before := c.Profiles[name]
		switch {
		case g.Org != "":
			kept.Org = g.Org
		case before.URL == o.URL && slices.Contains(slugs, before.Org):
			kept.Org = before.Org
		case len(slugs) > 0:
			kept.Org = slugs[0]
		}
		c.Current, c.Profiles[name] = name, kept
		return nil
	})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.out, "Signed in as %s\n", cell(user.Attribute("email")))
	if kept.Org != "" {
		_, _ = fmt.Fprintf(s.out, "Organization %s\n", cell(kept.Org))
	}
	if len(slugs) > 1 {
		_, _ = fmt.Fprintln(s.out, "Others can be chosen with hostler orgs switch: "+cell(strings.Join(slugs, ", ")))
	}
	return nil
}

// safeURL refuses to send a token through other people's networks in the open.
func safeURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return nil //nolint:nilerr // client.New says what is wrong
	}
	a, err := netip.ParseAddr(u.Hostname())
	if err != nil || !a.IsPrivate() && !a.IsLoopback() && !a.IsLinkLocalUnicast() {
		return usage("%s is plain http and no private address: the token would cross the network in the open; use https", text)
	}
	return nil
}

func newLogout(g *globals, run func(context.Context, *globals, streams, none) error) *cobra.Command {
	if run == nil {
		run = logout
	}
	return &cobra.Command{Use: "logout", Short: "Forget the token of this machine", Args: cobra.NoArgs, Long: "Forgets the token. It stays valid until it is revoked or expires.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return coded(run(cmd.Context(), g, g.streams(cmd), none{}))
		}}
}

func logout(_ context.Context, g *globals, s streams, _ none) error {
	if _, err := g.config.profile(g.Profile); err != nil {
		return err
	}
	return g.config.change(func(c *config) error {
		name := c.name(g.Profile)
		delete(c.Profiles, name)
		if c.Current == name {
			c.Current = ""
			for other := range c.Profiles {
				if c.Current == "" || other < c.Current {
					c.Current = other
				}
			}
		}
		_, _ = fmt.Fprintln(s.out, "Signed out.")
		if c.Current != "" {
			_, _ = fmt.Fprintf(s.out, "The profile %s is used now.\n", c.Current)
		}
		return nil
	})
}

func newWhoami(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = whoami
	}
	return command(g, &cobra.Command{Use: "whoami", Short: "Show who is signed in, and where"}, &none{}, nil, run)
}

func whoami(ctx context.Context, s *session, _ none) error {
	user, err := s.client.One(ctx, http.MethodGet, "/user", nil)
	if err != nil {
		return err
	}
	return s.one(user, attribute("user", "email"), attribute("name", "name"), column{"url", func(client.Resource) string { return s.url }},
		column{"organization", func(client.Resource) string { return s.org }})
}
