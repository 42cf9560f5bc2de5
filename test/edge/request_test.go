package edge

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// attempt is a request, which begins as one that is accepted: a session creates a redirect.
type attempt struct {
	w                         *world
	client                    *Client
	method, path, query, body string
	options                   []Option
	// spent is set for a caller without requests left.
	spent bool
}

// check is a row of the first table of docs/request.md, with what makes a request fail it.
type check struct {
	name   string
	status int
	says   string
	spoil  func(a *attempt)
}

var pathID = regexp.MustCompile(`/\d+`)

// checks are in the order in which requests are checked.
var checks = []check{
	{"rate limit", 429, "Too Many Attempts.", func(a *attempt) { a.spent = true }},
	{"credentials", 401, "Unauthenticated.", func(a *attempt) { a.client.Cookie = "hostler_ses_nonsense" }},
	{"forgery", 403, "This request must come from the dashboard itself", func(a *attempt) { a.options = append(a.options, Header(api.CSRFHeader, "")) }},
	{"path", 404, "There is no operation at this path.", func(a *attempt) { a.path = "/orgs/acme/nothing" }},
	{"method", 405, "The PATCH method is not supported for this path.", func(a *attempt) { a.method = "PATCH" }},
	{"person", 403, "This is for the signed-in person, not for a token.", func(a *attempt) {
		a.client, a.path = a.w.owner, "/user/tokens/"+a.w.mine.token
		if a.method == "POST" {
			a.method = "DELETE"
		}
	}},
	{"resource", 404, "Not found.", func(a *attempt) { a.path = pathID.ReplaceAllString(a.path, "/999999") }},
	{"permission", 403, "Your role does not have the permission site:manage-redirects.", func(a *attempt) { a.client = a.w.Session(a.w.users["viewer"]) }},
	{"query", 400, "filter[nothing] is not allowed here.", func(a *attempt) { a.query = "?filter[nothing]=1" }},
	{"size", 413, "The request body is larger than 1 MiB.", func(a *attempt) { a.body = `{"from":"` + strings.Repeat("a", 1<<20) }},
	{"media type", 422, "The request body must be application/json.", func(a *attempt) {
		a.options = append(a.options,
			Header("Content-Type", "application/xml"))
	}},
	{"body", 400, "The request body is not valid JSON.", func(a *attempt) { a.body = `{"from":` }},
	{"idempotency key", 409, "This Idempotency-Key was used for another request.", func(a *attempt) {
		a.client.Post(a.path, `{"from":"^/first$","to":"/to","type":"redirect"}`, Header("Idempotency-Key", "key")).Want(a.w.T, 202)
		a.options = append(a.options, Header("Idempotency-Key", "key"))
	}},
	{"fields", 422, "The from field is required.", func(a *attempt) { a.body = `{"to":"/to","type":"redirect"}` }},
	{"state", 409, "The site is", func(a *attempt) {
		a.w.owner.Delete("/orgs/acme/servers/"+a.w.mine.server+"/sites/"+a.w.mine.site).Want(a.w.T, 202)
	}},
	{"plan", 409, "The plan has changed since you looked at it", func(a *attempt) { a.options = append(a.options, plan(strings.Repeat("0", 64))) }},
}

// TestLifeOfARequest compares docs/request.md with what is answered: a request that is wrong in two neighbouring ways gets the answer to the first, and one
// that is wrong in the second alone the answer to that.
func TestLifeOfARequest(t *testing.T) {
	t.Parallel()
	page := string(must(os.ReadFile("../../docs/request.md")))
	var want, got []string
	for _, c := range checks {
		want = append(want, fmt.Sprintf("%s %d", c.name, c.status))
	}
	first, _, _ := strings.Cut(page, "\n## Acceptance")
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z ]+) \| (\d+) \|`).FindAllStringSubmatch(first, -1) {
		got = append(got, row[1]+" "+row[2])
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/request.md lists %q, the test has %q", got, want)
	}
	try := func(name string, want check, wrong ...check) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := WorldWith(t, db.SQLite, func(c *app.Config) {
				if len(wrong) > 0 && wrong[0].status == 429 {
					c.RateLimit = api.LeastRateLimit
				}
			})
			a := attempt{
				w: w, client: w.Session(w.users["owner"]), method: "POST", body: `{"from":"^/from$","to":"/to","type":"redirect"}`,
				path: "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site + "/redirect-rules",
			}
			for _, c := range wrong {
				c.spoil(&a)
			}
			answer := a.send()
			for range api.LeastRateLimit {
				if a.spent {
					answer = a.send()
				}
			}
			if answer.Status != want.status || !strings.HasPrefix(answer.Text("message"), want.says) && want.says != "" {
				t.Errorf("answered %d %s, want %d %q", answer.Status, answer.Body, want.status, want.says)
			}
		})
	}
	for i, c := range checks {
		try(c.name, c, c)
		if i > 0 {
			try(checks[i-1].name+" before "+c.name, checks[i-1], checks[i-1], c)
		}
	}
	try("accepted", check{status: 202})
}

func (a attempt) send() Answer {
	a.w.T.Helper()
	return a.client.Call(a.method, a.path+a.query, a.body, a.options...)
}

// TestPagesNameFunctions finds the functions that docs/request.md names.
func TestPagesNameFunctions(t *testing.T) {
	t.Parallel()
	page := string(must(os.ReadFile("../../docs/request.md")))
	packages := map[string]string{
		"api": "edge/api", "access": "edge/access", "ledger": "engine/ledger", "converge": "engine/converge", "job": "engine/job", "task": "engine/task",
		"host":  "engine/host",
		"agent": "engine/agent", "server": "noun/server", "site": "noun/site", "database": "noun/database", "app": "app", "db": "ground/db",
	}
	names := regexp.MustCompile("`([a-z]+)\\.(?:(\\w+)\\.)?(\\w+)`").FindAllStringSubmatch(page, -1)
	if len(names) < 20 {
		t.Fatalf("the page names %d functions", len(names))
	}
	for _, n := range names {
		dir, ok := packages[n[1]]
		if !ok {
			t.Errorf("%s: the test does not know the package", n[0])
			continue
		}
		receiver := ""
		if n[2] != "" {
			receiver = `\(\w+ \*?` + n[2] + `(\[.*\])?\) `
		}
		declared := regexp.MustCompile(`(?m)^func ` + receiver + n[3] + `[\[(]`)
		files := must(filepath.Glob("../../internal/" + dir + "/*.go"))
		if !slices.ContainsFunc(files, func(name string) bool { return declared.Match(must(os.ReadFile(name))) }) {
			t.Errorf("there is no function %s", n[0])
		}
	}
}
