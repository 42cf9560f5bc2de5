package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/clock/clocktest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

type thingAttributes struct {
	Name string `json:"name"`
}

func (thingAttributes) ResourceType() string { return "things" }

type thing = api.Resource[thingAttributes, api.NoRelationships]

type request struct {
	Name string `json:"name"`
	Odd  []int  `json:"odd,omitempty" maxItems:"2"`
}

// everybody authenticates any caller that sends a header; broken credentials are an internal failure.
type everybody struct{}

func (everybody) Authenticate(_ context.Context, req *http.Request) (access.Actor, error) {
	switch req.Header.Get("Authorization") {
	case "":
		return access.Actor{}, api.ErrUnauthenticated
	case "broken":
		return access.Actor{}, errors.New("read token: database is locked")
	}
	return access.Actor{UserID: 1, Scopes: access.SetOf(access.All()...)}, nil
}

// guests authenticates any caller until shut is set, and counts how often it was asked.
type guests struct {
	everybody
	shut  bool
	asked int
}

func (g *guests) Authenticate(ctx context.Context, req *http.Request) (access.Actor, error) {
	g.asked++
	if g.shut {
		return access.Actor{}, api.ErrUnauthenticated
	}
	return g.everybody.Authenticate(ctx, req)
}

type bed struct {
	router *api.Router
	guests *guests
	db     *db.DB
	log    bytes.Buffer
	write  func(context.Context, *db.Tx, api.Call[access.Actor], request) (api.Document[thing], error)
}

func newBed(t *testing.T) *bed {
	t.Helper()
	d, err := dbtest.Open(t.Context(), db.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	box := secrettest.Box(t)
	b := &bed{db: d, guests: &guests{}}
	b.router = api.New(api.Config{
		DB: d, Box: box, Log: slog.New(slog.NewTextHandler(&b.log, nil)), Authenticator: b.guests,
		BaseURL: &url.URL{Scheme: "https", Host: "panel.example.com", Path: "/"},
	})
	api.Write(b.router, api.Operation{ID: "things.store", Method: "POST", Path: "/things", Status: 201}, api.Self,
		func(ctx context.Context, tx *db.Tx, c api.Call[access.Actor], r request) (api.Document[thing], error) {
			if err := tx.PutSetting(ctx, "thing", r.Name); err != nil {
				return api.Document[thing]{}, err
			}
			return b.write(ctx, tx, c, r)
		})
	api.Write(b.router, api.Operation{ID: "things.run", Method: "POST", Path: "/run", Status: 201, RateLimit: 3}, api.Self,
		func(context.Context, *db.Tx, api.Call[access.Actor], request) (api.Document[thing], error) {
			return api.Document[thing]{Data: thing{ID: "1"}}, nil
		})
	return b
}

// An operation with its own limit reports its remainder, and does not affect the others.
func TestOperationRateLimit(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	call := func(path string) *httptest.ResponseRecorder {
		req := httptest.NewRequest(http.MethodPost, "/api"+path, strings.NewReader(`{"name":"x"}`))
		req.Header.Set("Authorization", "me")
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		b.router.ServeHTTP(w, req)
		return w
	}
	b.db.Clock = still(time.Date(2026, 3, 1, 12, 0, 57, 0, time.UTC))
	b.write = func(context.Context, *db.Tx, api.Call[access.Actor], request) (api.Document[thing], error) {
		return api.Document[thing]{Data: thing{ID: "1"}}, nil
	}
	for left := range 3 {
		if w := call("/run"); w.Code != 201 || w.Header().Get("X-RateLimit-Limit") != "3" || w.Header().Get("X-RateLimit-Remaining") != strconv.Itoa(2-left) {
			t.Errorf("answered %d with %v", w.Code, w.Header())
		}
	}
	if w := call("/run"); w.Code != 429 || w.Header().Get("Retry-After") != "3" {
		t.Errorf("answered %d with %v", w.Code, w.Header())
	}
	if w := call("/things"); w.Code != 201 || w.Header().Get("X-RateLimit-Remaining") != "595" {
		t.Errorf("answered %d with %v", w.Code, w.Header())
	}
}

// still is a stopped clock.
type still time.Time

// Now returns the time that it shows.
func (s still) Now() time.Time { return time.Time(s) }

func (b *bed) post(body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest("POST", "/api/things", strings.NewReader(body))
	req.Header.Set("Authorization", "me")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.router.ServeHTTP(w, req)
	return w
}

func (b *bed) wantNothingKept(t *testing.T) {
	t.Helper()
	if v, err := b.db.Read().Ungranted().GetSetting(t.Context(), "thing"); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("%q was kept, %v", v, err)
	}
	var keys int
	if err := b.db.SQLDB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM idempotency_keys").Scan(&keys); err != nil || keys > 0 {
		t.Errorf("%d idempotency keys were kept, %v", keys, err)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write = func(_ context.Context, _ *db.Tx, _ api.Call[access.Actor], r request) (api.Document[thing], error) {
		return api.Document[thing]{
			Data:     thing{ID: "1", Attributes: thingAttributes{r.Name}, Links: b.router.Links("/things/1")},
			Location: "/things/1", Event: 7,
		}, nil
	}
	w := b.post(`{"name":"a"}`)
	const want = `{"data":{"id":"1","type":"things","attributes":{"name":"a"},"links":{"self":{"href":"https://panel.example.com/api/things/1"}}}}`
	if w.Code != 201 || w.Body.String() != want {
		t.Errorf("answered %d %s, want %s", w.Code, w.Body, want)
	}
	if w.Header().Get("Location") != "https://panel.example.com/api/things/1" || w.Header().Get("X-Hostler-Event") != "7" {
		t.Errorf("headers are %v", w.Header())
	}
	if b.log.Len() > 0 {
		t.Errorf("logged: %s", &b.log)
	}
}

