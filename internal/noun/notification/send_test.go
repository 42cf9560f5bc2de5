package notification

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// received is a call of a service.
type received struct {
	host, path, body string
	header           http.Header
}

// services is one server that answers for all of them: whatever host is called, it is this one.
type services struct {
	mu     sync.Mutex
	calls  map[string][]received // by path
	status map[string]int
	server *httptest.Server
}

func newServices() *services {
	s := &services{calls: map[string][]received{}, status: map[string]int{}}
	s.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[req.URL.Path] = append(s.calls[req.URL.Path], received{req.Host, req.URL.Path, string(body), req.Header})
		if status := s.status[req.URL.Path]; status != 0 {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "no_service")
			return
		}
		switch {
		case strings.HasPrefix(req.URL.Path, "/services/"):
			_, _ = io.WriteString(w, "ok")
		case strings.HasPrefix(req.URL.Path, "/api/webhooks/"):
			w.WriteHeader(http.StatusNoContent)
		default:
			_, _ = io.WriteString(w, `{"ok":true,"result":{}}`)
		}
	}))
	return s
}

// transport leads every host to the server.
func (s *services) transport() *http.Transport {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.server.Listener.Addr().String())
	}
	return &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // the names of real services, which only they can prove
}

func (s *services) fail(path string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status[path] = status
}

func (s *services) one(t *testing.T, path string) received {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls[path]) != 1 {
		t.Fatalf("%s was called %d times; called was %v", path, len(s.calls[path]), s.calls)
	}
	return s.calls[path][0]
}

var world = newServices()

// TestMain leads what calls through the process-wide client, as the library's client for Slack does, to the server of the tests.
func TestMain(m *testing.M) {
	http.DefaultTransport = world.transport()
	os.Exit(m.Run())
}

