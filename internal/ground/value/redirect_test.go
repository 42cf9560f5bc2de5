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
		"https://old.example.com/page":  "write ^/page.",
		"^https?://old.example.com":     "write ^/.",
		"/about#team":                   "write /about.",
		"/caf%C3%A9":                    "write /café.",
		"^/my%20file$":                  "write ^/my file$.",
		"/sale/?sort=price":             "",
		`^/list\.php\?page=2$`:          "",
		"/search?q=a%20b":               "",
		"^/old/?$":                      "",
		"/blog/(.*)":                    "",
		`^/[#?]x`:                       "",
		"Redirect 301 /old /new":        "alone, without what other servers write around it: ^/old$.",
		"RedirectMatch ^/a/(.*)$ /b/$1": ": ^/a/(.*)$.",
		"rewrite ^/a$ /b permanent;":    ": ^/a$.",
		"RewriteRule ^a/?$ /b [L]":      ": ^/a/?$.",
		"= /exact":                      ": ^/exact$.",
		`~* \.php$`:                     `: (?i)\.php$.`,
		"#^/old$#i":                     ": (?i)^/old$.",
		`/^\/old$/`:                     ": ^/old$.",
		"^old-page/?$":                  "write ^/old-page/?$.",
		"^(?:old|older)$":               "begins with a slash",
		"^[a-z]+$":                      "begins with a slash",
		"(?i)^old":                      "begins with a slash",
		"^(.*)$":                        "",
		"^[^a]+$":                       "",
		"(^|x)/y":                       "",
		"old-page":                      "",
		"/blog//post":                   "nginx joins slashes",
		"/blog//?post":                  "",
		"/users/{id}":                   "write /users/([^/]+), and $1",
		"^/docs/%{path}$":               "write ^/docs/([^/]+)$, and $1",
		"/docs/${path}/%{HTTP:Page}":    "write /docs/([^/]+)/([^/]+), and $1",
		"/old-:slug":                    "write /old-([^/]+), and $1",
		"/old /new 301":                 ": ^/old$.",
		"!^/de/":                        "write ^/(?!de/).",
		"/users/:id/posts":              "write /users/([^/]+)/posts",
		"/blog/:path*":                  "write /blog/(.*)",
		"/docs/[...slug]":               "write /docs/(.*)",
		"/post/[slug]":                  "write /post/([^/]+)",
		"/user/<int:id>":                "write /user/([^/]+)",
		`/item.php?id=(\d+)`:            `: /item.php\?id=(\d+).`,
		"^/?p=([0-9]+)$":                `: ^/\?p=([0-9]+)$.`,
		"/search?q=*":                   `: /search\?q=.*.`,
		"www.example.com/old":           "write ^/old.",
		"^/[ab]/x$":                     "",
		"^/shop/?(.*)$":                 "",
		"^/index.html$":                 "",
		"^/rule([0-9]{1,3})$":           "",
		"^/(?!wp-).*$":                  "",
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

// What other servers call the parts of a source is sent on as it is by nginx, so it is refused with what to write.
func TestRedirectTargetOfOtherServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, says string }{
		{"^/a$", "//cdn.example.com/a", "write https://cdn.example.com/a."},
		{"^/a/(.*)$", `/b/\1`, `write $1 for \1.`},
		{"^/a/(.*)$", "/b/${1}", "write $1 for ${1}."},
		{"^/a/(.*)$", "/b/%1", "write $1 for %1."},
		{"^/a$", "https://%{HTTP_HOST}/b", "the host is $host"},
		{"^/a/*", "/b/*", "Write (.*) in the source"},
		{"/a/*", "/b/$1", "write ^/a/(.*)."},
		{"^/a/(.*)$", "/b/:splat", "no placeholders"},
		{"^/a/(.*)$", "/b/{id}", "no placeholders"},
		{"^/a/(.*)$", "/b/*/$1", ""},
		{"^/a$", "/b?x=%1F", ""},
		{"^/a$", "https://example.com:8080/b", ""},
		{"^/(1)/(2)/(3)/(4)/(5)/(6)/(7)/(8)/(9)/(10)$", "/b/$10", "takes $10 for $1 with a 0 after it"},
		{"^/(?!x)(1)/(2)/(3)/(4)/(5)/(6)/(7)/(8)/(9)/(?:no)/(10)(11)$", "/b/$11", "takes $11 for $1 with a 1 after it"},
		{"^/v([0-9])$", "/b/$10", ""}, // version 2 becomes 20
		{"^/a/(?:b|c)$", "/b/$1", "no part in parentheses for $1"},
		{`^/a/(b)(?=\()[(]([]()]+)$`, "/b/$2", ""},
		{`^/a/(b)(?=\()[(]([]()]+)$`, "/b/$3", "no part in parentheses for $3"},
	} {
		from, err := ParseRedirectSource(c.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := ParseRedirectTarget(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := to.Mistaken(from); c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s to %s: %q, want %q", c.from, c.to, got, c.says)
		}
	}
}
