package edge

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A role is checked before a token.
func TestRoleBeforeScope(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	token, _ := w.Token(w.users["viewer"], access.SetOf(access.UserView), nil)
	a := w.As(token).Delete("/orgs/acme/servers/"+w.mine.server).Want(t, 403)
	if got, want := a.Text("message"), "Your role does not have the permission server:delete."; got != want {
		t.Errorf("message is %q, want %q", got, want)
	}
	token, _ = w.Token(w.users["owner"], access.SetOf(access.UserView), nil)
	a = w.As(token).Delete("/orgs/acme/servers/"+w.mine.server).Want(t, 403)
	if got, want := a.Text("message"), "This token does not have the scope server:delete."; got != want {
		t.Errorf("message is %q, want %q", got, want)
	}
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	nobody := w.As("")
	for _, path := range []string{
		"/nothing", "/", "/nothing/", "/orgs/acme/nothing",
		"/orgs/acme/servers/" + w.mine.server + "/nothing/1", "/orgs/%00", "/orgs/%ff", "/orgs/a%2Fb", "/%2e%2e/api/user",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			a := nobody.Call(method, path, nil).Want(t, 401)
			if got := a.Text("message"); got != "Unauthenticated." {
				t.Errorf("anonymous %s %s: %s", method, path, a.Body)
			}
			a = w.owner.Call(method, path, nil)
			named := slices.Contains([]string{"/orgs/%00", "/orgs/%ff", "/orgs/a%2Fb"}, path) // an organization of that name
			asked := named && (method == "GET" || method == "PUT")
			known := named && !asked
			if want := map[bool]int{false: 404, true: 405}[known]; a.Status != want {
				t.Errorf("%s %s: %d, want %d: %s", method, path, a.Status, want, a.Body)
			}
			if got := a.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("%s %s: content type %q", method, path, got)
			}
			want := "There is no operation at this path. All operations are listed at " + w.URL + "/docs/api/."
			if asked {
				want = "Not found."
			}
			if got := a.Text("message"); a.Status == 404 && got != want {
				t.Errorf("%s %s: %q, want %q", method, path, got, want)
			}
		}
	}
}

// A path that is not clean is sent to its clean form, known or not.
func TestUncleanPaths(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	for path, to := range map[string]string{"": "/", "//orgs": "/orgs", "/nothing//1": "/nothing/1", "/orgs/../user": "/user", "/./nothing": "/nothing"} {
		a := w.As("").Get(path).Want(t, http.StatusTemporaryRedirect)
		if got := a.Header.Get("Location"); got != api.Root+to {
			t.Errorf("%s leads to %s, want %s", path, got, api.Root+to)
		}
	}
}

func TestMethodNotAllowed(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	server := "/orgs/acme/servers/" + w.mine.server
	for _, tt := range []struct{ method, path, allow string }{
		{"POST", "/user", "GET, HEAD, PUT"},
		{"PATCH", server, "GET, HEAD, PUT, DELETE"},
		{"OPTIONS", server, "GET, HEAD, PUT, DELETE"},
		{"TRACE", server, "GET, HEAD, PUT, DELETE"},
		{"DELETE", server + "/firewall-rules", "GET, HEAD, POST"},
		{"GET", server + "/sites/balancer", "POST"}, // no site of the id "balancer"
		{"GET", server + "/sites/balancer/", "POST"},
		{"DELETE", server + "/sites/balancer", "POST"},
		{"POST", "/openapi.json", "GET, HEAD"},
		{"GET", server + "/events/" + w.mine.event + "/retry", "POST"},
		{"HEAD", server + "/events/" + w.mine.event + "/retry", "POST"},
	} {
		a := w.owner.Call(tt.method, tt.path, nil).Want(t, 405)
		if got := a.Header.Get("Allow"); got != tt.allow {
			t.Errorf("%s %s: Allow is %q, want %q", tt.method, tt.path, got, tt.allow)
		}
	}
}