func sender(s *services) *Sender {
	return &Sender{HTTP: &http.Client{Transport: s.transport(), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func settingsOf(t *testing.T, kind string, a asked) settings {
	t.Helper()
	f := api.Fields{}
	set, _ := a.read(f, outbound.Guard{}, kind, settings{})
	if err := f.Err(); err != nil {
		t.Fatalf("%s: %v", kind, f)
	}
	return set
}

var hostile = Message{
	Event: DeploymentFailed, Title: "Deployment of shop failed <!channel>",
	Text: "Fix @everyone <!here> [x](https://evil.example.com) *b* & <b>\nThe script ended with 1.",
	URL:  "https://panel.example.com/orgs/acme/sites/7",
}

func TestSlack(t *testing.T) {
	t.Parallel()
	const path = "/services/T00000001/B00000001/abcdefghijklmnopqrstuvwx"
	set := settingsOf(t, Slack, asked{URL: new("https://hooks.slack.com" + path)})
	if out := sender(world).slack(set, hostile); out.Failure != "" || out.Status != 200 {
		t.Fatalf("%+v", out)
	}
	got := world.one(t, path)
	if got.host != "hooks.slack.com" || strings.Contains(got.body, "<!") || !strings.Contains(got.body, "shop failed") || !strings.Contains(got.body, "sites/7") {
		t.Errorf("%s got %s", got.host, got.body)
	}
	const bad = "/services/T00000002/B00000002/abcdefghijklmnopqrstuvwy"
	world.fail(bad, 404)
	set = settingsOf(t, Slack, asked{URL: new("https://hooks.slack.com" + bad)})
	if out := sender(world).slack(set, hostile); !strings.HasPrefix(out.Failure, "Slack rejected the message:") || strings.Contains(out.Failure, "abcdefghijklmnop") {
		t.Errorf("refused: %+v", out)
	}
}

func TestDiscord(t *testing.T) {
	t.Parallel()
	const path = "/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyz-_0123"
	set := settingsOf(t, Discord, asked{URL: new("https://discord.com" + path)})
	if out := sender(world).discord(t.Context(), set, hostile); out.Failure != "" || out.Status != 204 {
		t.Fatalf("%+v", out)
	}
	got := world.one(t, path)
	var m struct {
		Content string
		Embeds  []struct{ Title, Description string }
	}
	// text in an embed notifies no one
	if err := json.Unmarshal([]byte(got.body), &m); err != nil || got.host != "discord.com" || m.Content != "" || len(m.Embeds) == 0 {
		t.Errorf("%s got %s, %v", got.host, got.body, err)
	}
	for _, status := range []int{429, 500, 404, 302} { // once each: trying again is the queue's work
		bad := "/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyz-_" + string(rune('A'+status%26))
		world.fail(bad, status)
		set := settingsOf(t, Discord, asked{URL: new("https://discord.com" + bad)})
		if out := sender(world).discord(t.Context(), set, hostile); out.Status != status || out.Failure == "" || strings.Contains(out.Failure, "abcdefg") {
			t.Errorf("%d: %+v", status, out)
		}
		world.one(t, bad)
	}
}

func TestNtfy(t *testing.T) {
	t.Parallel()
	set := settingsOf(t, Ntfy, asked{Topic: new("alerts_7f3a"), Token: new("tk_s3cret")})
	if out := sender(world).ntfy(t.Context(), set, hostile); out.Failure != "" || out.Status != 200 {
		t.Fatalf("%+v", out)
	}
	got := world.one(t, "/alerts_7f3a")
	if user, password, _ := basic(got.header); got.host != "ntfy.sh" || user != "" || password != "tk_s3cret" ||
		got.header.Get("Title") != hostile.Title || got.header.Get("Click") != hostile.URL || got.body != hostile.Text {
		t.Errorf("%s got %v %s", got.host, got.header, got.body)
	}
	own := settingsOf(t, Ntfy, asked{Topic: new("own"), URL: new("https://push.example.com:8443")})
	if out := sender(world).ntfy(t.Context(), own, hostile); out.Failure != "" || world.one(t, "/own").host != "push.example.com:8443" {
		t.Errorf("%+v", out)
	}
	world.fail("/closed", 403)
	closed := settingsOf(t, Ntfy, asked{Topic: new("closed")})
	if out := sender(world).ntfy(t.Context(), closed, hostile); out.Status != 403 || out.Failure != "It answered 403." {
		t.Errorf("%+v", out)
	}
	private := &Sender{HTTP: outbound.Guard{}.Client()}
	if out := private.ntfy(t.Context(), settings{URL: "http://127.0.0.1:1", Topic: "x"}, hostile); !strings.Contains(out.Failure, "private") {
		t.Errorf("a private address: %+v", out)
	}
}

func basic(h http.Header) (string, string, bool) { return (&http.Request{Header: h}).BasicAuth() }

func TestTelegram(t *testing.T) {
	t.Parallel()
	const token = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"
	set := settingsOf(t, Telegram, asked{Token: new(token), Chat: new("-1001234567890")})
	out, err := sender(world).telegram(t.Context(), set, hostile)
	if err != nil || out.Failure != "" {
		t.Fatalf("%+v, %v", out, err)
	}
	got := world.one(t, "/bot"+token+"/sendMessage")
	var m struct {
		Chat string `json:"chat_id"`
		Text string
		Mode string `json:"parse_mode"`
	}
	if err := json.Unmarshal([]byte(got.body), &m); err != nil || got.host != "api.telegram.org" ||
		m.Chat != "-1001234567890" || m.Mode != "" || !strings.Contains(m.Text, "<!here>") {
		t.Errorf("%s got %s, %v", got.host, got.body, err)
	}
	away := &Sender{HTTP: outbound.Guard{AllowPrivate: true}.Client(), TelegramURL: "http://127.0.0.1:1"} // a connection that fails is no message that was sent
	if out, err := away.telegram(t.Context(), set, hostile); err != nil || out.Failure == "" || strings.Contains(out.Failure, token) {
		t.Errorf("nobody there: %+v, %v", out, err)
	}
}

func TestTeams(t *testing.T) {
	t.Parallel()
	set := settingsOf(t, Teams, asked{URL: new("https://prod-1.westeurope.logic.azure.com/workflows/abc/triggers/manual/paths/invoke?sig=s3cret")})
	out, err := sender(world).teams(t.Context(), set, hostile)
	if err != nil || out.Failure != "" {
		t.Fatalf("%+v, %v", out, err)
	}
	got := world.one(t, "/workflows/abc/triggers/manual/paths/invoke")
	if got.host != "prod-1.westeurope.logic.azure.com" || !strings.Contains(got.body, "AdaptiveCard") || strings.Contains(got.body, "[x]") {
		t.Errorf("%s got %s", got.host, got.body)
	}
}

// posted keeps mail.
type posted struct{ all []mail.Message }

func (p *posted) Send(_ context.Context, m mail.Message) error {
	p.all = append(p.all, m)
	return nil
}

func TestMailIsSent(t *testing.T) {
	t.Parallel()
	p := &posted{}
	if out := (&Sender{Mail: p}).mail(t.Context(), settings{Address: "ops@example.com"}, hostile); out.Failure != "" ||
		len(p.all) != 1 || p.all[0].To != "ops@example.com" || p.all[0].Link != hostile.URL || !strings.Contains(p.all[0].Subject, "shop failed") {
		t.Errorf("%+v, %+v", out, p.all)
	}
}

// A message that no mail server accepts is not reported as sent.
func TestNoMailServer(t *testing.T) {
	t.Parallel()
	none, err := mail.NewSender(mail.SMTP{})
	if err != nil {
		t.Fatal(err)
	}
	if out := (&Sender{Mail: none}).mail(t.Context(), settings{Address: "ops@example.com"},
		hostile); out.Failure != "This installation has no mail server." || !out.Lasting {
		t.Errorf("%+v", out)
	}
}

// A channel's destination is checked when it is created, and errors are reported on its field.
func TestChecks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind  string
		a     asked
		field string
	}{
		"no address":            {Mail, asked{}, "address"},
		"no mail address":       {Mail, asked{Address: new("a@b\r\nBcc: x@example.com")}, "address"},
		"another's field":       {Mail, asked{Address: new("a@example.com"), URL: new("https://x.example.com")}, "url"},
		"not Slack":             {Slack, asked{URL: new("https://hooks.slack.com.evil.example.com/services/T00000001/B00000001/abcdefghijklmnopqrstuvwx")}, "url"},
		"Slack, and more":       {Slack, asked{URL: new("https://hooks.slack.com/services/T00000001/B00000001/abcdefghijklmnopqrstuvwx/../../x")}, "url"},
		"not Discord":           {Discord, asked{URL: new("https://discord.com@127.0.0.1/api/webhooks/12345/abcdefghijklmnopqrstuvwxyz")}, "url"},
		"Telegram's path":       {Telegram, asked{Token: new("../x"), Chat: new("1")}, "token"},
		"Telegram without chat": {Telegram, asked{Token: new("123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11")}, "chat"},
		"ntfy's topic":          {Ntfy, asked{Topic: new("a/b?c")}, "topic"},
		"ntfy at home":          {Ntfy, asked{Topic: new("a"), URL: new("http://127.0.0.1")}, "url"},
		"ntfy below a path":     {Ntfy, asked{Topic: new("a"), URL: new("https://push.example.com/ntfy")}, "url"},
		"ntfy's header":         {Ntfy, asked{Topic: new("a"), Token: new("a\r\nX: y")}, "token"},
		"Teams in the open":     {Teams, asked{URL: new("http://x.webhook.office.com/a")}, "url"},
		"a webhook at home":     {Webhook, asked{URL: new("http://169.254.169.254/latest")}, "url"},
		"a webhook's password":  {Webhook, asked{URL: new("https://a:b@app.example.com/")}, "url"},
	} {
		f := api.Fields{}
		if c.a.read(f, outbound.Guard{}, c.kind, settings{}); len(f[c.field]) == 0 || len(f) != 1 {
			t.Errorf("%s: %v, want something on %s", name, f, c.field)
		}
	}
	f := api.Fields{}
	kept := settings{URL: "https://push.example.com", Topic: "a", Token: "tk_s3cret"}
	if (asked{URL: new("https://evil.example.com")}).read(f, outbound.Guard{}, Ntfy, kept); len(f["token"]) == 0 {
		t.Error("a token would go to another server than it was typed for")
	}
	if _, target := (asked{Topic: new("secret-topic")}).read(api.Fields{}, outbound.Guard{}, Ntfy, settings{}); target != "ntfy.sh" {
		t.Errorf("shown is %q", target)
	}
}
