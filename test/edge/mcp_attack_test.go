package edge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"

	"github.com/hostlerhq/hostler/internal/app"
	forms "github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/mcp"
)

const pinged = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// An assistant reaches no other organization, whatever names it, and no operation that its token lacks the scope of, by whichever tool.
func TestAssistantWantsMore(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		stranger := w.assistant(w.stranger.Token)
		mine := w.owner.Get("/orgs/acme/servers/"+w.mine.server).Want(t, 200).Text("data", "attributes", "name")
		in := func(r *http.Request) { r.URL.RawQuery = "organization=acme" }
		for name, arguments := range map[string]map[string]any{
			"server": {"server": w.mine.server}, "site": {"site": w.mine.site}, "logs": {"server": w.mine.server}, "overview": {}, "servers": {}, "attention": {},
			"events": {}, "backups": {}, "audit": {}, "find": {"text": mine},
			"call": {"operation": "organizations.servers.index"},
			"plan": {"operation": "organizations.servers.destroy", "parameters": map[string]any{"server": w.mine.server}},
		} {
			for at, options := range map[string][]Option{"named": nil, "by the connection": {in}} {
				given := arguments
				if options == nil && arguments["operation"] != nil {
					parameters := map[string]any{"organization": "acme"}
					for k, v := range object(arguments["parameters"]) {
						parameters[k] = v
					}
					given = withMember(arguments, "parameters", parameters)
				} else if options == nil {
					given = withMember(arguments, "organization", "acme")
				}
				got := stranger.ask("tools/call", map[string]any{"name": name, "arguments": given}, options...).Want(t, 200)
				if failed, _ := got.At("result", "isError").(bool); !failed || strings.Contains(string(got.Body), `"name\":\"`+mine) {
					t.Errorf("%s of another organization, %s: %s", name, at, got.Body)
				}
			}
		}

		token, _ := w.Token(w.users["owner"], access.SetOf(access.ServerView, access.OrganizationView, access.RecipeManage), nil)
		reader := w.assistant(token)
		rule := map[string]any{"operation": "organizations.servers.firewall-rules.destroy",
			"parameters": map[string]any{"server": w.mine.server, "rule": w.mine.rule}}
		before := w.counts()
		for _, tool := range []string{"call", "plan", "apply", "describe"} {
			i := slices.IndexFunc(forms.Operations(), func(op forms.Operation) bool { return op.ID == rule["operation"] })
			command := forms.Operations()[i].Noun + " " + forms.Operations()[i].Verb
			for _, name := range []string{forms.Operations()[i].ID, command, "hostler " + command} {
				arguments := withMember(rule, "operation", name)
				if tool == "describe" {
					arguments = map[string]any{"operation": name}
				}
				reader.wants(tool, arguments, true, "server:manage-network")
			}
		}
		w.unchangedSince(before)

		// A plan is of one request: not of another operation at the same path, nor of another body.
		a := w.assistant(w.owner.Token)
		recipe := map[string]any{"recipe": w.mine.recipe}
		said, _ := a.tool("plan", map[string]any{"operation": "organizations.recipes.destroy", "parameters": recipe})
		hash := planLine.FindStringSubmatch(said)
		if hash == nil {
			t.Fatalf("there is no plan: %s", said)
		}
		destroyed := map[string]any{"operation": "organizations.servers.firewall-rules.destroy", "parameters": rule["parameters"], "plan": hash[1]}
		a.wants("apply", destroyed, true, "409", "nothing was done")
		opened := func(port string) map[string]any {
			return map[string]any{
				"operation": "organizations.servers.firewall-rules.store", "parameters": map[string]any{"server": w.mine.server},
				"body": map[string]any{"name": "x", "port": port, "type": "allow"},
			}
		}
		said, _ = a.tool("plan", opened("8443"))
		if hash = planLine.FindStringSubmatch(said); hash == nil {
			t.Fatalf("there is no plan: %s", said)
		}
		a.wants("apply", withMember(opened("22"), "plan", hash[1]), true, "nothing was done")
		w.unchangedSince(before)
	})
}

func object(v any) map[string]any {
	out, _ := v.(map[string]any)
	return out
}