// What is asked of another machine takes as long as that machine likes: a caller who was signed out meanwhile is refused.
func TestSignedOutDuringCheck(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	api.WriteChecked(b.router, api.Operation{ID: "things.ask", Method: "POST", Path: "/ask", Status: 201}, api.Self,
		func(context.Context, api.Call[access.Actor], request) error {
			b.guests.shut = true
			return nil
		}, func(ctx context.Context, tx *db.Tx, _ api.Call[access.Actor], r request) (api.Document[thing], error) {
			return api.Document[thing]{Data: thing{ID: "1"}}, tx.PutSetting(ctx, "thing", r.Name)
		})
	req := httptest.NewRequest(http.MethodPost, "/api/ask", strings.NewReader(`{"name":"x"}`))
	req.Header.Set("Authorization", "me")
	w := httptest.NewRecorder()
	b.router.ServeHTTP(w, req)
	if w.Code != 401 {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
	b.wantNothingKept(t)
}

// slowBody lets time pass while it is read.
type slowBody struct {
	io.Reader
	while func()
}

func (b slowBody) Read(p []byte) (int, error) {
	b.while()
	return b.Reader.Read(p)
}

// Credentials are read once for a body that is there at once, and again after one that the caller kept back.
func TestCredentialsAreReadOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		takes  time.Duration
		expect string
		asked  int
		want   int // if the caller is signed out while the body is read
	}{
		"at once":            {0, "", 1, 201},
		"slowly":             {time.Second, "", 2, 401},
		"once it is allowed": {0, "100-continue", 2, 401},
		"the clock was set":  {-time.Hour, "", 2, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, out := range []bool{false, true} {
				b := newBed(t)
				clock := clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
				b.db.Clock = clock
				body := slowBody{strings.NewReader(`{"name":"x"}`), func() {
					clock.Move(tc.takes)
					b.guests.shut = out
				}}
				req := httptest.NewRequest(http.MethodPost, "/api/run", body)
				req.Header.Set("Authorization", "me")
				req.Header.Set("Expect", tc.expect)
				w := httptest.NewRecorder()
				b.router.ServeHTTP(w, req)
				want := 201
				if out {
					want = tc.want
				}
				if w.Code != want || b.guests.asked != tc.asked {
					t.Errorf("signed out %t: answered %d, and credentials were read %d times; want %d and %d", out, w.Code, b.guests.asked, want, tc.asked)
				}
			}
		})
	}
}