func TestBadQueries(t *testing.T) {
	t.Parallel()
	const (
		filters = ", only filter[ip_address], filter[name], filter[region], filter[size], filter[provider], filter[ubuntu_version], filter[php_version], " +
			"filter[database_type], filter[tag]."
		sorts = ", only name, provider, ubuntu_version, region, php_version, created_at, updated_at."
		pages = ": use page[size], and page[cursor] with meta.next_cursor of the page before."
	)
	Worlds(t, func(t *testing.T, w *world) {
		for _, tt := range []struct{ query, message string }{
			{"filter[nothing]=1", "filter[nothing] is not allowed here" + filters},
			{"filter[private_key]=1", "filter[private_key] is not allowed here" + filters},
			{"filter[id)--]=1", "filter[id)--] is not allowed here" + filters},
			{"filter=1", "filter[] is not allowed here" + filters},
			{"filter[]=1", "filter[] is not allowed here" + filters},
			{"sort=private_key", `sort "private_key" is not allowed here` + sorts},
			{"sort=", `sort "" is not allowed here` + sorts},
			{"sort=--name", `sort "--name" is not allowed here` + sorts},
			{"sort=name,nothing", `sort "nothing" is not allowed here` + sorts},
			{"include=organization", `include "organization" is not allowed here.`},
			{"include=tagsCount,serverSum", `include "tagsCount" is not allowed here; include "serverSum" is not allowed here.`},
			{"page[size]=0", "page[size] must be between 1 and 200."},
			{"page[size]=201", "page[size] must be between 1 and 200."},
			{"page[size]=-1", "page[size] must be between 1 and 200."},
			{"page[size]=ten", "page[size] must be between 1 and 200."},
			{"page[size]=", "page[size] must be between 1 and 200."},
			{"page[number]=2", "page[number] is not allowed here" + pages},
			{"page=2", "page is not allowed here" + pages},
			{"page[cursor]=nonsense", "The page[cursor] is not valid for this list."},
			{"page[cursor]=%00", "The page[cursor] is not valid for this list."},
			{"dry_run=true", "This operation has no dry run."},
			{"name=%zz", "The query string can't be read."},
			{"a;b", "The query string can't be read."},
		} {
			a := w.owner.Get("/orgs/acme/servers?" + tt.query)
			if a.Status != 400 || !sameParts(a.Text("message"), tt.message) {
				t.Errorf("?%s answered %d %s, want 400 %q", tt.query, a.Status, a.Body, tt.message)
			}
		}
		w.owner.Get("/orgs/acme/servers?utm_source=mail&filter_x=1").Want(t, 200) // others' resources are left alone
		w.owner.Delete("/orgs/acme/servers/"+w.mine.server+"?page[size]=10").Want(t, 400)
		a := w.owner.Post("/orgs/acme/servers/"+w.mine.server+"/firewall-rules?dry_run=maybe", map[string]any{"name": "x", "type": "allow"}).Want(t, 400)
		if got := a.Text("message"); got != "dry_run must be true or false." {
			t.Errorf("message is %q", got)
		}
	})
}

// sameParts compares messages of several parts, whose order is theirs to choose.
func sameParts(a, b string) bool {
	parts := func(s string) []string {
		p := strings.Split(strings.TrimSuffix(s, "."), "; ")
		slices.Sort(p)
		return p
	}
	return slices.Equal(parts(a), parts(b))
}

