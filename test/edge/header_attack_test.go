package edge

import (
	"strings"
	"testing"
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
			if a := w.owner.Post("/orgs/acme/teams", map[string]any{"name": "x"}, Header("Idempotency-Key", bad)); a.Status != 400 && a.Status != 422 && a.Status != 201 && a.Status != 200 {
				t.Errorf("with the key %.10q: answered %d %s", bad, a.Status, a.Body)
			}
			w.As("hostler_pat_"+bad).Get("/user").Want(t, 401)
			for _, name := range []string{"Accept-Language", "Referer", "X-Request-Id", "Traceparent", "Tracestate", "X-Forwarded-For", "If-None-Match", "Origin", "Last-Event-ID"} {
				w.owner.Get("/user", Header(name, bad)).Want(t, 200)
			}
		}
	})
}
