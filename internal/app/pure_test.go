package app

import (
	"context"
	"database/sql"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/security"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// What leads out of a plan, as types in code and as types of values.
var (
	outside = regexp.MustCompile(`\b(context\.Context|sql\.\w+|db\.(DB|Tx|Reader)|query\.(Queries|Granted|DBTX)|ledger\.Ledger|converge\.Converger|` +
		`job\.(Queue|Engine|Fleet)|host\.Fleet|http\.\w+|access\.\w+|api\.Router)\b`)
	leads = []reflect.Type{
		reflect.TypeFor[context.Context](), reflect.TypeFor[sql.DB](), reflect.TypeFor[sql.Tx](), reflect.TypeFor[sql.Conn](), reflect.TypeFor[db.DB](),
		reflect.TypeFor[db.Tx](), reflect.TypeFor[query.Queries](), reflect.TypeFor[query.Granted](),
		reflect.TypeFor[query.DBTX](), reflect.TypeFor[ledger.Ledger](), reflect.TypeFor[job.Queue](),
		reflect.TypeFor[job.Engine](), reflect.TypeFor[host.Fleet](), reflect.TypeFor[http.Client](),
	}
)

// A function that sees a view is part of a plan, and is given neither a database nor what waits for one: by its parameters or by its receiver.
func TestPlansTakeNoDatabase(t *testing.T) {
	t.Parallel()
	found := 0
	for _, dir := range mustGlob(t, "../noun/*") {
		files := parse(t, filepath.Join(dir, "*.go"))
		fields := map[string][]string{} // the types of a struct's fields, by its name
		for _, f := range files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					if of, ok := spec.Type.(*ast.StructType); ok {
						for _, field := range of.Fields.List {
							fields[spec.Name.Name] = append(fields[spec.Name.Name], f.text(field.Type))
						}
					}
				}
				return true
			})
		}
		for _, f := range files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncType:
					if params := f.text(n.Params); strings.Contains(params, "ledger.View") {
						found++
						if bad := outside.FindString(params); bad != "" {
							t.Errorf("%s: a function of a view takes a %s", f.at(n), bad)
						}
					}
				case *ast.FuncDecl:
					if n.Recv == nil || !strings.Contains(f.text(n.Type.Params), "ledger.View") {
						break
					}
					name := strings.TrimLeft(f.text(n.Recv.List[0].Type), "*")
					if bad := outside.FindString(strings.Join(fields[name], " ")); bad != "" {
						t.Errorf("%s: %s sees a view, and its receiver holds a %s", f.at(n), n.Name.Name, bad)
					}
				}
				return true
			})
		}
	}
	if found < 20 {
		t.Errorf("%d functions of views were found", found)
	}
}

// The plan of an aspect is a function of a package, or a method of a value that is checked below: not a closure, which could hold anything.
func TestPlansAreFunctions(t *testing.T) {
	t.Parallel()
	found := 0
	for _, f := range append(parse(t, "*.go"), parse(t, "../noun/*/*.go")...) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok || f.text(pair.Key) != "Plans" {
				return true
			}
			found++
			if text := f.text(pair.Value); !regexp.MustCompile(`^([a-z]+\.)?Plan$`).MatchString(text) {
				t.Errorf("%s: the plan is %s, want a function that is called Plan", f.at(n), text)
			}
			return true
		})
	}
	if found < 5 {
		t.Errorf("%d plans were found", found)
	}
}

// Nothing that a plan is given leads to a database, whichever way one goes through its fields.
func TestArgumentsOfPlansLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		ledger.View{},
		vhost.Facts{},
		schedule.Facts{},
		vhost.Planner{},
		domain.Include{},
		certificate.Include{},
		redirect.Include{},
		security.Include{},
		process.Include{},
		schedule.Include{},
		integration.Include{},
	} {
		of := reflect.TypeOf(v)
		follow(t, of, of.String(), map[reflect.Type]bool{})
	}
}

// named are the interfaces in what plans are given: what stands behind each is checked with the rest, or only opens what is sealed.
var named = map[string]bool{
	"ledger.View.Facts": true, "ledger.View.Box": true, "vhost.Planner.Domains": true, "vhost.Planner.Includes[]": true, "domain.Include.Certificates": true,
}

func follow(t *testing.T, of reflect.Type, path string, seen map[reflect.Type]bool) {
	t.Helper()
	if seen[of] {
		return
	}
	seen[of] = true
	for _, lead := range leads {
		if of == lead {
			t.Errorf("%s is a %s", path, of)
		}
	}
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		follow(t, of.Elem(), path+"[]", seen)
	case reflect.Map:
		follow(t, of.Key(), path+" key", seen)
		follow(t, of.Elem(), path+"[]", seen)
	case reflect.Struct:
		for i := range of.NumField() {
			follow(t, of.Field(i).Type, path+"."+of.Field(i).Name, seen)
		}
	case reflect.Interface:
		if !named[path] {
			t.Errorf("%s is a %s: say here what stands behind it", path, of)
		}
	case reflect.Func:
		for i := range of.NumIn() {
			if of.In(i) == reflect.TypeFor[ledger.View]() { // is followed on its own
				continue
			}
			follow(t, of.In(i), path+" parameter", seen)
		}
	}
}

// What is read with a context can fail for a reason of the service's own, which ends no work and is shown to no person: only what the answer says does.
func TestFailedReadsEndNoWork(t *testing.T) {
	t.Parallel()
	ends := regexp.MustCompile(`job\.(Planned\(|StageError\{)`)
	looks := 0
	for _, f := range parse(t, "../noun/*/*.go") {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			block, ok := n.(*ast.BlockStmt)
			if !ok {
				return true
			}
			var before ast.Stmt
			for _, stmt := range block.List {
				check, ok := stmt.(*ast.IfStmt)
				if !ok {
					before = stmt
					continue
				}
				read := before
				if before = stmt; check.Init != nil {
					read = check.Init
				}
				assign, ok := read.(*ast.AssignStmt)
				if !ok || !strings.Contains(f.text(assign), "(ctx") {
					continue
				}
				looks++
				if cond := f.text(check.Cond); strings.HasPrefix(cond, "err != nil") && !strings.Contains(cond, "errors.") && ends.MatchString(f.text(check.Body)) {
					t.Errorf("%s: any failure of %s ends the work", f.at(check), f.text(assign))
				}
			}
			return true
		})
	}
	if looks < 100 {
		t.Errorf("%d reads were looked at", looks)
	}
}

// source is a file of Go that is no test.
type source struct {
	ast *ast.File
	set *token.FileSet
	raw string
}

func parse(t *testing.T, pattern string) []source {
	t.Helper()
	var out []source
	for _, path := range mustGlob(t, pattern) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, raw, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, source{f, set, string(raw)})
	}
	return out
}

func (s source) text(n ast.Node) string {
	return s.raw[s.set.Position(n.Pos()).Offset:s.set.Position(n.End()).Offset]
}

func (s source) at(n ast.Node) string { return s.set.Position(n.Pos()).String() }

func mustGlob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("nothing is called %s: %v", pattern, err)
	}
	return paths
}
