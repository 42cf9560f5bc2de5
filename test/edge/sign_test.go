package edge

import (
	"bytes"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

func login(email, password, code string) map[string]any {
	body := map[string]any{"email": email, "password": password}
	if code != "" {
		body["code"] = code
	}
	return body
}

func cookie(t testing.TB, a Answer) *http.Cookie {
	t.Helper()
	cookies := (&http.Response{Header: a.Header}).Cookies()
	if len(cookies) != 1 {
		t.Fatalf("%d cookies", len(cookies))
	}
	return cookies[0]
}

// A session has a new token at every sign-in, ends with signing out, and is no one else's to end.
func TestSession(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		user := e.User("jane")
		e.WithPassword(user.ID)
		c := e.As("")
		c.Cookie = "planted"
		first := cookie(t, c.Post("/auth/login", login("Jane@example.com", password, "")).Want(t, 200))
		if !first.HttpOnly || first.SameSite != http.SameSiteLaxMode || first.Path != "/" || first.Value == "planted" {
			t.Errorf("the cookie is %v", first)
		}
		c.Cookie = first.Value
		if got := c.Get("/user").Want(t, 200).Text("data", "attributes", "email"); got != "jane@example.com" {
			t.Errorf("signed in as %s", got)
		}
		second := cookie(t, c.Post("/auth/login", login("jane@example.com", password, "")).Want(t, 200))
		c.Get("/user").Want(t, 401) // rotated
		c.Cookie = second.Value
		other := e.Session(user)
		c.Get("/user/sessions").Want(t, 200)
		c.Put("/user/password", map[string]any{"current_password": "wrong wrong wrong", "password": "another fine password"}).Want(t, 422)
		token, _ := e.Token(user, Everything(), nil)
		c.Put("/user/password", map[string]any{"current_password": password, "password": "another fine password", "revoke_tokens": true}).Want(t, 200)
		other.Get("/user").Want(t, 401)
		e.As(token).Get("/user").Want(t, 401)
		c.Get("/user").Want(t, 200)
		gone := cookie(t, c.Post("/auth/logout", nil).Want(t, 204))
		if gone.MaxAge >= 0 {
			t.Errorf("signing out leaves the cookie %v", gone)
		}
		c.Get("/user").Want(t, 401)
		idle := e.Session(user)
		e.Clock.Move(7 * 24 * time.Hour)
		idle.Get("/user").Want(t, 401)
	})
}

// Everyone with the old password is out: other sessions end by default, and the answer lists the tokens that still work.
func TestThiefStaysSignedInAfterPasswordChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, dialect db.Dialect) {
		e := New(t, dialect)
		user := e.User("jane")
		e.WithPassword(user.ID)
		c, thief := e.Session(user), e.Session(user)
		token, row := e.Token(user, Everything(), nil)
		change := func(from, to string, more map[string]any) Answer {
			t.Helper()
			body := map[string]any{"current_password": from, "password": to}
			maps.Copy(body, more)
			return c.Put("/user/password", body).Want(t, 200)
		}
		a := change(password, "another fine password", nil)
		thief.Get("/user").Want(t, 401)
		c.Get("/user").Want(t, 200)
		e.As(token).Get("/user").Want(t, 200)
		want := map[string]any{"ended_sessions": 1.0, "remaining_tokens": []any{row.Name}, "remaining_programs": []any{}}
		if diff := cmp.Diff(want, a.At("data", "attributes")); diff != "" {
			t.Errorf("the answer (-want +got):\n%s", diff)
		}
		kept := e.Session(user)
		change("another fine password", password, map[string]any{"end_sessions": false})
		kept.Get("/user").Want(t, 200)
		a = change(password, "another fine password", map[string]any{"revoke_tokens": true})
		e.As(token).Get("/user").Want(t, 401)
		if got := a.At("data", "attributes", "remaining_tokens"); !cmp.Equal(got, []any{}) {
			t.Errorf("after all tokens were revoked there remain %v", got)
		}
	})
}

