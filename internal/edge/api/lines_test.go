package api

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Lines that end with an error are cut off, and nothing that is no line is written after them; an error before the first line is an answer of its own.
func TestLinesThatEndEarly(t *testing.T) {
	t.Parallel()
	r := &Router{log: slog.New(slog.DiscardHandler)}
	for name, tt := range map[string]struct {
		lines int
		err   error
		body  string
		cut   bool
	}{
		"all":                {2, nil, "1\n1\n", false},
		"after the first":    {1, errors.New("the database is gone"), "1\n", true},
		"before any of them": {0, errors.New("the database is gone"), "an answer", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if err := r.lines(w, req, func(send func(any) error) error {
					for range tt.lines {
						if err := send(1); err != nil {
							return err
						}
					}
					w.(http.Flusher).Flush()
					return tt.err
				}); err != nil {
					_, _ = io.WriteString(w, "an answer")
				}
			}))
			defer server.Close()
			resp, err := http.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if string(body) != tt.body || (err != nil) != tt.cut {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}
