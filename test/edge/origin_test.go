package edge

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// ask makes a request as a page of an origin does.
func (e *Env) ask(t testing.TB, method, path string, options ...Option) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, e.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range options {
		o(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res
}

// Pages of the dashboard's origin read answers, with its cookie; those of every other origin read nothing.
func TestOrigins(t *testing.T) {
	t.Parallel()
	const dashboard = "https://dash.example.com"
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.DashboardOrigin = dashboard })
	jane := e.User("jane")
	e.WithPassword(jane.ID)
	session := e.Session(jane)
	for origin, allowed := range map[string]bool{
		dashboard: true, e.URL: true, "": false, "null": false, "https://evil.example": false,
		"https://dash.example.com.evil.example": false, "http://dash.example.com": false,
		"https://dash.example.com:8443": false, e.URL + "0": false, "https://DASH.example.com": false,
	} {
		preflight := e.ask(t, http.MethodOptions, "/api/orgs", Header("Origin", origin),
			Header("Access-Control-Request-Method", "POST"), Header("Access-Control-Request-Headers", "x-hostler-csrf"))
		if got := preflight.Header.Get("Access-Control-Allow-Origin"); (got == origin && origin != "") != allowed ||
			!allowed && got != "" || (preflight.StatusCode == 204) != allowed {
			t.Errorf("asked before by %q: %d, allowed %q", origin, preflight.StatusCode, got)
		}
		for _, path := range []string{"/api/user", "/.well-known/oauth-authorization-server", "/api/nowhere"} {
			answer := e.ask(t, http.MethodGet, path, Header("Origin", origin))
			if got := answer.Header.Get("Access-Control-Allow-Origin"); allowed && got != origin || !allowed && got != "" {
				t.Errorf("%s of %q may be read by %q", path, origin, got)
			}
			if !strings.Contains(strings.Join(answer.Header.Values("Vary"), ","), "Origin") {
				t.Errorf("%s does not vary by origin", path)
			}
		}
		want := 403
		if allowed || origin == "" {
			want = 201
		}
		site := "same-site"
		if origin == e.URL || origin == "" {
			site = "same-origin"
		}
		body := map[string]any{"name": "x", "scopes": []string{"user:view"}, "password": password}
		if a := session.Post("/user/tokens", body, Header("Origin", origin), Header("Sec-Fetch-Site", site)); a.Status != want {
			t.Errorf("a change by %q answered %d, want %d", origin, a.Status, want)
		}
	}
	body := map[string]any{"name": "x", "scopes": []string{"user:view"}, "password": password}
	session.Post("/user/tokens", body, Header("Origin", dashboard), Header("Sec-Fetch-Site", "cross-site")).Want(t, 403)
	session.Post("/user/tokens", body, Header("Origin", dashboard), Header("Sec-Fetch-Site", "same-site"), Header("X-Hostler-Csrf", "")).Want(t, 403)
	session.Post("/user/tokens", body, Header("Origin", ""), Header("Sec-Fetch-Site", "same-site")).Want(t, 403)
}

// OAuth can have a separate host name: everything for programs names it.
func TestAuthURL(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.AuthURL = "http://localhost:1" })
	const auth = "http://localhost:1"
	a := e.ask(t, http.MethodGet, "/.well-known/oauth-authorization-server")
	if a.StatusCode != 200 {
		t.Errorf("answered %d", a.StatusCode)
	}
	raw, err := e.App.Router.Description()
	if err != nil || !strings.Contains(string(raw), `"`+auth+`/oauth/authorize"`) || !strings.Contains(string(raw), `"`+auth+`/oauth/token"`) {
		t.Errorf("the description does not name the auth URL: %v", err)
	}
	w := newWorld(e)
	e.WithPassword(w.users["owner"].ID)
	p, b := w.registered(false), e.browser(t)
	b.signIn("/oauth/device", "owner@example.com")
	verifier := oauth2.GenerateVerifier()
	at := p.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier))
	q := b.allow(at)
	if q.Get("iss") != auth {
		t.Errorf("the issuer is %q", q.Get("iss"))
	}
	if _, err := p.Exchange(context.Background(), q.Get("code"), oauth2.VerifierOption(verifier)); err != nil {
		t.Error(err)
	}
	_, page := b.get(at)
	m := hidden.FindStringSubmatch(page)
	for origin, want := range map[string]int{auth: 303, e.URL: 400, "https://evil.example": 400} {
		res, _ := b.post(at, map[string][]string{"token": {m[1]}, "decision": {"allow"}}, Header("Origin", origin))
		if res.StatusCode != want {
			t.Errorf("a form of %s answered %d, want %d", origin, res.StatusCode, want)
		}
	}
	for text, fine := range map[string]bool{
		"https://auth.example.com":     true,
		"https://auth.example.com/":    true,
		"https://auth.example.com/sub": false,
		"http://auth.example.com":      false,
		"ftp://x":                      false,
		"auth":                         false,
	} {
		c := e.App.Config
		c.AuthURL = text
		if _, err := app.New(c, e.App.Store, e.App.Log); (err == nil) != fine {
			t.Errorf("the auth URL %q: %v", text, err)
		}
	}
	for text, fine := range map[string]bool{
		"https://dash.example.com":   true,
		"https://dash.example.com/":  false,
		"https://dash.example.com/x": false,
		"http://dash.example.com":    false,
		"*":                          false,
	} {
		c := e.App.Config
		c.DashboardOrigin = text
		if _, err := app.New(c, e.App.Store, e.App.Log); (err == nil) != fine {
			t.Errorf("the origin %q: %v", text, err)
		}
	}
}

