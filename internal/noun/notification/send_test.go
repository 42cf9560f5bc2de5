package notification

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
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

func newServices(t *testing.T) *services {
	t.Helper()
	s := &services{calls: map[string][]received{}, status: map[string]int{}}
	s.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[req.URL.Path] = append(s.calls[req.URL.Path], received{req.Host, req.URL.Path, string(body), req.Header})
		if status := s.status[req.URL.Path]; status != 0 {
			if status == http.StatusTooManyRequests {
				w.Header().Set("Retry-After", "7")
			}
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
	t.Cleanup(s.server.Close)
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

func (s *services) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, path)
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
	s := newServices(t)
	set := settingsOf(t, Slack, asked{URL: new("https://hooks.slack.com" + path)})
	if out, err := sender(s).slack(t.Context(), set, hostile); err != nil || out.Failure != "" || out.Status != 200 {
		t.Fatalf("%+v, %v", out, err)
	}
	got := s.one(t, path)
	var m struct {
		Text      string
		Markdown  *bool `json:"mrkdwn"`
		LinkNames *bool `json:"link_names"`
	}
	if err := json.Unmarshal([]byte(got.body), &m); err != nil || got.host != "hooks.slack.com" || m.Markdown == nil || *m.Markdown ||
		m.LinkNames == nil || *m.LinkNames {
		t.Errorf("%s got %s, %v", got.host, got.body, err)
	}
	if strings.ContainsAny(m.Text, "<>") || !strings.Contains(m.Text, "&lt;!channel&gt;") || !strings.Contains(m.Text, "*b* &amp; &lt;b&gt;") ||
		!strings.HasSuffix(m.Text, hostile.URL) {
		t.Errorf("the text is %q", m.Text)
	}
}

func TestDiscord(t *testing.T) {
	t.Parallel()
	const path = "/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyz-_0123"
	s := newServices(t)
	set := settingsOf(t, Discord, asked{URL: new("https://discord.com" + path)})
	if out, err := sender(s).discord(t.Context(), set, hostile); err != nil || out.Failure != "" || out.Status != 204 {
		t.Fatalf("%+v, %v", out, err)
	}
	m := embedIn(t, s.one(t, path))
	if m.Title != `Deployment of shop failed \<!channel\>` || !strings.Contains(m.Description, `\[x\](https://evil.example.com) \*b\*`) ||
		!strings.HasSuffix(m.Description, "\n"+hostile.URL) {
		t.Errorf("the embed is %+v", m)
	}
}

type embed struct{ Title, Description string }

// embedIn returns the one embed of a message that mentions no one.
func embedIn(t *testing.T, got received) embed {
	t.Helper()
	var m struct {
		Content  string
		Embeds   []embed
		Mentions struct{ Parse *[]string } `json:"allowed_mentions"`
	}
	if err := json.Unmarshal([]byte(got.body), &m); err != nil || got.host != "discord.com" || m.Content != "" || len(m.Embeds) != 1 ||
		m.Mentions.Parse == nil || len(*m.Mentions.Parse) != 0 {
		t.Fatalf("%s got %s, %v", got.host, got.body, err)
	}
	return m.Embeds[0]
}

// Escaping doubles the length of a text at most; Discord refuses a message with a longer title or description.
func TestDiscordLimits(t *testing.T) {
	t.Parallel()
	const path = "/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyz-_0124"
	s := newServices(t)
	set := settingsOf(t, Discord, asked{URL: new("https://discord.com" + path)})
	long := Message{Title: strings.Repeat("*", maxTitle), Text: strings.Repeat("é_", 3000), URL: hostile.URL}
	if out, err := sender(s).discord(t.Context(), set, long); err != nil || out.Failure != "" {
		t.Fatalf("%+v, %v", out, err)
	}
	m := embedIn(t, s.one(t, path))
	if title, text := utf8.RuneCountInString(m.Title), utf8.RuneCountInString(m.Description); title > 256 || text > 4096 ||
		!strings.HasSuffix(m.Description, "…\n"+hostile.URL) ||
		!strings.HasSuffix(m.Title, `\*…`) {
		t.Errorf("the title has %d characters, the description %d: %s", title, text, m.Title)
	}
}

