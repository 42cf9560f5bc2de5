package edge

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func (w *world) part(kind string) string {
	return "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site + "/" + kind
}

func sources(a Answer) []string {
	var out []string
	for i := range a.IDs() {
		out = append(out, a.Text("data", i, "attributes", "from"))
	}
	return out
}

func TestRedirectIsRefused(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		for _, tt := range []struct {
			name, body string
			fields     []string
		}{
			{"nothing", `{}`, []string{"from", "to", "type"}},
			{"empty", `{"from":" ","to":"","type":"redirect"}`, []string{"from", "to"}},
			{"another type", `{"from":"^/a$","to":"/b","type":"307"}`, []string{"type"}},
			{"no expression", `{"from":"^/a(b$","to":"/b","type":"redirect"}`, []string{"from"}},
			{"two lines", `{"from":"^/a$\nrewrite","to":"/b\r\nX: y","type":"redirect"}`, []string{"from", "to"}},
			{"a named group, which would be a variable of every site", `{"from":"^/(?<hostler_realm_1>.*)$","to":"/b","type":"redirect"}`, []string{"from"}},
			{"a verb that lifts limits", `{"from":"(*LIMIT_MATCH=9999999)^/a$","to":"/b","type":"redirect"}`, []string{"from"}},
			{"a script", `{"from":"^/a$","to":"javascript:alert(1)","type":"redirect"}`, []string{"to"}},
			{"a decoded variable", `{"from":"^/a$","to":"/b$uri","type":"redirect"}`, []string{"to"}},
			{"a variable in braces", `{"from":"^/a$","to":"/b${document_uri}","type":"redirect"}`, []string{"to"}},
			{"a lone dollar", `{"from":"^/a$","to":"/b$","type":"redirect"}`, []string{"to"}},
			{"too long", `{"from":"` + strings.Repeat("a", 1001) + `","to":"/` + strings.Repeat("b", 1000) + `","type":"redirect"}`, []string{"from", "to"}},
			{"a source that is there", `{"from":"^/old$","to":"/other","type":"redirect"}`, []string{"from"}},
		} {
			t.Run(tt.name, func(t *testing.T) { wantFields(t, w.owner.Post(w.part("redirect-rules"), tt.body), tt.fields...) })
		}
		wantFields(t, w.owner.Put(w.part("redirect-rules")+"/reorder",
			map[string]any{"redirects": []any{number(w.mine.redirect), number(w.mine.redirect), number(w.other.redirect)}}), "redirects.1", "redirects.2")
		wantFields(t, w.owner.Put(w.part("redirect-rules")+"/reorder", `{"redirects":[]}`), "redirects")
		wantFields(t, w.owner.Post(w.part("redirect-rules")+"/import", Form{}), "file", "mode")
		wantFields(t, w.owner.Post(w.part("redirect-rules")+"/import", Form{"file": "a\"b\n", "mode": "overwrite"}), "mode")
		wantFields(t, w.owner.Post(w.part("redirect-rules")+"/import", Form{"file": "\"a", "mode": "append"}), "file")
		w.unchangedSince(before)
	})
}

