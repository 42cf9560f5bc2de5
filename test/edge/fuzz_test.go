package edge

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/contract"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// fuzzed returns worlds that every input is tried in: on SQLite, and on PostgreSQL where it is installed. They must agree.
func fuzzed(f *testing.F) []*world {
	worlds := []*world{newWorld(New(f, db.SQLite))}
	if _, err := os.Stat(filepath.Join(pgtest.Binaries, "initdb")); !errors.Is(err, os.ErrNotExist) {
		worlds = append(worlds, newWorld(New(f, db.PostgreSQL)))
	}
	return worlds
}

// serve answers without a network, and checks the answer against the contract.
func (w *world) serve(t *testing.T, op, method, path, query, body string) Answer {
	t.Helper()
	req := &http.Request{
		Method: method, URL: &url.URL{Path: api.Root + path, RawQuery: query},
		Header: http.Header{"Authorization": {"Bearer " + w.owner.Token}}, Body: http.NoBody,
	}
	if body != "" {
		req.Body = readCloser{strings.NewReader(body)}
		req.Header.Set("Content-Type", "application/json")
	}
	res := httptest.NewRecorder()
	w.App.Handler().ServeHTTP(res, req.WithContext(t.Context()))
	a := Answer{Status: res.Code, Header: res.Header(), Body: res.Body.Bytes()}
	_ = json.Unmarshal(a.Body, &a.Doc)
	if a.Status >= 500 {
		t.Fatalf("%s on %s: %s ?%q %q answered %d\n%s", op, w.App.DB.Dialect, path, query, body, a.Status, w.Log)
	}
	if values, err := url.ParseQuery(query); err == nil && (values.Get("dry_run") == "true" || values.Get("dry_run") == "1") {
		checkPlan(t, a)
		return a
	}
	for _, wrong := range contract.CheckResponse(op, a.Status, a.Header, a.Body, w.options...) {
		t.Errorf("%s on %s: ?%q %q answered %d: %s", op, w.App.DB.Dialect, query, body, a.Status, wrong)
	}
	return a
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// agree fails where two databases answer differently. The servers' own addresses are left out.
func agree(t *testing.T, worlds []*world, answers []Answer) {
	t.Helper()
	if len(answers) < 2 {
		return
	}
	text := func(i int) string {
		return string(bytes.ReplaceAll(answers[i].Body, []byte(worlds[i].URL), []byte("http://x")))
	}
	if answers[0].Status != answers[1].Status {
		t.Errorf("SQLite answers %d %s, PostgreSQL %d %s", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
	}
	if answers[0].Status < 400 && answers[0].Header.Get("Location") != "" { // ids differ: PostgreSQL counts what was rolled back as well
		return
	}
	if diff := cmp.Diff(text(0), text(1)); diff != "" {
		t.Errorf("-SQLite +PostgreSQL:\n%s", diff)
	}
}

// Any cursor is answered by a page or by 400.
func FuzzCursor(f *testing.F) {
	worlds := fuzzed(f)
	for _, sort := range sorts {
		a := worlds[0].owner.Get("/orgs/acme/servers?page[size]=2&sort=" + sort + map[bool]string{true: "name"}[sort == ""])
		if cursor, ok := a.At("meta", "next_cursor").(string); ok {
			f.Add(cursor, sort)
		}
	}
	f.Add("", "")
	f.Add("e30", "")
	f.Add("eyJvIjoic2VydmVyczpuYW1lLCIsInYiOlsiXHUwMDAwIl0sImkiOjF9", "name") // a NUL in a value
	f.Add("eyJvIjoic2VydmVyczpjcmVhdGVkX2F0LCIsInYiOlsiOTk5OTk5OTk5OTk5OTk5OTk5OTkiXSwiaSI6MX0", "created_at")
	f.Fuzz(func(t *testing.T, cursor, sort string) {
		query := url.Values{"page[cursor]": {cursor}}
		if sort != "" {
			query.Set("sort", sort)
		}
		var answers []Answer
		for _, w := range worlds {
			a := w.serve(t, "organizations.servers.index", "GET", "/orgs/acme/servers", query.Encode(), "")
			if a.Status != 200 && a.Status != 400 {
				t.Errorf("answered %d", a.Status)
			}
			for i := range a.IDs() {
				if self := a.Text("data", i, "links", "self", "href"); !strings.Contains(self, "/orgs/acme/servers/") {
					t.Errorf("the list shows %s", self)
				}
			}
			answers = append(answers, a)
		}
		if len(answers) > 1 && answers[0].Status != answers[1].Status {
			t.Errorf("SQLite answers %d, PostgreSQL %d", answers[0].Status, answers[1].Status)
		}
	})
}

// Any query of a list is answered by a page or by 400, and the same on both databases.
func FuzzFilters(f *testing.F) {
	worlds := fuzzed(f)
	for _, query := range []string{
		"filter[name]=one", "filter[name]=%25_%5C", "filter[name]=a,b,,",
		"filter[type]=allow&filter[port]=80,443", "sort=-created_at&page[size]=2", "include=server", "filter[ip_address]=%00", "filter[name]=%ff%fe",
		"filter[status]=installing&sort=created_at,-updated_at", "page[size]=9999999999999999999", "filter[name][]=x", "a=%zz", ";",
		"filter[name]=%F0%9F%A6%8A%C3%9C", "dry_run=1",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if len(query) > 32<<10 || strings.Contains(query, "page%5Bcursor%5D") || strings.Contains(query, "page[cursor]") {
			t.Skip("no header is longer, and cursors have a target of their own")
		}
		var answers []Answer
		for _, w := range worlds {
			a := w.serve(t, "organizations.servers.firewall-rules.index", "GET", w.rules(w.mine.server), query, "")
			if a.Status != 200 && a.Status != 400 {
				t.Errorf("answered %d", a.Status)
			}
			answers = append(answers, a)
		}
		agree(t, worlds, answers)
	})
}

// Any body is accepted or refused in the contract's words, and the same on both databases.
func FuzzBody(f *testing.F) {
	worlds := fuzzed(f)
	for _, body := range []string{
		`{"domain":"a.example.com"}`, `{}`, ``, `[]`, `null`, `{"domain":null}`, `{"domain":"a.example.com","balancing":[{"server_id":1}]}`,
		`{"domain":"b.example.com","allow_wildcard_subdomains":true,"balancer_method":"ip_hash","balancer_keepalive_max_connections":256,` +
			`"balancing":[{"server_id":1,"port":65535,"weight":1,"backup":false,"down":true}]}`,
		`{"domain":"\u0000","balancing":[null,1,"x",[],{}]}`, `{"domain":"xn--a.example","balancing":[{"server_id":1e0},{"server_id":1}]}`,
		`{"domain":"a.example.com","DOMAIN":"b.example.com"}`,
		`{"domain":"ſ.example.com","balancing":[{"server_id":99999999999999999999,"port":-0,"weight":1e400}]}`,
		`{"balancing":{"0":{"server_id":1}}}`, `{"domain":"a.example.com","balancer_method":"least_conn","balancer_keepalive_max_connections":-0.0}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var answers []Answer
		for _, w := range worlds {
			a := w.serve(t, "organizations.servers.sites.storeOnBalancer", "POST", w.balancerPath(w.mine.balancer), "", body)
			if a.Status == 202 {
				path := strings.TrimPrefix(a.Header.Get("Location"), w.URL+api.Root)
				if got := w.serve(t, "organizations.sites.show", "GET", path, "", ""); got.Status != 200 {
					t.Errorf("what was accepted answers %d at %s", got.Status, path)
				}
			}
			answers = append(answers, a)
		}
		agree(t, worlds, answers)
	})
}