// A service's refusal is passed to the queue: what it asked to wait, and whether a retry can help. It is called once per attempt.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const slackURL, discordURL = "https://hooks.slack.com/services/T00000002/B00000002/abcdefghijklmnopqrstuvwy",
		"https://discord.com/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyz"
	s := newServices(t)
	ended, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		kind string
		a    asked
		path string
	}{
		{Slack, asked{URL: new(slackURL)}, "/services/T00000002/B00000002/abcdefghijklmnopqrstuvwy"},
		{Discord, asked{URL: new(discordURL)}, "/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyz"},
		{Ntfy, asked{Topic: new("alerts")}, "/"},
	} {
		set := settingsOf(t, c.kind, c.a)
		payload, err := json.Marshal(hostile)
		if err != nil {
			t.Fatal(err)
		}
		attempt := func(ctx context.Context, s *Sender) delivery.Outcome {
			t.Helper()
			out, err := s.attempt(ctx, query.NotificationChannel{Type: c.kind}, set, query.Delivery{Payload: string(payload)})
			if err != nil {
				t.Fatal(err)
			}
			if out = out.Without(set.secrets()...); strings.Contains(out.Failure, "abcdefg") {
				t.Errorf("%s: the failure has a secret: %s", c.kind, out.Failure)
			}
			return out
		}
		hook := c.kind != Ntfy
		for _, f := range []struct {
			status  int
			lasting bool
		}{{429, false}, {500, false}, {302, false}, {404, hook}, {403, hook}, {410, true}} {
			s.fail(c.path, f.status)
			out := attempt(t.Context(), sender(s))
			if out.Status != f.status || out.Failure == "" || out.Lasting != f.lasting || (out.After == 7*time.Second) != (f.status == 429) {
				t.Errorf("%s, %d: %+v", c.kind, f.status, out)
			}
			if hook && f.lasting && f.status != 410 && !strings.HasSuffix(out.Failure, "no_service") {
				t.Errorf("%s, %d: the cause is %q", c.kind, f.status, out.Failure)
			}
			s.one(t, c.path)
			s.forget(c.path)
		}
		if out := attempt(ended, sender(s)); out.Failure == "" || len(s.calls[c.path]) != 0 {
			t.Errorf("%s: called after its context ended: %+v", c.kind, out)
		}
		home := outbound.Guard{}.Client()
		if transport, ok := home.Transport.(*http.Transport); ok { // every name leads to this machine
			guarded := outbound.Guard{}.Dialer()
			transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
				return guarded.DialContext(ctx, network, s.server.Listener.Addr().String())
			}
		}
		if out := attempt(t.Context(), &Sender{HTTP: home}); !strings.Contains(out.Failure, "private") || len(s.calls[c.path]) != 0 {
			t.Errorf("%s: a private address: %+v", c.kind, out)
		}
	}
}

func TestNtfy(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	set := settingsOf(t, Ntfy, asked{Topic: new("alerts_7f3a"), Token: new("tk_s3cret")})
	if out, err := sender(s).ntfy(t.Context(), set, hostile); err != nil || out.Failure != "" || out.Status != 200 {
		t.Fatalf("%+v, %v", out, err)
	}
	got := s.one(t, "/")
	var m struct{ Topic, Title, Message, Click string }
	if err := json.Unmarshal([]byte(got.body), &m); err != nil || got.host != "ntfy.sh" || got.header.Get("Authorization") != "Bearer tk_s3cret" ||
		m.Topic != "alerts_7f3a" || m.Title != hostile.Title || m.Click != hostile.URL || m.Message != hostile.Text {
		t.Errorf("%s got %v %s, %v", got.host, got.header, got.body, err)
	}
	s.forget("/")
	own := settingsOf(t, Ntfy, asked{Topic: new("own"), URL: new("https://push.example.com:8443")})
	if out, err := sender(s).ntfy(t.Context(), own, hostile); err != nil || out.Failure != "" {
		t.Errorf("%+v, %v", out, err)
	}
	if got := s.one(t, "/"); got.host != "push.example.com:8443" || got.header.Get("Authorization") != "" {
		t.Errorf("%s got %v", got.host, got.header)
	}
}

