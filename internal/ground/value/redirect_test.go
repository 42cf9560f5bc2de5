package value

import (
	"strings"
	"testing"
)

// What nginx would refuse is refused on entry; what only PCRE knows is accepted.
func TestRedirectSourceEscapes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`..\..\etc\passwd`, `\pa`, `(?=x)\pq`, `\1\u0041`, `a\y`, `\K\i`, `\E\m`,
		`^/x{2,1}$`, `^/x{70000}$`, `^/[z-a]$`} {
		if r, err := ParseRedirectSource(s); err == nil {
			t.Errorf("%s is taken: %s", s, r)
		}
	}
	for _, s := range []string{`^/old$`, `^/(a|b)\.php$`, `\d+\K`, `^/\pL+$`, `^/\p{Greek}`, `(?=x)\h`, `(a)\1`, `\Qa\y\E`, `\\y`, `\/x`, `\-`,
		`^/x{1,2000}$`, `^/x{2000,}$`, `^/[\w-a]$`, `^/[{2,1}]$`, `^/x\{2,1}$`} {
		if _, err := ParseRedirectSource(s); err != nil {
			t.Errorf("%s is refused: %v", s, err)
		}
	}
}

// A source that no request can match is refused with what to write; one with a query string matches it.
func TestRedirectSourceThatNothingMatches(t *testing.T) {
	t.Parallel()
	for source, says := range map[string]string{
		"https://old.example.com/page": "write ^/page.",
		"^https?://old.example.com":    "write ^/.",
		"/about#team":                  "write /about.",
		"/caf%C3%A9":                   "write /café.",
		"^/my%20file$":                 "write ^/my file$.",
		"/sale/?sort=price":            "",
		`^/list\.php\?page=2$`:         "",
		"/search?q=a%20b":              "",
		"^/old/?$":                     "",
		"/blog/(.*)":                   "",
		`^/[#?]x`:                      "",
	} {
		r, err := ParseRedirectSource(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if got := r.Unmatched(); says == "" && got != "" || !strings.Contains(got, says) {
			t.Errorf("%s: %q, want %q", source, got, says)
		}
	}
	for source, want := range map[string]string{
		"/sale/?sort=price": `/sale/\?sort=price`, `^/list\.php\?page=2$`: `^/list\.php\?page=2$`, "/index.php?id=1": `/index\.php\?id=1`,
		"^/old/?$": "", `^/colou?r$`: "", `^/(\?:x)`: `^/(\?:x)`, `[\?]`: "", `/a\\?b`: "",
	} {
		r, err := ParseRedirectSource(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if got, _ := r.Query(); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
