package cli

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// described are the operations of the API, made from its description (make generate).
//
//go:embed operations.json
var described []byte

// operations returns the operations of the API that have a command, by noun and verb.
func operations() []description.Operation {
	var out []description.Operation
	if err := json.Unmarshal(described, &out); err != nil {
		panic(fmt.Sprintf("the description in this program can't be read: %v", err)) // the build's fault; a test reads it
	}
	return out
}

// addOperations adds to the commands that are written by hand one for each operation that none of them makes, if its noun is wanted.
func addOperations(g *globals, commands []*cobra.Command, wanted func(noun string) bool) []*cobra.Command {
	nouns, made := map[string]*cobra.Command{}, map[string]bool{}
	for _, c := range commands {
		nouns[c.Name()] = c
	}
	for _, op := range operations() {
		if byHand[op.ID] != "" || op.Answer == description.Stream {
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
			noun.AddCommand(newOperation(g, op, nil))
		}
	}
	return commands
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// operationOptions are those of a command that is made from an operation.
type operationOptions struct {
	deleteOptions
	op        description.Operation
	arguments []string
	// fields and query are the flags that were given, by the names of the description.
	fields, query map[string]any
	// secrets are the fields to ask for, bodyFile a file with a body.
	secrets  []string
	bodyFile string
}

// alsoCalled are other words for verbs.
var alsoCalled = map[string][]string{"create": {"add"}, "update": {"set"}, "delete": {"remove"}, "show": {"get"}}

// newOperation makes the command of an operation.
func newOperation(g *globals, op description.Operation, run func(context.Context, *session, operationOptions) error) *cobra.Command {
	if run == nil {
		run = operation
	}
	o := operationOptions{op: op, fields: map[string]any{}, query: map[string]any{}}
	use := op.Verb
	for _, a := range op.Arguments {
		use += " " + argumentWord(a.Name)
	}
	if op.File != "" {
		use += " FILE"
	}
	c := &cobra.Command{Use: use, Short: op.Summary, Long: op.Description, Aliases: alsoCalled[op.Verb], Args: cobra.ExactArgs(len(op.Arguments) + countOf(op.File != ""))}
	var given []func() error
	made := command(g, c, &o, func(args []string) { o.arguments = args }, func(ctx context.Context, s *session, _ operationOptions) error {
		for _, set := range given {
			if err := set(); err != nil {
				return err
			}
		}
		return run(ctx, s, o) // with what the flags have set since
	})
	for _, f := range op.Fields {
		if !slices.ContainsFunc(op.Arguments, func(a description.Argument) bool { return a.Field && a.Name == f.Name }) {
			given = append(given, fieldFlag(c, f, o.fields, &o.secrets))
		}
	}
	for _, f := range op.Query {
		given = append(given, fieldFlag(c, f, o.query, nil))
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
		c.Flags().BoolVar(&o.DryRun, "dry-run", false, "show the plan without applying it")
	}
	if op.Destroys {
		o.yesFlag(c)
	}
	c.ValidArgsFunction = completeArguments(g, op)
	return made
}

func countOf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// argumentWord returns a parameter's name as it stands in a usage: domainRecord is DOMAIN_RECORD.
func argumentWord(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}

// flagName returns the flag of a field. The names that all commands have are not taken.
func flagName(f description.Field) string {
	name := strings.NewReplacer("_", "-", ".", "-", "[", "-", "]", "").Replace(f.Name)
	if slices.Contains([]string{"url", "org", "profile", "output", "query", "wait", "timeout", "dry-run", "yes", "body", "help"}, name) {
		return "target-" + name
	}
	return name
}

// fieldFlag adds the flag of a field, and returns what puts its value into the fields, if it was given. A secret is never a flag's value: its flag asks for it.
func fieldFlag(c *cobra.Command, f description.Field, into map[string]any, secrets *[]string) func() error {
	flags, name := c.Flags(), flagName(f)
	words := strings.TrimSuffix(firstSentence(f.Description), ".")
	if f.Required {
		words += " (required)"
	}
	switch {
	case f.Secret && secrets != nil && !f.Long:
		asked := flags.Bool(name+"-stdin", false, "read this field from the standard input, or ask for it: "+words)
		return func() error {
			if *asked {
				*secrets = append(*secrets, f.Name)
			}
			return nil
		}
	case f.Type == description.Boolean:
		flags.Bool(name, false, words)
	case f.Type == description.Strings || f.Type == description.Numbers:
		flags.StringSlice(name, nil, words)
	case f.Type == description.JSON && !f.Secret:
		flags.String(name, "", words+" (as `JSON`)")
	case f.Long:
		if f.Type == description.JSON {
			words += " (as JSON)"
		}
		flags.String(name+"-file", "", "`file` with this field, - for the standard input: "+words)
		if f.Secret {
			return func() error { return setFile(flags, name, f, into) }
		}
		fallthrough
	default:
		flags.String(name, "", words+choices(f.Enum))
	}
	if len(f.Enum) > 0 {
		_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(f.Enum, cobra.ShellCompDirectiveNoFileComp))
	}
	return func() error {
		if f.Long {
			if err := setFile(flags, name, f, into); err != nil || into[f.Name] != nil {
				return err
			}
		}
		flag := flags.Lookup(name)
		if !flag.Changed {
			return nil
		}
		v, err := valueOf(flags, flag, f)
		if err == nil {
			into[f.Name] = v
		}
		return err
	}
}

