package edge

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

const redirect = "https://app.example.com/back"

// browser is a user's browser: it stores cookies, and returns redirects instead of following them.
type browser struct {
	t    testing.TB
	env  *Env
	http *http.Client
}

func (e *Env) browser(t testing.TB) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, e, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (b *browser) do(req *http.Request) (*http.Response, string) {
	b.t.Helper()
	res, err := b.http.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, string(raw)
}

func (b *browser) get(to string) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, b.absolute(to), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(req)
}

func (b *browser) absolute(to string) string {
	if strings.HasPrefix(to, "/") {
		return b.env.URL + to
	}
	return to
}

func (b *browser) post(to string, form url.Values, options ...Option) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, b.absolute(to), strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Origin", "null") // as browsers do where pages send no Referer
	for _, o := range options {
		o(req)
	}
	return b.do(req)
}

// signIn goes through the page that asks for it.
func (b *browser) signIn(from, email string) string {
	b.t.Helper()
	res, _ := b.post("/oauth/sign-in", url.Values{"continue": {from}, "email": {email}, "password": {password}})
	if res.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("signing in answered %d", res.StatusCode)
	}
	return res.Header.Get("Location")
}

var hidden = regexp.MustCompile(`name="token" value="([^"]+)"`)

// allow opens a consent page and accepts; it returns where the browser is redirected.
func (b *browser) allow(at string) url.Values {
	b.t.Helper()
	_, page := b.get(at)
	m := hidden.FindStringSubmatch(page)
	if m == nil {
		b.t.Fatalf("no consent page: %s", page)
	}
	res, page := b.post(at, url.Values{"token": {m[1]}, "decision": {"allow"}})
	to, err := url.Parse(res.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(to.String(), redirect+"?") {
		b.t.Fatalf("sent to %q: %s", res.Header.Get("Location"), page)
	}
	return to.Query()
}

// program is a registered client, as golang.org/x/oauth2 knows it.
type program struct {
	*oauth2.Config
	id string
}

func (w *world) registered(confidential bool) program {
	w.T.Helper()
	a := w.owner.Post("/orgs/acme/oauth-clients", map[string]any{
		"name": "<b>Deployer</b>", "confidential": confidential, "redirect_uris": []string{redirect},
		"scopes": []string{"server:view", "organization:view"},
	}).Want(w.T, 201)
	c := &oauth2.Config{
		ClientID: a.Text("data", "attributes", "client_id"), RedirectURL: redirect, Scopes: []string{"server:view"},
		Endpoint: oauth2.Endpoint{AuthURL: w.URL + "/oauth/authorize", TokenURL: w.URL + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
	}
	if confidential {
		c.ClientSecret, c.Endpoint.AuthStyle = a.Text("data", "meta", "shown_once", "secret"), oauth2.AuthStyleInHeader
	}
	return program{c, a.ID()}
}

func wantRefusal(t testing.TB, err error, code string) {
	t.Helper()
	var e *oauth2.RetrieveError
	if !errors.As(err, &e) || e.ErrorCode != code {
		t.Errorf("refused with %v, want %s", err, code)
	}
}

// A stock client goes the whole way: consent, code, call, refresh, revocation; whatever is replayed ends the grant.
func TestCodeFlow(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		e.WithPassword(w.users["developer"].ID)
		ctx := context.Background()
		for name, confidential := range map[string]bool{"public": false, "confidential": true} {
			t.Run(name, func(t *testing.T) {
				p, b := w.registered(confidential), e.browser(t)
				verifier := oauth2.GenerateVerifier()
				at := p.AuthCodeURL("the-state", oauth2.S256ChallengeOption(verifier))
				if _, page := b.get(at); !strings.Contains(page, "Sign in") {
					t.Fatalf("nobody is asked to sign in: %s", page)
				}
				parsed, _ := url.Parse(at)
				at = b.signIn(parsed.RequestURI(), "developer@example.com")
				res, page := b.get(at)
				if !strings.Contains(page, "See servers, their state") || strings.Contains(page, "<b>Deployer") {
					t.Errorf("the consent page is %s", page)
				}
				if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
					t.Errorf("the page's policy is %q", csp)
				}
				q := b.allow(at)
				if q.Get("state") != "the-state" || q.Get("iss") != e.URL {
					t.Errorf("sent back with %v", q)
				}
				token, err := p.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(verifier))
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(token.AccessToken, "hostler_oat_") || token.TokenType != "Bearer" {
					t.Errorf("the token is of type %s", token.TokenType)
				}
				c := e.As(token.AccessToken)
				c.Get("/orgs/acme/servers").Want(t, 200)
				c.Get("/user").Want(t, 403) // not its scope
				c.Get("/user/tokens").Want(t, 403)
				fresh, err := p.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
				if err != nil {
					t.Fatal(err)
				}
				e.As(fresh.AccessToken).Get("/orgs/acme/servers").Want(t, 200)
				// Reusing the old refresh token means that it was stolen, so everything ends.
				_, err = p.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
				wantRefusal(t, err, "invalid_grant")
				_, err = p.TokenSource(ctx, &oauth2.Token{RefreshToken: fresh.RefreshToken}).Token()
				wantRefusal(t, err, "invalid_grant")
				e.As(fresh.AccessToken).Get("/orgs/acme/servers").Want(t, 401)
				c.Get("/orgs/acme/servers").Want(t, 401)

				code := b.allow(at).Get("code")
				token, err = p.Exchange(ctx, code, oauth2.VerifierOption(verifier))
				if err != nil {
					t.Fatal(err)
				}
				_, err = p.Exchange(ctx, code, oauth2.VerifierOption(verifier))
				wantRefusal(t, err, "invalid_grant")
				e.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 401) // what a replayed code gave ends as well
			})
		}
	})
}

