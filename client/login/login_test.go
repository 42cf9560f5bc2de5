package login_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/client/login"
)

// panel is an installation with a device flow that a person allows at once, unless refuse says otherwise. It hands out numbered tokens.
type panel struct {
	*httptest.Server
	mu      sync.Mutex
	refuse  string
	refresh int
	revoked []string
}

func newPanel(t *testing.T) *panel {
	t.Helper()
	p := &panel{}
	answer := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{
			"device_authorization_endpoint": p.URL + "/device", "token_endpoint": p.URL + "/token", "revocation_endpoint": p.URL + "/revoke",
			"scopes_supported": []string{"server:view"},
		})
	})
	mux.HandleFunc("POST /device", func(w http.ResponseWriter, req *http.Request) {
		answer(w, 200, map[string]any{
			"device_code": "d", "user_code": "ABCD", "verification_uri": p.URL + "/allow", "expires_in": 60, "interval": 1,
			"verification_uri_complete": p.URL + "/allow?scope=" + req.FormValue("scope"),
		})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, req *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.refuse != "" {
			answer(w, 400, map[string]any{"error": p.refuse})
			return
		}
		if req.FormValue("grant_type") == "refresh_token" {
			if req.FormValue("refresh_token") != "r"+string(rune('0'+p.refresh)) { // a refresh token works once
				answer(w, 400, map[string]any{"error": "invalid_grant"})
				return
			}
			p.refresh++
		}
		n := string(rune('0' + p.refresh))
		answer(w, 200, map[string]any{"access_token": "t" + n, "refresh_token": "r" + n, "token_type": "Bearer", "expires_in": 3600})
	})
	mux.HandleFunc("POST /revoke", func(_ http.ResponseWriter, req *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.revoked = append(p.revoked, req.FormValue("token"))
	})
	mux.HandleFunc("GET /api/user", func(w http.ResponseWriter, req *http.Request) {
		answer(w, 200, map[string]any{"data": map[string]any{"id": "1", "attributes": map[string]any{"email": req.Header.Get("Authorization")}}})
	})
	mux.HandleFunc("POST /api/auth/login", func(w http.ResponseWriter, req *http.Request) {
		raw, _ := io.ReadAll(req.Body)
		if !strings.Contains(string(raw), "right") {
			answer(w, 422, map[string]any{"message": "wrong", "errors": map[string]any{"password": []string{"The password is wrong."}}})
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s", Path: "/"})
	})
	mux.HandleFunc("POST /api/user/invitations", func(w http.ResponseWriter, req *http.Request) {
		if c, err := req.Cookie("session"); err != nil || c.Value != "s" || req.Header.Get("X-Hostler-Csrf") == "" {
			answer(w, 401, map[string]any{"message": "Sign in first."})
		}
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// A person allows a machine in the browser, and a program uses the login until its session ends.
func TestALoginIsUsedAndRenewed(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	shown := ""
	signedIn, err := login.InBrowser(t.Context(), p.URL, nil, func(url, code string) { shown = url + " " + code })
	if err != nil || shown != p.URL+"/allow?scope=server:view ABCD" {
		t.Fatalf("%v: a person sees %q", err, shown)
	}
	f := login.File(filepath.Join(t.TempDir(), "hostler", "config.json"))
	signedIn.Org, signedIn.Grant.Expires = "acme", time.Now().Add(-time.Second) // it was a while ago
	store := func(c *login.Logins) error { c.Profiles[login.DefaultProfile] = signedIn; return nil }
	if err := f.Change(store); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(string(f)); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("others can read it: %v", st.Mode())
	}
	c, org, err := f.Client("")
	if err != nil || org != "acme" {
		t.Fatalf("the organization is %q: %v", org, err)
	}
	var wg sync.WaitGroup
	for range 4 { // of which one renews, since a refresh token works once
		wg.Go(func() {
			if user, err := c.One(t.Context(), http.MethodGet, "/user", nil); err != nil || user.Attribute("email") != "Bearer t1" {
				t.Errorf("%v: it calls with %q", err, user.Attribute("email"))
			}
		})
	}
	wg.Wait()
	now, err := f.Profile("")
	if err != nil || now.Grant.Refresh != "r1" || now.Org != "acme" {
		t.Errorf("%v: %+v is stored", err, now)
	}
	if err := now.Grant.Revoke(t.Context()); err != nil || len(p.revoked) != 1 || p.revoked[0] != "r1" {
		t.Errorf("%v: %q is revoked", err, p.revoked)
	}
	if err := f.Change(store); err != nil { // with the refresh token that is used up
		t.Fatal(err)
	}
	if _, err := f.Token(t.Context(), login.DefaultProfile); !errors.Is(err, login.ErrSignedOut) || !strings.Contains(err.Error(), "hostler login "+p.URL) {
		t.Errorf("the end of a session is %v", err)
	}
}

// Why a login failed can be seen from its error.
func TestWhyALoginFails(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]error{"access_denied": login.ErrDenied, "expired_token": login.ErrExpired, "invalid_scope": login.ErrInvalid} {
		p := newPanel(t)
		p.refuse = code
		if _, err := login.InBrowser(t.Context(), p.URL, nil, func(string, string) {}); !errors.Is(err, want) {
			t.Errorf("%s is %v", code, err)
		}
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if _, err := login.InBrowser(t.Context(), other.URL, nil, nil); err == nil || !strings.Contains(err.Error(), "is not a Hostler installation") {
		t.Errorf("another website is %v", err)
	}
	f := login.File(filepath.Join(t.TempDir(), "config.json"))
	if p, err := f.Profile(""); err != nil || p.URL != "" {
		t.Errorf("without a file there is %+v (%v)", p, err)
	}
	if _, _, err := f.Client("work"); !errors.Is(err, login.ErrSignedOut) {
		t.Errorf("a login that is not there is %v", err)
	}
	if err := login.File("").Change(func(*login.Logins) error { return nil }); err == nil {
		t.Error("a login is stored nowhere")
	}
	for url, refused := range map[string]bool{
		"https://panel.example.com": false, "http://127.0.0.1:8080": false, "http://10.0.0.5": false, "http://localhost": false, "http://192.0.2.1": true,
		"http://panel.example.com": true,
	} {
		if err := login.SafeURL(url); errors.Is(err, login.ErrInvalid) != refused {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// A session is a person's, by its cookie.
func TestASessionAcceptsAnInvitation(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	s, err := login.NewSession(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Post(t.Context(), "/user/invitations", nil); !client.IsStatus(err, http.StatusUnauthorized) {
		t.Errorf("without a user it ends with %v", err)
	}
	var e *client.Error
	if err := s.Post(t.Context(), "/auth/login", map[string]any{"password": "wrong"}); !errors.As(err, &e) || len(e.Fields["password"]) != 1 {
		t.Errorf("a wrong password ends with %v", err)
	}
	if err := s.Post(t.Context(), "/auth/login", map[string]any{"password": "right"}); err != nil {
		t.Error(err)
	}
	if err := s.Post(t.Context(), "/user/invitations", map[string]any{"invitation": "x"}); err != nil {
		t.Error(err)
	}
}
