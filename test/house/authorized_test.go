package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unpermitted lists the operations that no permission of an organization is required for, with what authorizes them. All others name theirs, which the
// router requires with the grant that the parent in the path was loaded with (api.begin).
var unpermitted = map[string]string{
	"noun/account/personal.go id":                         "the signed-in person alone, about their own account",
	"noun/account/setup.go \"auth.setup\"":                "the link that the installation printed when it had no account yet",
	"noun/account/sign.go id":                             "signing in: the password, the second factor, or a mailed link",
	"noun/audit/http.go \"user.audit.index\"":             "the signed-in person alone, about their own account",
	"noun/oauth/http.go id":                               "the signed-in person alone, about their own programs",
	"noun/organization/create.go \"organizations.store\"": "the signed-in person, who manages an organization or could sign up",
	"noun/organization/opened.go \"auth.invitation\"":     "the link of an invitation, which only its mail has",
	"noun/provider/http.go id":                            "public facts of clouds, from the installation",
	"noun/role/http.go \"permissions.index\"":             "the list of permissions, which is in the description",
	"noun/role/http.go \"permissions.show\"":              "the list of permissions, which is in the description",
	"noun/role/http.go \"predefined-roles.index\"":        "roles that every installation has",
	"noun/role/http.go \"predefined-roles.show\"":         "roles that every installation has",
}

// Every operation is authorized by permissions, or is listed with what authorizes it instead; TestUngranted does the same for what handlers read, and
// TestMatrix tries each operation as every caller who must be refused.
func TestOperationsAreAuthorized(t *testing.T) {
	t.Parallel()
	found, all := map[string]bool{}, 0
	for _, path := range sources(t, "internal/noun", "internal/app", "internal/edge") {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || lit.Type == nil || !isSelector(lit.Type, "api", "Operation") || len(lit.Elts) == 0 {
				return true
			}
			all++
			id, permitted := "", false
			for _, e := range lit.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				switch types.ExprString(kv.Key) {
				case "ID":
					id = types.ExprString(kv.Value)
				case "Permissions":
					permitted = types.ExprString(kv.Value) != "nil"
				}
			}
			at := strings.TrimPrefix(path, "internal/") + " " + id
			if permitted {
				return true
			}
			if unpermitted[at] == "" {
				t.Errorf("%s requires no permission, and is not listed with what authorizes it", at)
			}
			found[at] = true
			return true
		})
	}
	if all < 150 {
		t.Errorf("only %d operations were found", all)
	}
	for at := range unpermitted {
		if !found[at] {
			t.Errorf("%s is listed, and requires a permission or is not there", at)
		}
	}
}

var testName = regexp.MustCompile("`(Test[A-Z][A-Za-z0-9]+)`")

// Each line of the threat model names a test that exists: what is promised is tried.
func TestThreatsNameTheirTests(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "docs/security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "<!-- threats -->")
	table, _, closed := strings.Cut(rest, "<!-- /threats -->")
	out, err := exec.Command("git", "-C", root, "grep", "-h", "--untracked", "-oE", "^func Test[A-Za-z0-9]+", "--", "*_test.go").Output()
	if err != nil || !closed {
		t.Fatal("no threat model, or no tests: ", err)
	}
	tests := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		tests[strings.TrimSpace(strings.TrimPrefix(line, "func "))] = true
	}
	lines := 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| who | wants") {
			continue
		}
		lines++
		names := testName.FindAllStringSubmatch(line, -1)
		if len(names) == 0 {
			t.Errorf("no test is named by: %s", line)
		}
		for _, name := range names {
			if !tests[name[1]] {
				t.Errorf("there is no %s, named by: %s", name[1], line)
			}
		}
	}
	if lines < 20 {
		t.Errorf("the threat model has %d lines", lines)
	}
}
