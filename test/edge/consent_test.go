package edge

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

var tags = regexp.MustCompile(`<[^>]*>`)

// The page that asks for consent says in one sentence who asks, for what and where, and names only what Hostler has. A person who is signed in as another one
// changes the account there (reported for other servers: DuendeArchive/IdentityServer4#4049, owncloud/oauth2#140, leodip/goiabada#35).
func TestConsentPage(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	for _, name := range []string{"owner", "developer"} {
		w.WithPassword(w.users[name].ID)
	}
	registered := func(scopes ...string) string {
		a := w.owner.Post("/orgs/acme/oauth-clients",
			map[string]any{"name": "Deployer \u202Eevil", "redirect_uris": []string{redirect}, "scopes": scopes}).Want(t, 201)
		return "/oauth/authorize?" + url.Values{
			"client_id": {a.Text("data", "attributes", "client_id")}, "redirect_uri": {redirect}, "response_type": {"code"}, "scope": {strings.Join(scopes, " ")},
			"code_challenge": {oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())}, "code_challenge_method": {"S256"},
		}.Encode()
	}
	b := w.browser(t)
	looks, roots, idle := registered("server:view"), registered("server:view", "server:create-daemons", "resources:view"), registered("billing:manage")
	b.signIn(looks, "owner@example.com")
	for name, tc := range map[string]struct {
		at           string
		shown, never []string
	}{
		"looks": {looks, []string{"(registered by ", "and change nothing", "owner@example.com", "https://app.example.com", "See servers",
			"Use another account"}, []string{"root"}},
		"roots": {roots, []string{"see and change things", "This amounts to root on servers.", "background processes", "One more scope"},
			[]string{"managed databases"}},
		"idle": {idle, []string{"asks for nothing that Hostler has"}, []string{"What it can do", "See and change billing"}},
	} {
		_, page := b.get(tc.at)
		if !strings.Contains(page, "<bdi>Deployer \u202Eevil</bdi>") {
			t.Errorf("%s: the name is not kept apart from the sentence: %s", name, page)
		}
		text := tags.ReplaceAllString(page, "")
		for _, want := range tc.shown {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not on the page: %s", name, want, text)
			}
		}
		for _, other := range tc.never {
			if strings.Contains(text, other) {
				t.Errorf("%s: %q is on the page: %s", name, other, text)
			}
		}
	}

	// Another account: the same request is asked of it, and its session takes the place of the first.
	_, page := b.get(looks)
	_, page = b.post(looks, url.Values{"token": {hidden.FindStringSubmatch(page)[1]}, "decision": {"switch"}})
	if !strings.Contains(page, "/forgot-password") || !strings.Contains(page, `name="continue"`) {
		t.Fatalf("another account is not asked for: %s", page)
	}
	if _, page = b.get(b.signIn(looks, "developer@example.com")); !strings.Contains(page, "developer@example.com") {
		t.Errorf("the page is that of another account: %s", page)
	}
}
