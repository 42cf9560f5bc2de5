package ledger_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tables are those of nouns in the ledger.
var tables = []string{
	"firewall_rules", "ssh_keys", "sites", "domains", "certificates", "redirect_rules", "security_rules",
	"background_processes", "scheduled_jobs", "integrations", "databases", "database_users", "monitors", "php_versions", "sftp_users",
}

// other are nouns in the ledger whose resources have no row with a status: they are what a server or a site always has.
var other = []string{"firewall.Networks", "php.ServerSettings", "redirect.Orders"}

// tasks are the queries other than a noun's that write a status of such a table, with their task.
var tasks = map[string]string{
	"SetCertificateStatus": "orders at an authority",
	"PutIntegration":       "maintenance pages",
	"SetIntegrationWork":   "maintenance pages",
	"SettleIntegration":    "maintenance pages",
}

var (
	written = regexp.MustCompile(`(?is)\b(?:update|insert into)\s+([a-z_]+)\b`)
	listed  = regexp.MustCompile(`\bkinds: +\[\]ledger\.Kind\{(.*)\}`)
	status  = regexp.MustCompile(`(?is)\bset\b[^;]*\bstatus\s*=|\bstatus\b[^;]*\)\s*values`)
)

// The status of a resource follows from the fold: it is written where a row is inserted to have an id, by the one query that
// shows a fold, and by nothing else.
func TestStatusIsWrittenByTheFold(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../ground/db/queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of queries, %v", len(files), err)
	}
	code := sources(t)
	shown := map[string][]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range strings.Split(string(raw), "-- name: ")[1:] {
			name, _, _ := strings.Cut(q, " ")
			m := written.FindStringSubmatch(q)
			if m == nil || !slices.Contains(tables, m[1]) || !status.MatchString(q) || tasks[name] != "" || strings.HasPrefix(name, "Insert") {
				continue
			}
			shown[m[1]] = append(shown[m[1]], name)
			if n := strings.Count(code, "."+name+"("); n != 1 {
				t.Errorf("%s writes a status of %s and is called in %d places; want one, the noun's write", name, m[1], n)
			}
		}
	}
	app, err := filepath.Glob("../../app/nouns_*.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for _, file := range app {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range listed.FindAllSubmatch(raw, -1) {
			kinds += strings.Count(string(list[1]), ",") + 1
		}
	}
	if kinds != len(tables)+len(other) {
		t.Errorf("the ledger has %d kinds, and the tables of %d are looked at", kinds, len(tables)+len(other))
	}
	for _, table := range tables {
		if len(shown[table]) == 0 {
			t.Errorf("no query shows a fold in %s", table)
		}
		if table != "redirect_rules" && len(shown[table]) > 1 { // a rule that is restored is inserted under its old id
			t.Errorf("%s all write the status of %s", shown[table], table)
		}
	}
}

// sources returns the texts of all Go files that are neither generated nor tests.
func sources(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../../ground/db/query/") {
			return err
		}
		raw, err := os.ReadFile(path)
		b.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
