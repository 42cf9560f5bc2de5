package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var recipeColumns = []column{columnID, attribute("NAME", "name"), attribute("RUNS AS", "user")}

var recipeDetails = []column{{"id", columnID.of}, attribute("name", "name"), attribute("runs as", "user"), attribute("script", "script")}

func newRecipes(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "recipes", Short: "Manage and run recipes"}
	c.AddCommand(newRecipesList(g, nil), newRecipesShow(g, nil), newRecipesAdd(g, nil), newRecipesUpdate(g, nil),
		newRecipesDelete(g, nil), newRecipesRun(g, nil), newRecipesRuns(g, nil))
	return c
}

// shippedRecipes are recipes that come with the program, in no organization.
const shippedRecipes = "/forge-recipes"

// recipesPath is the list of the organization's recipes, or of those that come with the program.
func (s *session) recipesPath(shipped bool) (string, error) {
	if shipped {
		return shippedRecipes, nil
	}
	return s.path("/recipes")
}

// recipe returns the organization's recipe with this id or name.
func (s *session) recipe(ctx context.Context, what string) (client.Resource, error) {
	return s.anyRecipe(ctx, namedRecipe{What: what})
}

func (s *session) anyRecipe(ctx context.Context, o namedRecipe) (client.Resource, error) {
	list, err := s.recipesPath(o.Shipped)
	if err != nil {
		return client.Resource{}, err
	}
	return s.pick(ctx, list, "recipe", "name", o.What)
}

// namedRecipe is a recipe of the organization or, where Shipped is set, of the program.
type namedRecipe struct {
	What    string
	Shipped bool
}

func (o *namedRecipe) set(args []string) { o.What = args[0] }

func (o *namedRecipe) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.Shipped, "built-in", false, "use a built-in recipe")
}

type recipesListOptions struct{ Shipped bool }

func newRecipesList(g *globals, run func(context.Context, *session, recipesListOptions) error) *cobra.Command {
	if run == nil {
		run = recipesList
	}
	var o recipesListOptions
	c := command(g, &cobra.Command{Use: "list", Short: "List recipes"}, &o, nil, run)
	c.Flags().BoolVar(&o.Shipped, "built-in", false, "list the built-in recipes")
	return c
}

func recipesList(ctx context.Context, s *session, o recipesListOptions) error {
	path, err := s.recipesPath(o.Shipped)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path)
	if err != nil {
		return err
	}
	return s.list(rows, recipeColumns...)
}

func newRecipesShow(g *globals, run func(context.Context, *session, namedRecipe) error) *cobra.Command {
	if run == nil {
		run = recipesShow
	}
	var o namedRecipe
	c := command(g, &cobra.Command{Use: "show RECIPE", Short: "Show a recipe and its script", Args: cobra.ExactArgs(1)}, &o, o.set, run)
	o.flags(c)
	return c
}

func recipesShow(ctx context.Context, s *session, o namedRecipe) error {
	r, err := s.anyRecipe(ctx, o)
	if err != nil {
		return err
	}
	return s.one(r, recipeDetails...)
}

type recipesWriteOptions struct{ What, Name, User, File string }

// script returns the contents of the script file, or of in for -.
func (o recipesWriteOptions) script(in io.Reader) (string, error) {
	f, err := openInput(o.File, in)
	if err != nil {
		return "", usage("the script can't be read: %v", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return "", fmt.Errorf("read script: %w", err)
	}
	return string(text), nil
}

func (o *recipesWriteOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&o.User, "user", "", "user to run as: root or forge")
	c.Flags().StringVar(&o.File, "script", "", "script file, - for standard input")
	_ = c.RegisterFlagCompletionFunc("user", cobra.FixedCompletions([]string{"root", "forge"}, cobra.ShellCompDirectiveNoFileComp))
}

func newRecipesAdd(g *globals, run func(context.Context, *session, recipesWriteOptions) error) *cobra.Command {
	if run == nil {
		run = recipesAdd
	}
	var o recipesWriteOptions
	c := command(g, &cobra.Command{
		Use: "add NAME --user USER --script FILE", Short: "Create a recipe", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.Name = args[0] }, run)
	o.flags(c)
	_ = c.MarkFlagRequired("user")
	_ = c.MarkFlagRequired("script")
	return c
}

func recipesAdd(ctx context.Context, s *session, o recipesWriteOptions) error {
	path, err := s.path("/recipes")
	if err != nil {
		return err
	}
	return s.writeRecipe(ctx, http.MethodPost, path, o)
}

func (s *session) writeRecipe(ctx context.Context, method, path string, o recipesWriteOptions) error {
	body := map[string]any{}
	for key, value := range map[string]string{"name": o.Name, "user": o.User} {
		if value != "" {
			body[key] = value
		}
	}
	if o.File != "" {
		script, err := o.script(s.in)
		if err != nil {
			return err
		}
		body["script"] = script
	}
	r, err := s.client.One(ctx, method, path, body)
	if err != nil {
		return err
	}
	return s.one(r, recipeDetails...)
}

func newRecipesUpdate(g *globals, run func(context.Context, *session, recipesWriteOptions) error) *cobra.Command {
	if run == nil {
		run = recipesUpdate
	}
	var o recipesWriteOptions
	c := command(g, &cobra.Command{Use: "update RECIPE", Short: "Edit a recipe", Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	c.Flags().StringVar(&o.Name, "name", "", "new name")
	o.flags(c)
	c.MarkFlagsOneRequired("name", "user", "script")
	return c
}

func recipesUpdate(ctx context.Context, s *session, o recipesWriteOptions) error {
	r, err := s.recipe(ctx, o.What)
	if err != nil {
		return err
	}
	return s.writeRecipe(ctx, http.MethodPut, r.Path(), o)
}

func newRecipesDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = recipesDelete
	}
	var o deleteOptions
	c := command(g, &cobra.Command{Use: "delete RECIPE", Short: "Delete a recipe", Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	o.yesFlag(c)
	return c
}

func recipesDelete(ctx context.Context, s *session, o deleteOptions) error {
	r, err := s.recipe(ctx, o.What)
	if err != nil {
		return err
	}
	return s.remove(ctx, o, "recipe", r, "Its script is permanently deleted.")
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

func newRecipesRuns(g *globals, run func(context.Context, *session, namedRecipe) error) *cobra.Command {
	if run == nil {
		run = recipesRuns
	}
	var o namedRecipe
	c := command(g, &cobra.Command{Use: "runs RECIPE", Short: "List a recipe's runs, newest first", Args: cobra.ExactArgs(1)}, &o, o.set, run)
	o.flags(c)
	return c
}

func recipesRuns(ctx context.Context, s *session, o namedRecipe) error {
	r, err := s.anyRecipe(ctx, o)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, r.Path()+"/runs?sort=-created_at")
	if err != nil {
		return err
	}
	return s.list(rows, recipeRunColumns...)
}

type recipesRunOptions struct {
	changeOptions
	namedRecipe
	Servers []string
	Email   bool
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
	o.changeOptions.flags(c)
	o.namedRecipe.flags(c)
	c.Flags().StringArrayVar(&o.Servers, "server", nil, "server name or ID (repeatable)")
	c.Flags().BoolVar(&o.Email, "email", false, "email me the output of each run")
	_ = c.MarkFlagRequired("server")
	return c
}

func recipesRun(ctx context.Context, s *session, o recipesRunOptions) error {
	r, err := s.anyRecipe(ctx, o.namedRecipe)
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
