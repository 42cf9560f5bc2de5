package edge

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// thief is a world with an owner who is signed in, and two programs: one that the owner uses, and the thief's own.
type thief struct {
	*world
	t           *testing.T
	b           *browser
	victim, own program
	verifier    string
}

func newThief(t *testing.T, w *world) *thief {
	t.Helper()
	w.WithPassword(w.users["owner"].ID)
	x := &thief{world: w, t: t, b: w.browser(t), victim: w.registered(false), own: w.registered(false), verifier: oauth2.GenerateVerifier()}
	x.b.signIn("/oauth/device", "owner@example.com")
	return x
}

// code returns one that the owner's browser was sent back with.
func (x *thief) code(p program, options ...oauth2.AuthCodeOption) string {
	x.t.Helper()
	return x.b.allow(p.AuthCodeURL("s", append(options, oauth2.S256ChallengeOption(x.verifier))...)).Get("code")
}

// token is what a program gets for a code.
func (x *thief) token(p program) *oauth2.Token {
	x.t.Helper()
	token, err := p.Exchange(context.Background(), x.code(p), oauth2.VerifierOption(x.verifier))
	if err != nil {
		x.t.Fatal(err)
	}
	return token
}

// ask sends a form to the token endpoint, or to another path, and returns the answer's code and body.
func (x *thief) ask(path string, form url.Values, options ...Option) (int, string) {
	x.t.Helper()
	res, body := x.b.post(path, form, options...)
	return res.StatusCode, body
}

