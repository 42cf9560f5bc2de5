package server

import (
	"net/url"
	"strings"
	"testing"
)

func TestSetupCommandWarnsOfItsBaseURL(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://127.0.0.1:8080":     "can't reach Hostler at http://127.0.0.1:8080,",
		"http://[::1]:8080":         "can't reach Hostler at http://[::1]:8080,",
		"https://localhost":         "can't reach Hostler at https://localhost,",
		"http://10.99.0.1:18080":    "plain http",
		"https://panel.example.com": "",
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if got := warningOf(u); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", base, got)
		}
	}
}