// What a code or a refresh token is refused for.
func TestTokenRefusals(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	e := w.Env
	e.WithPassword(w.users["owner"].ID)
	ctx := context.Background()
	public, confidential, other := w.registered(false), w.registered(true), w.registered(false)
	b := e.browser(t)
	b.signIn("/oauth/device", "owner@example.com")
	verifier := oauth2.GenerateVerifier()
	code := func(p program, options ...oauth2.AuthCodeOption) string {
		t.Helper()
		return b.allow(p.AuthCodeURL("s", options...)).Get("code")
	}
	s256 := oauth2.S256ChallengeOption(verifier)
	exchange := func(p program, code string, options ...oauth2.AuthCodeOption) error {
		_, err := p.Exchange(ctx, code, options...)
		return err
	}
	wantRefusal(t, exchange(public, code(public, s256)), "invalid_grant")
	wantRefusal(t, exchange(public, code(public, s256), oauth2.VerifierOption(oauth2.GenerateVerifier())), "invalid_grant")
	wantRefusal(t, exchange(confidential, code(confidential, s256)), "invalid_grant")
	wantRefusal(t, exchange(confidential, code(confidential), oauth2.VerifierOption(verifier)), "invalid_grant") // a challenge that was stripped
	wantRefusal(t, exchange(other, code(public, s256), oauth2.VerifierOption(verifier)), "invalid_grant")
	elsewhere := program{&oauth2.Config{ClientID: public.ClientID, RedirectURL: redirect + "/", Endpoint: public.Endpoint}, ""}
	wantRefusal(t, exchange(elsewhere, code(public, s256), oauth2.VerifierOption(verifier)), "invalid_grant")
	late := code(public, s256)
	e.Clock.Move(time.Minute)
	wantRefusal(t, exchange(public, late, oauth2.VerifierOption(verifier)), "invalid_grant")
	wantRefusal(t, exchange(public, "made-up", oauth2.VerifierOption(verifier)), "invalid_grant")
	wrong := *confidential.Config
	wrong.ClientSecret = "hostler_ocs_wrong"
	wantRefusal(t, exchange(program{&wrong, ""}, code(confidential, s256), oauth2.VerifierOption(verifier)), "invalid_client")
	wrong.ClientSecret, wrong.Endpoint.AuthStyle = "", oauth2.AuthStyleInParams
	wantRefusal(t, exchange(program{&wrong, ""}, code(confidential, s256), oauth2.VerifierOption(verifier)), "invalid_client")
	nobody := *public.Config
	nobody.ClientID = "nobody"
	wantRefusal(t, exchange(program{&nobody, ""}, "x", oauth2.VerifierOption(verifier)), "invalid_client")

	token, err := public.Exchange(ctx, code(public, s256), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	wantRefusal(t, err, "invalid_grant")
	res, body := b.post("/oauth/token", url.Values{
		"grant_type": {"refresh_token"}, "client_id": {public.ClientID}, "refresh_token": {token.RefreshToken},
		"scope": {"organization:view"},
	})
	if res.StatusCode != 400 || !strings.Contains(body, "invalid_scope") {
		t.Errorf("more scopes than allowed: %d %s", res.StatusCode, body)
	}
	for _, form := range []url.Values{
		{"grant_type": {"password"}, "client_id": {public.ClientID}, "username": {"owner@example.com"}, "password": {password}},
		{"grant_type": {"client_credentials"}, "client_id": {public.ClientID}},
		{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {"e30.e30."}},
		{},
	} {
		if res, body := b.post("/oauth/token", form); res.StatusCode < 400 || res.StatusCode >= 500 || strings.Contains(body, "access_token") {
			t.Errorf("%v answered %d: %s", form, res.StatusCode, body)
		}
	}
	if res, _ := b.post("/oauth/token?client_secret=x", url.Values{"grant_type": {"refresh_token"}}); res.StatusCode != 400 {
		t.Errorf("a secret in the URL answered %d", res.StatusCode)
	}
	if res, _ := b.get("/oauth/token"); res.StatusCode != 400 {
		t.Errorf("GET answered %d", res.StatusCode)
	}
	e.Clock.Move(time.Hour)
	e.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 401)
	e.Clock.Move(30 * 24 * time.Hour)
	_, err = public.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	wantRefusal(t, err, "invalid_grant")
}

