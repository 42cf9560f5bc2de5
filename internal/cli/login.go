package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

func (s *Session) login() *cobra.Command {
	var fromStdin bool
	c := &cobra.Command{Use: "login URL", Short: "Keep a token for an installation", Args: cobra.ExactArgs(1),
		Long: "Reads a personal access token from standard input, tries it, and keeps it for the commands that follow.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !fromStdin {
				_, _ = fmt.Fprint(cmd.ErrOrStderr(), "Token: ")
			}
			token := strings.TrimSpace(readLine(cmd.InOrStdin()))
			api, err := client.New(args[0], token)
			if err != nil {
				return Coded(err)
			}
			user, err := api.One(cmd.Context(), http.MethodGet, "/user", nil)
			if err != nil {
				return Coded(err)
			}
			kept := config{URL: args[0], Token: token}
			if orgs, err := api.All(cmd.Context(), "/orgs"); err == nil && len(orgs) > 0 {
				kept.Org = orgs[0].Attribute("slug")
			}
			if err := writeConfig(kept); err != nil {
				return Coded(err)
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Signed in as %s, organization %s\n", plain(user.Attribute("email")), kept.Org)
			return nil
		}}
	c.Flags().BoolVar(&fromStdin, "token-stdin", false, "do not prompt")
	return c
}

func (s *Session) logout() *cobra.Command {
	return &cobra.Command{Use: "logout", Short: "Forget the token", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return Coded(writeConfig(config{}))
	}}
}

func (s *Session) whoami() *cobra.Command {
	return &cobra.Command{Use: "whoami", Short: "Show who is signed in, and where", Args: cobra.NoArgs, RunE: s.run(func(ctx context.Context, _ []string) error {
		user, err := s.client.One(ctx, http.MethodGet, "/user", nil)
		if err != nil {
			return err
		}
		if s.Output == "json" {
			return s.json(user)
		}
		_, _ = fmt.Fprintf(s.out, "%s at %s, organization %s\n", plain(user.Attribute("email")), s.URL, s.Org)
		return nil
	})}
}

func (s *Session) orgs() *cobra.Command {
	c := &cobra.Command{Use: "orgs", Short: "Organizations"}
	c.AddCommand(&cobra.Command{Use: "list", Short: "List organizations", Args: cobra.NoArgs, RunE: s.run(func(ctx context.Context, _ []string) error {
		rows, err := s.client.All(ctx, "/orgs")
		if err != nil {
			return err
		}
		return s.show(rows, attribute("SLUG", "slug"), attribute("NAME", "name"))
	})}, &cobra.Command{Use: "switch SLUG", Short: "Choose the organization of the commands that follow", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		s.Org = args[0]
		path, err := s.path("")
		if err != nil {
			return err
		}
		if _, err := s.client.One(ctx, http.MethodGet, path, nil); err != nil {
			return err
		}
		kept, err := readConfig()
		if err != nil {
			return err
		}
		kept.Org = args[0]
		return writeConfig(kept)
	})})
	return c
}