// A wrong password and an unknown account get identical answers, and are locked alike; a right one from elsewhere is not locked.
func TestLockOut(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	user := e.User("jane")
	e.WithPassword(user.ID)
	c := e.As("")
	var bodies [2][]byte
	for i, email := range []string{"jane@example.com", "nobody@example.com"} {
		for range 5 {
			bodies[i] = c.Post("/auth/login", login(email, "wrong", "")).Want(t, 401).Body
		}
		a := c.Post("/auth/login", login(email, password, "")).Want(t, 429)
		if n, _ := strconv.Atoi(a.Header.Get("Retry-After")); n < 1 || n > 900 {
			t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
		}
	}
	if !bytes.Equal(bodies[0], bodies[1]) {
		t.Errorf("the answers differ: %s and %s", bodies[0], bodies[1])
	}
	for range 100 {
		c.Post("/auth/login", login("jane@example.com", "wrong", "")).Want(t, 429)
	}
	e.TrustProxies()
	c.Post("/auth/login", login("jane@example.com", password, ""), Header("X-Forwarded-For", "198.51.100.7")).Want(t, 200)
	e.Clock.Move(15 * time.Minute)
	c.Post("/auth/login", login("jane@example.com", password, "")).Want(t, 200)
}

// A code works once, a recovery code too; both are needed once the second factor is on.
func TestTwoFactor(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		user := e.User("jane")
		e.WithPassword(user.ID)
		s, c := e.Session(user), e.As("")
		begun := s.Post("/user/two-factor", map[string]any{"password": password}).Want(t, 200)
		text := begun.Text("data", "meta", "shown_once", "secret")
		c.Post("/auth/login", login("jane@example.com", password, "")).Want(t, 200) // not confirmed yet
		s.Post("/user/two-factor/confirm", map[string]any{"code": "000000"}).Want(t, 422)
		codes, _ := s.Post("/user/two-factor/confirm", map[string]any{"code": e.appCode(text, 0)}).Want(t, 200).At("data", "meta",
			"shown_once", "recovery_codes").([]any)
		if len(codes) != 10 {
			t.Fatalf("%d recovery codes", len(codes))
		}
		if got := c.Post("/auth/login", login("jane@example.com", password, "")).Want(t, 422).Fields(); len(got) != 1 || got[0] != "code" {
			t.Errorf("what is asked for is %v", got)
		}
		c.Post("/auth/login", login("jane@example.com", password, e.appCode(text, 0))).Want(t, 422) // was used to confirm
		next := e.appCode(text, 30*time.Second)
		c.Post("/auth/login", login("jane@example.com", password, next)).Want(t, 200)
		c.Post("/auth/login", login("jane@example.com", password, next)).Want(t, 422)
		recovery := strings.ToUpper(codes[0].(string))
		c.Post("/auth/login", login("jane@example.com", password, recovery)).Want(t, 200)
		c.Post("/auth/login", login("jane@example.com", password, recovery)).Want(t, 422)
		s.Call(http.MethodDelete, "/user/two-factor", map[string]any{"password": password}).Want(t, 204)
		c.Post("/auth/login", login("jane@example.com", password, "")).Want(t, 200)
	})
}

