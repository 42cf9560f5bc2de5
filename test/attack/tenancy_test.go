package attack_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// neighbour makes another organization of a panel and a token of its owner that may do everything there.
func neighbour(t testing.TB, p *panel.Panel) (token, org string) {
	t.Helper()
	org = "org" + random(t)
	mail := org + "@example.com"
	for _, args := range [][]string{
		{"user", "create", "--email", mail, "--password-stdin"},
		{"org", "create", org, "--owner", mail},
		{"token", "create", "--user", mail, "--scope", "*"},
	} {
		cmd := exec.Command(panel.Program(t, "hostler"), append(args, "--data-dir", filepath.Join(p.Dir, "data"))...)
		cmd.Stdin = strings.NewReader(password + "\n")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("hostler %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		token = strings.TrimSpace(string(out))
	}
	return token, org
}

// as asks with a token for a path below /api.
func (w *World) as(t testing.TB, token, method, path, body string) (int, string) {
	t.Helper()
	a := attacker{World: w, t: t}
	r := a.raw(method, "/api"+path, [][2]string{{"Authorization", "Bearer " + token}, {"Content-Type", "application/json"}}, []byte(body))
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.code, string(r.body)
}

// No caller reads what another organization's hosts print, by any path, and no stream contains it.
func TestTenancyOnHosts(t *testing.T) {
	w := world(t)
	token, org := neighbour(t, w.Panel)
	mine := "/orgs/" + panel.Org
	code, made := w.as(t, token, "POST", "/orgs/"+org+"/servers",
		`{"name":"theirs","provider":"custom","type":"web","custom":{"ip_address":"`+w.Web.Host.IP+`","ssh_port":2222}}`)
	var doc struct{ Data panel.Resource }
	if err := json.Unmarshal([]byte(made), &doc); err != nil || code != http.StatusAccepted {
		t.Fatalf("a server of the neighbour: %d %v %s", code, err, made)
	}
	theirs, theirEvent := doc.Data.ID, doc.Data.Operation().EventID

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	foreign, own := w.follow(ctx, t, token, org, "0"), w.follow(ctx, t, w.Token, panel.Org, "")
	marker := "tenant" + random(t)
	s := w.site(t, w.Web, "", map[string]any{"name": marker + ".example.com", "type": "static-html"})
	event, rule := s.Operation().EventID, w.Want(t, http.StatusOK, http.MethodGet, w.Web.Path("/firewall-rules"), nil).List[0].ID

	// Every path to what is ours, as it is and below their own organization and server.
	server, witness := w.Web.ID, w.Witness.ID
	for _, to := range []struct{ method, path, body string }{
		{"GET", "/servers/" + server, ""},
		{"PUT", "/servers/" + server, `{"name":"x"}`},
		{"DELETE", "/servers/" + server, ""},
		{"GET", "/servers/" + server + "/key", ""},
		{"PUT", "/servers/" + server + "/key", ""},
		{"GET", "/servers/" + server + "/drift", ""},
		{"GET", "/servers/" + server + "/host-keys", ""},
		{"PUT", "/servers/" + server + "/host-keys", `{"host_keys":["ssh-ed25519 AAAA"]}`},
		{"GET", "/servers/" + server + "/transfer?to=" + org, ""},
		{"POST", "/servers/" + server + "/transfer", `{"to":"` + org + `","force":true}`},
		{"GET", "/servers/" + server + "/events", ""},
		{"GET", "/servers/" + server + "/events/" + event, ""},
		{"GET", "/servers/" + server + "/events/" + event + "/output", ""},
		{"POST", "/servers/" + server + "/events/" + event + "/retry", ""},
		{"POST", "/servers/" + server + "/events/" + event + "/cancel", ""},
		{"GET", "/servers/" + server + "/firewall-rules", ""},
		{"POST", "/servers/" + server + "/firewall-rules", `{"name":"x","type":"deny"}`},
		{"GET", "/servers/" + server + "/firewall-rules/" + rule, ""},
		{"DELETE", "/servers/" + server + "/firewall-rules/" + rule, ""},
		{"POST", "/servers/" + server + "/sites", `{"name":"x.example.com","type":"static-html"}`},
		{"PUT", "/servers/" + server + "/sites/" + witness, `{"directory":"/x"}`},
		{"DELETE", "/servers/" + server + "/sites/" + witness, ""},
		{"GET", "/sites/" + witness, ""},
		{"PUT", "/servers/" + w.Balancer.ID + "/sites/" + w.Front.ID + "/load-balancing-nodes", `{"balancer_method":"ip_hash","balancing":[]}`},
		{"GET", "/servers/" + w.Balancer.ID + "/sites/" + w.Front.ID + "/load-balancing-nodes", ""},
		{"POST", "/servers/" + w.Balancer.ID + "/sites/balancer", `{"domain":"x.example.com"}`},
	} {
		for _, path := range []string{mine + to.path, "/orgs/" + org + to.path} {
			code, body := w.as(t, token, to.method, path, to.body)
			_, missing := w.as(t, token, "GET", "/orgs/nowhere/servers/999999", "")
			if code != http.StatusNotFound || body != missing {
				t.Errorf("%s %s answers the neighbour %d %s, and what is not there %s", to.method, path, code, body, missing)
			}
		}
	}
	// Our events below their server, and theirs below ours.
	for _, path := range []string{
		"/orgs/" + org + "/servers/" + theirs + "/events/" + event,
		"/orgs/" + org + "/servers/" + theirs + "/events/" + event + "/output", "/orgs/" + org + "/servers/" + theirs + "/firewall-rules/" +
			rule, mine + "/servers/" + theirs + "/events/" + theirEvent,
	} {
		if code, body := w.as(t, token, "GET", path, ""); code != http.StatusNotFound {
			t.Errorf("GET %s answers %d %s", path, code, body)
		}
	}
	for _, path := range []string{mine + "/events/stream", mine + "/events", mine + "/servers", mine + "/sites"} {
		if code, body := w.as(t, token, "GET", path, ""); code != http.StatusNotFound {
			t.Errorf("GET %s answers the neighbour %d %.200s", path, code, body)
		}
	}
	for _, path := range []string{
		"/sites", "/sites?filter[name]=" + marker, "/orgs", "/orgs/" + org + "/events?page[size]=200",
		"/orgs/" + org + "/sites", "/orgs/" + org + "/servers?filter[name]=made",
	} {
		if code, body := w.as(t, token, "GET", path, ""); code != http.StatusOK || strings.Contains(body, marker+".example.com") ||
			strings.Contains(body, "/orgs/"+panel.Org+"/") || strings.Contains(body, w.Made["body organizations.servers.store .name"]) {
			t.Errorf("GET %s shows the neighbour what is not theirs: %d %.500s", path, code, body)
		}
	}
	// Our server as a node of their balancer.
	if code, made = w.as(t, token, "POST", "/orgs/"+org+"/servers",
		`{"name":"lb","provider":"custom","type":"loadbalancer","custom":{"ip_address":"192.0.2.9"}}`); code != http.StatusAccepted {
		t.Fatalf("a balancer of the neighbour: %d %s", code, made)
	}
	if err := json.Unmarshal([]byte(made), &doc); err != nil {
		t.Fatal(err)
	}
	balancer := "/orgs/" + org + "/servers/" + doc.Data.ID + "/sites/balancer"
	for _, id := range []string{server, "999999"} {
		if code, body := w.as(t, token, "POST", balancer,
			`{"domain":"x.example.com","balancing":[{"server_id":`+id+`}]}`); code != http.StatusUnprocessableEntity ||
			!strings.Contains(body, "The selected server does not exist.") {
			t.Errorf("server %s as a node of the neighbour: %d %s", id, code, body)
		}
	}

	// Their stream contains messages about their server, and nothing of ours; ours contains nothing of theirs.
	word := "word" + random(t)
	w.SQL(t, "INSERT INTO event_outputs (event_id, seq, kind, step, content, created_at) SELECT "+theirEvent+", 1, 'stdout', 'x', '"+word+
		"', created_at FROM events WHERE id = "+theirEvent)
	w.remove(t, w.Web, s)
	theirLines := until(t, foreign, word)
	own2 := until(t, own, "Removing", "absent", `"kind":"end"`)
	for _, line := range theirLines {
		if piece, ok := strings.CutPrefix(line, "data: "); ok && (!strings.Contains(piece, `"server_id":`+theirs+`,`) || strings.Contains(piece, marker)) {
			t.Errorf("the neighbour's stream has %s", piece)
		}
	}
	for _, line := range append(own2, drain(own, time.Second)...) {
		if strings.Contains(line, word) || strings.Contains(line, `"server_id":`+theirs+`,`) {
			t.Errorf("our stream has a piece of the neighbour's: %s", line)
		}
	}
	for _, line := range drain(foreign, 500*time.Millisecond) {
		if strings.HasPrefix(line, "data: ") {
			t.Errorf("the neighbour's stream has %s", line)
		}
	}
	if len(own2) == 0 {
		t.Error("our stream had nothing: the test tests nothing")
	}
	w.unharmed(t, w.trusted(t))
}

// until reads lines until one has one of the words.
func until(t testing.TB, lines <-chan string, words ...string) (seen []string) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("the stream ended without %q", words)
			}
			seen = append(seen, line)
			for _, word := range words {
				if strings.Contains(line, word) {
					return seen
				}
			}
		case <-limit:
			t.Fatalf("no %q in the stream: %q", words, seen)
		}
	}
}

// drain reads what comes within a time.
func drain(lines <-chan string, d time.Duration) (seen []string) {
	limit := time.After(d)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				return seen
			}
			seen = append(seen, line)
		case <-limit:
			return seen
		}
	}
}
