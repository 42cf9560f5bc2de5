package attention

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every kind that a noun lists has a place in the order, and the description names them all.
func TestKindsAreInOrder(t *testing.T) {
	t.Parallel()
	listed := []string{PanelDiskFull, PanelCertificate, PanelOpen, PanelBackup, PanelUpdate}
	files, err := filepath.Glob("../*/concern.go")
	if err != nil {
		t.Fatal(err)
	}
	engine, err := filepath.Glob("../../engine/*/concern.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, engine...) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var name, value ast.Node
			switch n := n.(type) {
			case *ast.KeyValueExpr: // Item{Kind: "drift"}
				name, value = n.Key, n.Value
			case *ast.AssignStmt: // item.Kind, item.Text = "disk-full", …
				if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok {
					name, value = to.Sel, n.Rhs[0]
				}
			}
			if id, ok := name.(*ast.Ident); ok && id.Name == "Kind" {
				if kind, err := strconv.Unquote(value.(*ast.BasicLit).Value); err == nil {
					listed = append(listed, kind)
				}
			}
			return true
		})
	}
	slices.Sort(listed)
	want := slices.Sorted(slices.Values(kinds))
	if diff := cmp.Diff(want, slices.Compact(listed)); diff != "" {
		t.Errorf("the order and what nouns list: %s", diff)
	}
}