// Rules have an order, that export writes, import reads, and reorder changes.
func TestRedirectsAreOrdered(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.part("redirect-rules")
		file := "\ufefffrom,to,type\n^/b$,/c,permanent\n\"^/(d),e$\",https://example.com/$1,\n^/b$,/x,redirect\n^/old$,/y,301\n(,/z,redirect\n^/f$,/g,308\n"
		got := w.owner.Post(at+"/import", Form{"file": file, "mode": "append"}).Want(t, 202)
		want := map[string]any{
			"imported": 2.0,
			"invalid": []any{
				map[string]any{"line": "6", "reason": "The source is no regular expression: missing closing ).", "from": "(", "to": "/z", "type": "redirect"},
				map[string]any{"line": "7", "reason": "The type must be redirect or permanent.", "from": "^/f$", "to": "/g", "type": "308"},
			},
			"duplicates": []any{
				map[string]any{"line": "4", "reason": "Repeats an earlier row in the file.", "from": "^/b$", "to": "/x", "type": "redirect"},
				map[string]any{"line": "5", "reason": "Already exists on this site.", "from": "^/old$", "to": "/y", "type": "permanent"},
			},
		}
		if diff := cmp.Diff(want, any(got.Doc), cmp.Transformer("map", func(m map[string]any) any { return fmt.Sprint(m) })); diff != "" {
			t.Errorf("import (-want +got):\n%s", diff)
		}
		if got := got.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("the answer is %q", got)
		}
		all := w.owner.Get(at).Want(t, 200)
		if diff := cmp.Diff([]string{"^/old$", "^/b$", "^/(d),e$"}, sources(all)); diff != "" {
			t.Errorf("after the import (-want +got):\n%s", diff)
		}
		w.owner.Put(at+"/reorder", map[string]any{"redirects": []any{number(all.IDs()[2])}}).Want(t, 202)
		if diff := cmp.Diff([]string{"^/(d),e$", "^/old$", "^/b$"}, sources(w.owner.Get(at).Want(t, 200))); diff != "" {
			t.Errorf("in the new order (-want +got):\n%s", diff)
		}
		export := w.owner.Get(at+"/export").Want(t, 200)
		if got, want := string(export.Body), "from,to,type\n\"^/(d),e$\",https://example.com/$1,redirect\n^/old$,/new,permanent\n^/b$,/c,permanent\n"; got != want {
			t.Errorf("export is\n%s\nwant\n%s", got, want)
		}
		if got := export.Header.Get("Content-Disposition"); got != "attachment; filename=one.example.com-redirects.csv" {
			t.Errorf("the file is %s", got)
		}
		// Replacing removes what was there, at once for the list of those that stay, and on the host together with the rest.
		w.owner.Post(at+"/import", Form{"file": "^/only$,/one\n", "mode": "replace"}).Want(t, 202)
		if got, want := string(w.owner.Get(at+"/export").Want(t, 200).Body), "from,to,type\n^/only$,/one,redirect\n"; got != want {
			t.Errorf("export is\n%s\nwant\n%s", got, want)
		}
		if got := len(w.owner.Get(at+"?filter[status]=removing").Want(t, 200).IDs()); got != 3 {
			t.Errorf("%d rules are being removed, want 3", got)
		}
		w.owner.Post(at+"/import", Form{"file": "", "mode": "replace"}).Want(t, 202) // nothing to import takes nothing away
		if got := len(w.owner.Get(at+"?filter[status]=removing").Want(t, 200).IDs()); got != 3 {
			t.Errorf("%d rules are being removed after an empty file, want 3", got)
		}
	})
}

// endedRule ends the work behind a rule as its server would, and returns the path to try it again.
func (w *world) endedRule(a Answer, done bool) (retry string) {
	w.T.Helper()
	meta := func(name string) string { return a.Text("data", "meta", "operation", name) }
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		op, err := tx.Ungranted().GetOperation(ctx, number(meta("id")))
		if err != nil {
			return err
		}
		if _, err := tx.EndOperation(ctx, query.EndOperationParams{
			ID: op.ID, State: map[bool]string{true: "succeeded", false: "failed"}[done], UpdatedAt: tx.Micros(),
		}); err != nil {
			return err
		}
		return w.App.Ledger.Settle(ctx, tx, op, done)
	})
	return servers + "/" + w.mine.server + "/events/" + meta("event_id") + "/retry"
}

// A rule that could not be installed is gone. Tried again it comes back under its id, in its place, unless its source is taken.
func TestRedirectIsTriedAgain(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.part("redirect-rules")
		made := func(from string) Answer {
			return w.owner.Post(at, map[string]any{"from": from, "to": "/new", "type": "redirect"}).Want(t, 202)
		}
		lost := made("^/lost$")
		retry := w.endedRule(lost, false)
		w.owner.Get(at+"/"+lost.ID()).Want(t, 404)
		rival := made("^/lost$")
		made("^/later$")
		w.owner.Post(retry, nil).Want(t, 409)
		w.owner.Get(at+"/"+lost.ID()).Want(t, 404)
		w.endedRule(rival, false)
		w.owner.Post(retry, nil).Want(t, 202)
		if got := w.owner.Get(at+"/"+lost.ID()).Want(t, 200).Text("data", "attributes", "status"); got != "installing" {
			t.Errorf("tried again it is %s", got)
		}
		if diff := cmp.Diff([]string{"^/old$", "^/lost$", "^/later$"}, sources(w.owner.Get(at).Want(t, 200))); diff != "" {
			t.Errorf("tried again (-want +got):\n%s", diff)
		}
	})
}

// Requests for a site that could not be installed, or is being deleted, are refused.
func TestPartsOfSitesThatAreNot(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for _, status := range []string{"failed", "uninstalling"} {
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SQL.ExecContext(ctx, "UPDATE sites SET status = $1 WHERE id = $2", status, number(w.mine.site))
				return err
			})
			w.owner.Post(w.part("redirect-rules"), map[string]any{"from": "^/n$", "to": "/m", "type": "redirect"}).Want(t, 409)
			w.owner.Delete(w.part("security-rules")+"/"+w.mine.security).Want(t, 409)
		}
	})
}