// Sign-up needs an invitation unless registration is open; then the address has to be verified. Existing accounts are not revealed.
func TestSignUp(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	e := w.Env
	c := e.As("")
	body := map[string]any{"name": "New", "email": "new@example.com", "password": password}
	c.Post("/auth/sign-up", body).Want(t, 403)
	withInvitation(w, w.mine)
	c.Post("/auth/sign-up", map[string]any{"name": "Thief", "invitation": "guessed", "password": password}).Want(t, 422)
	c.Post("/auth/sign-up", map[string]any{"name": "New", "invitation": w.link, "password": "short"}).Want(t, 422)
	c.Post("/auth/sign-up", map[string]any{"name": "New", "invitation": w.link, "password": password}).Want(t, 204)
	c.Post("/auth/sign-up", map[string]any{"name": "New", "invitation": w.link, "password": password}).Want(t, 422)
	c.Cookie = cookie(t, c.Post("/auth/login", login("new@example.com", password, "")).Want(t, 200)).Value
	c.Get("/orgs/acme").Want(t, 200)
	e.openRegistration()
	c.Cookie = ""
	taken := c.Post("/auth/sign-up", body).Want(t, 204)
	body["email"] = "fresh@example.com"
	fresh := c.Post("/auth/sign-up", body).Want(t, 204)
	if !bytes.Equal(taken.Body, fresh.Body) {
		t.Error("the answers differ")
	}
	if msg := e.Mail.Last(t, "new@example.com"); msg == nil || !strings.Contains(msg.Text, "which already has one") {
		t.Errorf("the owner of the address was told %v", msg)
	}
	c.Post("/auth/login", login("fresh@example.com", password, "")).Want(t, 422)
	c.Post("/auth/email/verify", map[string]any{"token": e.Mail.Token(t, "fresh@example.com")}).Want(t, 204)
	c.Post("/auth/login", login("fresh@example.com", password, "")).Want(t, 200)
}

// A link to set a password works once and for an hour, ends all sessions, and reveals no accounts.
func TestPasswordReset(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	user := e.User("jane")
	s, c := e.Session(user), e.As("")
	ask := func() string {
		t.Helper()
		c.Post("/auth/password/forgot", map[string]any{"email": "jane@example.com"}).Want(t, 204)
		return e.Mail.Token(t, "jane@example.com")
	}
	c.Post("/auth/password/forgot", map[string]any{"email": "nobody@example.com"}).Want(t, 204)
	if msg := e.Mail.Last(t, "nobody@example.com"); msg != nil {
		t.Errorf("mail to nobody: %v", msg)
	}
	old := ask()
	token := ask()
	c.Post("/auth/password/reset", map[string]any{"token": old, "password": password}).Want(t, 422) // replaced
	c.Post("/auth/password/reset", map[string]any{"token": token, "password": password}).Want(t, 204)
	c.Post("/auth/password/reset", map[string]any{"token": token, "password": password}).Want(t, 422)
	s.Get("/user").Want(t, 401)
	c.Post("/auth/login", login("jane@example.com", password, "")).Want(t, 200)
	late := ask()
	e.Clock.Move(time.Hour)
	c.Post("/auth/password/reset", map[string]any{"token": late, "password": password}).Want(t, 422)
}

// The log of an account has what was done to it by callers who were not signed in, or no longer are.
func TestAccountLogHasSignUpsAndResets(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	e.openRegistration()
	c := e.As("")
	jane := map[string]any{"name": "Jane", "email": "jane@example.com", "password": password}
	c.Post("/auth/sign-up", jane).Want(t, 204)
	c.Post("/auth/email/verify", map[string]any{"token": e.Mail.Token(t, "jane@example.com")}).Want(t, 204)
	c.Post("/auth/sign-up", jane).Want(t, 204) // the address is taken: the caller may be a stranger
	c.Post("/auth/password/forgot", map[string]any{"email": "jane@example.com"}).Want(t, 204)
	c.Post("/auth/password/reset", map[string]any{"token": e.Mail.Token(t, "jane@example.com"), "password": password}).Want(t, 204)
	c.Cookie = cookie(t, c.Post("/auth/login", login("jane@example.com", password, "")).Want(t, 200)).Value
	c.Post("/auth/logout", nil).Want(t, 204)
	c.Cookie = cookie(t, e.As("").Post("/auth/login", login("jane@example.com", password, "")).Want(t, 200)).Value
	log := c.Get("/user/audit?page[size]=50").Want(t, 200)
	counted := map[string]int{}
	for i := range log.IDs() {
		counted[log.Text("data", i, "attributes", "operation")]++
	}
	want := map[string]int{"auth.sign-up": 2, "auth.email.verify": 1, "auth.password.forgot": 1, "auth.password.reset": 1, "auth.login": 2, "auth.logout": 1}
	if !cmp.Equal(counted, want) {
		t.Error(cmp.Diff(want, counted))
	}
}

