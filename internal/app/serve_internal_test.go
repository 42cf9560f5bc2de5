package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Over plain http a browser ignores an opener's policy with an error in its console, and must not be sent to https.
func TestHeadersOfPlainHTTP(t *testing.T) {
	t.Parallel()
	for https, want := range map[bool][2]string{true: {"same-origin", "max-age=31536000"}, false: {}} {
		w := httptest.NewRecorder()
		secure(https, http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if got := [2]string{w.Header().Get("Cross-Origin-Opener-Policy"), w.Header().Get("Strict-Transport-Security")}; got != want {
			t.Errorf("over https %t: %q", https, got)
		}
		if w.Header().Get("X-Frame-Options") != "DENY" || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("over https %t: %v", https, w.Header())
		}
	}
}
