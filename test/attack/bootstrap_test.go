package attack_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/value/corpus"
	"github.com/hostlerhq/hostler/test/edge"
)

var secretInLine = regexp.MustCompile(`HOSTLER_SECRET=([0-9a-f]+) `)

// newcomer is a server whose line was not run yet.
type newcomer struct {
	e          *edge.Env
	owner      *edge.Client
	id, secret string
}

func newNewcomer(t *testing.T, e *edge.Env, owner *edge.Client) newcomer {
	t.Helper()
	a := owner.Post("/orgs/acme/servers", map[string]any{
		"name":     "web",
		"provider": "custom",
		"type":     "web",
		"custom":   map[string]any{"ip_address": fmt.Sprintf("192.0.2.%d", newcomers.Add(1))},
	}).Want(t, http.StatusAccepted)
	found := secretInLine.FindStringSubmatch(a.Text("data", "meta", "bootstrap", "command"))
	if found == nil {
		t.Fatalf("no secret in the line: %s", a.Body)
	}
	return newcomer{e, owner, a.ID(), found[1]}
}

func (n newcomer) sign(body string) string {
	key, _ := hex.DecodeString(n.secret) // the expression matched hexadecimal only
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// newcomers counts them, as no two servers have one address; reports counts the reports of all.
var newcomers, reports atomic.Int64

// post sends a report and wants this status; the answer must be plain text.
func (n newcomer) post(t *testing.T, code int, id, body, signature string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, n.e.URL+"/bootstrap/"+id, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	from := reports.Add(1)
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("198.18.%d.%d", from/250, from%250+1)) // each from another address, as an address is limited
	if signature != "" {
		req.Header.Set("X-Hostler-Signature", signature)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != code {
		t.Errorf("a report for %s answered %d %s, want %d", id, resp.StatusCode, raw, code)
	}
	if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("the answer is %q: %q", kind, raw)
	}
	if strings.ContainsFunc(string(raw), func(r rune) bool { return r < ' ' && r != '\n' }) {
		t.Errorf("the answer, which a terminal shows, has control characters: %q", raw)
	}
	return string(raw)
}

// fresh checks that the server is as it was before any call.
func (n newcomer) fresh(t *testing.T, what string) {
	t.Helper()
	a := n.owner.Get("/orgs/acme/servers/"+n.id).Want(t, http.StatusOK)
	if got := a.Text("data", "meta", "operation", "step"); a.Text("data", "meta", "operation", "state") != "pending" {
		t.Errorf("%s: the work is %s at %s", what, a.Text("data", "meta", "operation", "state"), got)
	}
	var keys string
	if err := n.e.App.DB.SQLDB().QueryRow("SELECT host_keys FROM servers WHERE id = " + n.id).Scan(&keys); err != nil {
		t.Fatal(err)
	}
	if keys != "" {
		t.Errorf("%s: host keys are pinned: %q", what, keys)
	}
}

func hostKey(t *testing.T) string {
	t.Helper()
	_, public, _, err := host.NewKey("host")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(public)[:2], " ")
}

func report(key string, more ...string) string {
	return "host-key " + key + "\nssh-port 22\nos debian\nos-version 12\nos-name Debian GNU/Linux 12 (bookworm)\narch amd64\nhostname h1\nmemory-kb " +
		"1000000\ndisk-kb 1000000\n" + strings.Join(more, "")
}

