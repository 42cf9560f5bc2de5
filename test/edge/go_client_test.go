package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/client/hostler"
	forms "github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

func (w *world) typed(t *testing.T) *hostler.Client {
	t.Helper()
	c, err := hostler.New(w.URL, w.owner.Token, hostler.WithUserAgent("test/1"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Somebody writes a program: it creates, lists, changes, waits and reads what was wrong, and never sees JSON.
func TestGoClient(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	c, ctx := w.typed(t), t.Context()

	names := map[string]bool{"one": true, "two": true, "three": true, "four": true, "five": true}
	for name := range names {
		r, _, err := c.Recipes.Create(ctx, "acme", hostler.CreateRecipeRequest{Name: name, Script: "uptime", User: hostler.CreateRecipeUserRoot})
		if err != nil || r.Name != name || r.ID == "" || r.CreatedAt.IsZero() {
			t.Fatalf("create %s: %+v, %v", name, r, err)
		}
	}
	pages, listed, found := 0, 0, map[string]hostler.ID{}
	for page, err := range c.Recipes.ListPages(ctx, "acme", &hostler.RecipesListOptions{PageSize: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		if pages++; len(page.Data) > 2 {
			t.Errorf("a page has %d", len(page.Data))
		}
		listed += len(page.Data)
		for _, r := range page.Data {
			found[r.Name] = r.ID
		}
	}
	if all, err := hostler.Collect(c.Recipes.List(ctx, "acme", nil)); err != nil || len(all) != listed || pages != (listed+1)/2 || len(found) < len(names) {
		t.Errorf("%d at once, %d in %d pages, %v", len(all), listed, pages, err)
	}
	for range c.Recipes.List(ctx, "acme", nil) {
		break // leaves the loop, and no page is asked for any more
	}
	changed, _, err := c.Recipes.Update(ctx, "acme", found["one"], hostler.UpdateRecipeRequest{Name: new("uno")})
	if err != nil || changed.Name != "uno" || changed.Script != "uptime" {
		t.Errorf("changed to %+v, %v", changed, err)
	}

	_, _, err = c.Recipes.Create(ctx, "acme", hostler.CreateRecipeRequest{Script: "uptime", User: "nobody"})
	if !hostler.IsStatus(err, http.StatusUnprocessableEntity) || !hostler.Has(err, "name", hostler.CodeRequired) ||
		hostler.Has(err, "script", hostler.CodeRequired) {
		t.Errorf("without a name: %v", err)
	}
	if _, _, err = c.Recipes.Get(ctx, "acme", "99999"); !hostler.IsStatus(err, http.StatusNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	for _, bad := range []hostler.ID{"", ".."} {
		if _, err = c.Servers.Delete(ctx, "acme", bad, nil); err == nil || !strings.Contains(err.Error(), "server") {
			t.Errorf("deleting %q: %v", bad, err)
		}
	}

	site, response, err := c.Sites.Get(ctx, "acme", hostler.ID(w.mine.site), &hostler.SitesGetOptions{Include: []hostler.SitesAllInclude{"server"}})
	if err != nil || site.Relationships.Server.Data == nil {
		t.Fatalf("%+v, %v", site, err)
	}
	if s := response.Included.Server(site.Relationships.Server.Data.ID); s == nil || s.Name == "" || string(s.ID) != w.mine.server {
		t.Errorf("included is %+v", response.Included)
	}
}

func TestGoClientWaits(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	c, ctx, server := w.typed(t), t.Context(), hostler.ID(w.mine.server)
	body := hostler.CreateFirewallRuleRequest{Name: "office", Port: hostler.Set("8443"), Type: hostler.CreateFirewallRuleTypeAllow}
	if plan, err := c.Firewall.PlanCreate(ctx, "acme", server, body); err != nil || plan == nil {
		t.Fatalf("the plan is %+v, %v", plan, err)
	}
	for _, done := range []bool{true, false} {
		rule, response, err := c.Firewall.Create(ctx, "acme", server, body)
		if err != nil || response.Event == "" || rule.Meta.Operation == nil || response.Location == "" {
			t.Fatalf("%+v %+v %v", rule, response, err)
		}
		said, out := make(chan error, 1), &seen{wanted: "opening 8443\n", found: make(chan struct{})}
		go func() { said <- response.Wait(ctx, out) }()
		w.say(string(response.Event), "opening 8443\n")
		<-out.found // while the work goes on
		w.ended("/orgs/acme/servers/"+w.mine.server+"/firewall-rules/"+string(rule.ID), done)
		err = <-said
		var failed *hostler.WorkError
		if done && err != nil || !done && (!errors.As(err, &failed) || failed.State != "failed" || failed.Event != response.Event) {
			t.Errorf("done %v: %v", done, err)
		}
		body.Name, body.Port = "other", hostler.Set("9443")
	}
	ctx, cancel := context.WithCancel(ctx)
	_, response, err := c.Firewall.Create(ctx, "acme", server, hostler.CreateFirewallRuleRequest{Name: "never", Port: hostler.Set("7443"), Type: "allow"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := c.Wait(ctx, "acme", response.Event, nil); err == nil {
		t.Error("it waits without end")
	}
}

// seen closes found once it was written what is wanted.
type seen struct {
	wanted, text string
	found        chan struct{}
}

func (s *seen) Write(p []byte) (int, error) {
	before := strings.Contains(s.text, s.wanted)
	if s.text += string(p); !before && strings.Contains(s.text, s.wanted) {
		close(s.found)
	}
	return len(p), nil
}

// The reference shows how each client makes a call.
func TestReferenceShowsCalls(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	res, err := http.Get(w.URL + "/docs/api/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"hostler firewall create $SERVER example --port 8080 --type allow", "$HOSTLER_URL/orgs/$ORG/servers/$SERVER/firewall-rules",
		"c.Firewall.Create(ctx, organization, serverID, hostler.CreateFirewallRuleRequest{", "await hostler.firewall.create(organization, serverID, { ",
		"resource &#34;hostler_firewall_rule&#34; &#34;example&#34; {",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("it does not show %s", want)
		}
	}
}

// noMethod are the operations without a method, by what their ids begin with, and why.
var noMethod = map[string]string{
	"auth.":               "signs a person in, or registers one",
	"recipients.confirm":  "is the link in a mail",
	"organizations.store": "belongs to a browser's session: a token reaches no organization that it makes",
	"user.audit":          "belongs to a browser's session",
	"user.invitations":    "belongs to a browser's session",
	"user.oauth-grants":   "belongs to a browser's session",
	"user.password":       "belongs to a browser's session",
	"user.recovery":       "belongs to a browser's session",
	"user.sessions":       "belongs to a browser's session",
	"user.tokens":         "belongs to a browser's session: a token makes no other",
	"user.update":         "belongs to a browser's session",
	"user.two-factor":     "belongs to a browser's session",
}

// Each operation has its method, whose body holds what the operation takes and whose result is what it answers.
func TestEachOperationHasAMethod(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	c := w.typed(t)
	raw, err := os.ReadFile("../../internal/edge/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	form, err := forms.ReadForm(raw)
	if err != nil {
		t.Fatal(err)
	}
	calls, used := map[string]forms.Call{}, map[string]bool{}
	for _, call := range form.Calls {
		calls[call.ID] = call
	}
	for _, op := range w.App.Router.Operations() {
		call, ok := calls[op.ID]
		if !ok {
			why := ""
			for start := range noMethod {
				if strings.HasPrefix(op.ID, start) {
					why, used[start] = noMethod[start], true
				}
			}
			if why == "" {
				t.Errorf("%s has no method", op.ID)
			}
			continue
		}
		noun := reflect.ValueOf(c.Nouns).FieldByName(forms.Camel(call.Noun))
		if !noun.IsValid() {
			t.Errorf("%s: no noun %s", op.ID, call.Noun)
			continue
		}
		method := noun.MethodByName(call.MethodName())
		if !method.IsValid() {
			t.Errorf("%s: %s has no method %s", op.ID, call.Noun, call.MethodName())
			continue
		}
		row := scenarioOf(op.ID)
		arguments := []reflect.Value{reflect.ValueOf(t.Context())}
		for _, p := range call.Parameters {
			arguments = append(arguments, reflect.ValueOf(row.at(w.mine)[p.Name]).Convert(method.Type().In(len(arguments))))
		}
		if call.Body != "" && call.File == "" && row.body != nil {
			holds(t, op.ID, row.body(w, 1), reflect.New(method.Type().In(len(arguments))))
		}
		if call.Method != http.MethodGet || call.Answer == forms.Stream {
			continue
		}
		for len(arguments) < method.Type().NumIn() {
			arguments = append(arguments, reflect.Zero(method.Type().In(len(arguments))))
		}
		want := 0
		if row.allowed >= 300 {
			want = row.allowed
		}
		if err := reads(method.Call(arguments)); want == 0 && err != nil || want != 0 && !hostler.IsStatus(err, want) {
			t.Errorf("%s: %v", op.ID, err)
		}
	}
	for start := range noMethod {
		if !used[start] {
			t.Errorf("no operation without a method begins with %s", start)
		}
	}
}

// holds checks that a body can be written with its type: all of it, and nothing else.
func holds(t *testing.T, id string, body any, typed reflect.Value) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(typed.Interface()); err != nil {
		t.Errorf("%s takes %s: %v", id, raw, err)
		return
	}
	again, err := json.Marshal(typed.Interface())
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	_, _ = json.Unmarshal(raw, &want), json.Unmarshal(again, &got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-sent +written again):\n%s", id, diff)
	}
}

// reads returns the error of a method's results, after all that a list yields.
func reads(results []reflect.Value) error {
	for _, r := range results {
		switch of := r.Interface().(type) {
		case error:
			return of
		case io.ReadCloser:
			_, err := io.Copy(io.Discard, of)
			_ = of.Close()
			return err
		}
		if r.Kind() == reflect.Func {
			for _, err := range r.Seq2() {
				if e, _ := err.Interface().(error); e != nil {
					return e
				}
			}
		}
	}
	return nil
}
