package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// locks lists the functions of nouns that lock a server without reading again who has it, with the reason.
var locks = map[string]string{
	"server Path.Current":            "reads it again",
	"server Operations.archivable":   "the work that it accepts checks who has it",
	"server Bootstrap.enter":         "the server itself calls",
	"server Provisioner.settle":      "the service itself works",
	"server attempt.reachable":       "the service itself works",
	"loadbalancer Operations.lock":   "locks several in one order, and reads the balancer again",
	"loadbalancer Follower.Lock":     "locks several in one order, for callers that read the server again",
	"firewall Network.accept":        "locks several in one order; the work that it accepts checks who has them",
	"deployment Deployer.Deploy":     "hooks and pushes have no grant; the work that it accepts checks that of a person",
	"certificate Issuer.begin":       "the service itself works",
	"database Converger.synchronize": "the service itself works",
	"database Operations.Unmake":     "the service itself works, and has no caller",
	"backup Operations.lockBoth":     "locks both in one order, then the backup by its path",
	"metric Observer.locked":         "the service itself works",
	"site Encloser.Next":             "the service itself works",
}

// nounFunctions calls do for each function of the nouns, with its name as in "server Path.Current".
func nounFunctions(t *testing.T, do func(at string, function *ast.FuncDecl, position func(ast.Node) token.Position)) {
	t.Helper()
	for _, path := range sources(t, "internal/noun") {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if function, ok := d.(*ast.FuncDecl); ok {
				at := filepath.Base(filepath.Dir(path)) + " " + receiver(function) + function.Name.Name
				do(at, function, func(n ast.Node) token.Position { return set.Position(n.Pos()) })
			}
		}
	}
}

// A handler locks a server by server.Path or site.Path, which read it again: one that was transferred since the request was authorized is not found.
func TestServersAreLockedByTheirPath(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	nounFunctions(t, func(at string, function *ast.FuncDecl, position func(ast.Node) token.Position) {
		ast.Inspect(function, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "LockServer" || s.Sel.Name == "LockServers") {
				if found[at] = true; locks[at] == "" {
					t.Errorf("%s: %s locks a server and does not read again who has it: use Lock, Current or Latest of its path", position(n), at)
				}
			}
			return true
		})
	})
	for at := range locks {
		if !found[at] {
			t.Errorf("%s is listed, and locks no server", at)
		}
	}
}

// What is decided after a lock is decided on what was read under it: the result of Lock, Current and Latest is kept, and what was read before is not
// used again.
func TestLockedParentsAreUsed(t *testing.T) {
	t.Parallel()
	n := 0
	for _, path := range sources(t, "internal") {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(node ast.Node) bool {
			switch d := node.(type) {
			case *ast.FuncDecl:
				n += lockedUsed(t, set, d.Body)
			case *ast.FuncLit:
				n += lockedUsed(t, set, d.Body)
			}
			return true
		})
	}
	if n < 50 {
		t.Errorf("%d calls of Lock and Current were found: do they have other names?", n)
	}
}

// unlocked lists the handlers that change something and use what was loaded before their transaction, with the reason.
var unlocked = map[string]string{
	"database Operations.checkWith":         "is called under the lock",
	"sshkey Operations.check":               "is called under the lock",
	"nginx Operations.judged":               "is called under the lock",
	"nginx Operations.updateAsRoot":         "writes under the lock, and reads the domain again",
	"packages kindOf.update":                "k.current locks",
	"firewall NetworkOperations.update":     "locks all networks, and reads the server again",
	"php Operations.registerConfigurations": "edits are called under the lock",
	"php Operations.updateOfSites":          "is called under the lock",
	"php Operations.upgrade":                "the number of a version does not change",
	"notification Operations.test":          "changes no channel",
}

// A handler that changes something begins by locking the server that its path names: what it uses of the server, the site or a part was otherwise loaded
// before its transaction, and may have been changed or deleted since.
func TestHandlersLockWhatTheyUse(t *testing.T) {
	t.Parallel()
	found, n := map[string]bool{}, 0
	nounFunctions(t, func(at string, function *ast.FuncDecl, position func(ast.Node) token.Position) {
		ast.Inspect(function, func(node ast.Node) bool {
			kind, body := (*ast.FuncType)(nil), (*ast.BlockStmt)(nil)
			switch h := node.(type) {
			case *ast.FuncDecl:
				kind, body = h.Type, h.Body
			case *ast.FuncLit:
				kind, body = h.Type, h.Body
			}
			if kind == nil || !changes(kind) {
				return true
			}
			n++
			if use := usedUnlocked(body); use != nil {
				if found[at] = true; unlocked[at] == "" {
					t.Errorf("%s: %s uses %s as it was loaded before the transaction", position(use), at, types.ExprString(use))
				}
			}
			return true
		})
	})
	if n < 50 {
		t.Errorf("%d handlers were found: do they have other parameters?", n)
	}
	for at := range unlocked {
		if !found[at] {
			t.Errorf("%s is listed, and uses nothing that was loaded before", at)
		}
	}
}