// Errors before client and redirect are known stay here; later ones are reported to the program.
func TestAuthorizeRefusals(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	e := w.Env
	e.WithPassword(w.users["owner"].ID)
	public, confidential := w.registered(false), w.registered(true)
	b := e.browser(t)
	b.signIn("/oauth/device", "owner@example.com")
	challenge := oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())
	right := url.Values{
		"response_type": {"code"}, "client_id": {public.ClientID}, "redirect_uri": {redirect}, "scope": {"server:view"}, "state": {"s"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	with := func(pairs ...string) string {
		q := url.Values{}
		for k, v := range right {
			q[k] = v
		}
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] == "" {
				q.Del(pairs[i])
			} else {
				q.Set(pairs[i], pairs[i+1])
			}
		}
		return "/oauth/authorize?" + q.Encode()
	}
	for name, at := range map[string]string{
		"no client":          with("client_id", ""),
		"unknown client":     with("client_id", "nobody"),
		"no redirect":        with("redirect_uri", ""),
		"another redirect":   with("redirect_uri", "https://evil.example/back"),
		"a longer redirect":  with("redirect_uri", redirect+"/more"),
		"a redirect's query": with("redirect_uri", redirect+"?x=1"),
		"another case":       with("redirect_uri", strings.ToUpper(redirect)),
		"userinfo":           with("redirect_uri", "https://app.example.com@evil.example/back"),
		"twice":              with() + "&redirect_uri=https://evil.example/",
		"client of the CLI":  with("client_id", "hostler-cli"),
	} {
		if res, _ := b.get(at); res.StatusCode != 400 && res.StatusCode != 401 || res.Header.Get("Location") != "" {
			t.Errorf("%s: answered %d, sent to %q", name, res.StatusCode, res.Header.Get("Location"))
		}
	}
	for name, tc := range map[string]struct{ at, code string }{
		"no challenge":          {with("code_challenge", "", "code_challenge_method", ""), "invalid_request"},
		"plain":                 {with("code_challenge_method", "plain"), "invalid_request"},
		"no method":             {with("code_challenge_method", ""), "invalid_request"},
		"method alone":          {with("client_id", confidential.ClientID, "code_challenge", ""), "invalid_request"},
		"plain, confidential":   {with("client_id", confidential.ClientID, "code_challenge_method", "plain"), "invalid_request"},
		"short challenge":       {with("code_challenge", "short"), "invalid_request"},
		"implicit":              {with("response_type", "token"), "unsupported_response_type"},
		"no response type":      {with("response_type", ""), "unsupported_response_type"},
		"fragment":              {with("response_mode", "fragment"), "invalid_request"},
		"no scope":              {with("scope", ""), "invalid_scope"},
		"unknown scope":         {with("scope", "server:fly"), "invalid_scope"},
		"more than it may have": {with("scope", "server:view server:delete"), "invalid_scope"},
	} {
		res, _ := b.get(tc.at)
		to, err := url.Parse(res.Header.Get("Location"))
		if err != nil || !strings.HasPrefix(to.String(), redirect+"?") || to.Query().Get("error") != tc.code || to.Query().Get("state") != "s" {
			t.Errorf("%s: answered %d, sent to %s", name, res.StatusCode, to)
		}
	}
	// A consent can be neither forged nor moved to another request.
	_, page := b.get(with())
	token := hidden.FindStringSubmatch(page)[1]
	yes := url.Values{"token": {token}, "decision": {"allow"}}
	for name, try := range map[string]func() (*http.Response, string){
		"no token":        func() (*http.Response, string) { return b.post(with(), url.Values{"decision": {"allow"}}) },
		"another request": func() (*http.Response, string) { return b.post(with("scope", "server:view organization:view"), yes) },
		"another site":    func() (*http.Response, string) { return b.post(with(), yes, Header("Sec-Fetch-Site", "cross-site")) },
		"another origin":  func() (*http.Response, string) { return b.post(with(), yes, Header("Origin", "https://evil.example")) },
	} {
		if res, _ := try(); res.StatusCode != 400 {
			t.Errorf("%s: answered %d", name, res.StatusCode)
		}
	}
	res, _ := b.post(with(), url.Values{"token": {token}, "decision": {"deny"}})
	if !strings.Contains(res.Header.Get("Location"), "error=access_denied") {
		t.Errorf("no is told as %s", res.Header.Get("Location"))
	}
	for _, bad := range []string{
		"http://evil.example/", "javascript:alert(1)", "data:text/html,x", "https://a/#x", "/back", "custom:x", "https://a.test/ x", "https://a.test/<x>",
	} {
		w.owner.Post("/orgs/acme/oauth-clients", map[string]any{"name": "x", "redirect_uris": []string{bad}, "scopes": []string{"server:view"}}).Want(t, 422)
	}
	if res, _ := b.post("/oauth/sign-in", url.Values{
		"continue": {"//evil.example"}, "email": {"owner@example.com"}, "password": {password},
	}); res.Header.Get("Location") != "/oauth/device" {
		t.Errorf("after signing in sent to %s", res.Header.Get("Location"))
	}
}