// A token that is limited to an organization is good nowhere else, and a new one is shown once.
func TestPersonalToken(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	user := e.User("jane")
	e.Organization("acme", user)
	e.Organization("other", user)
	e.WithPassword(user.ID)
	s := e.Session(user)
	past := e.Clock.Now().Add(-time.Hour).Format(time.RFC3339)
	for name, body := range map[string]map[string]any{
		"no scopes":      {"name": "x", "password": password, "scopes": []string{}},
		"unknown scope":  {"name": "x", "password": password, "scopes": []string{"server:fly"}},
		"past":           {"name": "x", "password": password, "scopes": []string{"user:view"}, "expires_at": past},
		"foreign":        {"name": "x", "password": password, "scopes": []string{"user:view"}, "organizations": []string{"nobody"}},
		"no password":    {"name": "x", "scopes": []string{"user:view"}},
		"wrong password": {"name": "x", "scopes": []string{"user:view"}, "password": "an open browser knows none"},
		"nowhere":        {"name": "x", "password": password, "scopes": []string{"user:view"}, "organizations": []string{}},
	} {
		if a := s.Post("/user/tokens", body); a.Status != 422 {
			t.Errorf("%s: answered %d", name, a.Status)
		}
	}
	made := s.Post("/user/tokens", map[string]any{
		"name": "x", "password": password, "scopes": []string{"organization:view", "server:view"}, "organizations": []string{"acme"},
	}, Header("Idempotency-Key", "k")).Want(t, 201)
	token := made.Text("data", "meta", "shown_once", "token")
	if !strings.HasPrefix(token, made.Text("data", "attributes", "prefix")) || !strings.HasPrefix(token, "hostler_pat_") {
		t.Errorf("the token %s does not begin as it should", token)
	}
	again := s.Post("/user/tokens", map[string]any{
		"name": "x", "password": password, "scopes": []string{"organization:view", "server:view"}, "organizations": []string{"acme"},
	}, Header("Idempotency-Key", "k")).Want(t, 201)
	if bytes.Contains(again.Body, []byte(token)) {
		t.Error("the token was shown twice")
	}
	c := e.As(token)
	c.Get("/orgs/acme/servers").Want(t, 200)
	c.Get("/orgs/other/servers").Want(t, 404)
	if got := c.Get("/orgs").Want(t, 200).IDs(); len(got) != 1 {
		t.Errorf("the token sees organizations %v", got)
	}
	if bytes.Contains(s.Get("/user/tokens").Want(t, 200).Body, []byte(token)) {
		t.Error("the list shows the token")
	}
	s.Delete("/user/tokens/"+made.ID()).Want(t, 204)
	c.Get("/orgs/acme/servers").Want(t, 401)
	s.Delete("/user/tokens/"+made.ID()).Want(t, 404)
	line := s.Get("/user/audit?filter[operation]=user.tokens.destroy").Want(t, 200)
	if was := line.At("data", 0, "attributes", "before", "organizations"); !reflect.DeepEqual(was, []any{"acme"}) {
		t.Errorf("the audit log says that the token was limited to %v: %s", was, line.Body)
	}
}

// What is no address is refused as one, also where it is longer in octets than in characters.
func TestSignUpWithAnInvalidAddress(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		e.openRegistration()
		for _, email := range []string{strings.Repeat("é", 130) + "@example.com", "Jane <jane@example.com>"} {
			wantFields(t, e.As("").Post("/auth/sign-up", map[string]any{"email": email, "name": "Jane", "password": password}), "email")
		}
	})
}
