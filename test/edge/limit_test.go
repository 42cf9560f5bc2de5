package edge

import (
	"strconv"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A token has its own allowance, and reports the remainder; a caller that fails too often is refused early.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.RateLimit = 0 })
	user := e.User("jane")
	c, other := e.Of(user), e.Of(user)
	e.Clock.Move(-3*time.Second - time.Minute) // 57 seconds into a minute
	for i := range 600 {
		a := c.Get("/user").Want(t, 200)
		if got := a.Header.Get("X-RateLimit-Remaining"); got != strconv.Itoa(599-i) || a.Header.Get("X-RateLimit-Limit") != "600" {
			t.Fatalf("after %d requests %s are left of %s", i+1, got, a.Header.Get("X-RateLimit-Limit"))
		}
	}
	a := c.Get("/user").Want(t, 429)
	if a.Header.Get("Retry-After") != "3" || a.Header.Get("X-RateLimit-Remaining") != "0" ||
		a.Header.Get("X-RateLimit-Reset") != strconv.FormatInt(e.Clock.Now().Unix()+3, 10) {
		t.Errorf("the headers are %v at %d", a.Header, e.Clock.Now().Unix())
	}
	other.Get("/user").Want(t, 200)
	guess := e.As("hostler_pat_guess")
	for range 600 {
		guess.Get("/user").Want(t, 401)
	}
	guess.Get("/user").Want(t, 429)
	e.Clock.Move(3 * time.Second)
	c.Get("/user").Want(t, 200)
	guess.Get("/user").Want(t, 401)
}

// X-Forwarded-For counts only as far as trusted proxies wrote it.
func TestForwardedFor(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.RateLimit = 0 })
	user := e.User("jane")
	e.WithPassword(user.ID)
	address := func(options ...Option) string {
		t.Helper()
		c := e.As("")
		c.Cookie = cookie(t, c.Post("/auth/login", login("jane@example.com", password, ""), options...).Want(t, 200)).Value
		a := c.Get("/user/sessions?page[size]=200").Want(t, 200)
		list, _ := a.At("data").([]any)
		return a.Text("data", len(list)-1, "attributes", "address")
	}
	if got := address(Header("X-Forwarded-For", "198.51.100.7")); got != "127.0.0.1" {
		t.Errorf("without trusted proxies: %s", got)
	}
	e.TrustProxies()
	for header, want := range map[string]string{
		"198.51.100.7":                            "198.51.100.7",
		"203.0.113.9, 198.51.100.7":               "198.51.100.7", // the first was written by the caller
		"198.51.100.7, 127.0.0.9":                 "198.51.100.7",
		"198.51.100.7, not an address, 127.0.0.9": "127.0.0.9",
		"2001:db8::1":                             "2001:db8::1",
		"":                                        "127.0.0.1",
	} {
		if got := address(Header("X-Forwarded-For", header)); got != want {
			t.Errorf("%q is %s, want %s", header, got, want)
		}
	}
}

// A token can have its own limit, and an organization one for all its members; the lower one applies there, and nowhere else.
func TestRateLimitSettings(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.RateLimit = 200 })
	w := &world{Env: e}
	owner, stranger := e.User("owner"), e.User("stranger")
	e.Organization("acme", owner)
	e.Organization("mine", owner)
	e.WithPassword(owner.ID)
	s := e.Session(owner)
	limit := func(c *Client, path string) string {
		w.T.Helper()
		return c.Get(path).Header.Get("X-RateLimit-Limit")
	}
	token := func(n int) *Client {
		a := s.Post("/user/tokens", map[string]any{
			"name": "x", "scopes": []string{"organization:view", "user:view"}, "rate_limit": n, "password": password,
		}).Want(t, 201)
		return e.As(a.Text("data", "meta", "shown_once", "token"))
	}
	for _, n := range []int{59, 0, -1, 2001} {
		s.Post("/user/tokens", map[string]any{"name": "x", "scopes": []string{"user:view"}, "rate_limit": n, "password": password}).Want(t, 422)
		s.Put("/orgs/acme/rate-limit", map[string]any{"requests_per_minute": n}).Want(t, 422)
	}
	slow, fast, plain, nobody := token(60), token(2000), e.Of(owner), e.Of(stranger)
	s.Put("/orgs/acme/rate-limit", map[string]any{"requests_per_minute": 90}).Want(t, 200)
	for name, tc := range map[string]struct {
		c    *Client
		path string
		want string
	}{
		"slow, anywhere":           {slow, "/user", "60"},
		"slow, in acme":            {slow, "/orgs/acme", "60"},
		"fast, anywhere":           {fast, "/user", "2000"},
		"fast, in acme":            {fast, "/orgs/acme", "90"},
		"fast, in mine":            {fast, "/orgs/mine", "2000"},
		"plain, anywhere":          {plain, "/user", "200"},
		"plain, in acme":           {plain, "/orgs/acme", "90"},
		"plain, below acme":        {plain, "/orgs/acme/servers", "90"},
		"somebody else in acme":    {nobody, "/orgs/acme", "200"}, // and learns nothing
		"somebody else in nowhere": {nobody, "/orgs/nowhere", "200"},
	} {
		if got := limit(tc.c, tc.path); got != tc.want {
			t.Errorf("%s: the limit is %s, want %s", name, got, tc.want)
		}
	}
	for plain.Get("/orgs/acme").Status == 200 {
	}
	a := plain.Get("/orgs/acme").Want(t, 429)
	if a.Header.Get("Retry-After") == "" || a.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("the headers are %v", a.Header)
	}
	plain.Get("/orgs/mine").Want(t, 200)
	s.Put("/orgs/acme/rate-limit", map[string]any{"requests_per_minute": nil}).Want(t, 200)
	plain.Get("/orgs/acme").Want(t, 200) // at once
	if got := s.Get("/orgs/acme/rate-limit").Want(t, 200); got.Text("data", "attributes", "maximum") != "2000" ||
		got.Text("data", "attributes", "minimum") != "60" {
		t.Errorf("the limit is %s", got.Body)
	}
}