func TestSecurityRuleIsRefused(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		for _, tt := range []struct {
			name, body string
			fields     []string
		}{
			{"nothing", `{}`, []string{"name", "credentials"}},
			{"nobody", `{"name":"x","credentials":[]}`, []string{"credentials"}},
			{"two lines", `{"name":"a\nb","path":"/a\nb","credentials":[{"username":"a\nb","password":"x"}]}`, []string{"name", "path", "credentials.0.username"}},
			{
				"a name that ends the line of the file",
				`{"name":"x","credentials":[{"username":"a:b","password":"x"},{"username":"#c","password":"x"}]}`,
				[]string{
					"credentials.0.username",
					"credentials.1.username",
				},
			},
			{"one name twice", `{"name":"x","credentials":[{"username":"a","password":"x"},{"username":"a","password":"y"}]}`, []string{"credentials.1.username"}},
			{"passwords that bcrypt would cut", `{"name":"x","credentials":[{"username":"a","password":""},{"username":"b","password":"` +
				strings.Repeat("x", 73) + `"}]}`, []string{"credentials.0.password", "credentials.1.password"}},
			{"no password", `{"name":"x","credentials":[{"username":"a"}]}`, []string{"credentials.0.password"}},
			{"an expression for a path", `{"name":"x","path":"/a(b)*","credentials":[{"username":"a","password":"x"}]}`, []string{"path"}},
			{"a path up", `{"name":"x","path":"/a/../b","credentials":[{"username":"a","password":"x"}]}`, []string{"path"}},
			{"a path that is protected", `{"name":"x","path":"Admin/","credentials":[{"username":"a","password":"x"}]}`, []string{"path"}},
		} {
			t.Run(tt.name, func(t *testing.T) { wantFields(t, w.owner.Post(w.part("security-rules"), tt.body), tt.fields...) })
		}
		wantFields(t, w.owner.Put(w.part("security-rules")+"/"+w.mine.security, `{"name":"x","credentials":[{"username":"new"}]}`), "credentials.0.password")
		w.unchangedSince(before)
	})
}

// A rule that could not be installed is tried again, unless its path is taken by then.
func TestSecurityRuleIsTriedAgain(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.part("security-rules")
		made := func() Answer {
			return w.owner.Post(at, `{"name":"x","path":"/staff","credentials":[{"username":"a","password":"x"}]}`).Want(t, 202)
		}
		status := func(a Answer) string {
			return w.owner.Get(at+"/"+a.ID()).Want(t, 200).Text("data", "attributes", "status")
		}
		first := made()
		retry := w.endedRule(first, false)
		rival := made()
		w.owner.Post(retry, nil).Want(t, 409)
		if got := status(first); got != "failed" {
			t.Errorf("after a retry that was refused it is %s", got)
		}
		w.endedRule(rival, false)
		w.owner.Post(retry, nil).Want(t, 202)
		if got := status(first); got != "installing" {
			t.Errorf("tried again it is %s", got)
		}
	})
}

// Passwords are in no answer and not in the database; a user without one keeps theirs.
func TestSecurityRuleKeepsItsSecrets(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.part("security-rules")
		whole := w.owner.Post(at, `{"name":"All","credentials":[{"username":"secret-name","password":"secret-word"}]}`).Want(t, 202)
		if got := whole.At("data", "attributes", "path"); got != nil {
			t.Errorf("the path is %v", got)
		}
		w.owner.Put(at+"/"+whole.ID(),
			`{"name":"All","path":null,"credentials":[{"username":"secret-name"},{"username":"other","password":"secret-too"}]}`).Want(t, 202)
		for _, a := range []Answer{whole, w.owner.Get(at + "/" + whole.ID()), w.owner.Get(at), w.owner.Get("/orgs/acme/audit?page[size]=200")} {
			if strings.Contains(string(a.Body), "secret-") || strings.Contains(string(a.Body), "$2a$") {
				t.Errorf("an answer tells secrets: %s", a.Body)
			}
		}
		var rows []query.SecurityRule
		var ops []query.Operation
		w.Tx(func(ctx context.Context, tx *db.Tx) (err error) {
			if rows, err = db.All[query.SecurityRule](ctx, tx.SQL, "security_rules", db.Equal("id", number(whole.ID()))); err == nil {
				ops, err = db.All[query.Operation](ctx, tx.SQL, "operations", db.Equal("resource_type", "securityRules"))
			}
			return err
		})
		if text := fmt.Sprintf("%s %+v", rows[0].Credentials, ops); strings.Contains(text, "secret-") || strings.Contains(text, "$2a$") {
			t.Errorf("rows tell secrets: %s", text)
		}
	})
}
