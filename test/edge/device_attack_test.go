package edge

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// device begins a device flow of a program.
func (x *thief) device(id string, scopes ...string) *oauth2.DeviceAuthResponse {
	x.t.Helper()
	c := oauth2.Config{ClientID: id, Scopes: scopes, Endpoint: oauth2.Endpoint{DeviceAuthURL: x.URL + "/oauth/device/code", AuthStyle: oauth2.AuthStyleInParams}}
	d, err := c.DeviceAuth(context.Background())
	if err != nil {
		x.t.Fatal(err)
	}
	return d
}

// poll asks for the tokens of a device after the time that it has to wait.
func (x *thief) poll(id, code string) (int, string) {
	x.t.Helper()
	x.Clock.Move(6 * time.Second)
	return x.ask("/oauth/token", url.Values{"grant_type": {deviceGrant}, "client_id": {id}, "device_code": {code}})
}

// consent opens the page of a code and returns its secret.
func (x *thief) consent(b *browser, code string) string {
	x.t.Helper()
	_, page := b.get("/oauth/device?user_code=" + url.QueryEscape(code))
	m := hidden.FindStringSubmatch(page)
	if m == nil {
		x.t.Fatalf("no consent for %q: %s", code, page)
	}
	return m[1]
}

func (x *thief) decide(code, token, decision string, options ...Option) (*http.Response, string) {
	return x.b.post("/oauth/device", url.Values{"user_code": {code}, "token": {token}, "decision": {decision}}, options...)
}

// A thief begins device flows, guesses codes of others' and leads the owner to pages, and wants a device of his to be allowed without the owner's will.
func TestThiefWantsADevice(t *testing.T) {
	t.Parallel()
	x := newThief(t, World(t, db.SQLite))
	pending := func(name string, d *oauth2.DeviceAuthResponse) {
		t.Helper()
		if code, body := x.poll("hostler-cli", d.DeviceCode); code != 400 || !strings.Contains(body, "authorization_pending") {
			t.Errorf("%s: the device is answered %d %s", name, code, body)
		}
	}
	d, other := x.device("hostler-cli", "server:view"), x.device("hostler-cli", "server:view", "server:delete")
	token := x.consent(x.b, d.UserCode)
	_, page := x.b.get("/oauth/device?user_code=" + other.UserCode)
	if !strings.Contains(page, "only if your device shows the code") || !strings.Contains(page, other.UserCode) || !strings.Contains(page, "elete servers") {
		t.Errorf("whoever was sent a link is not told what it allows: %s", page)
	}
	for name, try := range map[string]func(){
		"the secret of another code": func() { x.decide(other.UserCode, token, "allow") },
		"no secret":                  func() { x.decide(d.UserCode, "", "allow") },
		"a secret of an authorization": func() {
			x.decide(d.UserCode, hidden.FindStringSubmatch(second(x.b.get(x.victim.AuthCodeURL("s", oauth2.S256ChallengeOption(x.verifier)))))[1], "allow")
		},
		"another site":           func() { x.decide(d.UserCode, token, "allow", Header("Sec-Fetch-Site", "cross-site")) },
		"a neighbour":            func() { x.decide(d.UserCode, token, "allow", Header("Sec-Fetch-Site", "same-site")) },
		"an old browser's frame": func() { x.decide(d.UserCode, token, "allow", Header("Sec-Fetch-Site", "")) },
		"another origin":         func() { x.decide(d.UserCode, token, "allow", Header("Origin", "https://evil.example")) },
		"a link": func() {
			x.b.get("/oauth/device?" + url.Values{"user_code": {d.UserCode}, "token": {token}, "decision": {"allow"}}.Encode())
		},
	} {
		try()
		pending(name, d)
		pending(name, other)
	}
	for name, form := range map[string]url.Values{
		"the code of a person as that of a device": {"device_code": {d.UserCode}, "client_id": {"hostler-cli"}},
		"another program":                          {"device_code": {d.DeviceCode}, "client_id": {x.own.ClientID}},
		"no program":                               {"device_code": {d.DeviceCode}},
		"half a code":                              {"device_code": {d.DeviceCode[:20]}, "client_id": {"hostler-cli"}},
		"an authorization's grant": {
			"code": {d.DeviceCode}, "client_id": {"hostler-cli"}, "grant_type": {"authorization_code"},
			"redirect_uri": {redirect},
		},
		"a refresh": {"refresh_token": {d.DeviceCode}, "client_id": {"hostler-cli"}, "grant_type": {"refresh_token"}},
	} {
		if form.Get("grant_type") == "" {
			form.Set("grant_type", deviceGrant)
		}
		if code, body := x.ask("/oauth/token", form); code != 400 && code != 401 || strings.Contains(body, "access_token") ||
			strings.Contains(body, "authorization_pending") {
			t.Errorf("%s: answered %d %s", name, code, body)
		}
	}
	for name, form := range map[string]url.Values{
		"more than a program may": {"client_id": {x.own.ClientID}, "scope": {"server:view server:delete"}},
		"everything":              {"client_id": {"hostler-cli"}, "scope": {"*"}},
		"nothing":                 {"client_id": {"hostler-cli"}},
		"an unknown program":      {"client_id": {"nobody"}, "scope": {"server:view"}},
	} {
		if code, body := x.ask("/oauth/device/code", form); code != 400 && code != 401 || strings.Contains(body, "device_code") {
			t.Errorf("a device that wants %s: answered %d %s", name, code, body)
		}
	}
	// What was decided stays, and is used once.
	x.decide(other.UserCode, x.consent(x.b, other.UserCode), "deny")
	x.decide(other.UserCode, consentAgain(x, other.UserCode), "allow")
	if code, body := x.poll("hostler-cli", other.DeviceCode); code != 400 || !strings.Contains(body, "access_denied") {
		t.Errorf("a denied device is answered %d %s", code, body)
	}
	x.decide(d.UserCode, token, "allow")
	x.Clock.Move(6 * time.Second)
	var given atomic.Int64
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			req, err := http.NewRequest(http.MethodPost, x.URL+"/oauth/token",
				strings.NewReader(url.Values{"grant_type": {deviceGrant}, "client_id": {"hostler-cli"}, "device_code": {d.DeviceCode}}.Encode()))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if res, err := http.DefaultClient.Do(req); err == nil {
				_ = res.Body.Close()
				if res.StatusCode == 200 {
					given.Add(1)
				}
			}
		})
	}
	wait.Wait()
	if given.Load() != 1 {
		t.Errorf("%d of six were given the tokens of one device", given.Load())
	}
	late := x.device("hostler-cli", "server:view")
	x.decide(late.UserCode, x.consent(x.b, late.UserCode), "allow")
	x.Clock.Move(11 * time.Minute)
	if code, body := x.poll("hostler-cli", late.DeviceCode); code != 400 || !strings.Contains(body, "expired_token") {
		t.Errorf("a device that was allowed long ago is answered %d %s", code, body)
	}
	own := x.device(x.own.ClientID, "server:view")
	x.decide(own.UserCode, x.consent(x.b, own.UserCode), "allow")
	x.owner.Put("/orgs/acme/oauth-clients/"+x.own.id, map[string]any{"scopes": []string{"organization:view"}}).Want(t, 200)
	if code, body := x.poll(x.own.ClientID, own.DeviceCode); code != 400 || !strings.Contains(body, "invalid_grant") {
		t.Errorf("a device of a program that lost its scopes is answered %d %s", code, body)
	}
	x.owner.Delete("/orgs/acme/oauth-clients/"+x.own.id).Want(t, 204)
	if code, body := x.poll(x.own.ClientID, own.DeviceCode); code != 401 && code != 400 || strings.Contains(body, "access_token") {
		t.Errorf("a device of a program that is gone is answered %d %s", code, body)
	}
}

