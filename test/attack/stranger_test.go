package attack_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// signIn opens a session of an account, and returns its cookie.
func signIn(t testing.TB, a *attacker, mail string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"email": mail, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	r := a.raw(http.MethodPost, "/api/auth/login", [][2]string{{"Content-Type", "application/json"}, {"X-Hostler-Csrf", "1"}}, body)
	if r.err != nil || r.code != http.StatusOK {
		t.Fatalf("sign in: %v %d %s", r.err, r.code, r.body)
	}
	cookie, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	return cookie
}

// A stranger bends paths, methods, headers and bodies, to be taken for a person who is signed in: nothing is read or changed.
func TestStrangerBendsRequests(t *testing.T) {
	w := tenantWorld(t)
	a := &attacker{World: &World{Panel: w.Panel}, t: t}
	org := "/api/orgs/" + panel.Org
	// A true token in places where none counts, and damaged ones where it does.
	for name, tt := range map[string]struct {
		path   string
		header [2]string
	}{
		"query":      {org + "?access_token=" + w.Token, [2]string{}},
		"other":      {org + "?token=" + w.Token, [2]string{}},
		"basic":      {org, [2]string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("x:"+w.Token))}},
		"key":        {org, [2]string{"X-Api-Key", w.Token}},
		"cookie":     {org, [2]string{"Cookie", "hostler_session=" + w.Token + "; __Host-hostler_session=" + w.Token}},
		"shorter":    {org, [2]string{"Authorization", "Bearer " + w.Token[:len(w.Token)-1]}},
		"longer":     {org, [2]string{"Authorization", "Bearer " + w.Token + "0"}},
		"capitals":   {org, [2]string{"Authorization", "Bearer " + strings.ToUpper(w.Token)}},
		"two":        {org, [2]string{"Authorization", "Bearer x, Bearer " + w.Token}},
		"no scheme":  {org, [2]string{"Authorization", w.Token}},
		"proxy":      {org, [2]string{"Proxy-Authorization", "Bearer " + w.Token}},
		"below sign": {"/api/auth/login/../../orgs/" + panel.Org, [2]string{}},
		"escaped":    {"/api/auth/%2e%2e/orgs/" + panel.Org, [2]string{}},
		"doubled":    {"//api//orgs/" + panel.Org, [2]string{}},
		"parameter":  {org + ";x=/api/auth/login", [2]string{}},
		"letters":    {"/API/orgs/" + panel.Org, [2]string{}},
		"slash":      {"/api/orgs%2f" + panel.Org, [2]string{}},
		"backslash":  {`\api\orgs\` + panel.Org, [2]string{}},
		"original":   {"/api/openapi.json", [2]string{"X-Original-URL", org}},
		"rewrite":    {"/api/openapi.json", [2]string{"X-Rewrite-URL", org}},
		"key file":   {"/storage/%2e%2e%2fmaster.key", [2]string{}},
		"docs":       {"/docs/..%2f..%2fmaster.key", [2]string{}},
	} {
		headers := [][2]string{{"X-Forwarded-For", "127.0.0.1"}}
		if tt.header[0] != "" {
			headers = append(headers, tt.header)
		}
		if r := a.raw(http.MethodGet, tt.path, headers, nil); r.err != nil || r.code >= 500 ||
			r.code == http.StatusOK && !strings.Contains(tt.path, "openapi") || strings.Contains(string(r.body), `"slug"`) && !strings.Contains(tt.path, "openapi") {
			t.Errorf("%s: %v %d %.200s", name, r.err, r.code, r.body)
		}
	}
	for _, method := range []string{"TRACE", "CONNECT", "PROPFIND", "HEAD", "get"} {
		if r := a.raw(method, org, [][2]string{{"Cookie", "echo=canary"}}, nil); r.err == nil && (r.code < 400 || strings.Contains(string(r.body), "canary")) {
			t.Errorf("%s: %d %.200s", method, r.code, r.body)
		}
	}

	// A person's cookie, as a page of another person sends it: with every header that such a page can set.
	mail := w.BesideOrg + "@example.com"
	cookie := signIn(t, a, mail)
	teams := "/api/orgs/" + w.BesideOrg + "/teams"
	for name, headers := range map[string][][2]string{
		"nothing":        nil,
		"empty bearer":   {{"Authorization", "Bearer "}},
		"wrong bearer":   {{"Authorization", "Bearer x"}},
		"basic":          {{"Authorization", "Basic eDp4"}},
		"empty header":   {{"X-Hostler-Csrf", ""}},
		"text":           {{"Content-Type", "text/plain"}},
		"override":       {{"X-HTTP-Method-Override", "POST"}},
		"foreign origin": {{"X-Hostler-Csrf", "1"}, {"Origin", "https://evil.example"}},
		"null origin":    {{"X-Hostler-Csrf", "1"}, {"Origin", "null"}},
		"longer origin":  {{"X-Hostler-Csrf", "1"}, {"Origin", w.URL + ".evil.example"}},
		"cross-site":     {{"X-Hostler-Csrf", "1"}, {"Sec-Fetch-Site", "cross-site"}},
		"same-site":      {{"X-Hostler-Csrf", "1"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://other.example"}},
	} {
		all := append([][2]string{{"Cookie", cookie}}, headers...)
		if name != "text" {
			all = append(all, [2]string{"Content-Type", "application/json"})
		}
		if r := a.raw(http.MethodPost, teams, all, []byte(`{"name":"forged"}`)); r.err != nil || r.code != http.StatusForbidden && r.code != http.StatusUnauthorized {
			t.Errorf("%s: %v %d %.200s", name, r.err, r.code, r.body)
		}
	}
	if n := w.Count(t, "SELECT count(*) FROM teams WHERE name = 'forged'"); n != 0 {
		t.Errorf("%d teams were made", n)
	}

	// Bodies that are no document with a name and a password, each of which has both.
	both := `"email":"` + mail + `","password":"` + password + `"`
	for name, body := range map[string]string{
		"deep":     `{"a":` + strings.Repeat("[", 200_000),
		"nested":   strings.Repeat(`{"a":`, 50_000) + "{" + both + "}" + strings.Repeat("}", 50_000),
		"twice":    `{"email":"a@a.example",` + both + `}`,
		"trailing": `{` + both + `}{}`,
		"list":     `[{` + both + `}]`,
		"null":     `null`,
		"half":     `{"email":"\ud800","password":"x"}`,
		"nul":      `{"email":"` + mail + `\u0000","password":"` + password + `"}`,
		"capitals": `{"Email":"` + mail + `","Password":"` + password + `"}`,
		"number":   `{"email":1e999999,"password":"x"}`,
	} {
		r := a.raw(http.MethodPost, "/api/auth/login", [][2]string{{"Content-Type", "application/json"}, {"X-Hostler-Csrf", "1"}}, []byte(body))
		if r.err != nil || r.code < 400 || r.code >= 500 || r.code == http.StatusTooManyRequests || r.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v %d %.200s", name, r.err, r.code, r.body)
		}
	}
}

// Requests that are right alone are sent at once: an invitation is accepted by one, and two owners who step down leave one.
func TestPeopleAtOnce(t *testing.T) {
	w := tenantWorld(t)
	a := &attacker{World: &World{Panel: w.Panel}, t: t}
	token, home := neighbour(t, w.Panel)
	guestToken, guest := neighbour(t, w.Panel)
	ask := func(token, method, path, body string) reply {
		return a.raw(method, "/api"+path, [][2]string{{"Authorization", "Bearer " + token}, {"Content-Type", "application/json"}}, []byte(body))
	}
	var doc panel.Answer
	read := func(r reply) {
		t.Helper()
		doc = panel.Answer{}
		if err := json.Unmarshal(r.body, &doc); r.err != nil || err != nil || r.code >= 300 {
			t.Fatalf("%v %v %d %s", r.err, err, r.code, r.body)
		}
	}
	var invited struct {
		Data struct {
			Meta struct {
				Once struct {
					URL string `json:"url"`
				} `json:"shown_once"`
			} `json:"meta"`
		} `json:"data"`
	}
	r := ask(token, http.MethodPost, "/orgs/"+home+"/invites", `{"email":"`+guest+`@example.com","role_id":1}`)
	if err := json.Unmarshal(r.body, &invited); err != nil || r.code >= 300 {
		t.Fatalf("%v %d %s", err, r.code, r.body)
	}
	_, code, _ := strings.Cut(invited.Data.Meta.Once.URL, "#")
	cookie := signIn(t, a, guest+"@example.com")
	count := func(n int, do func(i int) reply) (good int) {
		answers := make([]reply, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { answers[i] = do(i) })
		}
		all.Wait()
		for _, r := range answers {
			if r.err != nil || r.code >= 500 {
				t.Errorf("%v %d %s", r.err, r.code, r.body)
			}
			if r.code < 300 {
				good++
			}
		}
		return good
	}
	if good := count(4, func(int) reply {
		return a.raw(http.MethodPost, "/api/user/invitations", [][2]string{{"Cookie", cookie}, {"X-Hostler-Csrf", "1"}, {"Content-Type", "application/json"}},
			[]byte(`{"invitation":"`+code+`"}`))
	}); good != 1 {
		t.Errorf("the invitation was accepted %d times", good)
	}
	read(ask(token, http.MethodGet, "/user", ""))
	first := doc.Data.ID
	read(ask(guestToken, http.MethodGet, "/user", ""))
	second := doc.Data.ID
	if good := count(2, func(i int) reply {
		return ask([]string{token, guestToken}[i], http.MethodPut, "/orgs/"+home+"/members/"+[]string{first, second}[i], `{"role_id":5}`)
	}); good > 1 {
		t.Errorf("%d owners stepped down, of two", good)
	}
	if n := w.Count(t, "SELECT count(*) FROM memberships m JOIN organizations o ON o.id = m.organization_id WHERE o.slug = '"+home+"' AND m.role_id = 1"); n < 1 {
		t.Errorf("the organization has %d owners", n)
	}
}
