package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// setupCode returns the code in a new link for the first account.
func (e *Env) setupCode() string {
	e.T.Helper()
	link, err := e.App.SetupURL(context.Background())
	if err != nil {
		e.T.Fatal(err)
	}
	page, code, found := strings.Cut(link, "#")
	if !found || page != e.URL+"/setup" {
		e.T.Fatalf("the link for the first account is %q", link)
	}
	e.Secrets.Note("the code for the first account", code)
	return code
}

func first(code string) map[string]any {
	return map[string]any{"code": code, "name": "<b>Ada</b>", "email": "Ada@example.com", "password": password}
}

func (e *Env) count(table string) int {
	e.T.Helper()
	var n int
	if err := e.App.DB.SQLDB().QueryRow("SELECT COUNT(*) FROM " + table).Scan(&n); err != nil {
		e.T.Fatal(err)
	}
	return n
}

// The first account needs the newest link, is signed in, owns an organization, and gets no token that it did not ask for.
func TestSetup(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		old, code := e.setupCode(), e.setupCode()
		c := e.As("")
		for _, wrong := range []string{old, "", "none", strings.Repeat("0", 40)} {
			if got := c.Post("/auth/setup", first(wrong)).Want(t, 422).Fields(); !cmp.Equal(got, []string{"code"}) {
				t.Errorf("the code %q is refused for %v", wrong, got)
			}
		}
		for field, value := range map[string]string{"password": "short", "email": "ada", "name": "Ada\nLovelace"} {
			body := first(code)
			body[field] = value
			if got := c.Post("/auth/setup", body).Want(t, 422).Fields(); !cmp.Equal(got, []string{field}) {
				t.Errorf("the %s %q is refused for %v", field, value, got)
			}
		}
		if n := e.count("users"); n != 0 {
			t.Fatalf("%d accounts without the link", n)
		}
		a := c.Post("/auth/setup", first(code)).Want(t, 200)
		if got := a.Text("data", "attributes", "email"); got != "ada@example.com" {
			t.Errorf("the account is %s", got)
		}
		c.Cookie = cookie(t, a).Value
		if got := c.Get("/orgs/main").Want(t, 200).Text("data", "attributes", "name"); got != "Main" {
			t.Errorf("the organization is called %s", got)
		}
		if n := len(c.Get("/user/audit?filter[operation]=auth.setup").Want(t, 200).IDs()); n != 1 {
			t.Errorf("the log of the first account has %d lines of its creation", n)
		}
		c.Post("/orgs/main/invites", map[string]any{"email": "bob@example.com", "role_id": 5}).Want(t, 200) // an owner
		if n := e.count("tokens"); n != 0 {
			t.Errorf("%d tokens without a request", n)
		}
		e.As("").Post("/auth/login", login("ada@example.com", password, "")).Want(t, 200)
		for _, used := range []string{code, old} {
			e.As("").Post("/auth/setup", first(used)).Want(t, 422)
		}
		if link, err := e.App.SetupURL(context.Background()); link != "" || err != nil || e.count("users") != 1 {
			t.Errorf("with an account there is the link %q, %v, %d users", link, err, e.count("users"))
		}
	})
}

// Of several who claim the link at the same time one wins, and the others get nothing.
func TestSetupAtTheSameTime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, dialect db.Dialect) {
		e := New(t, dialect)
		code := e.setupCode()
		const n = 6
		got := make([]Answer, n)
		var done sync.WaitGroup
		begin := make(chan struct{})
		for i := range n {
			c, body := e.As(""), first(code)
			body["email"] = fmt.Sprintf("user%d@example.com", i)
			done.Go(func() {
				<-begin
				got[i] = c.Post("/auth/setup", body)
			})
		}
		close(begin)
		done.Wait()
		statuses := map[int]int{}
		for _, a := range got {
			statuses[a.Status]++
		}
		if statuses[http.StatusOK] != 1 || e.count("users") != 1 || e.count("organizations") != 1 {
			t.Errorf("answers %v, %d users, %d organizations", statuses, e.count("users"), e.count("organizations"))
		}
	})
}

// Pages that are useless without an account lead to the page that creates it, and that one leads away afterwards.
func TestPagesLeadToSetup(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	leads := func(path string) string {
		t.Helper()
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		answer, err := client.Get(e.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		to, err := answer.Location()
		if errors.Is(err, http.ErrNoLocation) {
			return ""
		}
		return must(url.Parse(to.String())).Path
	}
	want := func(when string, paths map[string]string) {
		t.Helper()
		got := map[string]string{}
		for path := range paths {
			got[path] = leads(path)
		}
		if diff := cmp.Diff(paths, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	want("without an account", map[string]string{"/": "/setup", "/sign-in": "/setup", "/setup": "", "/invitation": "", "/healthz": ""})
	e.As("").Post("/auth/setup", first(e.setupCode())).Want(t, 200)
	want("with an account", map[string]string{"/": "", "/sign-in": "", "/setup": "/", "/invitation": ""})
}
