package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

type joinOptions struct{ Link, Name, Email string }

func newJoin(g *globals) *cobra.Command {
	var o joinOptions
	c := offline(g, &cobra.Command{
		Use: "join LINK", Short: "Accept an invitation", Args: cobra.ExactArgs(1),
		Long: "Accepts an invitation link and creates an account. The password is read from a prompt or standard input.\nIf you already have an account, pass its email address with --email and sign in to accept.",
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
	if err := safeURL(base); err != nil {
		return err
	}
	password, err := s.readSecret(ctx, "Password: ")
	if err != nil || password == "" {
		return usage("no password provided")
	}
	p, err := newPerson(base)
	if err != nil {
		return err
	}
	if o.Email == "" {
		if err := p.post(ctx, "/auth/sign-up", map[string]any{"invitation": token, "name": o.Name, "password": password}); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(s.out, "Your account was created and you joined the organization. Sign in with hostler login %s\n", cell(base))
		return nil
	}
	login := map[string]any{"email": o.Email, "password": password}
	err = p.post(ctx, "/auth/login", login)
	if asksCode(err) {
		if login["code"], err = s.readSecret(ctx, "Authentication code: "); err != nil {
			return usage("no code provided")
		}
		err = p.post(ctx, "/auth/login", login)
	}
	if err == nil {
		err = p.post(ctx, "/user/invitations", map[string]any{"invitation": token})
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(s.out, "You joined the organization.")
	return p.post(ctx, "/auth/logout", nil)
}

func asksCode(err error) bool {
	e, ok := err.(*client.Error) //nolint:errorlint // as post returns it
	return ok && e.Status == http.StatusUnprocessableEntity && len(e.Fields["code"]) > 0
}

// person calls the API like the dashboard: with a session's cookie instead of a token.
type person struct {
	base string
	http *http.Client
}

func newPerson(base string) (*person, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	h := authHTTP()
	h.Jar = jar
	return &person{base, h}, nil
}

func (p *person) post(ctx context.Context, path string, body any) error {
	raw := []byte{}
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/api"+path, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("call %s: %w", p.base, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hostler-Csrf", "1")
	res, err := p.http.Do(req)
	if err != nil {
		return fmt.Errorf("call %s: %w", p.base, err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata))
	if err != nil {
		return fmt.Errorf("call %s: %w", p.base, err)
	}
	if res.StatusCode < http.StatusMultipleChoices {
		return nil
	}
	e := &client.Error{}
	if json.Unmarshal(answer, e) != nil || e.Message == "" {
		e.Message = "the server responded with " + res.Status
	}
	e.Status = res.StatusCode
	return e
}
