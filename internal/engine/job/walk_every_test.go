package job_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every noun that internal/app gives to the ledger has a driver in the walks.
func TestWalksHaveEveryNoun(t *testing.T) {
	t.Parallel()
	drivenAs := map[string]string{"certificate.Noun(h.expiry)": "certificates"} // whose alarms no walk needs
	driven := map[string]bool{}
	files, err := filepath.Glob("walk_*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		inspect(t, path, func(text func(ast.Node) string, n ast.Node) {
			if pair, ok := n.(*ast.KeyValueExpr); ok && text(pair.Key) == "noun" {
				driven[text(pair.Value)] = true
			}
		})
	}
	nouns := 0
	app, err := filepath.Glob("../../app/nouns_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range app {
		inspect(t, path, func(text func(ast.Node) string, n ast.Node) {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok || text(pair.Key) != "kinds" {
				return
			}
			for _, kind := range pair.Value.(*ast.CompositeLit).Elts {
				nouns++
				if noun := text(kind); !driven[noun] && !driven[drivenAs[noun]] {
					t.Errorf("%s is in the ledger, and no walk asks for it", noun)
				}
			}
		})
	}
	if nouns != len(drivers) || nouns < 18 {
		t.Errorf("the ledger has %d nouns, and walks %d, which have %v", nouns, len(drivers), driven)
	}
}

// inspect visits the nodes of a file of Go; text returns a node's source.
func inspect(t *testing.T, path string, visit func(text func(ast.Node) string, n ast.Node)) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, raw, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	text := func(n ast.Node) string {
		return strings.TrimSpace(string(raw[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset]))
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n != nil {
			visit(text, n)
		}
		return true
	})
}