// The callback of a new server accepts a signature once, for one machine, and treats the machine's report as data.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	edge.Both(t, func(t *testing.T, e *edge.Env) {
		e.TrustProxies()
		user := e.User("owner")
		e.Organization("acme", user)
		owner := e.Of(user)
		n, other := newNewcomer(t, e, owner), newNewcomer(t, e, owner)
		key := hostKey(t)
		body := report(key)
		good := n.sign(body)

		t.Run("forged", func(t *testing.T) {
			for name, signature := range map[string]string{
				"none": "", "not hexadecimal": "zz", "short": good[:62], "of another body": n.sign(body + "\n"),
				"of another server": other.sign(body), "empty key": hex.EncodeToString(hmac.New(sha256.New, nil).Sum(nil)),
				"twice": good + good, "zeros": strings.Repeat("0", 64), "one bit": good[:63] + map[bool]string{true: "1", false: "0"}[good[63] == '0'],
			} {
				n.post(t, http.StatusForbidden, n.id, body, signature)
				n.fresh(t, name)
			}
			first := n.post(t, http.StatusForbidden, n.id, body, "00")
			if missing := n.post(t, http.StatusForbidden, "999999", body, "00"); missing != first {
				t.Errorf("a server that does not exist answers %q, one that does %q", missing, first)
			}
			n.post(t, http.StatusForbidden, other.id, body, good)
			other.fresh(t, "a report for another server")
			for _, id := range []string{"0", "-1", "x", "9223372036854775808", "1%00", "1'", "%2e%2e"} {
				n.post(t, http.StatusForbidden, id, body, good)
			}
		})
		t.Run("oversized", func(t *testing.T) {
			long := report(key, "hostname "+strings.Repeat("a", 64<<10)+"\n")
			n.post(t, http.StatusBadRequest, n.id, long, n.sign(long))
			n.fresh(t, "an oversized report")
			huge := strings.Repeat("a", 8<<20)
			req, err := http.NewRequest(http.MethodPost, e.URL+"/bootstrap/"+n.id, strings.NewReader(huge))
			if err != nil {
				t.Fatal(err)
			}
			if resp, err := http.DefaultClient.Do(req); err == nil { // the connection may be cut instead
				resp.Body.Close()
				if resp.StatusCode != http.StatusBadRequest {
					t.Errorf("8 MiB answered %s", resp.Status)
				}
			}
			n.fresh(t, "a huge report")
		})
		t.Run("unusable", func(t *testing.T) {
			for _, bad := range []string{
				"", "\n", "ssh-port 22\n", "host-key \n", "host-key ssh-ed25519 AAAA\n",
				"host-key " + key + " \x00\n", "\x00\xff", strings.Repeat("host-key x\n", 4000), "{}", "host-key command=\"touch /tmp/x\" " + key + "\nos ;\n",
				report(key, "os <script>alert(1)</script>\n"), report(key, "os \x1b]52;c;aGk=\x07\n"), report(key,
					"arch `id`\n"), report(key, "os-version 12;id\n"), report(key, "os debian\x00\n"),
			} {
				n.post(t, http.StatusUnprocessableEntity, n.id, bad, n.sign(bad))
				n.fresh(t, fmt.Sprintf("%.40q", bad))
			}
		})
		t.Run("hostile facts", func(t *testing.T) {
			for i, text := range corpus.Injection("/tmp/canary") {
				if len(text) > 8<<10 {
					text = text[:8<<10]
				}
				n := newNewcomer(t, e, owner)
				key := hostKey(t)
				body := report(key, "os-name "+text+"\n", "hostname "+text+"\n", "memory-kb "+text+"\n", "disk-kb -5\n",
					"ssh-port 99999\n", "host-keys "+text+"\n", "os-name\n")
				body = strings.Replace(body, "os-name\n", "", 1) + "os-name Debian " + strings.ReplaceAll(text, "\n", " ") + "\n"
				n.post(t, http.StatusOK, n.id, body, n.sign(body))
				a := owner.Get("/orgs/acme/servers/"+n.id).Want(t, http.StatusOK)
				if !json.Valid(a.Body) || strings.ContainsFunc(string(a.Body), func(r rune) bool { return r < ' ' && r != '\n' || r == '<' }) {
					t.Errorf("case %d, %.40q: the server shows it as it is: %.500q", i, text, a.Body)
				}
				var port int
				var keys string
				if err := e.App.DB.SQLDB().QueryRow("SELECT ssh_port, host_keys FROM servers WHERE id = "+n.id).Scan(&port, &keys); err != nil {
					t.Fatal(err)
				}
				if port != 22 || keys != key+"\n" {
					t.Errorf("case %d, %.40q: port %d, host keys %q", i, text, port, keys)
				}
			}
		})
		t.Run("replayed", func(t *testing.T) {
			n.post(t, http.StatusOK, n.id, body, good)
			n.post(t, http.StatusOK, n.id, body, good) // run twice on the same machine
			stolen := report(hostKey(t))
			n.post(t, http.StatusConflict, n.id, stolen, n.sign(stolen))
			added := report(key, "host-key "+hostKey(t)+"\n")
			n.post(t, http.StatusConflict, n.id, added, n.sign(added))
			var keys string
			if err := e.App.DB.SQLDB().QueryRow("SELECT host_keys FROM servers WHERE id = " + n.id).Scan(&keys); err != nil {
				t.Fatal(err)
			}
			if keys != key+"\n" {
				t.Errorf("the pinned keys are %q, want %q", keys, key)
			}
		})
		t.Run("after deletion", func(t *testing.T) {
			for _, n := range []newcomer{n, other} {
				owner.Delete("/orgs/acme/servers/"+n.id).Want(t, http.StatusAccepted)
				late := report(hostKey(t))
				n.post(t, http.StatusConflict, n.id, late, n.sign(late))
				resp, err := http.Get(e.URL + "/bootstrap/" + n.id + "/script")
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusNotFound {
					t.Errorf("the script of a server that is being deleted answers %s", resp.Status)
				}
			}
			n.post(t, http.StatusConflict, n.id, body, good) // the machine itself, whose keys are known
		})
	})
}
