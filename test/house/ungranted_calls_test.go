package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const ungrantedCalls = "testdata/ungranted-calls.txt"

// callsOf are the methods of all queries that a declaration calls, and whether it passes the queries on.
func callsOf(decl ast.Decl) []string {
	var out []string
	called := map[ast.Node]bool{}
	is := func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		s, ok := c.Fun.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Ungranted"
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && is(s.X) {
			called[s.X] = true
			out = append(out, s.Sel.Name)
		}
		if n != nil && is(n) && !called[n] { // a selector comes before what it selects from
			out = append(out, "passed on")
		}
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Each query that a function makes without a grant is listed: a new one in a function that has a reason already (TestUngranted) shows in review.
func TestUngrantedCalls(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, file := range sources(t, "internal/app", "internal/edge", "internal/noun") {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if calls := callsOf(decl); len(calls) > 0 {
				lines = append(lines, strings.TrimPrefix(file, "internal/")+" "+nameOf(decl)+": "+strings.Join(calls, ", "))
			}
		}
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(ungrantedCalls, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(ungrantedCalls)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for _, line := range lines {
		if !slices.Contains(was, line) {
			t.Errorf("reads without a grant that are not listed: %s (after a look: go test ./test/house -run UngrantedCalls -update)", line)
		}
	}
	for _, line := range was {
		if !slices.Contains(lines, line) {
			t.Errorf("listed, and not so: %s", line)
		}
	}
}
