package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/show"
)

func newSites(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "sites", Short: "Sites and load-balanced sites", Args: unknownCommand, RunE: showHelp}
	c.AddCommand(newSitesRepository(g), newSitesMetrics(g))
	return c
}

func newSitesRepository(g *globals) *cobra.Command {
	var o changeOptions
	var address, branch string
	c := command(g, &cobra.Command{
		Example: "  hostler sites repository shop.example.com --branch next --dry-run",
		Use:     "repository SITE", Short: "Change a site's repository or branch", Args: cobra.ExactArgs(1),
		Long: "Changes the repository, the branch or both, used from the next deployment. Options that are not given keep their values.",
	}, func(ctx context.Context, s *session, args []string) error {
		r, server, path, err := s.site(ctx, args[0])
		if err != nil {
			return err
		}
		var now struct {
			Repository struct{ Provider, URL, Branch string }
		}
		_ = json.Unmarshal(r.Attributes, &now) // a site without a repository has none
		return s.change(ctx, o, change{
			method: http.MethodPut, path: path + "/git", server: server, columns: []show.Column{show.ID, show.Attribute("NAME", "name"), show.Work},
			body: map[string]any{
				"source_control_provider": cmp.Or(now.Repository.Provider, "custom"),
				"repository":              cmp.Or(address, now.Repository.URL),
				"branch":                  cmp.Or(branch, now.Repository.Branch, "main"),
			},
		})
	})
	c.Flags().StringVar(&address, "repository", "", "repository URL (SSH or HTTPS), or owner/name at the site's source control provider")
	c.Flags().StringVar(&branch, "branch", "", "branch to deploy")
	c.MarkFlagsOneRequired("repository", "branch")
	o.flagsWithPlan(c)
	return c
}
