package edge

import (
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
)

// What a request has and its operation does not know is named in the answer, so that a rule that is wider than it was meant is no surprise.
func TestIgnoredNamesAreSaid(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		servers := "/orgs/acme/servers"
		rules := servers + "/" + w.mine.server + "/firewall-rules"
		for _, c := range []struct {
			name, method, path string
			body               any
			status             int
			ignored            string
		}{
			{"all is known", "POST", rules + "?dry_run=true", map[string]any{"name": "a", "port": "80", "type": "allow"}, 200, ""},
			{"a field", "POST", rules, map[string]any{"name": "b", "port": "53", "type": "allow", "protocol": "udp"}, 202, "protocol"},
			{"another case of letters", "POST", rules, map[string]any{"name": "c", "port": "54", "type": "allow", "IP_Address": "10.0.0.1"}, 202, "IP_Address"},
			{"inside of an object", "POST", servers, map[string]any{
				"name": "d", "type": "app", "provider": "custom", "custom": map[string]any{"ip_address": "10.1.1.1", "port": 2222},
			}, 202, "custom.port"},
			{"an argument", "POST", rules + "?dry_run=true&wait=1", map[string]any{"name": "e", "port": "80", "type": "allow"}, 200, "?wait"},
			{"signs that a header does not have", "POST", rules + "?dry_run=true", `{"name":"f","port":"80","type":"allow","a,\r\nb":1,"ü":2}`, 200,
				`"a\x2c\r\nb", "\u00fc"`},
			{"an operation without a body", "POST", servers + "/" + w.mine.server + "/line", map[string]any{"user": "deploy"}, 200, "user"},
			{"a refusal", "POST", rules, map[string]any{"title": "g", "type": "allow", "port": "80"}, 422, "title"},
		} {
			a := w.owner.Call(c.method, c.path, c.body)
			if got := a.Header.Get(api.IgnoredHeader); a.Status != c.status || got != c.ignored {
				t.Errorf("%s: %d, ignored %q, want %d and %q: %s", c.name, a.Status, got, c.status, c.ignored, a.Body)
			}
		}
		many := map[string]any{"name": "f", "port": "80", "type": "allow"}
		for i := range 500 {
			many[strings.Repeat("x", 1000)+strconv.Itoa(i)] = 1
		}
		if got := w.owner.Post(rules+"?dry_run=true", many).Want(t, 200).Header.Get(api.IgnoredHeader); len(got) > 4000 || !strings.HasPrefix(got, "xxx") {
			t.Errorf("a header of %d bytes", len(got))
		}
	})
}

// A required field that is spelled otherwise, and a dry run that is, are refused with the name that is meant.
func TestNamesThatAreMeantAreSaid(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		rules := "/orgs/acme/servers/" + w.mine.server + "/firewall-rules"
		a := w.owner.Post(rules, map[string]any{"names": "a", "port": "80", "type": "allow"}).Want(t, 422)
		if got := string(a.Body); !strings.Contains(got, "The name field is required: names is not a field.") {
			t.Error(got)
		}
		for _, name := range []string{"dryRun", "dry-run", "dryrun"} {
			a := w.owner.Post(rules+"?"+name+"=true", map[string]any{"name": "a", "port": "80", "type": "allow"}).Want(t, 400)
			if got := string(a.Body); !strings.Contains(got, name+" is not allowed here: use dry_run.") {
				t.Error(got)
			}
		}
	})
}