func TestBodies(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := "/orgs/acme/servers/" + w.mine.server + "/firewall-rules"
		before := w.counts()
		deep := func(n int) string {
			return `{"name":"x","type":"allow","more":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
		}
		for _, tt := range []struct {
			name, body string
			options    []Option
			want       int
			says       string
		}{
			{"cut", `{"name":"x"`, nil, 400, "The request body is not valid JSON."},
			{"two values", `{"name":"x","type":"allow"} {}`, nil, 400, "The request body is not valid JSON."},
			{"a list", `[1]`, nil, 400, "The request body must be a JSON object."},
			{"a document", `{"data":{"attributes":{"name":"x","type":"allow"}}}`, nil, 400,
				"Send the fields as the request body itself: answers have them in data.attributes, requests do not."},
			{"null", `null`, nil, 400, "The request body must be a JSON object."},
			{"a text", `"x"`, nil, 400, "The request body must be a JSON object."},
			{"not UTF-8", "{\"name\":\"\xff\",\"type\":\"allow\"}", nil, 400, "The request body is not valid UTF-8."},
			{"two byte order marks", "\ufeff\ufeff{}", nil, 400, "The request body is not valid JSON."},
			{"too deep", deep(33), nil, 400, "The request body is nested too deeply."},
			{"much too deep", `{"a":` + strings.Repeat("[", 500_000), nil, 400, "The request body is nested too deeply."},
			{"too large", `{"name":"` + strings.Repeat("a", 1<<20) + `"}`, nil, 413, "The request body is larger than 1 MiB."},
			{"a form", `name=x&type=allow`, []Option{Header("Content-Type", "application/x-www-form-urlencoded")}, 422, "The request body must be application/json."},
			{"XML", `<a/>`, []Option{Header("Content-Type", "application/xml")}, 422, "The request body must be application/json."},
			{"no media type", `{}`, []Option{Header("Content-Type", ";;")}, 422, "The request body must be application/json."},
			{"another JSON", `{}`, []Option{Header("Content-Type", "application/problem+json")}, 422, "The request body must be application/json."},
			{"the same name twice in other letters", `{"name":"x","type":"allow","TYPE":"evil"}`, nil, 400, `The request body names "TYPE" twice.`},
			{"the same name twice", `{"name":"x","type":"evil","type":"allow"}`, nil, 400, `The request body names "type" twice.`},
			{"the same name twice, further in", `{"name":"x","type":"allow","more":[{"a":1},{"b":{"k":1,"\u212a":2}}]}`, nil, 400, `The request body names "K" twice.`},
		} {
			a := w.owner.Post(path, tt.body, tt.options...)
			if a.Status != tt.want || a.Text("message") != tt.says {
				t.Errorf("%s: answered %d %s, want %d %q", tt.name, a.Status, a.Body, tt.want, tt.says)
			}
			if tt.want == 422 && !slices.Equal(a.Fields(), []string{"body"}) {
				t.Errorf("%s: fields are %v, want body", tt.name, a.Fields())
			}
		}
		if a := w.owner.Post(path, nil).Want(t, 422); !slices.Equal(a.Fields(), []string{"name", "type"}) {
			t.Errorf("no body at all: fields are %v", a.Fields())
		}
		if a := w.owner.Post(path, "\ufeff"+`{"name":"x"}`).Want(t, 422); !slices.Equal(a.Fields(), []string{"type"}) { // as clients on Windows begin texts
			t.Errorf("a marked body: fields are %v", a.Fields())
		}
		if a := w.owner.Post(path, "  \n").Want(t, 422); !slices.Equal(a.Fields(), []string{"name", "type"}) {
			t.Errorf("a blank body: fields are %v", a.Fields())
		}
		w.unchangedSince(before)
		for i, contentType := range []string{"application/json", "application/json; charset=utf-8", "application/vnd.api+json", "APPLICATION/JSON", ""} {
			w.owner.Post(path, fmt.Sprintf(`{"name":"ok %d","type":"allow","port":"81"}`, i), Header("Content-Type", contentType)).Want(t, 202)
		}
		w.owner.Post(path, deep(32)).Want(t, 202)
		exact := `{"type":"allow","port":"81","more":"` + strings.Repeat("a", 1<<20)
		w.owner.Post(path, exact[:(1<<20)-len(`","name":"x"}`)]+`","name":"x"}`).Want(t, 202)
	})
}

func (w *world) unchangedSince(before map[string]int64) {
	w.T.Helper()
	(&matrix{world: w}).unchanged(before)
}

// A HEAD answers like a GET, without the body; a stream's head does not block.
func TestHead(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	for _, path := range []string{"/user", "/orgs", "/orgs/acme/servers/" + w.mine.server, "/orgs/acme/servers"} {
		get, head := w.owner.Get(path).Want(t, 200), w.owner.Call("HEAD", path, nil).Want(t, 200)
		if len(head.Body) > 0 {
			t.Errorf("HEAD %s has a body of %d bytes", path, len(head.Body))
		}
		for _, name := range []string{"Content-Type", "Content-Length", "ETag"} {
			if got, want := head.Header.Get(name), get.Header.Get(name); got != want {
				t.Errorf("HEAD %s: %s is %q, GET says %q", path, name, got, want)
			}
		}
	}
	w.owner.Call("HEAD", "/orgs/nobody", nil).Want(t, 404)
	w.As("").Call("HEAD", "/orgs", nil).Want(t, 401)
	c := w.owner
	c.http.Transport = &http.Transport{MaxConnsPerHost: 1} // the second call waits for the end of the first
	defer c.http.CloseIdleConnections()
	c.http.Timeout = 10 * time.Second
	head := c.Call("HEAD", "/orgs/acme/events/stream", nil).Want(t, 200)
	if got := head.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("HEAD of a stream is %q", got)
	}
	c.Get("/user").Want(t, 200)
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	seen := map[string]bool{}
	for _, a := range []Answer{
		w.owner.Get("/user"), w.owner.Get("/user"), w.As("").Get("/user"), w.owner.Get("/nothing"),
		w.owner.Get("/user", Header("X-Request-Id", "mine\"><script>")), w.owner.Call("PATCH", "/user", nil),
	} {
		id := a.Header.Get("X-Request-Id")
		if len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" || seen[id] {
			t.Errorf("X-Request-Id is %q of an answer %d", id, a.Status)
		}
		seen[id] = true
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	path := "/orgs/acme/servers/" + w.mine.server
	first := w.owner.Get(path).Want(t, 200)
	tag := first.Header.Get("ETag")
	if !strings.HasPrefix(tag, `"`) || len(tag) < 10 {
		t.Fatalf("ETag is %q", tag)
	}
	if got := first.Header.Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("Cache-Control is %q", got)
	}
	for _, match := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		a := w.owner.Get(path, Header("If-None-Match", match)).Want(t, http.StatusNotModified)
		if len(a.Body) > 0 || a.Header.Get("ETag") != tag {
			t.Errorf("304 for %s has a body of %d bytes and the ETag %s", match, len(a.Body), a.Header.Get("ETag"))
		}
	}
	again := w.owner.Get(path, Header("If-None-Match", `"other"`)).Want(t, 200)
	if !bytes.Equal(again.Body, first.Body) {
		t.Error("the same resource has other bytes the second time")
	}
	w.owner.Put(path, map[string]any{"name": "renamed"}).Want(t, 200)
	changed := w.owner.Get(path, Header("If-None-Match", tag)).Want(t, 200)
	if changed.Header.Get("ETag") == tag {
		t.Error("the ETag is the same after a change")
	}
	w.viewer.Get("/orgs/acme/servers/"+w.mine.server+"/firewall-rules/"+w.mine.rule, Header("If-None-Match", "*")).Want(t, 403)
}