// A token that is revoked while a tool waits ends the wait: nothing is answered with its rights afterwards.
func TestAssistantKeepsARevokedToken(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		token, row := w.Token(w.users["owner"], Everything(), nil)
		rule := w.owner.Post("/orgs/acme/servers/"+w.mine.server+"/firewall-rules", map[string]any{"name": "x", "port": "8443", "type": "allow"}).Want(t, 202)
		raw := must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
			"name": "wait", "arguments": map[string]any{"event": rule.Header.Get("X-Hostler-Event"), "server": w.mine.server, "seconds": 300},
			"_meta": map[string]any{"progressToken": 7},
		}}))
		req := must(http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+mcp.Path, bytes.NewReader(raw)))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res := must(http.DefaultClient.Do(req))
		defer func() { _ = res.Body.Close() }()
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), "notifications/progress") {
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "DELETE FROM tokens WHERE id = $1", row.ID)
			return err
		})
		last := ""
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				last = data
			}
		}
		if !strings.Contains(last, `"isError":true`) || !strings.Contains(last, "401") {
			t.Errorf("after the token was revoked, the wait ends with %s", last)
		}
		w.assistant(token).send(http.MethodPost, pinged).Want(t, 401)
	})
}

// Messages that are deep, wide, doubled or no messages are answered without harm.
func TestAssistantSendsNonsense(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	a := w.assistant(w.owner.Token)
	called := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":` + arguments + `}}`
	}
	for name, body := range map[string]string{
		"deep lists":      called(strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)),
		"deep objects":    called(strings.Repeat(`{"text":`, 50_000) + "1" + strings.Repeat("}", 50_000)),
		"deep and cut":    strings.Repeat(`{"params":`, 100_000),
		"a deep batch":    strings.Repeat("[", 500_000),
		"deep in a text":  called(`{"text":"` + strings.Repeat("[", 500_000) + `"}`),
		"many members":    called("{" + strings.TrimSuffix(strings.Repeat(`"text":"x",`, 50_000), ",") + "}"),
		"a number":        called(`{"text":1e999999}`),
		"no object":       called(`[]`),
		"a long name":     `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("a", 500_000) + `"}}`,
		"a long id":       `{"jsonrpc":"2.0","id":"` + strings.Repeat("a", 500_000) + `","method":"ping"}`,
		"an id of lists":  `{"jsonrpc":"2.0","id":[[1]],"method":"ping"}`,
		"another version": `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		"two messages":    pinged + pinged,
		"half a pair":     called(`{"text":"\ud800"}`),
		"zero bytes":      called(`{"text":"a\u0000b"}`),
		"an answer":       `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		if got := a.send(http.MethodPost, body); got.Status >= 500 || len(got.Body) > 600_000 {
			t.Errorf("%s: %d %.200s", name, got.Status, got.Body)
		}
	}
	deep := map[string]any{"operation": "organizations.servers.index", "parameters": strings.Repeat(`{"a":`, 100_000)}
	a.wants("call", deep, true, "must be a JSON object")
	a.send(http.MethodPost, pinged).Want(t, 200)

	// A batch is of a few messages, each of which is counted.
	batch := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(pinged+",", n), ",") + "]" }
	a.send(http.MethodPost, batch(21)).Want(t, 400)
	a.send(http.MethodPost, batch(20_000)).Want(t, 400)
	if got := a.send(http.MethodPost, batch(20), Header("Mcp-Protocol-Version", "2025-06-18")); got.Status != 400 {
		t.Errorf("a batch in a version without batches: %d %.200s", got.Status, got.Body)
	}
}

// Whoever sends many requests at once, or many in one, has no more of them answered than the limit says.
func TestAssistantHurries(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, dialect db.Dialect) {
		const most = 60
		e := NewWith(t, dialect, func(c *app.Config) { c.RateLimit = most })
		owner := e.User("owner")
		e.Organization("acme", owner)
		token, _ := e.Token(owner, Everything(), nil)
		a := e.assistant(token)
		var mu sync.Mutex
		got := map[int]int{}
		var wg sync.WaitGroup
		for i := range 3 * 40 {
			wg.Go(func() {
				body := pinged
				if i%2 == 0 {
					body = fmt.Sprintf(`[{"jsonrpc":"2.0","id":%d,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"},{"jsonrpc":"2.0","id":"c","method":"ping"}]`, i)
				}
				answer := a.send(http.MethodPost, body, Header("Mcp-Protocol-Version", "2025-03-26"))
				mu.Lock()
				defer mu.Unlock()
				got[answer.Status]++
				if answer.Status == 200 {
					got[0] += 1 + 2*((i+1)%2) // messages
				}
			})
		}
		wg.Wait()
		if got[0] > most || got[0] < most/4 || got[200]+got[429] != 3*40 {
			t.Errorf("of 120 requests with 240 messages, these were answered: %v", got)
		}
	})
}