// Revocation, introspection and what a person ends.
func TestRevocation(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	e := w.Env
	e.WithPassword(w.users["owner"].ID)
	p, other, b := w.registered(true), w.registered(true), e.browser(t)
	b.signIn("/oauth/device", "owner@example.com")
	get := func() *oauth2.Token {
		t.Helper()
		verifier := oauth2.GenerateVerifier()
		token, err := p.Exchange(context.Background(), b.allow(p.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier))).Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	ask := func(p program, path, token string) map[string]any {
		t.Helper()
		res, body := b.post(path, url.Values{"client_id": {p.ClientID}, "client_secret": {p.ClientSecret}, "token": {token}})
		if res.StatusCode != 200 {
			t.Fatalf("%s answered %d: %s", path, res.StatusCode, body)
		}
		var out map[string]any
		_ = json.Unmarshal([]byte(body), &out)
		return out
	}
	token := get()
	if got := ask(p, "/oauth/introspect", token.AccessToken); got["active"] != true || got["scope"] != "server:view" {
		t.Errorf("introspection says %v", got)
	}
	if got := ask(other, "/oauth/introspect", token.AccessToken); got["active"] != false || len(got) != 1 {
		t.Errorf("another client is told %v", got)
	}
	ask(other, "/oauth/revoke", token.AccessToken)
	c := e.As(token.AccessToken)
	c.Get("/orgs/acme/servers").Want(t, 200)
	ask(p, "/oauth/revoke", token.AccessToken)
	c.Get("/orgs/acme/servers").Want(t, 401)
	ask(p, "/oauth/revoke", "made-up")
	token = get()
	ask(p, "/oauth/revoke", token.RefreshToken)
	e.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 401)
	token = get()
	s := e.Session(w.users["owner"])
	for _, id := range s.Get("/user/oauth-grants").Want(t, 200).IDs() {
		s.Delete("/user/oauth-grants/"+id).Want(t, 204)
	}
	e.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 401)
	token = get()
	w.owner.Delete("/orgs/acme/oauth-clients/"+p.id).Want(t, 204)
	e.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 401)
	for _, kept := range []string{"oauth_tokens", "oauth_grants", "oauth_clients"} {
		wantNoSecrets(t, e, kept, token.AccessToken, token.RefreshToken, p.ClientSecret)
	}
}

