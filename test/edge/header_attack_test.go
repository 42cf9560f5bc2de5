package edge

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// What databases refuse comes in headers as well, which are bytes: of whoever signs in, makes an account, or sends a request again.
func TestHeadersThatDatabasesRefuse(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		w.WithPassword(w.users["owner"].ID)
		for _, bad := range []string{"\xff", "a\xc0\x80b", "\xed\xa0\x80", "curl/8 \xe9", strings.Repeat("\xf0\x9f", 20_000), strings.Repeat("é", 20_000)} {
			session := w.As("")
			session.Cookie = cookie(t, session.Post("/auth/login", login("owner@example.com", password, ""), Header("User-Agent", bad)).Want(t, 200)).Value
			sessions := session.Get("/user/sessions?page[size]=200").Want(t, 200)
			if text := string(sessions.Body); len(text) > 200_000 || strings.Contains(text, "\xff") {
				t.Errorf("after %.10q the sessions are %d bytes", bad, len(text))
			}
			if a := w.owner.Post("/orgs/acme/teams", map[string]any{"name": "x"}, Header("Idempotency-Key", bad)); a.Status != 400 &&
				a.Status != 422 && a.Status != 201 && a.Status != 200 {
				t.Errorf("with the key %.10q: answered %d %s", bad, a.Status, a.Body)
			}
			w.As("hostler_pat_"+bad).Get("/user").Want(t, 401)
			for _, name := range []string{
				"Accept-Language", "Referer", "X-Request-Id", "Traceparent", "Tracestate", "X-Forwarded-For",
				"If-None-Match", "Origin", "Last-Event-ID",
			} {
				w.owner.Get("/user", Header(name, bad)).Want(t, 200)
			}
		}
	})
}

// A stranger asks for a new password of another person, and calls the panel by a name of the stranger's: the mail, and every address in answers, lead to the
// panel.
func TestStrangerNamesThePanel(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	for name, option := range map[string]Option{
		"Host":              func(req *http.Request) { req.Host = "evil.example" },
		"a port":            func(req *http.Request) { req.Host += "@evil.example" },
		"X-Forwarded-Host":  Header("X-Forwarded-Host", "evil.example"),
		"X-Forwarded-Proto": Header("X-Forwarded-Proto", "ftp"),
		"Forwarded":         Header("Forwarded", "host=evil.example;proto=ftp"),
		"X-Original-URL":    Header("X-Original-URL", "http://evil.example/"),
		"X-Host":            Header("X-Host", "evil.example"),
		"Origin":            Header("Origin", "https://evil.example"),
		"Referer":           Header("Referer", "https://evil.example/"),
	} {
		before := w.Mail.Count("owner@example.com")
		answer := w.As("").Post("/auth/password/forgot", map[string]any{"email": "owner@example.com"}, option)
		message := w.Mail.Last(t, "owner@example.com")
		if answer.Status == 204 && (w.Mail.Count("owner@example.com") != before+1 || !strings.HasPrefix(message.Link, w.URL+"/")) {
			t.Errorf("%s: the mail leads to %v", name, message)
		}
		if answer.Status == 204 {
			w.Secrets.Note("a mail", message.Link[strings.Index(message.Link, "#")+1:])
		}
		made := w.owner.Post("/orgs/acme/teams", map[string]any{"name": "by " + name}, option)
		if text := made.Header.Get("Location") + string(made.Body); strings.Contains(text, "evil.example") || strings.Contains(text, "ftp:") {
			t.Errorf("%s: answered %s", name, text)
		}
		w.Clock.Move(time.Hour)
	}
}
