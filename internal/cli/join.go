package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/client/login"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

type joinOptions struct{ Link, Name, Email string }

func newJoin(g *globals) *cobra.Command {
	var o joinOptions
	c := offline(g, &cobra.Command{
		Example: "  hostler join 'https://panel.example.com/invitation#…' --name Ada",
		Use:     "join LINK", Short: "Accept an invitation", Args: cobra.ExactArgs(1),
		Long: "Creates an account; its password is read from a prompt or standard input.\nIf you have an account, pass its address with --email and sign in.",
	}, func(ctx context.Context, s streams, args []string) error {
		o.Link = args[0]
		return join(ctx, s, o)
	})
	c.Flags().StringVar(&o.Name, "name", "", "name for the new account")
	c.Flags().StringVar(&o.Email, "email", "", "email address of your existing account")
	c.MarkFlagsOneRequired("name", "email")
	c.MarkFlagsMutuallyExclusive("name", "email")
	return c
}

func join(ctx context.Context, s streams, o joinOptions) error {
	base, token, ok := strings.Cut(o.Link, "/invitation#")
	if u, err := url.Parse(base); !ok || err != nil || u.Host == "" || token == "" {
		return usage("invalid link: expected https://panel.example.com/invitation#… in quotes")
	}
	if err := login.SafeURL(base); err != nil {
		return err
	}
	password, err := s.readSecret(ctx, "Password: ")
	if err != nil || password == "" {
		return usage("no password provided")
	}
	p, err := login.NewSession(base)
	if err != nil {
		return err
	}
	if o.Email == "" {
		if err := p.Post(ctx, "/auth/sign-up", map[string]any{"invitation": token, "name": o.Name, "password": password}); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(s.Out, "Your account was created and you joined the organization. Sign in with hostler login %s\n", text.VisibleLine(base))
		return nil
	}
	credentials := map[string]any{"email": o.Email, "password": password}
	err = p.Post(ctx, "/auth/login", credentials)
	if asksCode(err) {
		if credentials["code"], err = s.readSecret(ctx, "Authentication code: "); err != nil {
			return usage("no code provided")
		}
		err = p.Post(ctx, "/auth/login", credentials)
	}
	if err == nil {
		err = p.Post(ctx, "/user/invitations", map[string]any{"invitation": token})
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(s.Out, "You joined the organization.")
	return p.Post(ctx, "/auth/logout", nil)
}

func asksCode(err error) bool {
	e, ok := err.(*client.Error) //nolint:errorlint // as post returns it
	return ok && e.Status == http.StatusUnprocessableEntity && len(e.Fields["code"]) > 0
}