// A thief has a code, a token or a part of them, and wants tokens that work.
func TestThiefWantsTokens(t *testing.T) {
	t.Parallel()
	x := newThief(t, World(t, db.SQLite))
	confidential := x.registered(true)
	exchange := func(p program, code string) url.Values {
		return url.Values{"grant_type": {"authorization_code"}, "client_id": {p.ClientID}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {x.verifier}}
	}
	refresh := func(p program, token string) url.Values {
		return url.Values{"grant_type": {"refresh_token"}, "client_id": {p.ClientID}, "refresh_token": {token}}
	}
	with := func(form url.Values, pairs ...string) url.Values {
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		return form
	}
	// The challenge of the empty verifier, for servers that hash what is left out.
	empty := x.b.allow(x.victim.AuthCodeURL("s", oauth2.SetAuthURLParam("code_challenge", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"))).Get("code")
	challenge := oauth2.S256ChallengeFromVerifier(x.verifier)
	token := x.token(x.victim)
	for name, form := range map[string]url.Values{
		"the empty verifier":                 with(exchange(x.victim, empty), "code_verifier", ""),
		"the challenge as the verifier":      with(exchange(x.victim, x.code(x.victim)), "code_verifier", challenge),
		"a verifier with a space at its end": with(exchange(x.victim, x.code(x.victim)), "code_verifier", x.verifier+" "),
		"a code of another program":          exchange(x.own, x.code(x.victim)),
		"a code in another session's place":  with(exchange(x.victim, x.code(x.victim)), "code_verifier", oauth2.GenerateVerifier()),
		"a code with a longer redirect":      with(exchange(x.victim, x.code(x.victim)), "redirect_uri", redirect+"?x"),
		"a code with an encoded redirect":    with(exchange(x.victim, x.code(x.victim)), "redirect_uri", "https://app.example.com/%62ack"),
		"a code as a refresh token":          refresh(x.victim, x.code(x.victim)),
		"a code as a device code": with(exchange(x.victim, ""), "grant_type", "urn:ietf:params:oauth:grant-type:device_code",
			"device_code", x.code(x.victim)),
		"an access token as a refresh token":      refresh(x.victim, token.AccessToken),
		"an access token as a code":               exchange(x.victim, token.AccessToken),
		"a refresh token as a code":               exchange(x.victim, token.RefreshToken),
		"a refresh token at another program":      refresh(x.own, token.RefreshToken),
		"more scopes at the refresh":              with(refresh(x.victim, token.RefreshToken), "scope", "server:view organization:view"),
		"an unknown scope at the refresh":         with(refresh(x.victim, token.RefreshToken), "scope", "*"),
		"a secret for a program that has none":    with(exchange(x.victim, x.code(x.victim)), "client_secret", "x"),
		"a code of a program, without its secret": exchange(confidential, x.code(confidential)),
		"an assertion instead of the secret": with(exchange(confidential, x.code(confidential)), "client_assertion", "eyJhbGciOiJub25lIn0.e30.",
			"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
		"an exchange of tokens": {
			"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "client_id": {x.victim.ClientID},
			"subject_token": {token.AccessToken}, "subject_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		},
	} {
		if code, body := x.ask("/oauth/token", form); code != 400 && code != 401 || strings.Contains(body, "access_token") {
			t.Errorf("%s: answered %d %s", name, code, body)
		}
	}
	// One program authenticates, and names another one in the form.
	code := x.code(x.victim)
	mixed := func(req *http.Request) { req.SetBasicAuth(confidential.ClientID, confidential.ClientSecret) }
	if status, body := x.ask("/oauth/token", exchange(x.victim, code), mixed); strings.Contains(body, "access_token") {
		t.Errorf("a program with a secret uses the code of another: %d %s", status, body)
	}
	x.As(token.RefreshToken).Get("/orgs/acme/servers").Want(t, 401)
	x.As(confidential.ClientSecret).Get("/orgs/acme/servers").Want(t, 401)
	x.As("").Get("/orgs/acme/servers?access_token="+token.AccessToken).Want(t, 401)
	x.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 200) // nothing of the above ended it
	if status, body := x.ask("/oauth/introspect", url.Values{"client_id": {x.own.ClientID}, "token": {token.AccessToken}}); status != 400 &&
		status != 401 || strings.Contains(body, "active") {
		t.Errorf("a program without a secret reads about tokens: %d %s", status, body)
	}
}

// Of several who send the same code or refresh token at once one is given tokens at most, and they end, as it was stolen (RFC 9700, 4.14).
func TestThiefIsAsFastAsTheOwner(t *testing.T) {
	t.Parallel()
	x := newThief(t, World(t, db.SQLite))
	race := func(try func() (*oauth2.Token, error)) {
		t.Helper()
		var mu sync.Mutex
		var got []*oauth2.Token
		var wait sync.WaitGroup
		for range 6 {
			wait.Go(func() {
				if token, err := try(); err == nil {
					mu.Lock()
					got = append(got, token)
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		if len(got) > 1 {
			t.Errorf("%d were given tokens", len(got))
		}
		for _, token := range got {
			x.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 401)
			if _, err := x.victim.TokenSource(context.Background(), &oauth2.Token{RefreshToken: token.RefreshToken}).Token(); err == nil {
				t.Error("the refresh token works")
			}
		}
	}
	code := x.code(x.victim)
	race(func() (*oauth2.Token, error) {
		return x.victim.Exchange(context.Background(), code, oauth2.VerifierOption(x.verifier))
	})
	old := x.token(x.victim).RefreshToken
	race(func() (*oauth2.Token, error) {
		return x.victim.TokenSource(context.Background(), &oauth2.Token{RefreshToken: old}).Token()
	})
}

// What a program may is cut after it was let in: nothing that it holds gives or claims more than that any longer.
func TestProgramKeepsWhatItLost(t *testing.T) {
	t.Parallel()
	x := newThief(t, World(t, db.SQLite))
	p := x.registered(true)
	p.Scopes = []string{"server:view", "organization:view"}
	before := x.token(p)
	late := x.code(p)
	x.owner.Put("/orgs/acme/oauth-clients/"+p.id, map[string]any{"scopes": []string{"organization:view"}}).Want(t, 200)
	x.As(before.AccessToken).Get("/orgs/acme/servers").Want(t, 403)
	fresh, err := p.TokenSource(context.Background(), &oauth2.Token{RefreshToken: before.RefreshToken}).Token()
	if err != nil {
		t.Fatal(err)
	}
	if got := fresh.Extra("scope"); got != "organization:view" {
		t.Errorf("a refresh gives the scopes %q", got)
	}
	x.As(fresh.AccessToken).Get("/orgs/acme/servers").Want(t, 403)
	for _, token := range []string{before.AccessToken, fresh.AccessToken, fresh.RefreshToken} {
		_, body := x.ask("/oauth/introspect", url.Values{"client_id": {p.ClientID}, "client_secret": {p.ClientSecret}, "token": {token}})
		if strings.Contains(body, "server:view") {
			t.Errorf("a token is described as %s", body)
		}
	}
	if code, body := x.ask("/oauth/token", url.Values{
		"grant_type": {"refresh_token"}, "client_id": {p.ClientID}, "client_secret": {p.ClientSecret}, "refresh_token": {fresh.RefreshToken},
		"scope": {"server:view"},
	}); code != 400 || !strings.Contains(body, "invalid_scope") {
		t.Errorf("a scope that was cut is given again: %d %s", code, body)
	}
	token, err := p.Exchange(context.Background(), late, oauth2.VerifierOption(x.verifier))
	if err == nil && token.Extra("scope") != "organization:view" {
		t.Errorf("a code gives the scopes %q", token.Extra("scope"))
	}
	// A redirect is removed because who owns its name has changed: what was sent there is worth nothing.
	p.Scopes = []string{"organization:view"}
	late = x.code(p)
	x.owner.Put("/orgs/acme/oauth-clients/"+p.id, map[string]any{"redirect_uris": []string{"https://moved.example.com/back"}}).Want(t, 200)
	_, err = p.Exchange(context.Background(), late, oauth2.VerifierOption(x.verifier))
	wantRefusal(t, err, "invalid_grant")
	// Nothing is left of it.
	x.owner.Put("/orgs/acme/oauth-clients/"+p.id, map[string]any{"scopes": []string{"recipe:view"}}).Want(t, 200)
	x.As(fresh.AccessToken).Get("/orgs/acme").Want(t, 403)
	_, err = p.TokenSource(context.Background(), &oauth2.Token{RefreshToken: fresh.RefreshToken}).Token()
	wantRefusal(t, err, "invalid_grant")
}

// A page of another person wants the owner's browser to allow access, to sign in as another account, or to be led away.
func TestPageWantsConsent(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	x := newThief(t, w)
	native := program{Config: &oauth2.Config{Scopes: []string{"server:view"}, Endpoint: x.victim.Endpoint}}
	native.ClientID = w.owner.Post("/orgs/acme/oauth-clients", map[string]any{
		"name": "Native", "redirect_uris": []string{
			redirect, "http://127.0.0.1:7000/cb", "http://[::1]:7000/cb",
			"com.example.app:/cb",
		}, "scopes": []string{"server:view"},
	}).Want(t, 201).Text("data", "attributes", "client_id")
	at := func(p program, to string) string {
		c := *p.Config
		c.RedirectURL = to
		parsed, err := url.Parse(c.AuthCodeURL("s", oauth2.S256ChallengeOption(x.verifier)))
		if err != nil {
			t.Fatal(err)
		}
		return parsed.RequestURI()
	}
	for _, to := range []string{
		"https://app.example.com:443/back", "https://app.example.com./back", "https://APP.example.com/back", "https://app.example.com/%62ack",
		"https://app.example.com/Back", "https://app.example.com/back/", "https://app.example.com/back/../x", "https://app.example.com/back%2f..%2fx",
		"https://app.example.com/back#x", "https://app.example.com/back;x", "https://app.example.com/back?", " " + redirect, redirect + "\n", redirect + "\x00",
		"http://app.example.com/back", "//app.example.com/back", "https:app.example.com/back", `https://evil.example\@app.example.com/back`,
		"https://app.example.com\\.evil.example/back", "https://app.example.com%2eevil.example/back", "https://app.example.com:@evil.example/back",
		"https://apſ.example.com/back", "https://app.example.com%00.evil.example/back", "https://evil.example/?https://app.example.com/back",
		"http://127.0.0.1:7001/cb", "http://127.0.0.1/cb", "http://localhost:7000/cb", "http://127.1:7000/cb", "http://2130706433:7000/cb", "http://0.0.0.0:7000/cb",
		"http://127.0.0.1:7000/cb/x", "https://127.0.0.1:7000/cb", "http://[::ffff:127.0.0.1]:7000/cb", "http://[0:0:0:0:0:0:0:1]:7000/cb",
		"com.example.app://cb", "com.example.app:/cb/x", "COM.EXAMPLE.APP:/cb", "com.example.app.evil:/cb", "javascript:alert(1)", "data:text/html,x", "/back", "",
	} {
		for _, more := range []string{"", "&response_type=token", "&prompt=none"} {
			if res, _ := x.b.get(at(native, to) + more); res.StatusCode != 400 || res.Header.Get("Location") != "" {
				t.Errorf("redirect %q%s: answered %d, sent to %q", to, more, res.StatusCode, res.Header.Get("Location"))
			}
		}
	}
	for _, bad := range []string{
		"https://", "https:///back", "https://exa mple.com/", "https://*.example.com/", "https://user:pw@app.example.com/", "https://app.example.com;script-src/",
		"https://app.example.com'/", "https://app.example.com\\@evil.example/", "http://127.0.0.1.evil.example/", "http://127.0.0.1@evil.example/",
		"http://[::1%25eth0]/",
		"http://localhost.evil.example/", "https://app.example.com/\r\nX: y", "vbscript:x", "file:///etc/passwd", "HTTP://app.example.com/",
		"https://app.example.com/#",
	} {
		w.owner.Post("/orgs/acme/oauth-clients", map[string]any{"name": "x", "redirect_uris": []string{bad}, "scopes": []string{"server:view"}}).Want(t, 422)
	}
	right := at(x.victim, redirect)
	for _, name := range []string{"client_id", "scope", "state", "code_challenge", "response_type", "code_challenge_method"} {
		if res, _ := x.b.get(right + "&" + name + "=x"); res.StatusCode != 400 || res.Header.Get("Location") != "" {
			t.Errorf("%s twice: answered %d, sent to %q", name, res.StatusCode, res.Header.Get("Location"))
		}
	}
	if _, page := x.b.get(right + "&request_uri=http%3A%2F%2Fevil.example%2F&request=e30.e30."); !strings.Contains(page, "https://app.example.com") ||
		strings.Contains(page, "https://evil.example") {
		t.Error("a request elsewhere was read")
	}
	// A page without the consent's own secret, of the session that it is of.
	res, page := x.b.get(right)
	for name, want := range map[string]string{"X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("the page is sent with %s: %q", name, got)
		}
	}
	if csp := res.Header.Get("Content-Security-Policy"); strings.Contains(page, "<script") || !strings.Contains(csp, "default-src 'none'") ||
		!strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "base-uri 'none'") {
		t.Errorf("the policy is %s", csp)
	}
	own := hidden.FindStringSubmatch(page)[1]
	w.WithPassword(w.users["developer"].ID)
	eve := w.browser(t)
	eve.signIn("/oauth/device", "developer@example.com")
	token := func(b *browser, at string) string {
		t.Helper()
		_, page := b.get(at)
		return hidden.FindStringSubmatch(page)[1]
	}
	foreign, other := token(eve, right), token(x.b, at(x.own, redirect))
	allow := func(token string) url.Values { return url.Values{"token": {token}, "decision": {"allow"}} }
	for name, try := range map[string]func() (*http.Response, string){
		"another session's secret": func() (*http.Response, string) { return x.b.post(right, allow(foreign)) },
		"another program's secret": func() (*http.Response, string) { return x.b.post(right, allow(other)) },
		"no secret":                func() (*http.Response, string) { return x.b.post(right, allow("")) },
		"another state": func() (*http.Response, string) {
			return x.b.post(strings.Replace(right, "state=s", "state=t", 1), allow(own))
		},
		"another challenge": func() (*http.Response, string) {
			return x.b.post(strings.Replace(right, "code_challenge=", "code_challenge=A", 1), allow(own))
		},
		"a secret in the address": func() (*http.Response, string) { return x.b.post(right+"&"+allow(own).Encode(), nil) },
		"a secret and a GET":      func() (*http.Response, string) { return x.b.get(right + "&" + allow(own).Encode()) },
		"text instead of a form": func() (*http.Response, string) {
			return x.b.post(right, allow(own), Header("Content-Type", "text/plain"))
		},
		"a neighbour's page": func() (*http.Response, string) {
			return x.b.post(right, allow(own), Header("Sec-Fetch-Site", "same-site"))
		},
		"a frame without an origin": func() (*http.Response, string) {
			return x.b.post(right, allow(own), Header("Sec-Fetch-Site", "cross-site"))
		},
	} {
		if res, _ := try(); res.Header.Get("Location") != "" && !strings.Contains(res.Header.Get("Location"), "error=") {
			t.Errorf("%s: answered %d, sent to %s", name, res.StatusCode, res.Header.Get("Location"))
		}
	}
	// Signing the browser in as the thief, whose account then gets what the owner enters (login CSRF).
	form := url.Values{"continue": {"/oauth/device"}, "email": {"developer@example.com"}, "password": {password}}
	for name, options := range map[string][]Option{
		"another site":   {Header("Sec-Fetch-Site", "cross-site")},
		"a neighbour":    {Header("Sec-Fetch-Site", "same-site")},
		"another origin": {Header("Sec-Fetch-Site", ""), Header("Origin", "https://evil.example")},
		"a frame without an origin, an old browser": {Header("Sec-Fetch-Site", ""), Header("Origin", "null")},
		"nothing said": {Header("Sec-Fetch-Site", ""), Header("Origin", "")},
	} {
		if res, _ := w.browser(t).post("/oauth/sign-in", form, options...); res.StatusCode != 400 || len(res.Cookies()) > 0 {
			t.Errorf("a sign-in from %s: answered %d", name, res.StatusCode)
		}
	}
	if res, _ := w.browser(t).post("/oauth/sign-in", form, Header("Sec-Fetch-Site", ""), Header("Origin", w.URL)); res.StatusCode != 303 {
		t.Errorf("a sign-in in an old browser: answered %d", res.StatusCode)
	}
	for _, to := range []string{
		"//evil.example/", `/\evil.example`, "https://evil.example/oauth/authorize", "/oauth/authorize/../..//evil.example",
		"/oauth/authorize@evil.example", "/oauth/authorize#x",
		"/oauth/authorize%2f..", "javascript:alert(1)", "/oauth/device\r\nSet-Cookie: a=b", "/oauth/device?\r\nSet-Cookie: a=b", "\t//evil.example",
		"/oauth/authorize.evil.example",
	} {
		form.Set("continue", to)
		res, _ := w.browser(t).post("/oauth/sign-in", form)
		if got := res.Header.Get("Location"); got != "/oauth/device" && !strings.HasPrefix(got, "/oauth/device?") || len(res.Cookies()) > 1 {
			t.Errorf("after signing in with %q sent to %q", to, got)
		}
	}
}

// Texts that a database refuses are no codes, tokens or names.
func TestThiefSendsWhatDatabasesRefuse(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		x := newThief(t, w)
		for _, bad := range []string{"\x00", "a\x00b", "\xff", "\xed\xa0\x80", strings.Repeat("a", 60_000), "'; DROP TABLE users; --", "%", "_"} {
			for _, form := range []url.Values{
				{"grant_type": {"authorization_code"}, "client_id": {bad}, "code": {"x"}, "redirect_uri": {redirect}},
				{"grant_type": {"authorization_code"}, "client_id": {x.victim.ClientID}, "code": {bad}, "redirect_uri": {redirect}, "code_verifier": {bad}},
				{"grant_type": {"refresh_token"}, "client_id": {x.victim.ClientID}, "refresh_token": {bad}, "scope": {bad}},
				{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {x.victim.ClientID}, "device_code": {bad}},
				{"grant_type": {bad}, "client_id": {x.victim.ClientID}},
			} {
				if code, body := x.ask("/oauth/token", form); code < 400 || code >= 500 {
					t.Errorf("%.80q: answered %d %s", form, code, body)
				}
			}
			q := url.QueryEscape(bad)
			for _, path := range []string{"/oauth/authorize?client_id=" + q, "/oauth/device?user_code=" + q} {
				if len(bad) > 1000 {
					continue // more than headers may have
				}
				if res, page := x.b.get(path); res.StatusCode != 400 && res.StatusCode != 422 {
					t.Errorf("%q: answered %d %s", path, res.StatusCode, page)
				}
			}
			if code, page := x.ask("/oauth/sign-in", url.Values{"continue": {bad}, "email": {bad}, "password": {bad}, "code": {bad}}); code < 400 || code >= 500 {
				t.Errorf("a sign-in as %.20q: answered %d %s", bad, code, page)
			}
			w.Clock.Move(16 * time.Minute) // so that guesses are looked at
		}
	})
}
