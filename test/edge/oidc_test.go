package edge

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/pkg/client"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	httphelper "github.com/zitadel/oidc/v3/pkg/http"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// relying is a web application that signs people in with a stock client library, which handles requests, state, challenge and cookies.
type relying struct {
	*httptest.Server
	party    rp.RelyingParty
	found    *oidc.DiscoveryConfiguration
	clientID string
	tokens   chan *oidc.Tokens[*oidc.IDTokenClaims]
}

func (w *world) relying(t *testing.T) *relying {
	t.Helper()
	r := &relying{tokens: make(chan *oidc.Tokens[*oidc.IDTokenClaims], 1)}
	mux := http.NewServeMux()
	r.Server = httptest.NewServer(mux)
	t.Cleanup(r.Close)
	ctx := context.Background()
	var err error
	if r.found, err = client.Discover(ctx, w.URL, http.DefaultClient, w.URL+"/.well-known/oauth-authorization-server"); err != nil {
		t.Fatal(err)
	}
	r.clientID = w.owner.Post("/orgs/acme/oauth-clients", map[string]any{
		"name": "App", "redirect_uris": []string{r.URL + "/back"}, "scopes": []string{"server:view"},
	}).Want(t, 201).Text("data", "attributes", "client_id")
	key := []byte("a key of sixteen")
	cookies := httphelper.NewCookieHandler(key, key, httphelper.WithUnsecure())
	r.party, err = rp.NewRelyingPartyOAuth(r.config(), ownClient(), rp.WithPKCE(cookies), rp.WithAuthStyle(oauth2.AuthStyleInParams))
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/login", rp.AuthURLHandler(func() string { return "a state" }, r.party))
	mux.Handle("/back", rp.CodeExchangeHandler(func(_ http.ResponseWriter, _ *http.Request, tokens *oidc.Tokens[*oidc.IDTokenClaims], _ string,
		_ rp.RelyingParty,
	) {
		r.tokens <- tokens
	}, r.party))
	return r
}

// ownClient gives a relying party its own client: the library sets CheckRedirect on the one it has when it revokes, and its default is shared.
func ownClient() rp.Option { return rp.WithHTTPClient(&http.Client{}) }

func (r *relying) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: r.clientID, RedirectURL: r.URL + "/back", Scopes: []string{"server:view"},
		Endpoint: oauth2.Endpoint{AuthURL: r.found.AuthorizationEndpoint, TokenURL: r.found.TokenEndpoint},
	}
}

// person goes from the application to Hostler and back, as redirects lead.
type person struct {
	t    testing.TB
	http *http.Client
}

func newPerson(t testing.TB) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, &http.Client{Jar: jar}}
}

func (p *person) send(method, to string, form url.Values) (*http.Response, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, to, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	res, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res, string(raw)
}

// letIn signs in and allows the application; it ends where the application redirects.
func (p *person) letIn(e *Env, from string) {
	p.t.Helper()
	res, page := p.send(http.MethodGet, from, nil)
	at := res.Request.URL.RequestURI()
	if strings.Contains(page, `name="password"`) {
		_, page = p.send(http.MethodPost, e.URL+"/oauth/sign-in", url.Values{"continue": {at}, "email": {"owner@example.com"}, "password": {password}})
	}
	m := hidden.FindStringSubmatch(page)
	if m == nil {
		p.t.Fatalf("no consent page: %s", page)
	}
	p.send(http.MethodPost, e.URL+at, url.Values{"token": {m[1]}, "decision": {"allow"}})
}

