package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// owners are the nouns of query files that are not named for theirs.
var owners = map[string]string{
	"dns":            "dnsprovider",
	"network":        "firewall",
	"source_control": "sourcecontrol",
	"transfer":       "server",
}

// visits lists the other nouns that call a writing query, or any of a file, with the reason.
var visits = map[string]string{
	"setting *": "settings are rows by name, each of the noun that names it",

	"project * deployment":                 "the code of a site is configured, and its releases are recorded, where it is deployed",
	"project SetProjectScript integration": "an integration adds its lines to the deploy script",
	"project SetProjectSettings site":      "what a site is updated with includes its code",
	"project SetProjectReleases site":      "the fold of a site writes how it is deployed",
	"project SetProjectStrategy site":      "the fold of a site writes how it is deployed",

	"domain SetDomainCertificate certificate":   "the fold of a certificate writes what its domain is served with",
	"domain ClearDomainCertificate certificate": "the fold of a certificate writes what its domain is served with",
	"domain SetNginxRefused nginx":              "a configuration that predates the checks is the domain's, and is judged by them",
	"site InsertSite loadbalancer":              "a balancer is a site",
	"site ClaimSitePort integration":            "the fold of an integration claims the port that it listens on",
	"site ReleaseSitePort integration":          "the fold of an integration releases the port that it listened on",
	"site ForgetSitesAccount database":          "an account of a database that is gone is no site's any more",
	"server UpsertTag site":                     "tags are the organization's: servers and sites have them",
	"team ShareServer server":                   "a server is shared with a team when it is made",
	"team PutTeamMember organization":           "an accepted invitation makes a member of its team",
	"team ShareRecipe recipe":                   "a recipe is shared with a team when it is made",
	"organization * team":                       "members of organizations and invitations are managed with those of teams",
	"database SetServerDatabaseStatus service":  "the engine of databases is stopped and started as a service",
	"heartbeat DeleteHeartbeat schedule":        "a heartbeat that a job has made goes with the job",
	"heartbeat UpdateHeartbeat schedule":        "a heartbeat that a job has made follows the job's schedule",
	"oauth EndUserOAuthDevices account":         "a new password ends what was allowed with the old one",
	"oauth RevokeUserOAuthGrants account":       "a new password ends what was granted with the old one",
	"event InsertEvent heartbeat":               "a missing heartbeat is an event without an operation",
	"event ExtendOperation server":              "a server's work waits until the command was run on it",
	"event ExtendOperations server":             "what was accepted for a server waits until it is set up",
}

var (
	named  = regexp.MustCompile(`^(\w+) :`)
	writes = regexp.MustCompile(`(?im)^\s*(INSERT INTO|UPDATE|DELETE FROM)\b`)
)

// A noun's rows are written by the noun: no other calls a query of its file that writes, unless it is listed with a reason.
func TestRowsAreWrittenByTheirNoun(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(root + "/internal/ground/db/queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of queries, %v", len(files), err)
	}
	file := map[string]string{} // of each query that writes
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range strings.Split(string(raw), "-- name: ") {
			if m := named.FindStringSubmatch(q); m != nil && writes.MatchString(q) {
				file[m[1]] = strings.TrimSuffix(filepath.Base(path), ".sql")
			}
		}
	}
	found := map[string]bool{}
	for _, path := range sources(t, "internal/noun") {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		noun := filepath.Base(filepath.Dir(path))
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || file[s.Sel.Name] == "" {
				return true
			}
			from, query := file[s.Sel.Name], s.Sel.Name
			owner := from
			if owners[from] != "" {
				owner = owners[from]
			}
			if noun == owner {
				return true
			}
			for _, at := range []string{from + " " + query + " " + noun, from + " * " + noun, from + " *"} {
				if visits[at] != "" {
					found[at] = true
					return true
				}
			}
			t.Errorf("%s calls %s, which writes rows of %s", path, query, owner)
			return true
		})
	}
	for at := range visits {
		if !found[at] {
			t.Errorf("%s is listed, and is not called", at)
		}
	}
}

var sqlWrites = regexp.MustCompile(`(?i)\b(INSERT INTO|UPDATE|DELETE FROM)\s+"?[a-z_]+"?\s+(SET\b|\(|WHERE\b|VALUES\b)`)

// Nouns write by queries, which the tests of queries see, and never by SQL of their own.
func TestNounsWriteByQueries(t *testing.T) {
	t.Parallel()
	for _, path := range sources(t, "internal/noun", "internal/edge", "internal/app", "cmd") {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING && sqlWrites.MatchString(literal.Value) {
				t.Errorf("%s:%d writes rows by %s: make it a query", path, set.Position(n.Pos()).Line, literal.Value)
			}
			return true
		})
	}
}
