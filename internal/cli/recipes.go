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
)

func newRecipes(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "recipes", Short: "Manage and run recipes"}
	c.AddCommand(newRecipesRun(g, nil))
	return c
}

var recipeRunColumns = []column{
	columnID, attribute("SERVER", "server_id"), attribute("STATE", "status"),
	attribute("BEGAN", "started_at"), attribute("ENDED", "finished_at"),
	{"EVENT", func(r client.Resource) string {
		if r.Meta.Operation == nil {
			return ""
		}
		return r.Meta.Operation.EventID
	}},
}

type recipesRunOptions struct {
	changeOptions
	What    string
	Servers []string
	Email   bool
	// Shipped is set for a recipe that comes with the program, in no organization.
	Shipped bool
}

func newRecipesRun(g *globals, run func(context.Context, *session, recipesRunOptions) error) *cobra.Command {
	if run == nil {
		run = recipesRun
	}
	var o recipesRunOptions
	c := command(g, &cobra.Command{
		Use: "run RECIPE --server SERVER", Short: "Run a recipe on servers", Args: cobra.ExactArgs(1),
		Long: "Runs on all servers in parallel. With --wait, the exit status is 5 if a run failed.",
	}, &o, func(args []string) { o.What = args[0] }, run)
	o.flags(c)
	c.Flags().BoolVar(&o.Shipped, "built-in", false, "use a built-in recipe")
	c.Flags().StringArrayVar(&o.Servers, "server", nil, "server name or ID (repeatable)")
	c.Flags().BoolVar(&o.Email, "email", false, "email me the output of each run")
	_ = c.MarkFlagRequired("server")
	return c
}

func recipesRun(ctx context.Context, s *session, o recipesRunOptions) error {
	list := "/forge-recipes"
	if !o.Shipped {
		var err error
		if list, err = s.path("/recipes"); err != nil {
			return err
		}
	}
	r, err := s.listed(ctx, list, "recipe", o.What)
	if err != nil {
		return err
	}
	chosen := map[string]string{}
	var ids []any
	for _, name := range o.Servers {
		srv, path, err := s.server(ctx, name)
		if err != nil {
			return err
		}
		ids, chosen[srv.ID] = append(ids, srv.Value("id")), path
	}
	body := map[string]any{"servers": ids}
	if o.Email {
		body["email"] = true
	}
	_, answer, err := s.client.Send(ctx, http.MethodPost, r.Path()+"/runs", body)
	if err != nil {
		return err
	}
	first, _ := strconv.ParseInt(answer.Event, 10, 64)
	runs, err := s.newRuns(ctx, r, chosen, first)
	if err != nil {
		return err
	}
	if !o.Wait {
		return s.list(runs, recipeRunColumns...)
	}
	var failed error
	for _, run := range runs { // they run in parallel; wait for all of them
		if err := s.await(ctx, chosen[run.Attribute("server_id")], run.Meta.Operation.EventID, o.Timeout); err != nil && failed == nil {
			failed = err
		}
	}
	if runs, err = s.newRuns(ctx, r, chosen, first); err == nil {
		err = s.list(runs, recipeRunColumns...)
	}
	return cmp.Or(failed, err)
}

// newRuns returns the runs on some servers that began with an event, the first of each.
func (s *session) newRuns(ctx context.Context, recipe client.Resource, servers map[string]string, first int64) ([]client.Resource, error) {
	rows, err := s.client.All(ctx, recipe.Path()+"/runs?sort=-created_at")
	if err != nil {
		return nil, err
	}
	of := map[string]client.Resource{}
	for _, run := range rows {
		if server := run.Attribute("server_id"); servers[server] != "" && run.Meta.Operation != nil {
			if event, err := strconv.ParseInt(run.Meta.Operation.EventID, 10, 64); err == nil && event >= first {
				of[server] = run
			}
		}
	}
	return slices.SortedFunc(maps.Values(of), func(a, b client.Resource) int { return cmp.Compare(a.Attribute("server_id"), b.Attribute("server_id")) }), nil
}
