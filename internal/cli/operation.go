package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// addOperations adds to the commands that are written by hand one for each operation that none of them makes, if its noun is wanted.
func addOperations(g *globals, commands []*cobra.Command, wanted func(noun string) bool) []*cobra.Command {
	nouns, made := map[string]*cobra.Command{}, map[string]bool{}
	for _, c := range commands {
		nouns[c.Name()] = c
	}
	for _, op := range description.Operations() {
		if description.ByHand[op.ID] != "" || op.Answer == description.Stream {
			continue
		}
		noun := nouns[op.Noun]
		if noun == nil {
			noun = &cobra.Command{Use: op.Noun, Args: unknownCommand, RunE: showHelp}
			nouns[op.Noun], made[op.Noun] = noun, true
			commands = append(commands, noun)
		}
		if made[op.Noun] { // what can be done with it says what it is
			noun.Short = strings.TrimPrefix(noun.Short+", "+op.Verb, ", ")
		}
		if wanted(op.Noun) {
			noun.AddCommand(newOperation(g, op))
		}
	}
	addRenamed(g, nouns, wanted)
	return addSplit(g, commands, nouns)
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// operationOptions are those of a command that is made from an operation.
type operationOptions struct {
	changeOptions
	Yes       bool
	op        description.Operation
	arguments []string
	// fields and query are the flags that were given, by the names of the description.
	fields, query map[string]any
	// secrets are the fields to ask for, bodyFile a file with a body.
	secrets  []string
	bodyFile string
	// limit is the most resources of a list that are shown, 0 for all, and ssh where the setup command of a new server is run.
	limit int
	ssh   sshOptions
}

// alsoCalled are other words for verbs.
var alsoCalled = map[string][]string{"create": {"add"}, "update": {"set"}, "delete": {"remove"}, "show": {"get"}}

// newOperation makes the command of an operation.
func newOperation(g *globals, op description.Operation) *cobra.Command {
	o := operationOptions{op: op, fields: map[string]any{}, query: map[string]any{}}
	words := []string{op.Verb}
	for _, a := range op.Arguments {
		words = append(words, a.Placeholder())
	}
	if op.File != "" {
		words = append(words, "FILE")
	}
	c := &cobra.Command{
		Use: strings.Join(words, " "), Short: op.Summary, Long: op.Help(), Aliases: alsoCalled[op.Verb], Args: cobra.ExactArgs(len(words) - 1),
		Example: "  " + strings.Join(op.Examples(), "\n  "),
	}
	var given []func(in io.Reader) error
	made := command(g, c, func(ctx context.Context, s *session, args []string) error {
		o.arguments = args
		for _, set := range given {
			if err := set(s.in); err != nil {
				return err
			}
		}
		return operation(ctx, s, o) // with what the flags have set since
	})
	for _, f := range op.Fields {
		if op.IsArgument(f) {
			continue
		}
		set := fieldFlag(c, f, o.fields, &o.secrets)
		if f.Variant != "" {
			set = o.ofVariant(c, f, set)
		}
		given = append(given, set)
		completeField(g, c, op, f)
	}
	for _, f := range op.Query {
		given = append(given, fieldFlag(c, f, o.query, nil))
		completeField(g, c, op, f)
	}
	if most, list := limitOf(op); list {
		c.Flags().IntVar(&o.limit, "limit", most, "maximum number of rows, 0 for all")
	}
	if op.ID == newServer {
		o.ssh.flags(c)
	}
	if len(op.Fields) > 0 && op.File == "" {
		c.Flags().StringVar(&o.bodyFile, "body", "", "JSON `file` with fields of the request, - for the standard input; flags come on top of it")
	}
	switch {
	case op.Waits && op.Plans:
		o.flagsWithPlan(c)
	case op.Waits:
		o.flags(c)
	case op.Plans:
		o.planFlags(c)
	}
	if (op.Destroys || op.Asks != "" || len(op.AsksTo) > 0) && c.Flags().Lookup("yes") == nil {
		c.Flags().BoolVarP(&o.Yes, "yes", "y", false, "skip the confirmation")
	}
	formerFlags(c, op)
	c.ValidArgsFunction = completeArguments(g, op)
	return made
}

// operation calls an operation and prints its answer.
func operation(ctx context.Context, s *session, o operationOptions) error {
	found, err := s.target(ctx, o.op, o.arguments)
	if err == nil {
		err = s.refer(ctx, o, &found)
	}
	if err != nil {
		return err
	}
	query := url.Values{}
	for _, f := range o.op.Query {
		if f.Default != "" {
			query.Set(f.Name, f.Default)
		}
	}
	for name, v := range o.query {
		if list, ok := v.([]string); ok {
			v = strings.Join(list, ",")
		}
		query.Set(name, fmt.Sprint(v))
	}
	path := found.path
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if !o.op.Changes() {
		return s.read(ctx, o, path)
	}
	body, err := s.body(ctx, o, found.path)
	if err != nil {
		return err
	}
	action, _ := body["action"].(string)
	if asks := o.op.AsksBefore(action); o.op.Destroys || asks != "" {
		if found.last, err = s.nameOf(ctx, o, found); err != nil {
			return err
		}
		consequence := cmp.Or(asks, text.Sentence(description.FirstSentence(o.op.Description)))
		if err := s.confirmAs(ctx, o.Yes || o.DryRun, o.op.Does(action), o.op.Subject(), cmp.Or(found.last, s.org), consequence); err != nil {
			return err
		}
	}
	if o.ssh.Target != "" {
		return s.addOverSSH(ctx, o, path, body)
	}
	c := change{method: o.op.Method, path: path, server: found.server, columns: detailsOf(o.op)}
	if len(body) > 0 || len(o.op.Fields) > 0 {
		c.body = body
	}
	switch {
	case o.op.File != "":
		c.file = &fileField{o.op.File, o.arguments[len(o.arguments)-1], map[string]string{}}
		for name, v := range o.fields {
			c.file.others[name] = fmt.Sprint(v)
		}
	case o.op.Answer == description.List && !o.DryRun:
		return s.changeMany(ctx, o, c)
	}
	return s.change(ctx, o.changeOptions, c)
}

// nameOf returns the name of what a call is about, to be typed as the confirmation: an id is typed too easily.
func (s *session) nameOf(ctx context.Context, o operationOptions, found target) (string, error) {
	n := len(o.op.Arguments)
	for n > 0 && o.op.Arguments[n-1].Field {
		n--
	}
	if n == 0 || o.Yes || o.DryRun || len(o.op.Arguments[n-1].By) == 0 || strings.Trim(found.last, "0123456789") != "" {
		return found.last, nil
	}
	above, _, _ := strings.Cut(o.op.Path, "/{"+o.op.Arguments[n-1].Name+"}")
	r, err := s.client.One(ctx, http.MethodGet, o.op.Within(above, found.path)+"/"+found.last, nil)
	if client.IsStatus(err, http.StatusMethodNotAllowed) {
		return found.last, nil
	}
	for _, attribute := range slices.Backward(o.op.Arguments[n-1].By) {
		found.last = cmp.Or(r.Text(attribute), found.last) // the first that it has
	}
	return found.last, err
}

// changeMany makes a changing request that answers with several resources.
func (s *session) changeMany(ctx context.Context, o operationOptions, c change) error {
	var doc struct {
		Data []client.Resource `json:"data"`
	}
	answer, err := s.client.Call(ctx, c.method, c.path, c.body)
	if err == nil && len(answer.Body) > 0 {
		err = json.Unmarshal(answer.Body, &doc)
	}
	if err != nil {
		return err
	}
	for _, r := range doc.Data {
		s.shownOnce(r)
		if op := r.Meta.Operation; o.Wait && op != nil {
			if err := s.await(ctx, c.server, op.EventID, o.Timeout); err != nil {
				return err
			}
		}
	}
	return s.List(doc.Data, c.columns...)
}

// body returns a request body: the fields of --body, overridden by arguments and flags, and for an update the current values of required fields.
func (s *session) body(ctx context.Context, o operationOptions, path string) (map[string]any, error) {
	out, err := s.bodyFile(o.bodyFile)
	if err != nil {
		return nil, err
	}
	for i, a := range o.op.Arguments {
		if a.Field {
			description.Put(out, a.Name, o.arguments[i])
		}
	}
	for name, v := range o.fields {
		description.Put(out, name, v)
	}
	if o.op.Action != "" {
		out["action"] = o.op.Action
	}
	for _, f := range o.op.Fields { // what is required and no flag can have is asked for
		if f.Secret && f.Required && !f.Long && out[f.Name] == nil && !slices.Contains(o.secrets, f.Name) {
			o.secrets = append(o.secrets, f.Name)
		}
	}
	for _, name := range o.secrets {
		text, err := s.readSecret(ctx, name+": ")
		if err != nil {
			return nil, usage("%s: the standard input is empty", name)
		}
		description.Put(out, name, text)
	}
	if len(out) == 0 && o.op.Verb == "update" && len(o.op.Fields) > 0 {
		return nil, usage("nothing to update: see hostler %s update --help for what can be changed", o.op.Noun)
	}
	for _, f := range o.op.Fields {
		if _, given := out[f.Name]; f.Default != "" && !given {
			out[f.Name] = f.Default
		}
	}
	if fill := fills[o.op.ID]; fill != nil {
		fill(out)
	}
	return out, s.keep(ctx, o.op, path, out)
}

// fills add to bodies what follows from the rest of them.
var fills = map[string]func(body map[string]any){"organizations.servers.sites.store": fillSite}

func fillSite(body map[string]any) {
	if body["repository"] != nil && slices.Contains([]any{"laravel", "symfony", "statamic"}, body["type"]) && body["install_composer_dependencies"] == nil {
		body["install_composer_dependencies"] = true // without their packages none of them runs
	}
	if body["isolated_user"] != nil && body["is_isolated"] == nil {
		body["is_isolated"] = true
	}
}

// keep adds to the body of an update the required fields that were left out, as the resource has them: the API wants them, people only want them unchanged.
func (s *session) keep(ctx context.Context, op description.Operation, path string, body map[string]any) error {
	missing := slices.DeleteFunc(slices.Clone(op.Fields), func(f description.Field) bool {
		_, given := body[f.Name] // null is a value
		return !f.Required || f.Secret || given
	})
	if op.Method != http.MethodPut || len(missing) == 0 || len(body) == 0 {
		return nil
	}
	r, err := s.client.One(ctx, http.MethodGet, path, nil)
	if err != nil { // also a list, or nothing that can be read: the API says what it misses
		return nil //nolint:nilerr // so does the call itself, if it can't be reached
	}
	for _, f := range missing {
		if v := r.Value(f.Name); v != nil {
			body[f.Name] = v
		}
	}
	return nil
}

// bodyFile returns the JSON object in a file, an empty one without a file.
func (s *session) bodyFile(file string) (map[string]any, error) {
	out := map[string]any{}
	if file == "" {
		return out, nil
	}
	raw, err := readInput(file, s.in)
	if err != nil {
		return nil, usage("--body: %s", err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, usage("--body: the file must contain a JSON object: %s", err)
	}
	return out, nil
}