// A program that a person registered signs a person in, with PKCE and the resource of the metadata, and its token is for the tools of its scopes until it
// is revoked. A token for another resource is refused before the code is used (RFC 8707).
func TestAssistantSignsIn(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		fetched := func(at string) (doc struct {
			Resource string
			Servers  []string `json:"authorization_servers"`
			Auth     string   `json:"authorization_endpoint"`
			Token    string   `json:"token_endpoint"`
			Methods  []string `json:"code_challenge_methods_supported"`
		}) {
			t.Helper()
			res := must(http.Get(at))
			defer func() { _ = res.Body.Close() }()
			if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			return doc
		}
		challenge := w.assistant("").send(http.MethodPost, pinged).Want(t, 401).Header.Get("WWW-Authenticate")
		_, at, _ := strings.Cut(challenge, `resource_metadata="`)
		at, _, _ = strings.Cut(at, `"`)
		resource := fetched(at)
		server := fetched(resource.Servers[0] + "/.well-known/oauth-authorization-server")
		if !slices.Contains(server.Methods, "S256") || resource.Resource != w.URL+mcp.Path {
			t.Fatalf("the metadata is %v, %v", resource, server)
		}

		x := newThief(t, w)
		p := x.own
		p.Endpoint.AuthURL, p.Endpoint.TokenURL = server.Auth, server.Token
		for name, right := range map[string][]oauth2.AuthCodeOption{
			"of the metadata":         {oauth2.SetAuthURLParam("resource", resource.Resource)},
			"with a slash at its end": {oauth2.SetAuthURLParam("resource", resource.Resource+"/")}, // anthropics/claude-code 52871
			"absent":                  nil,                                                         // anthropics/claude-code 90497
		} {
			code := x.code(p, right...)
			exchanged := func(options ...oauth2.AuthCodeOption) (*oauth2.Token, error) {
				return p.Exchange(context.Background(), code, append(options, oauth2.VerifierOption(x.verifier))...)
			}
			for _, wrong := range []string{"https://other.example/mcp", w.URL + ".evil.example/mcp", "mcp", w.URL[:len(w.URL)-1]} {
				_, err := exchanged(oauth2.SetAuthURLParam("resource", wrong))
				wantRefusal(t, err, "invalid_target")
			}
			token, err := exchanged(right...)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			a := w.assistant(token.AccessToken)
			if tools := a.tools(); !slices.Contains(tools, "servers") || slices.Contains(tools, "deploy") {
				t.Errorf("%s: the tools are %v", name, tools)
			}
			a.wants("servers", map[string]any{"organization": "acme"}, false, `"name":"one"`)
			a.wants("call", map[string]any{"operation": "organizations.recipes.index"}, true, "needs the scope")
			again := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token.RefreshToken}, "client_id": {p.ClientID}}
			again.Set("resource", "https://other.example/mcp")
			if code, body := x.ask("/oauth/token", again); code != 400 || !strings.Contains(body, "invalid_target") {
				t.Errorf("%s: a refresh for another resource is %d %s", name, code, body)
			}
			again.Set("resource", resource.Resource)
			status, body := x.ask("/oauth/token", again)
			var fresh struct {
				Token string `json:"access_token"`
			}
			if err := json.Unmarshal([]byte(body), &fresh); err != nil || status != 200 {
				t.Fatalf("%s: a refresh is %d %s", name, status, body)
			}
			b := w.assistant(fresh.Token)
			b.wants("servers", map[string]any{"organization": "acme"}, false, `"name":"one"`)
			if status, body := x.ask("/oauth/revoke", url.Values{"token": {fresh.Token}, "client_id": {p.ClientID}}); status != 200 {
				t.Errorf("%s: revoking is %d %s", name, status, body)
			}
			b.send(http.MethodPost, pinged).Want(t, 401)
		}
		for _, wrong := range []string{"https://other.example/mcp", "", "mcp"} {
			_, page := x.b.get(p.AuthCodeURL("s", oauth2.S256ChallengeOption(x.verifier), oauth2.SetAuthURLParam("resource", wrong)))
			if !strings.Contains(page, "for another service") {
				t.Errorf("the page for the resource %q is %s", wrong, page)
			}
		}
		// Without the verifier, or with another one, a code is of no use.
		for _, options := range [][]oauth2.AuthCodeOption{nil, {oauth2.VerifierOption(oauth2.GenerateVerifier())}} {
			if _, err := p.Exchange(context.Background(), x.code(p), options...); !errors.As(err, new(*oauth2.RetrieveError)) {
				t.Errorf("without its verifier, a code is exchanged: %v", err)
			}
		}
	})
}