func wantNoSecrets(t testing.TB, e *Env, table string, secrets ...string) {
	t.Helper()
	var all any
	var err error
	switch table {
	case "oauth_tokens":
		all, err = db.All[query.OauthToken](context.Background(), e.App.DB.Reader(), table)
	case "oauth_grants":
		all, err = db.All[query.OauthGrant](context.Background(), e.App.DB.Reader(), table)
	default:
		all, err = db.All[query.OauthClient](context.Background(), e.App.DB.Reader(), table)
	}
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if strings.Contains(string(raw), s) {
			t.Errorf("%s holds a secret as it is", table)
		}
	}
}

// The command line signs in with the device flow; a stock client speaks it.
func TestDeviceFlow(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		e.WithPassword(w.users["owner"].ID)
		b := e.browser(t)
		c := oauth2.Config{
			ClientID: "hostler-cli", Scopes: []string{"server:view"},
			Endpoint: oauth2.Endpoint{TokenURL: e.URL + "/oauth/token", DeviceAuthURL: e.URL + "/oauth/device/code", AuthStyle: oauth2.AuthStyleInParams},
		}
		device, err := c.DeviceAuth(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		poll := func(code string) (int, string) {
			res, body := b.post("/oauth/token", url.Values{
				"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {"hostler-cli"},
				"device_code": {code},
			})
			return res.StatusCode, body
		}
		if status, body := poll(device.DeviceCode); status != 400 || !strings.Contains(body, "authorization_pending") {
			t.Errorf("before the decision: %d %s", status, body)
		}
		if status, body := poll(device.DeviceCode); status != 400 || !strings.Contains(body, "slow_down") {
			t.Errorf("at once again: %d %s", status, body)
		}
		decide := func(code, decision string) {
			t.Helper()
			_, page := b.get("/oauth/device?user_code=" + strings.ToLower(code))
			if !strings.Contains(page, code) || !strings.Contains(page, "See servers") {
				t.Fatalf("the page is %s", page)
			}
			b.post("/oauth/device", url.Values{"user_code": {code}, "token": {hidden.FindStringSubmatch(page)[1]}, "decision": {decision}})
		}
		b.signIn("/oauth/device", "owner@example.com")
		decide(device.UserCode, "allow")
		e.Clock.Move(5 * time.Second)
		status, body := poll(device.DeviceCode)
		var token struct {
			AccessToken string `json:"access_token"`
		}
		if err := json.Unmarshal([]byte(body), &token); err != nil || status != 200 {
			t.Fatalf("after the decision: %d %s", status, body)
		}
		e.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 200)
		if status, body := poll(device.DeviceCode); status != 400 || !strings.Contains(body, "invalid_grant") {
			t.Errorf("once more: %d %s", status, body)
		}
		device, err = c.DeviceAuth(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		decide(device.UserCode, "deny")
		if status, body := poll(device.DeviceCode); status != 400 || !strings.Contains(body, "access_denied") {
			t.Errorf("after no: %d %s", status, body)
		}
		late, err := c.DeviceAuth(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		e.Clock.Move(10 * time.Minute)
		if status, body := poll(late.DeviceCode); status != 400 || !strings.Contains(body, "expired_token") {
			t.Errorf("too late: %d %s", status, body)
		}
		for i := range 6 {
			res, _ := b.get("/oauth/device?user_code=BBBB-BBBB")
			if want := map[bool]int{true: 422, false: 400}[i < 5]; res.StatusCode != want {
				t.Errorf("guess %d answered %d, want %d", i, res.StatusCode, want)
			}
		}
	})
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	_, body := e.browser(t).get("/.well-known/oauth-authorization-server")
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	if m["issuer"] != e.URL || m["token_endpoint"] != e.URL+"/oauth/token" {
		t.Errorf("the metadata is %s", body)
	}
}
