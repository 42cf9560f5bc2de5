package server

import (
	"net/url"
	"strings"
	"testing"
	"time"
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

func TestClockThatIsOffIsDescribed(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[time.Duration]string{
		-45 * time.Second: "45 seconds behind Hostler's", 90 * time.Minute: "90 minutes ahead of Hostler's", 72 * time.Hour: "3 days ahead of Hostler's",
	} {
		if got := clockText(ahead); !strings.Contains(got, want) || !strings.Contains(got, "timedatectl set-ntp true") {
			t.Errorf("%s: %q", ahead, got)
		}
	}
}
