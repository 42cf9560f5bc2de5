package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The platform knows no noun: neither the engine nor the edge has the name of an aspect or of a kind of resource. What they do differently for a
// kind of work, the work says (job.Work, ledger.Noun).
func TestPlatformNamesNoNoun(t *testing.T) {
	t.Parallel()
	named := namesOfNouns(t)
	if len(named) < 30 || named["firewall"] == "" || named["deployments"] == "" || named["redirect-rules"] == "" {
		t.Fatalf("only %d names were found: %v", len(named), named)
	}
	delete(named, "servers") // what the engine changes, and their table
	for _, dir := range []string{"internal/engine", "internal/edge"} {
		eachSource(t, dir, func(path string, fset *token.FileSet, file *ast.File) {
			if hostSide[strings.Split(filepath.ToSlash(path), "/")[1]] {
				return
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if _, ok := n.(*ast.ImportSpec); ok {
					return false
				}
				text, ok := literal(n)
				base, _, _ := strings.Cut(text, "/")
				if name := named[base]; ok && name != "" {
					t.Errorf("%s has %q, which is named in %s", fset.Position(n.Pos()), text, name)
				}
				return true
			})
		})
	}
}

// hostSide are the packages of the engine that run on hosts, where the names are those of files and programs.
var hostSide = map[string]bool{"agent": true, "release": true}

var isNamed = regexp.MustCompile(`^(Aspect|[rR]esource)([A-Z]\w*)?$`)

// namesOfNouns returns the names of aspects and kinds of resources, and where they are: constants of nouns, and fields of literals.
func namesOfNouns(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	eachSource(t, "internal/noun", func(path string, _ *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) && isNamed.MatchString(name.Name) {
						if text, ok := literal(n.Values[i]); ok {
							out[text] = path
						}
					}
				}
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					pair, ok := e.(*ast.KeyValueExpr)
					if !ok {
						continue
					}
					key, _ := pair.Key.(*ast.Ident)
					if key != nil && (key.Name == "Resource" || key.Name == "Kind" && isNoun(n.Type)) {
						if text, ok := literal(pair.Value); ok {
							out[text] = path
						}
					}
				}
			}
			return true
		})
	})
	return out
}

// isNoun reports whether a type is a ledger.Noun.
func isNoun(e ast.Expr) bool {
	generic, ok := e.(*ast.IndexExpr)
	if !ok {
		return false
	}
	selected, ok := generic.X.(*ast.SelectorExpr)
	return ok && selected.Sel.Name == "Noun"
}

func literal(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// eachSource parses the sources below a folder, without tests.
func eachSource(t *testing.T, dir string, look func(path string, fset *token.FileSet, file *ast.File)) {
	t.Helper()
	fset := token.NewFileSet()
	base := filepath.Join(root, "internal")
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(base, path)
		if err == nil {
			look(short, fset, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