func second[A, B any](_ A, b B) B { return b }

// consentAgain returns the secret of a code's page, "" if it has none any more.
func consentAgain(x *thief, code string) string {
	_, page := x.b.get("/oauth/device?user_code=" + code)
	if m := hidden.FindStringSubmatch(page); m != nil {
		return m[1]
	}
	return ""
}

// Whoever guesses codes finds none after five wrong ones, wherever the guesses come from: also not one that is right.
func TestThiefGuessesCodes(t *testing.T) {
	t.Parallel()
	x := newThief(t, World(t, db.SQLite))
	x.TrustProxies()
	d := x.device("hostler-cli", "server:view")
	spelled := strings.ToLower(strings.ReplaceAll(d.UserCode, "-", ""))
	if x.consent(x.b, spelled) == "" { // as people type it
		t.Error("the code without its hyphen is not known")
	}
	for i, guess := range []string{"____-____", "%%%%-%%%%", "BBBB-BBBB' OR '1'='1", "ſſſſ-ſſſſ", d.UserCode[:8]} {
		req, err := http.NewRequest(http.MethodGet, x.URL+"/oauth/device?user_code="+url.QueryEscape(guess), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Forwarded-For", "198.51.100."+string(rune('1'+i)))
		if res, page := x.b.do(req); res.StatusCode != 422 {
			t.Errorf("the guess %q is answered %d %s", guess, res.StatusCode, page)
		}
	}
	if res, page := x.b.get("/oauth/device?user_code=" + d.UserCode); res.StatusCode != 400 || strings.Contains(page, "See servers") {
		t.Errorf("a right guess after five wrong ones is answered %d %s", res.StatusCode, page)
	}
	x.Clock.Move(16 * time.Minute)
	d = x.device("hostler-cli", "server:view")
	if x.consent(x.b, d.UserCode) == "" {
		t.Error("the person never may again")
	}
}
