package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// locks lists the functions of nouns that lock a server without reading again who has it, with the reason.
var locks = map[string]string{
	"server Path.Current":            "reads it again",
	"server Operations.archivable":   "the work that it accepts checks who has it",
	"server Bootstrap.enter":         "the server itself calls",
	"server Provisioner.Settle":      "the service itself works",
	"server attempt.reachable":       "the service itself works",
	"loadbalancer Operations.lock":   "locks several in one order, and reads the balancer again",
	"loadbalancer Follower.Lock":     "locks several in one order, for callers that read the server again",
	"firewall Network.accept":        "locks several in one order; the work that it accepts checks who has them",
	"deployment Deployer.Deploy":     "hooks and pushes have no grant; the work that it accepts checks that of a person",
	"certificate Issuer.begin":       "the service itself works",
	"database Converger.synchronize": "the service itself works",
	"metric Observer.locked":         "the service itself works",
	"site Encloser.Next":             "the service itself works",
}

// A handler locks a server by server.Path or site.Path, which read it again: one that was transferred since the request was authorized is not found.
func TestServersAreLockedByTheirPath(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, path := range sources(t, "internal/noun") {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			at := filepath.Base(filepath.Dir(path)) + " " + receiver(function) + function.Name.Name
			ast.Inspect(function, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "LockServer" || s.Sel.Name == "LockServers") {
					if found[at] = true; locks[at] == "" {
						t.Errorf("%s:%d: %s locks a server and does not read again who has it: use Lock or Current of its path", path, set.Position(n.Pos()).Line, at)
					}
				}
				return true
			})
		}
	}
	for at := range locks {
		if !found[at] {
			t.Errorf("%s is listed, and locks no server", at)
		}
	}
}

// receiver returns the type of a method, with a dot.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexListExpr); ok {
		typ = generic.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}
