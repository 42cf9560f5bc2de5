package attack_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// hostileNames returns accepted as names of rules and as tags, and mean something to a shell, a terminal, a page or a configuration file.
func (w *World) hostileNames() []string {
	run := "touch " + w.Canary
	return []string{
		";" + run, "$(" + run + ")", "`" + run + "`", "a|" + run + "&", "-rf", "--", "' OR 1=1 --", "\" }; drop; {",
		"<img src=x onerror=1>", "{{7*7}}%s%n", "../../etc/passwd", "x; listen 8080; #", "=1+1", "\\",
	}
}

// data fails the test if an answer is no JSON, or has characters that a terminal acts on.
func data(t testing.TB, what, body string) {
	t.Helper()
	if !json.Valid([]byte(body)) {
		t.Errorf("%s is no JSON: %.300q", what, body)
	}
	if i := strings.IndexFunc(body, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
		t.Errorf("%s has a control character: %.100q", what, body[i:])
	}
}

// run runs the program as a client, with what it prints.
func (w *World) run(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command(panel.Program(t, "hostler"), args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "HOSTLER_URL="+w.URL, "HOSTLER_TOKEN="+w.Token, "HOSTLER_ORG="+panel.Org)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("hostler %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// What one request stored is used by others: dry runs, deletions, retries, lists, events, outputs and the program's own client. It stays data there.
func TestSecondOrder(t *testing.T) {
	w := world(t)
	before := w.trusted(t)
	rules := w.Web.Path("/firewall-rules")
	ids := map[string]string{}
	for _, name := range w.hostileNames() {
		body := map[string]any{"name": name, "port": "48200", "type": "allow"}
		plan := w.Want(t, http.StatusOK, http.MethodPost, rules+"?dry_run=true", body)
		data(t, "the plan of "+name, plan.Body)
		a := w.Want(t, http.StatusAccepted, http.MethodPost, rules, body)
		ids[name] = a.Data.ID
		if got := a.Data.Text("name"); got != name {
			t.Errorf("the rule %q is called %q", name, got)
		}
	}
	w.settle(t)
	for name, id := range ids {
		r := w.Get(t, rules+"/"+id)
		if r.Text("status") != "installed" || r.Text("name") != name {
			t.Errorf("the rule %q is %s and called %q", name, r.Text("status"), r.Text("name"))
		}
		event := w.Web.Path("/events/" + r.Operation().EventID)
		data(t, "the event of "+name, w.Want(t, http.StatusOK, http.MethodGet, event, nil).Body)
		data(t, "the output of "+name, w.Want(t, http.StatusOK, http.MethodGet, event+"/output", nil).Body)
		w.Want(t, http.StatusConflict, http.MethodPost, event+"/retry", nil)
		data(t, "the plan of deleting "+name, w.Want(t, http.StatusOK, http.MethodDelete, rules+"/"+id+"?dry_run=true", nil).Body)
	}
	// The server is renamed, tagged and moved to another time zone meanwhile; a site with tags is created and deleted.
	w.Want(t, http.StatusOK, http.MethodPut, w.Web.Path(""), map[string]any{"tags": w.hostileNames(), "timezone": "Pacific/Chatham"})
	s := w.site(t, w.Web, "", map[string]any{
		"name":          "tagged.example.com",
		"type":          "php",
		"tags":          w.hostileNames(),
		"is_isolated":   true,
		"isolated_user": "a-_",
		"web_directory": "/a+b/c@d",
	})
	data(t, "the site", w.Want(t, http.StatusOK, http.MethodGet, "/sites/"+s.ID, nil).Body)
	w.Want(t, http.StatusOK, http.MethodDelete, w.Web.Path("/sites/"+s.ID+"?dry_run=true"), nil)
	w.remove(t, w.Web, s)
	for _, path := range []string{rules, "/servers", "/events?page[size]=200", w.Web.Path("/events?include=initiator,site&page[size]=200"), w.Web.Path("/drift")} {
		data(t, path, w.Want(t, http.StatusOK, http.MethodGet, path, nil).Body)
	}
	for _, id := range ids {
		w.Want(t, http.StatusAccepted, http.MethodDelete, rules+"/"+id, nil)
	}
	w.settle(t)
	w.Want(t, http.StatusOK, http.MethodPut, w.Web.Path(""), map[string]any{"tags": []string{}, "timezone": "UTC"})
	w.settle(t)
	w.unharmed(t, before)
	w.noOutput(t)
	w.workSucceeded(t)
}

// hostileOutput is what a terminal or a stream would act on: a clipboard, a link, a title, colours, a second event.
const hostileOutput = "\x1b]52;c;aGk=\x07\x1b]8;;http://evil.example\x1b\\x\x1b]8;;\x1b\\\x1b]0;title\x07\x1b[31mred\x1b[2J\u009b31m</script>" +
	"<script>alert(1)</script>\r"

// A host's messages, and names of its files, are shown literally: in reasons, in outputs, in the stream and by the program's own client.
func TestHostileOutput(t *testing.T) {
	w := world(t)
	before := w.trusted(t)
	dir := "/etc/nginx/conf.d/"
	file := dir + "by-hand \x1b[31m$(touch " + strings.ReplaceAll(w.Canary, "/", "\\057") + ")`id`\n\nid: 1\nevent: output\ndata: {}\n\n;.conf"
	w.Web.Host.WriteFile(t, file, []byte("\""+hostileOutput+"\" on;\n"), 0o644)
	mend := func() { w.Web.Host.Exec(t, "find", dir, "-name", "by-hand*", "-delete") }
	defer mend()

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	lines := w.follow(ctx, t, w.Token, panel.Org, "")
	failed := w.Settled(t, time.Minute, "/sites/"+w.Want(t, http.StatusAccepted, http.MethodPost, w.Web.Path("/sites"),
		map[string]any{"name": "broken.example.com", "type": "static-html"}).Data.ID)
	op := failed.Operation()
	if failed.Text("status") != "failed" || op.Step != "check nginx" || !strings.Contains(op.Reason, "test failed") {
		t.Fatalf("with a broken file the site is %s: %+v", failed.Text("status"), op)
	}
	event := w.Web.Path("/events/" + op.EventID)
	for _, path := range []string{"/sites/" + failed.ID, event, event + "/output", "/events?page[size]=200"} {
		data(t, path, w.Want(t, http.StatusOK, http.MethodGet, path, nil).Body)
	}
	output := w.Output(t, w.Web, op.EventID)
	if !strings.Contains(output, "by-hand") || !strings.Contains(output, "\x1b]52;c;aGk=\x07") {
		t.Errorf("the output does not say what is wrong in which file, or tests nothing: %q", output)
	}
	t.Logf("reason %q\noutput %q", op.Reason, output)

	// The stream ends with the end of the work; every line of it is a field of an event of ours.
	ended := false
	for !ended {
		line, ok := <-lines
		if !ok {
			t.Fatal("the stream ended")
		}
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "", line == ":", name == "id":
		case name == "event" && value == "output":
		case name == "data":
			data(t, "a piece", value)
			var piece struct {
				Kind    string
				EventID string `json:"event_id"`
			}
			if err := json.Unmarshal([]byte(value), &piece); err != nil || piece.EventID == "" {
				t.Errorf("a piece of the stream is %q: %v", value, err)
			}
			ended = piece.Kind == "end" && piece.EventID == op.EventID
		default:
			t.Errorf("a line of the stream is %q", line)
		}
	}

	for _, args := range [][]string{{"events", "output", op.EventID}, {"events", "list"}, {"sites", "list"}, {"events", "show", op.EventID},
		{"events", "output", op.EventID, "--output", "json"}} {
		out := w.run(t, args...)
		if i := strings.IndexFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }); i >= 0 {
			t.Errorf("hostler %s prints a control character: %q", strings.Join(args, " "), out[max(0, i-40):min(len(out), i+40)])
		}
	}

	mend()
	w.Retry(t, w.Web, op)
	again := w.Settled(t, time.Minute, "/sites/"+failed.ID)
	if again.Text("status") != "installed" {
		t.Errorf("after a retry: %s, %+v", again.Text("status"), again.Operation())
	}
	w.remove(t, w.Web, again)
	w.unharmed(t, before)
}

// follow reads a stream of events until ctx ends. It returns when the stream has begun.
func (w *World) follow(ctx context.Context, t testing.TB, token, org, last string) <-chan string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL+"/api/orgs/"+org+"/events/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		t.Fatalf("the stream of %s answers %s", org, resp.Status)
	}
	lines := make(chan string, 100_000)
	s := bufio.NewScanner(resp.Body)
	s.Buffer(nil, 1<<20)
	if !s.Scan() || s.Text() != ":" {
		t.Fatalf("the stream of %s begins with %q", org, s.Text())
	}
	go func() {
		defer resp.Body.Close()
		defer close(lines)
		for s.Scan() {
			lines <- s.Text()
		}
	}()
	return lines
}
