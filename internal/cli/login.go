package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/client/login"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
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
		Example: "  hostler login https://panel.example.com\n  hostler login https://panel.example.com --token-stdin --profile ci < token",
		Use:     "login URL", Short: "Sign in to an installation", Args: cobra.ExactArgs(1),
		Long: "Shows a URL to open in a browser on any machine, and waits until you allow access there. The session renews automatically and ends with\n" +
			"hostler logout, or after 30 days without use. For scripts, --token-stdin stores a personal access token instead.\n" +
			"Use --profile to store several logins.",
	}, func(ctx context.Context, s streams, args []string) error {
		o.URL = strings.TrimRight(args[0], "/")
		return signIn(ctx, g, s, o)
	})
	c.Flags().StringSliceVar(&o.Scopes, "scope", nil, "request only these scopes, default all; limited to your own permissions")
	c.Flags().BoolVar(&o.Token, "token", false, "prompt for a personal access token instead")
	c.Flags().BoolVar(&o.TokenStdin, "token-stdin", false, "read the token from standard input without a prompt")
	c.MarkFlagsMutuallyExclusive("scope", "token", "token-stdin")
	return c
}

func signIn(ctx context.Context, g *globals, s streams, o loginOptions) error {
	if err := login.SafeURL(o.URL); err != nil {
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
	err = g.config.Change(func(c *login.Logins) error {
		name := cmp.Or(g.Profile, login.DefaultProfile)
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
	_, _ = fmt.Fprintf(s.Out, "Signed in as %s\n", cmp.Or(text.VisibleLine(user.Attribute("email")), "a user not visible to this token"))
	if kept.Org != "" {
		_, _ = fmt.Fprintf(s.Out, "Organization %s\n", text.VisibleLine(kept.Org))
	}
	if len(slugs) > 1 {
		_, _ = fmt.Fprintln(s.Out, "Switch with hostler orgs switch: "+text.VisibleLine(strings.Join(slugs, ", ")))
	}
	return nil
}

// authenticate obtains a token: from the browser, or an existing one.
func authenticate(ctx context.Context, s streams, o loginOptions) (login.Profile, error) {
	var token string
	var err error
	switch {
	case o.TokenStdin:
		token, err = s.line(ctx)
	case o.Token:
		token, err = s.readSecret(ctx, "Token: ")
	default:
		return login.InBrowser(ctx, o.URL, o.Scopes, func(url, code string) {
			_, _ = fmt.Fprintf(s.err, "Open this URL:\n\n  %s\n\nAllow access if it shows the code %s. Waiting...\n", text.VisibleLine(url), text.VisibleLine(code))
		})
	}
	if token = strings.TrimSpace(token); err != nil || token == "" {
		return login.Profile{}, usage("no token provided")
	}
	return login.Profile{URL: o.URL, Token: token}, nil
}

func newLogout(g *globals) *cobra.Command {
	return offline(g, &cobra.Command{
		Use: "logout", Short: "Sign out",
		Long: "Ends a browser sign-in at the installation, and removes it here. A personal access token is only removed here: it\nstays valid until it is revoked.",
	}, func(ctx context.Context, s streams, _ []string) error { return logout(ctx, g, s) })
}

func logout(ctx context.Context, g *globals, s streams) error {
	p, err := g.config.Profile(g.Profile)
	if err != nil {
		return err
	}
	if p.Grant != nil {
		if err := p.Grant.Revoke(ctx); err != nil {
			_, _ = fmt.Fprintf(s.err, "%s. Revoke it in your account under Authorized applications.\n", text.Visible(err.Error()))
		}
	}
	return g.config.Change(func(c *login.Logins) error {
		name := c.Name(g.Profile)
		delete(c.Profiles, name)
		if c.Current == name {
			c.Current = ""
			for other := range c.Profiles {
				if c.Current == "" || other < c.Current {
					c.Current = other
				}
			}
		}
		_, _ = fmt.Fprintln(s.Out, "Signed out.")
		if c.Current != "" {
			_, _ = fmt.Fprintf(s.Out, "Now using the profile %s.\n", c.Current)
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
	return s.One(user, show.Attribute("user", "email"), show.Attribute("name", "name"),
		show.Column{Name: "url", Of: func(client.Resource) string { return s.url }},
		show.Column{Name: "organization", Of: func(client.Resource) string { return s.org }})
}