// Internal errors are answered with "Server error.", logged under the request's id, and leave nothing behind.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(context.Context, *db.Tx, api.Call[access.Actor], request) (api.Document[thing], error){
		"an error": func(context.Context, *db.Tx, api.Call[access.Actor], request) (api.Document[thing], error) {
			return api.Document[thing]{}, errors.New("password is hunter2")
		},
		"a panic": func(context.Context, *db.Tx, api.Call[access.Actor], request) (api.Document[thing], error) {
			panic("password is hunter2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write = write
			w := b.post(`{"name":"a"}`, "Idempotency-Key", "k")
			if w.Code != 500 || w.Body.String() != `{"message":"Server error."}` {
				t.Errorf("answered %d %s", w.Code, w.Body)
			}
			if id := w.Header().Get("X-Request-Id"); id == "" || !strings.Contains(b.log.String(), "request_id="+id) {
				t.Errorf("request %q is not in the log: %s", id, &b.log)
			}
			if name == "a panic" && !strings.Contains(b.log.String(), "router_test.go") {
				t.Errorf("the log does not say where: %s", &b.log)
			}
			b.wantNothingKept(t)
		})
	}
}

func TestFailureOfAuthentication(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.post(`{"name":"a"}`, "Authorization", "broken")
	if w.Code != 500 || strings.Contains(w.Body.String(), "locked") || !strings.Contains(b.log.String(), "request_id="+w.Header().Get("X-Request-Id")) {
		t.Errorf("answered %d %s, logged %s", w.Code, w.Body, &b.log)
	}
}

