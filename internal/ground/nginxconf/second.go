package nginxconf

import (
	"errors"
	"io"
	"slices"
	"strings"

	crossplane "github.com/nginxinc/nginx-go-crossplane"
)

// second parses the printed text with another parser, which knows the contexts and arguments of each nginx directive. It refuses
// what nginx would, before a host is involved, and whatever the two parsers interpret differently.
func second(tree []*Statement) []Refusal {
	text, source := printed(tree)
	line := func(at *int) int { // of the source; the text is below one line of ours
		if at == nil || *at-2 < 0 || *at-2 >= len(source) {
			return 1
		}
		return source[*at-2]
	}
	payload, err := crossplane.Parse("site", &crossplane.ParseOptions{
		Open: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("http {\n" + text + "}\n")), nil
		},
		Glob:                     func(string) ([]string, error) { return nil, nil },
		SingleFile:               true,
		ErrorOnUnknownDirectives: true,
		DirectiveSources:         []crossplane.MatchFunc{crossplane.OssLatestDirectivesMatchFn},
	})
	if err != nil {
		return []Refusal{{Line: 1, What: "it can't be read: " + err.Error()}}
	}
	var out []Refusal
	for _, e := range payload.Errors {
		what := e.Error.Error()
		var parse *crossplane.ParseError
		if errors.As(e.Error, &parse) {
			what = parse.What
		}
		out = append(out, Refusal{Line: line(e.Line), What: what})
	}
	if len(out) > 0 {
		return out
	}
	if len(payload.Config) != 1 || len(payload.Config[0].Parsed) != 1 || !same(tree, payload.Config[0].Parsed[0].Block) {
		return []Refusal{{Line: 1, What: "it can be read in more than one way"}}
	}
	return nil
}

// same reports whether the other parser read the same tree. It keeps escapes, and removes the parentheses of an "if".
func same(tree []*Statement, other crossplane.Directives) bool {
	tree = slices.DeleteFunc(slices.Clone(tree), func(s *Statement) bool { return len(s.Words) == 0 })
	if len(tree) != len(other) {
		return false
	}
	for i, s := range tree {
		o := other[i]
		if s.Name() != unescape(o.Directive) || s.Block != (o.Block != nil) {
			return false
		}
		if s.Name() != "if" {
			args := make([]string, len(o.Args))
			for k, a := range o.Args {
				args[k] = unescape(a)
			}
			if !slices.Equal(args, s.Args()) {
				return false
			}
		}
		if !same(s.Body, o.Block) {
			return false
		}
	}
	return true
}