func TestTelegram(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	const token = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"
	set := settingsOf(t, Telegram, asked{Token: new(token), Chat: new("-1001234567890")})
	out, err := sender(s).telegram(t.Context(), set, hostile)
	if err != nil || out.Failure != "" {
		t.Fatalf("%+v, %v", out, err)
	}
	got := s.one(t, "/bot"+token+"/sendMessage")
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
	s := newServices(t)
	set := settingsOf(t, Teams, asked{URL: new("https://prod-1.westeurope.logic.azure.com/workflows/abc/triggers/manual/paths/invoke?sig=s3cret")})
	out, err := sender(s).teams(t.Context(), set, hostile)
	if err != nil || out.Failure != "" {
		t.Fatalf("%+v, %v", out, err)
	}
	got := s.one(t, "/workflows/abc/triggers/manual/paths/invoke")
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

// The addresses that clients of Discord show, and what people add to them, lead to the same webhook; a thread is kept.
// IanMitchell/sentrydiscord.dev#4, netdata/netdata-cloud#860, KSJaay/Lunalytics#203.
func TestAddressesOfDiscord(t *testing.T) {
	t.Parallel()
	const hook = "webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyz-_0123"
	for text, want := range map[string]string{
		"https://ptb.discord.com/api/" + hook:                            "https://discord.com/api/" + hook,
		"https://canary.discordapp.com/api/" + hook + "/":                "https://discord.com/api/" + hook,
		"https://discord.com/api/v10/" + hook:                            "https://discord.com/api/" + hook,
		" https://discord.com/api/" + hook + "/slack\n":                  "https://discord.com/api/" + hook,
		"https://discord.com/api/" + hook + "?wait=true&thread_id=12345": "https://discord.com/api/" + hook + "?thread_id=12345",
		"https://discord.com/api/" + hook + "?thread_id=1%0d%0a":         "",
		"https://evil.discord.com/api/" + hook:                           "",
		"http://discord.com/api/" + hook:                                 "",
	} {
		f := api.Fields{}
		set, shown := asked{URL: &text}.read(f, outbound.Guard{}, Discord, settings{})
		if (want == "") != (len(f["url"]) > 0) || want != "" && (set.URL != want || shown != "discord.com") {
			t.Errorf("%q: %q, %q, %v", text, set.URL, shown, f)
		}
	}
}

// Services that take Slack's messages have addresses of their own, and read Markdown: names do not become links or mentions.
// Graylog2/graylog-plugin-integrations#835, pymedusa/Medusa#11642, grokability/snipe-it#11123.
func TestCompatibleWithSlack(t *testing.T) {
	t.Parallel()
	const path = "/hooks/abcdefghijklmnopqrstuvwxyz"
	s := newServices(t)
	set := settingsOf(t, Slack, asked{URL: new("https://chat.example.com" + path)})
	if out, err := sender(s).slack(t.Context(), set, hostile); err != nil || out.Failure != "" {
		t.Fatalf("%+v, %v", out, err)
	}
	var m struct{ Text string }
	if got := s.one(t, path); got.host != "chat.example.com" || json.Unmarshal([]byte(got.body), &m) != nil ||
		strings.Contains(m.Text, "@everyone") || strings.Contains(m.Text, "](") || !strings.HasSuffix(m.Text, hostile.URL) {
		t.Errorf("%s got %q", got.host, m.Text)
	}
	for text, says := range map[string]string{
		"https://hooks.slack.com/triggers/T00000000/123456/abcdef0123456789abcdef0123456789":   "incoming webhook",
		"https://hooks.slack.com/workflows/T00000000/A00000000/123456/abcdefghijklmnop":        "incoming webhook",
		"https://hooks.slack.com/services/T00000000":                                           "must have the form",
		"https://discord.com/api/webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyz/slack": "Discord",
		"http://127.0.0.1/hooks/x": "can't be used",
		"https://hooks.slack-gov.com/services/T00000002/B00000002/abcdefghijklmnopqrstuvwy": "",
		"https://hooks.slack.com/services/T00000002/B00000002/abcdefghijklmnopqrstuvwy/":    "",
	} {
		f := api.Fields{}
		asked{URL: &text}.read(f, outbound.Guard{}, Slack, settings{})
		if got := fmt.Sprint(f["url"]); (says == "") != (len(f["url"]) == 0) || !strings.Contains(got, says) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Topics of a group are written to, a group that became a supergroup is found by its new number, and refusals say why and when.
// TwiN/gatus#179, laravel-notification-channels/telegram#166, messagebird/sachet#133.
func TestTelegramGroups(t *testing.T) {
	t.Parallel()
	var got []map[string]any
	answers := []string{
		`{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup ` +
			`chat","parameters":{"migrate_to_chat_id":-1001557912345}}`, "",
		`{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 35","parameters":{"retry_after":35}}`,
		`{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the group chat"}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		answer := answers[len(got)]
		got = append(got, body)
		var code struct {
			Code int `json:"error_code"`
		}
		if json.Unmarshal([]byte(answer), &code) == nil {
			w.WriteHeader(code.Code)
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	s := &Sender{HTTP: server.Client(), TelegramURL: server.URL}
	set := settingsOf(t, Telegram, asked{Token: new("bot123456:abcdefghijklmnopqrstuvwxyz"), Chat: new("-4518810793_45")})
	if set.Token != "123456:abcdefghijklmnopqrstuvwxyz" || set.Chat != "-4518810793:45" {
		t.Fatalf("the settings are %+v", set)
	}
	if out, err := s.telegram(t.Context(), set, hostile); err != nil || out.Failure != "" || len(got) != 2 ||
		got[0]["chat_id"] != "-4518810793" || got[1]["chat_id"] != -1001557912345.0 || got[1]["message_thread_id"] != 45.0 {
		t.Fatalf("%+v, %v: %v", out, err, got)
	}
	if out, err := s.telegram(t.Context(), set, hostile); err != nil || out.After != 35*time.Second || out.Lasting {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err := s.telegram(t.Context(), set, hostile); err != nil || !out.Lasting || !strings.HasSuffix(out.Failure, "bot was kicked from the group chat") {
		t.Errorf("%+v, %v", out, err)
	}
	if got := chatOf("https://t.me/mychannel"); got != "@mychannel" {
		t.Errorf("the channel is %q", got)
	}
}

// A topic of ntfy is copied with its server.
func TestTopicInAnAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, topic, wantURL, wantTopic string }{
		{"", "https://ntfy.sh/alerts", "https://ntfy.sh", "alerts"},
		{"https://ntfy.example.com/alerts", "alerts", "https://ntfy.example.com", "alerts"},
		{"https://ntfy.example.com", "alerts", "https://ntfy.example.com", "alerts"},
		{"https://ntfy.example.com", "https://ntfy.sh/alerts", "https://ntfy.example.com", "https://ntfy.sh/alerts"},
	} {
		if address, topic := topicOf(c.url, c.topic); address != c.wantURL || topic != c.wantTopic {
			t.Errorf("%+v: %q %q", c, address, topic)
		}
	}
}
