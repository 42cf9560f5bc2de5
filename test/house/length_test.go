package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// A function of the program fits on a page or two: it has fewer than a hundred lines.
func TestFunctionsAreShort(t *testing.T) {
	t.Parallel()
	found := 0
	program := []string{"internal", "cmd", "client", "clients", "terraform", "docs"}
	eachFile(t, program, func(path string, _ []byte, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				found++
				if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n >= 100 {
					t.Errorf("%s: %s has %d lines", set.Position(f.Pos()), f.Name.Name, n)
				}
			}
		}
	})
	if found < 4000 {
		t.Errorf("only %d functions were looked at", found)
	}
}

// longLines is how many lines may have more than 140 characters. It only goes down.
const longLines = 4403

// A line of Go that a person writes fits on a screen: it has at most 160 characters.
func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	long := 0
	all := []string{"internal", "cmd", "client", "clients", "terraform", "docs", "test", "scripts", "web"}
	eachFile(t, all, func(path string, raw []byte, _ *token.FileSet, _ *ast.File) {
		n := 0
		for line := range strings.Lines(string(raw)) {
			n++
			switch length := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); {
			case length > 160:
				t.Errorf("%s:%d has %d characters", path, n, length)
			case length > 140:
				long++
			}
		}
	})
	if long > longLines {
		t.Errorf("%d lines have more than 140 characters, %d are allowed", long, longLines)
	}
	if long < longLines {
		t.Logf("%d lines have more than 140 characters: longLines can be that now", long)
	}
}

// eachFile parses the Go files below folders that a person writes, tests too.
func eachFile(t *testing.T, dirs []string, look func(path string, raw []byte, set *token.FileSet, file *ast.File)) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "node_modules":
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go"):
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, raw, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil && !ast.IsGenerated(file) {
				look(path, raw, set, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