// Authorizations of programs, and what programs do with them, are logged with names as well; attempts with stolen tokens show.
func TestAuditOfOAuth(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		e.WithPassword(w.users["owner"].ID)
		p, b, ctx := w.registered(false), e.browser(t), context.Background()
		b.post("/oauth/sign-in", map[string][]string{"continue": {"/oauth/device"}, "email": {"owner@example.com"}, "password": {"wrong"}})
		b.signIn("/oauth/device", "owner@example.com")
		verifier := oauth2.GenerateVerifier()
		at := p.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier))
		_, page := b.get(at)
		b.post(at, map[string][]string{"token": {hidden.FindStringSubmatch(page)[1]}, "decision": {"deny"}})
		code := b.allow(at).Get("code")
		wantRefusal(t, func() error {
			_, err := p.Exchange(ctx, code, oauth2.VerifierOption(oauth2.GenerateVerifier()))
			return err
		}(), "invalid_grant")
		token, err := p.Exchange(ctx, code, oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := p.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		wantRefusal(t, err, "invalid_grant")
		b.post("/oauth/revoke", map[string][]string{"client_id": {p.ClientID}, "token": {fresh.RefreshToken}})
		all := e.Session(w.users["owner"]).Get("/user/audit?page[size]=200").Want(t, 200)
		var got []string
		for i := range all.IDs() {
			at := func(key string) string { return all.Text("data", i, "attributes", key) }
			if strings.HasPrefix(at("operation"), "oauth.") {
				got = append(got, at("operation")+" "+at("status")+" "+at("message"))
			}
		}
		want := []string{
			"oauth.sign-in 401 These credentials do not match our records.", "oauth.sign-in 200 ", "oauth.consent 403 the person said no", "oauth.consent 200 ",
			"oauth.token 400 the code_verifier does not belong to the code_challenge", "oauth.token 200 ", "oauth.refresh 200 ",
			"oauth.refresh 400 the refresh token was used; the authorization has been revoked", "oauth.revoke 200 ",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the log says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, secret := range []string{password, code, verifier, token.AccessToken, token.RefreshToken, fresh.RefreshToken} {
			if strings.Contains(string(all.Body), secret) {
				t.Errorf("the log holds %q", secret)
			}
		}
	})
}

// Anonymous addresses are limited, and device flows more strictly.
func TestOAuthRateLimit(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.RateLimit = 100 })
	e.TrustProxies()
	b := e.browser(t)
	from := Header("X-Forwarded-For", "198.51.100.7")
	form := map[string][]string{"client_id": {"hostler-cli"}, "scope": {"server:view"}}
	for i := range 60 {
		if res, body := b.post("/oauth/device/code", form, from); res.StatusCode != 200 {
			t.Fatalf("device flow %d: %d %s", i, res.StatusCode, body)
		}
	}
	res, body := b.post("/oauth/device/code", form, from)
	if res.StatusCode != 429 || res.Header.Get("Retry-After") == "" || !strings.Contains(body, "slow_down") {
		t.Errorf("answered %d %v %s", res.StatusCode, res.Header, body)
	}
	for range 39 {
		if res, _ := b.post("/oauth/token", form, from); res.StatusCode == 429 || res.Header.Get("X-RateLimit-Limit") != "100" {
			t.Fatalf("answered %d with the limit %s", res.StatusCode, res.Header.Get("X-RateLimit-Limit"))
		}
	}
	if res, _ := b.post("/oauth/token", form, from); res.StatusCode != 429 {
		t.Errorf("answered %d", res.StatusCode)
	}
	if res, page := b.post("/oauth/sign-in", form, from); res.StatusCode != 429 || !strings.Contains(page, "Try again in a minute") {
		t.Errorf("answered %d %s", res.StatusCode, page)
	}
	if res, _ := b.post("/oauth/token", form, Header("X-Forwarded-For", "198.51.100.8")); res.StatusCode == 429 {
		t.Error("another address is refused as well")
	}
}

// What was allowed to programs is kept as long as something of it can be used, and no longer.
func TestOldGrantsGo(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		user := e.User("owner")
		w := &world{Env: e, owner: e.Of(user)}
		e.Organization("acme", user)
		e.WithPassword(user.ID)
		p, b, ctx := w.registered(true), e.browser(t), context.Background()
		b.signIn("/oauth/device", "owner@example.com")
		at := p.AuthCodeURL("s")
		b.allow(at) // and never fetched
		token, err := p.Exchange(ctx, b.allow(at).Get("code"))
		if err != nil {
			t.Fatal(err)
		}
		grants := func() int {
			t.Helper()
			if err := e.App.Tidy(ctx); err != nil {
				t.Fatal(err)
			}
			return len(e.Session(user).Get("/user/oauth-grants").Want(t, 200).IDs())
		}
		if n := grants(); n != 2 {
			t.Errorf("%d grants at once", n)
		}
		e.Clock.Move(25 * time.Hour)
		if n := grants(); n != 1 {
			t.Errorf("%d grants after a day", n)
		}
		if _, err := p.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token(); err != nil {
			t.Error(err)
		}
		e.Clock.Move(31 * 24 * time.Hour)
		if n := grants(); n != 0 {
			t.Errorf("%d grants after a month without use", n)
		}
	})
}