// Public errors of handlers are returned unchanged, and roll everything back.
func TestPublicErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		code int
		body string
	}{
		{"conflict", api.Conflict("Not %s.", "now"), 409, `{"message":"Not now."}`},
		{"bad request", api.BadRequest("No."), 400, `{"message":"No."}`},
		{"invalid", api.Invalid("a.0.b", "The %s is wrong.", "a"), 422, `{"message":"The a is wrong.","errors":{"a.0.b":["The a is wrong."]},` +
			`"codes":{"a.0.b":[{"code":"invalid","field":"a","says":"is wrong."}]}}`},
		{"denied", &access.Denied{Missing: access.SiteCreate}, 403, `{"message":"Your role does not have the permission site:create."}`},
		{"not found", api.ErrNotFound, 404, `{"message":"Not found."}`},
		{"no row", db.ErrNotFound, 404, `{"message":"Not found."}`},
		{"a cursor", db.ErrCursor, 400, `{"message":"The page[cursor] is not valid for this list."}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write = func(context.Context, *db.Tx, api.Call[access.Actor], request) (api.Document[thing], error) {
				return api.Document[thing]{Location: "/things/1"}, fmt.Errorf("do it: %w", tt.err)
			}
			w := b.post(`{"name":"a"}`, "Idempotency-Key", "k")
			if w.Code != tt.code || w.Body.String() != tt.body || w.Header().Get("Location") != "" || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("answered %d %s %v, want %d %s", w.Code, w.Body, w.Header(), tt.code, tt.body)
			}
			if b.log.Len() > 0 {
				t.Errorf("logged: %s", &b.log)
			}
			b.wantNothingKept(t)
		})
	}
}

// Findings of the schema and the handler are one answer, and a handler that forgot to check stores nothing.
func TestFindingsAreJoined(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write = func(_ context.Context, _ *db.Tx, c api.Call[access.Actor], r request) (api.Document[thing], error) {
		c.Fields.Add("other", "The other is wrong.")
		return api.Document[thing]{Data: thing{ID: "1"}}, nil // without calling Fields.Err
	}
	w := b.post(`{"odd":[1,2,3]}`, "Idempotency-Key", "k")
	want := `{"message":"The name field is required. (and 2 more errors)","errors":{"name":["The name field is required."],"odd":["The odd field ` +
		`must have at most 2 items."],"other":["The other is wrong."]},` +
		`"codes":{"name":[{"code":"required","field":"name","says":"is required."}],` +
		`"odd":[{"code":"most_items","params":{"limit":2},"field":"odd","says":"must have at most 2 items."}],` +
		`"other":[{"code":"invalid","field":"other","says":"is wrong."}]}}`
	if w.Code != 422 || w.Body.String() != want {
		t.Errorf("answered %d %s, want %s", w.Code, w.Body, want)
	}
	b.wantNothingKept(t)
}

// A handler's refusal is recorded, whatever kind of answer the operation has.
func TestRefusalsOfHandlersAreRecorded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	denied := &access.Denied{Missing: access.SiteCreate}
	b.write = func(context.Context, *db.Tx, api.Call[access.Actor], request) (api.Document[thing], error) {
		return api.Document[thing]{}, denied
	}
	api.Show(b.router, api.Operation{ID: "things.show", Method: "GET", Path: "/things/{thing}"}, api.Self,
		func(context.Context, api.Call[access.Actor]) (api.Document[thing], error) {
			return api.Document[thing]{}, denied
		})
	api.Index(b.router, api.Operation{ID: "things.index", Method: "GET", Path: "/things"}, api.Self,
		func(context.Context, api.Call[access.Actor]) (api.Collection[thing], error) {
			return api.Collection[thing]{}, denied
		})
	api.Download(b.router, api.Operation{ID: "things.export", Method: "GET", Path: "/export"}, "text/plain", api.Self,
		func(context.Context, api.Call[access.Actor]) (string, func(io.Writer) error, error) {
			return "", nil, denied
		})
	for operation, call := range map[string][2]string{
		"things.store": {"POST", "/api/things"}, "things.show": {"GET", "/api/things/1"}, "things.index": {
			"GET",
			"/api/things",
		}, "things.export": {"GET", "/api/export"},
	} {
		req := httptest.NewRequestWithContext(t.Context(), call[0], call[1], strings.NewReader(`{"name":"a"}`))
		req.Header.Set("Authorization", "me")
		w := httptest.NewRecorder()
		b.router.ServeHTTP(w, req)
		var n int
		err := b.db.Reader().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM audit_entries WHERE operation = $1 AND status = 403", operation).Scan(&n)
		if w.Code != http.StatusForbidden || n != 1 || err != nil {
			t.Errorf("%s answered %d and recorded %d lines, %v", operation, w.Code, n, err)
		}
	}
}

func TestDescriptionIsPublic(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 401} {
		w := httptest.NewRecorder()
		b.router.ServeHTTP(w, httptest.NewRequest(method, "/api/openapi.json", nil))
		if w.Code != want || w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s answered %d, want %d", method, w.Code, want)
		}
	}
}

// A row read before its work ended, and the work read after that, contradict each other: the answer shows the state of both afterwards.
func TestReadWhileWorkEnds(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ended := false
	row := func() string {
		if ended {
			return "installed"
		}
		return "installing"
	}
	// The work ends between the two readings.
	read := func(id string) thing {
		name := row()
		ended = true
		now := api.TimeOf(b.db.Clock.Now().UnixMicro())
		return thing{ID: id, Attributes: thingAttributes{Name: name}, Meta: &api.Meta{Operation: &api.OperationMeta{State: "succeeded", EndedAt: &now}}}
	}
	api.Show(b.router, api.Operation{ID: "things.show", Method: "GET", Path: "/things/{thing}"}, api.Self,
		func(context.Context, api.Call[access.Actor]) (api.Document[thing], error) {
			return api.Document[thing]{Data: read("1")}, nil
		})
	api.Index(b.router, api.Operation{ID: "things.index", Method: "GET", Path: "/things"}, api.Self,
		func(context.Context, api.Call[access.Actor]) (api.Collection[thing], error) {
			return api.Collection[thing]{Data: []thing{read("1")}}, nil
		})
	for _, path := range []string{"/api/things/1", "/api/things"} {
		ended = false
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		req.Header.Set("Authorization", "Bearer x")
		w := httptest.NewRecorder()
		b.router.ServeHTTP(w, req)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"installed"`) {
			t.Errorf("%s answers %d %s, want installed beside succeeded", path, w.Code, w.Body)
		}
	}
}
