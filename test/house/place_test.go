package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// layout matches the names that deployments have in the directory of a site.
var layout = regexp.MustCompile(`(^|/)(releases|current|\.repository)(/|$)`)

// Where the code of a site is, site.Place says, by the names that internal/engine/release has for it. No noun spells them.
func TestPlaceOfCode(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t, "internal/noun") {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(literal.Value); err == nil && layout.MatchString(text) {
				t.Errorf("%s:%d: %s spells where the code of a site is: take it from site.Place", file, set.Position(n.Pos()).Line, literal.Value)
			}
			return true
		})
	}
}
