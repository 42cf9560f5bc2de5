package edge

import (
	"strconv"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
)

// A token has its own allowance, and says how much is left; who fails too often is not looked at any more.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
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
	if a.Header.Get("Retry-After") != "3" || a.Header.Get("X-RateLimit-Remaining") != "0" || a.Header.Get("X-RateLimit-Reset") != strconv.FormatInt(e.Clock.Now().Unix()+3, 10) {
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
	e := New(t, db.SQLite)
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
		"203.0.113.9, 198.51.100.7":               "198.51.100.7", // the first was written by whoever called
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
