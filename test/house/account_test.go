package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// accountless are specifications with the name of an account, whose resources do not go with it, with the reason.
var accountless = map[string]string{
	"noun/site Specification": "the site itself: the account goes with the last one",
}

// What names an account of a host goes with the account: the next one of that name must not find it. Every noun of the ledger whose specification has a user
// says so (ledger.Noun.Account), or is listed with a reason.
func TestWhatAnAccountHasGoesWithIt(t *testing.T) {
	t.Parallel()
	named, says, specifications, nouns := map[string]bool{}, map[string]bool{}, map[string]bool{}, 0
	for _, path := range sources(t, "internal/noun") {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimPrefix(filepath.Dir(path), "internal/") + " "
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if of, ok := n.Type.(*ast.StructType); ok && hasUser(of) {
					named[room+n.Name.Name] = true
				}
			case *ast.CompositeLit:
				kind, ok := n.Type.(*ast.IndexExpr)
				if !ok || !isSelector(kind.X, "ledger", "Noun") {
					return true
				}
				nouns++
				name, _ := kind.Index.(*ast.Ident)
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Account" {
							says[room+name.Name] = true
						}
					}
				}
				specifications[room+name.Name] = true
			}
			return true
		})
	}
	if nouns < 15 {
		t.Fatalf("only %d nouns were found", nouns)
	}
	for spec := range specifications {
		switch {
		case named[spec] && !says[spec] && accountless[spec] == "":
			t.Errorf("%s has a user, and the noun does not say that it goes with the account (ledger.Noun.Account)", spec)
		case accountless[spec] != "" && (says[spec] || !named[spec]):
			t.Errorf("%s is listed as accountless, and is not", spec)
		}
	}
	for _, want := range []string{"noun/process Specification", "noun/schedule Specification", "noun/sshkey Specification"} {
		if !says[want] {
			t.Errorf("%s does not go with its account", want)
		}
	}
}

func hasUser(of *ast.StructType) bool {
	for _, field := range of.Fields.List {
		if field.Tag == nil {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
		if name == "user" || name == "unix_user" || name == "account" {
			return true
		}
	}
	return false
}

func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg
}
