package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Every aspect that internal/app registers has its plans as golden files beside its noun: what is done to a host can be read there.
func TestAspectsHaveGoldens(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]string{"site": "vhost"} // what a host serves of a site
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "internal/app/wire.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := pair.Key.(*ast.SelectorExpr); ok && strings.HasPrefix(key.Sel.Name, "Aspect") {
			if noun, ok := key.X.(*ast.Ident); ok {
				found[noun.Name] = true
			}
		}
		return true
	})
	if len(found) < 15 {
		t.Errorf("internal/app registers aspects of %d nouns", len(found))
	}
	for noun := range found {
		if elsewhere[noun] != "" {
			noun = elsewhere[noun]
		}
		goldens, deeper := filepath.Join(root, "internal/noun", noun, "testdata/*.txt"), filepath.Join(root, "internal/noun", noun, "testdata/*/*.txt")
		files, _ := filepath.Glob(goldens)
		below, _ := filepath.Glob(deeper)
		if len(files)+len(below) == 0 {
			t.Errorf("%s has an aspect, and no golden file of a plan", noun)
		}
	}
}