// changes reports whether a function has the parameters of a handler that changes something: a transaction and a call.
func changes(f *ast.FuncType) bool {
	var tx, call bool
	for _, p := range f.Params.List {
		text := types.ExprString(p.Type)
		tx, call = tx || text == "*db.Tx", call || strings.HasPrefix(text, "api.Call[")
	}
	return tx && call
}

// ofOrganizations are the rows of organizations that paths lead to.
var ofOrganizations = []string{"Channel", "Credential", "Permissions", "Provider", "Recipe", "Role", "Team", "client", "member"}

// usedUnlocked returns the first use of a loaded row in a handler that locks nothing, nil if there is none.
func usedUnlocked(body *ast.BlockStmt) (use ast.Expr) {
	locks := false
	named := map[ast.Node]bool{} // as what a query is about: by its id, or as the row that a query belongs to
	ast.Inspect(body, func(node ast.Node) bool {
		switch e := node.(type) {
		case *ast.CallExpr:
			if strings.HasPrefix(types.ExprString(e.Fun), "tx.") {
				for _, argument := range e.Args {
					named[argument] = true
				}
			}
			if s, ok := e.Fun.(*ast.SelectorExpr); ok &&
				slices.Contains([]string{"Lock", "Current", "Editable", "Latest", "Remove", "RemoveAs", "lock", "lockBoth"}, s.Sel.Name) {
				locks = true
			}
		case *ast.AssignStmt:
			for _, value := range e.Rhs {
				if types.ExprString(value) == "c.Parent.Organization" && use == nil {
					use = value
				}
			}
		case *ast.SelectorExpr:
			if slices.Contains([]string{"ID", "UserID"}, e.Sel.Name) {
				named[e.X] = true
			}
			row := slices.Contains([]string{"Server", "Site", "Row", "Configuration", "Backup"}, e.Sel.Name) ||
				slices.Contains(ofOrganizations, e.Sel.Name) && !named[e]
			if row && strings.HasPrefix(types.ExprString(e), "c.Parent.") && use == nil {
				use = e
			}
		}
		return true
	})
	if locks {
		return nil
	}
	return use
}

// lockedUsed checks the calls of Lock, Current and Latest in a function, without those of functions in it, and returns how many there are.
func lockedUsed(t *testing.T, set *token.FileSet, body *ast.BlockStmt) int {
	t.Helper()
	n, kept := 0, map[*ast.CallExpr]ast.Expr{} // by what the result is assigned to
	ast.Inspect(body, func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if call, ok := s.Rhs[0].(*ast.CallExpr); ok {
				kept[call] = s.Lhs[0]
			}
		case *ast.ReturnStmt:
			if len(s.Results) == 1 {
				if call, ok := s.Results[0].(*ast.CallExpr); ok {
					kept[call] = call
				}
			}
		case *ast.CallExpr:
			locked, ok := lockedBy(s)
			if !ok {
				return true
			}
			n++
			switch to := kept[s]; {
			case to == nil || types.ExprString(to) == "_":
				t.Errorf("%s: the result of locking %s is discarded: what is decided next is decided on what was read before", set.Position(s.Pos()), locked)
			case !strings.HasPrefix(types.ExprString(to), locked):
				stale(t, set, body, s.End(), locked)
			}
		}
		return true
	})
	return n
}

// lockedBy returns what a call locks and reads again.
func lockedBy(call *ast.CallExpr) (locked string, ok bool) {
	s, is := call.Fun.(*ast.SelectorExpr)
	if !is || !slices.Contains([]string{"Lock", "Current", "Latest"}, s.Sel.Name) || len(call.Args) != 2 || types.ExprString(call.Args[1]) != "tx" {
		return "", false
	}
	return types.ExprString(s.X), true
}

// stale reports uses of what was read before the lock that come after it.
func stale(t *testing.T, set *token.FileSet, body *ast.BlockStmt, after token.Pos, locked string) {
	t.Helper()
	ast.Inspect(body, func(node ast.Node) bool {
		s, ok := node.(*ast.SelectorExpr)
		if ok && s.Pos() > after && types.ExprString(s.X) == locked && slices.Contains([]string{"Server", "Site"}, s.Sel.Name) {
			t.Errorf("%s: %s.%s was read before the lock", set.Position(s.Pos()), locked, s.Sel.Name)
		}
		return true
	})
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