func choices(values []string) string {
	if len(values) == 0 || len(values) > 12 {
		return ""
	}
	return ": " + strings.Join(values, ", ")
}

func firstSentence(text string) string {
	before, _, found := strings.Cut(text, ". ")
	if found {
		return before
	}
	return text
}

func setFile(flags *pflag.FlagSet, name string, f description.Field, into map[string]any) error {
	flag := flags.Lookup(name + "-file")
	if !flag.Changed {
		return nil
	}
	raw, err := readInput(flag.Value.String())
	if err != nil {
		return usage("--%s-file: %s", name, err)
	}
	if f.Type != description.JSON {
		into[f.Name] = string(raw)
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return usage("--%s-file: the file must contain JSON", name)
	}
	into[f.Name] = v
	return nil
}

func readInput(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(file) //nolint:gosec // the caller's file
}

// valueOf returns a flag's value as the field's type.
func valueOf(flags *pflag.FlagSet, flag *pflag.Flag, f description.Field) (any, error) {
	text := flag.Value.String()
	if f.Null && text == "null" {
		return nil, nil
	}
	wrong := func(what string) error { return usage("--%s must be %s, not %q", flag.Name, what, text) }
	switch f.Type {
	case description.Boolean:
		return flags.GetBool(flag.Name)
	case description.Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, wrong("a whole number")
		}
		return n, nil
	case description.Number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, wrong("a number")
		}
		return n, nil
	case description.Strings:
		return flags.GetStringSlice(flag.Name)
	case description.Numbers:
		list, err := flags.GetStringSlice(flag.Name)
		out := make([]int64, len(list))
		for i, one := range list {
			if out[i], err = strconv.ParseInt(strings.TrimSpace(one), 10, 64); err != nil {
				return nil, wrong("whole numbers")
			}
		}
		return out, err
	case description.JSON:
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return nil, wrong("JSON")
		}
		return v, nil
	}
	return text, nil
}

// operation calls an operation and prints its answer.
func operation(ctx context.Context, s *session, o operationOptions) error {
	found, err := s.target(ctx, o.op, o.arguments)
	if err != nil {
		return err
	}
	query := url.Values{}
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
		return s.read(ctx, o.op, path)
	}
	if o.op.Destroys {
		what := strings.ReplaceAll(strings.TrimSuffix(o.op.Noun, "s"), "-", " ")
		if err := s.confirmAs(ctx, o.Yes || o.DryRun, o.op.Verb+"s", what, cmp.Or(found.last, s.org), text.Sentence(firstSentence(o.op.Description))); err != nil {
			return err
		}
	}
	body, err := s.body(ctx, o)
	if err != nil {
		return err
	}
	c := change{method: o.op.Method, path: path, body: body, server: found.server, columns: detailsOf(o.op)}
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
	return s.list(doc.Data, c.columns...)
}

// target is where a call goes.
type target struct {
	path, server string
	// last is the last argument of the path, as it was given.
	last string
}

// target finds the resources that the arguments name, and returns the path of the call.
func (s *session) target(ctx context.Context, op description.Operation, arguments []string) (target, error) {
	out := target{path: op.Path}
	if strings.Contains(op.Path, "{organization}") {
		above, err := s.path("")
		if err != nil {
			return target{}, err
		}
		out.path = strings.Replace(out.path, "/orgs/{organization}", above, 1)
	}
	for i, a := range op.Arguments {
		what := arguments[i]
		above, below, inPath := strings.Cut(out.path, "/{"+a.Name+"}")
		if !inPath {
			continue
		}
		out.last = what
		switch {
		case a.Name == "site" && strings.HasSuffix(above, "/servers/{server}/sites"):
			_, server, path, err := s.site(ctx, what)
			if err != nil {
				return target{}, err
			}
			out.server, out.path = server, path+below
			continue
		case a.Word:
			above += "/" + url.PathEscape(what)
		default:
			id, err := s.named(ctx, above, a, what)
			if err != nil {
				return target{}, err
			}
			above += "/" + id
		}
		if a.Name == "server" {
			out.server = above
		}
		out.path = above + below
	}
	return out, nil
}

