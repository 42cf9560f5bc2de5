package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A function of the program fits on a page or two: it has fewer than a hundred lines.
func TestFunctionsAreShort(t *testing.T) {
	t.Parallel()
	found := 0
	for _, dir := range []string{"internal", "cmd", "client", "clients", "terraform", "docs"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil || ast.IsGenerated(file) {
				return err
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					found++
					if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n >= 100 {
						t.Errorf("%s: %s has %d lines", set.Position(f.Pos()), f.Name.Name, n)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 4000 {
		t.Errorf("only %d functions were looked at", found)
	}
}
