package release

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// taken are statements after which a program of the release before fails: it reads what is gone or renamed, or writes rows without what is required.
var taken = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bDROP\s+(TABLE|COLUMN|VIEW)\b`),
	regexp.MustCompile(`(?i)\bRENAME\s+(TO|COLUMN)\b`),
	regexp.MustCompile(`(?i)\bALTER\s+COLUMN\b`),
	regexp.MustCompile(`(?i)\bADD\s+CONSTRAINT\b`),
	regexp.MustCompile(`(?i)\bCREATE\s+UNIQUE\s+INDEX\b`),
	regexp.MustCompile(`(?i)\b(TRUNCATE|DELETE\s+FROM)\b`),
}

var (
	added   = regexp.MustCompile(`(?i)\bADD\s+COLUMN\b[^;,]*`)
	comment = regexp.MustCompile(`(?m)--.*$`)
)

// takes returns the statements of a migration that do more than add, "" for none.
func takes(text string) string {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	var out []string
	for statement := range strings.SplitSeq(comment.ReplaceAllString(up, ""), ";") {
		statement = strings.Join(strings.Fields(statement), " ")
		bad := strings.Contains(strings.ToUpper(statement), "CREATE UNIQUE INDEX") && !strings.Contains(up, "CREATE TABLE")
		for _, p := range taken {
			bad = bad || p.MatchString(statement) && !strings.Contains(strings.ToUpper(statement), "CREATE UNIQUE INDEX")
		}
		for _, column := range added.FindAllString(statement, -1) {
			column = strings.ToUpper(column)
			bad = bad || strings.Contains(column, "NOT NULL") && !strings.Contains(column, "DEFAULT")
		}
		if bad {
			out = append(out, statement)
		}
	}
	return strings.Join(out, "; ")
}

// Migrations since the newest release only add: on PostgreSQL an update that goes back leaves the newer schema, which the program before then works on. Before
// the first release there is none to go back to.
func TestMigrationsOnlyAdd(t *testing.T) {
	t.Parallel()
	for text, bad := range map[string]bool{
		"ALTER TABLE a ADD COLUMN b TEXT;":                                      false,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT '';":                  false,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL;":                             true,
		"ALTER TABLE a DROP COLUMN b;":                                          true,
		"ALTER TABLE a RENAME COLUMN b TO c;":                                   true,
		"ALTER TABLE a RENAME TO c;":                                            true,
		"ALTER TABLE a ALTER COLUMN b TYPE TEXT;":                               true,
		"DROP TABLE a;":                                                         true,
		"-- DROP TABLE a;\nCREATE TABLE b (c TEXT NOT NULL);":                   false,
		"CREATE TABLE b (c TEXT);\n-- +goose Down\nDROP TABLE b;":               false,
		"CREATE UNIQUE INDEX i ON a (b);":                                       true,
		"CREATE TABLE a (b TEXT); CREATE UNIQUE INDEX i ON a (b);":              false,
		"ALTER TABLE a ADD COLUMN b TEXT, ADD COLUMN c BIGINT NOT NULL;":        true,
		"CREATE TABLE b (c BIGINT NOT NULL REFERENCES a (id) ON DELETE CASCADE": false,
	} {
		if got := takes(text); (got != "") != bad {
			t.Errorf("%q: found %q", text, got)
		}
	}
	need(t, "git")
	tag := strings.TrimSpace(run(t, nil, "sh", "-c", "git -C "+root+" describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true"))
	if tag == "" {
		t.Skip("no release has been tagged")
	}
	const dir = "internal/ground/db/migrations"
	released := run(t, nil, "git", "-C", root, "ls-tree", "--name-only", tag, dir+"/")
	files, err := filepath.Glob(filepath.Join(root, dir, "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.Contains(released, filepath.Base(file)) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := takes(string(text)); got != "" {
			t.Errorf("%s does more than add, and %s could not work on it: %s", filepath.Base(file), tag, got)
		}
	}
}
