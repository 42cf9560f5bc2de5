package cli

import (
	"cmp"
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
	Token      bool
	TokenStdin bool
	Scopes     []string
}

func newLogin(g *globals) *cobra.Command {
	var o loginOptions
	c := offline(g, &cobra.Command{
		Use: "login URL", Short: "Sign in to an installation", Args: cobra.ExactArgs(1),
		Long: "Shows a URL to open in a browser on any machine, and waits until you allow access there. The session renews automatically and ends with\n" +
			"hostler logout, or after 30 days without use. For scripts, --token-stdin stores a personal access token instead.\n" +
			"Use --profile to store several logins.",
	}, func(ctx context.Context, s streams, args []string) error {
		o.URL = strings.TrimRight(args[0], "/")
		return login(ctx, g, s, o)
	})
	c.Flags().StringSliceVar(&o.Scopes, "scope", nil, "request only these scopes, default all; limited to your own permissions")
	c.Flags().BoolVar(&o.Token, "token", false, "prompt for a personal access token instead")
	c.Flags().BoolVar(&o.TokenStdin, "token-stdin", false, "read the token from standard input without a prompt")
	c.MarkFlagsMutuallyExclusive("scope", "token", "token-stdin")
	return c
}

func login(ctx context.Context, g *globals, s streams, o loginOptions) error {
	if err := safeURL(o.URL); err != nil {
		return err
	}
	kept, err := authenticate(ctx, s, o)
	if err != nil {
		return err
	}
	api, err := client.New(o.URL, kept.Token)
	if err != nil {
		return usage("%s", err)
	}
	user, err := api.One(ctx, http.MethodGet, "/user", nil)
	if err != nil && !(kept.Grant != nil && client.IsStatus(err, http.StatusForbidden)) { // a sign-in with narrowed scopes is still valid
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
	err = g.config.change(func(c *config) error {
		name := cmp.Or(g.Profile, defaultProfile)
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
	_, _ = fmt.Fprintf(s.out, "Signed in as %s\n", cmp.Or(cell(user.Attribute("email")), "a user not visible to this token"))
	if kept.Org != "" {
		_, _ = fmt.Fprintf(s.out, "Organization %s\n", cell(kept.Org))
	}
	if len(slugs) > 1 {
		_, _ = fmt.Fprintln(s.out, "Switch with hostler orgs switch: "+cell(strings.Join(slugs, ", ")))
	}
	return nil
}

// authenticate obtains a token: from the browser, or an existing one.
func authenticate(ctx context.Context, s streams, o loginOptions) (profile, error) {
	var token string
	var err error
	switch {
	case o.TokenStdin:
		token, err = s.line(ctx)
	case o.Token:
		token, err = s.readSecret(ctx, "Token: ")
	default:
		return inBrowser(ctx, s, o.URL, o.Scopes)
	}
	if token = strings.TrimSpace(token); err != nil || token == "" {
		return profile{}, usage("no token provided")
	}
	return profile{URL: o.URL, Token: token}, nil
}

// safeURL refuses to send a token in clear through public networks.
func safeURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return nil //nolint:nilerr // client.New says what is wrong
	}
	a, err := netip.ParseAddr(u.Hostname())
	if err != nil || !a.IsPrivate() && !a.IsLoopback() && !a.IsLinkLocalUnicast() {
		return usage("%s uses plain http on a public address: the token would be sent unencrypted; use https", text)
	}
	return nil
}

func newLogout(g *globals) *cobra.Command {
	return offline(g, &cobra.Command{
		Use: "logout", Short: "Sign out",
		Long: "Ends a browser sign-in at the installation and removes it from this machine. A personal access token is only removed from this machine: it\nstays valid until it is revoked or expires.",
	}, func(ctx context.Context, s streams, _ []string) error { return logout(ctx, g, s) })
}

func logout(ctx context.Context, g *globals, s streams) error {
	p, err := g.config.profile(g.Profile)
	if err != nil {
		return err
	}
	if p.Grant != nil {
		if err := p.Grant.revoke(ctx); err != nil {
			_, _ = fmt.Fprintf(s.err, "%s. Revoke it in your account under Authorized applications.\n", plain(err.Error()))
		}
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
			_, _ = fmt.Fprintf(s.out, "Now using the profile %s.\n", c.Current)
		}
		return nil
	})
}

func newWhoami(g *globals) *cobra.Command {
	return command(g, &cobra.Command{Use: "whoami", Short: "Show the current user and installation"}, whoami)
}

func whoami(ctx context.Context, s *session, _ []string) error {
	user, err := s.client.One(ctx, http.MethodGet, "/user", nil)
	if err != nil {
		return err
	}
	return s.one(user, attribute("user", "email"), attribute("name", "name"), column{"url", func(client.Resource) string { return s.url }},
		column{"organization", func(client.Resource) string { return s.org }})
}
