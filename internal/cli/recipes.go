package cli

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/show"
)

func newRecipes(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "recipes", Short: "Recipes of the organization", Args: unknownCommand, RunE: showHelp}
	var o changeOptions
	var servers []string
	var email, shipped bool
	run := command(g, &cobra.Command{
		Example: "  hostler recipes run uptime --server web-1 --server web-2 --wait",
		Use:     "run RECIPE --server SERVER", Short: "Run a recipe on servers", Args: cobra.ExactArgs(1),
		Long: "Runs on all servers in parallel. With --wait, the exit status is 5 if a run failed.",
	}, func(ctx context.Context, s *session, args []string) error {
		list := "/forge-recipes" // in no organization
		if !shipped {
			var err error
			if list, err = s.path("/recipes"); err != nil {
				return err
			}
		}
		r, err := s.listed(ctx, list, "recipe", args[0])
		if err != nil {
			return err
		}
		return s.runRecipe(ctx, o, r, servers, map[string]any{"email": email})
	})
	o.flags(run)
	run.Flags().BoolVar(&shipped, "built-in", false, "use a built-in recipe")
	run.Flags().StringArrayVar(&servers, "server", nil, "server name or ID (repeatable)")
	run.Flags().BoolVar(&email, "email", false, "email me the output of each run")
	_ = run.MarkFlagRequired("server")
	c.AddCommand(run)
	return c
}

// runRecipe runs a recipe on servers, and prints the run of each.
func (s *session) runRecipe(ctx context.Context, o changeOptions, r client.Resource, servers []string, body map[string]any) error {
	rows, paths, err := s.servers(ctx, servers)
	if err != nil {
		return err
	}
	ids, chosen := make([]any, len(rows)), map[string]string{}
	for i, server := range rows {
		ids[i], chosen[server.ID] = server.Value("id"), paths[i]
	}
	body["servers"] = ids
	_, answer, err := s.client.Send(ctx, http.MethodPost, r.Path()+"/runs", body)
	if err != nil {
		return err
	}
	first, _ := strconv.ParseInt(answer.Event, 10, 64)
	runs, err := s.newRuns(ctx, r, chosen, first)
	var failed error
	for _, run := range runs { // they run in parallel; wait for all of them
		if o.Wait && err == nil {
			failed = cmp.Or(failed, s.await(ctx, chosen[run.Attribute("server_id")], run.Meta.Operation.EventID, o.Timeout))
		}
	}
	if o.Wait && err == nil {
		runs, err = s.newRuns(ctx, r, chosen, first)
	}
	if err == nil {
		err = s.List(runs, show.ID, show.Attribute("SERVER", "server_id"), show.Attribute("STATE", "status"), show.Attribute("BEGAN", "started_at"),
			show.Attribute("ENDED", "finished_at"), show.Column{Name: "EVENT", Of: func(r client.Resource) string { return r.Meta.Operation.EventID }})
	}
	return cmp.Or(failed, err)
}

// newRuns returns the runs on some servers that began with an event, the first of each.
func (s *session) newRuns(ctx context.Context, recipe client.Resource, servers map[string]string, first int64) ([]client.Resource, error) {
	of := map[string]client.Resource{}
	err := s.client.Each(ctx, recipe.Path()+"/runs?sort=-created_at", func(run client.Resource) bool {
		if server := run.Attribute("server_id"); servers[server] != "" && run.Meta.Operation != nil {
			if event, err := strconv.ParseInt(run.Meta.Operation.EventID, 10, 64); err == nil && event >= first {
				of[server] = run
			}
		}
		return true
	})
	return slices.SortedFunc(maps.Values(of), func(a, b client.Resource) int { return cmp.Compare(a.Attribute("server_id"), b.Attribute("server_id")) }), err
}