// A stock OpenID Connect client finds the endpoints, goes through the code flow with PKCE, refreshes and revokes, all in its own code.
func TestStockClient(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		e.WithPassword(w.users["owner"].ID)
		r, p, ctx := w.relying(t), newPerson(t), context.Background()
		p.letIn(e, r.URL+"/login")
		tokens := <-r.tokens
		e.As(tokens.AccessToken).Get("/orgs/acme/servers").Want(t, 200)

		fresh, err := rp.RefreshTokens[*oidc.IDTokenClaims](ctx, r.party, tokens.RefreshToken, "", "")
		if err != nil {
			t.Fatal(err)
		}
		e.As(fresh.AccessToken).Get("/orgs/acme/servers").Want(t, 200)
		whole, err := rp.NewRelyingPartyOIDC(ctx, e.URL, r.clientID, "", r.URL+"/back", []string{"server:view"}, ownClient(),
			rp.WithCustomDiscoveryUrl(e.URL+"/.well-known/oauth-authorization-server"))
		if err != nil {
			t.Fatal(err)
		}
		if err := rp.RevokeToken(ctx, whole, fresh.RefreshToken, "refresh_token"); err != nil {
			t.Fatal(err)
		}
		e.As(fresh.AccessToken).Get("/orgs/acme/servers").Want(t, 401)
		if _, err := rp.RefreshTokens[*oidc.IDTokenClaims](ctx, r.party, fresh.RefreshToken, "", ""); err == nil {
			t.Error("a revoked token was refreshed")
		}

		// Again, and then with used values.
		p.letIn(e, r.URL+"/login")
		tokens = <-r.tokens
		if fresh, err = rp.RefreshTokens[*oidc.IDTokenClaims](ctx, r.party, tokens.RefreshToken, "", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := rp.RefreshTokens[*oidc.IDTokenClaims](ctx, r.party, tokens.RefreshToken, "", ""); err == nil || !strings.Contains(err.Error(), "invalid_grant") {
			t.Errorf("a replayed refresh token: %v", err)
		}
		e.As(fresh.AccessToken).Get("/orgs/acme/servers").Want(t, 401)
	})
}

// The errors that the stock client gets when it is used wrongly.
func TestStockClientRefused(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	e := w.Env
	e.WithPassword(w.users["owner"].ID)
	r, p, ctx := w.relying(t), newPerson(t), context.Background()
	p.letIn(e, r.URL+"/login")
	<-r.tokens
	verifier := oauth2.GenerateVerifier()
	code := func() string {
		t.Helper()
		p.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		defer func() { p.http.CheckRedirect = nil }()
		at := rp.AuthURL("s", r.party, rp.WithCodeChallenge(oidc.NewSHACodeChallenge(verifier)))
		_, page := p.send(http.MethodGet, at, nil)
		m := hidden.FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("no consent page: %s", page)
		}
		res, _ := p.send(http.MethodPost, at, url.Values{"token": {m[1]}, "decision": {"allow"}})
		to, err := res.Location()
		if err != nil {
			t.Fatal(err)
		}
		return to.Query().Get("code")
	}
	exchange := func(party rp.RelyingParty, code string, options ...rp.CodeExchangeOpt) error {
		_, err := rp.CodeExchange[*oidc.IDTokenClaims](ctx, code, party, options...)
		return err
	}
	used := code()
	if err := exchange(r.party, used, rp.WithCodeVerifier(verifier)); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, exchange(r.party, used, rp.WithCodeVerifier(verifier)), "invalid_grant")
	wantRefusal(t, exchange(r.party, code()), "invalid_grant") // no verifier
	wantRefusal(t, exchange(r.party, code(), rp.WithCodeVerifier(oauth2.GenerateVerifier())), "invalid_grant")
	elsewhere := r.config()
	elsewhere.RedirectURL += "?more"
	other, err := rp.NewRelyingPartyOAuth(elsewhere, ownClient(), rp.WithAuthStyle(oauth2.AuthStyleInParams))
	if err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, exchange(other, code(), rp.WithCodeVerifier(verifier)), "invalid_grant")
	res, _ := p.send(http.MethodGet, rp.AuthURL("s", other, rp.WithCodeChallenge(oidc.NewSHACodeChallenge(verifier))), nil)
	if res.StatusCode != 400 || res.Request.URL.Host == r.Listener.Addr().String() {
		t.Errorf("a wrong redirect ended at %s with %d", res.Request.URL, res.StatusCode)
	}
	// Without PKCE, and with its method put down to plain on the way.
	plain, err := rp.NewRelyingPartyOAuth(r.config(), ownClient())
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]string{
		"no challenge": rp.AuthURL("a state", plain),
		"downgraded":   strings.Replace(rp.AuthURL("a state", plain, rp.WithCodeChallenge(verifier)), "S256", "plain", 1),
	} {
		p.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		res, _ := p.send(http.MethodGet, at, nil)
		to, err := res.Location()
		if err != nil || to.Query().Get("error") != "invalid_request" || to.Query().Get("code") != "" {
			t.Errorf("%s: answered %d, sent to %v", name, res.StatusCode, to)
		}
	}
}