// named returns the id of a resource of a list that is called so, or has this id.
func (s *session) named(ctx context.Context, list string, a description.Argument, what string) (string, error) {
	if id, err := strconv.ParseInt(what, 10, 64); err == nil && id > 0 || len(a.By) == 0 {
		return url.PathEscape(what), nil
	}
	address := list
	if a.Filtered && a.By[0] == "name" && !strings.Contains(what, ",") { // a comma separates alternatives
		address += "?filter[name]=" + url.QueryEscape(what)
	}
	var ids []string
	err := s.client.Each(ctx, address, func(r client.Resource) bool {
		if slices.ContainsFunc(a.By, func(name string) bool { return r.Attribute(name) == what }) {
			ids = append(ids, r.ID)
		}
		return true
	})
	kind := strings.ToLower(strings.ReplaceAll(argumentWord(a.Name), "_", " "))
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", exit(CodeNotFound, "no %s named %q", kind, what)
	case len(ids) > 1:
		return "", usage("%d are named %q: use one of the IDs %s", len(ids), what, strings.Join(ids, ", "))
	}
	return ids[0], nil
}

// body returns the body of a call: what the file has, then the arguments and flags.
func (s *session) body(ctx context.Context, o operationOptions) (any, error) {
	out := map[string]any{}
	if o.bodyFile != "" {
		raw, err := readInput(o.bodyFile)
		if err != nil {
			return nil, usage("--body: %s", err)
		}
		if err := json.Unmarshal(raw, &out); err != nil {
			return nil, usage("--body: the file must contain a JSON object: %s", err)
		}
	}
	for i, a := range o.op.Arguments {
		if a.Field {
			put(out, a.Name, o.arguments[i])
		}
	}
	for name, v := range o.fields {
		put(out, name, v)
	}
	for _, name := range o.secrets {
		text, err := s.readSecret(ctx, name+": ")
		if err != nil {
			return nil, usage("%s: the standard input is empty", name)
		}
		put(out, name, text)
	}
	if len(out) == 0 && len(o.op.Fields) == 0 {
		return nil, nil
	}
	return out, nil
}

// put sets a member of an object by its path.
func put(object map[string]any, path string, v any) {
	above, name, nested := strings.Cut(path, ".")
	if !nested {
		object[path] = v
		return
	}
	inner, ok := object[above].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[above] = inner
	}
	inner[name] = v
}

// detailsOf are the columns of an operation's resource.
func detailsOf(op description.Operation) []column {
	out := []column{columnID}
	for _, name := range op.Columns {
		out = append(out, attribute(strings.ToUpper(strings.ReplaceAll(name, "_", " ")), name))
	}
	return append(out, columnWork)
}

// read prints the answer of a call that changes nothing.
func (s *session) read(ctx context.Context, op description.Operation, path string) error {
	switch op.Answer {
	case description.List:
		rows, err := s.client.All(ctx, path)
		if err != nil {
			return err
		}
		columns := detailsOf(op)
		if !slices.ContainsFunc(rows, func(r client.Resource) bool { return r.Meta.Operation != nil }) {
			columns = columns[:len(columns)-1]
		}
		return s.list(rows, columns...)
	case description.One:
		r, err := s.client.One(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		if text := textOf(r); text != "" && !s.json {
			_, err = fmt.Fprint(s.out, printable(text))
			return err
		}
		return s.one(r, everyAttribute(r)...)
	}
	answer, err := s.client.Call(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.out, printable(string(answer.Body)))
	return err
}

// textOf returns the text that a resource consists of, "" for one with other attributes that say more.
func textOf(r client.Resource) string {
	for _, name := range []string{"content", "output", "configuration", "environment"} {
		if text, ok := r.Value(name).(string); ok {
			return strings.TrimSuffix(text, "\n") + "\n"
		}
	}
	return ""
}

// everyAttribute are the columns of all attributes that a resource has.
func everyAttribute(r client.Resource) []column {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(r.Attributes, &all) // a resource without attributes shows its id
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	out := []column{{"id", columnID.of}}
	for _, name := range names {
		out = append(out, column{strings.ReplaceAll(name, "_", " "), func(r client.Resource) string { return shownValue(r.Value(name)) }})
	}
	return append(out, column{"operation", columnWork.of})
}

// shownValue returns a value on one line: lists and objects as JSON.
func shownValue(v any) string {
	switch v.(type) {
	case nil:
		return ""
	case []any, map[string]any:
		raw, _ := json.Marshal(v) // of decoded JSON
		return string(raw)
	}
	return fmt.Sprint(v)
}
