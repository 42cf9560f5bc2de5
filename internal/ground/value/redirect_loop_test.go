package value

import "testing"

// Who follows a redirect gets somewhere.
func TestRedirectsThatNeverEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		loops    bool
	}{
		{"/a", "/a", true},
		{"/blog", "/blog/index.html", true}, // matches anywhere in the path
		{"^/blog", "/blog/", true},
		{"^/blog$", "/blog/", false},
		{"^/old$", "http://shop.example.com/old", true},
		{"^/old$", "https://SHOP.example.com/old?from=old", true},
		{"^/old$", "https://shop.example.com/old$is_args$args", true},
		{"^/old$", "https://shop.example.com:8443/old", false},
		{"^/old$", "https://www.shop.example.com/old", false},
		{"/", "/home", true},
		{"^/", "https://shop.example.com", true},
		{"^/(.*)$", "https://shop.example.com/$1", true},
		{"^(.*)$", "https://$host$1", true},
		{"^/", "https://$host$request_uri", true},
		{"^/", "$scheme://$server_name$request_uri?", true},
		{"^/(.*)$", "https://www.shop.example.com/$1", false},
		{"^/blog/(.*)$", "/blog/news/$1", true},
		{"^/blog/(.*)$", "/news/$1", false},
		{"^/shop(/.*)?$", "/store$1", false},
		{"^/(de|en)/old/(.+)$", "/$1/new/$2", false},
		{"^/(.+)/$", "/$1", false}, // one slash less each time
		{"^/a(b*)$", "/a$1b", true},
		{"/x/(.*)", "/y/x/$1", true}, // anywhere in the path
		{"^/$", "/?page=1", true},
		{"/sale/?sort=price", "/sale/", false}, // the target has no query string
		{"(?<=x)/a", "/x/a", false},            // an expression of PCRE alone
		{"^/caf\u00e9$", "/caf%C3%A9", true},
	} {
		from, err := ParseRedirectSource(c.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := ParseRedirectTarget(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := RedirectLoops(from, to, "shop.example.com"); got != c.loops {
			t.Errorf("%s to %s: loops %v", c.from, c.to, got)
		}
	}
}

// A path is protected however a browser writes it.
func TestPathsAsBrowsersWriteThem(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"intern/b\u00fcro/":      "/intern/b\u00fcro",
		"/intern/b%C3%BCro":      "/intern/b\u00fcro",
		"/intern/bu\u0308ro%2Ed": "/intern/b\u00fcro.d",
		"/\u7ba1\u7406":          "/\u7ba1\u7406",
		"/a%2Fb":                 "/a/b",
		"/admin/*":               "/admin",
		"/a*":                    "",
		"/*":                     "/",
		"/%2e%2e/a":              "",
		"/a%00":                  "",
		"/a b":                   "",
		"/a%20b":                 "",
		"/a%FF":                  "",
		"/a%zz":                  "",
		"/a;b":                   "",
		"/\u202eadmin":           "",
		"/a?b":                   "",
	} {
		p, err := ParseURLPath(in)
		if (err == nil) != (want != "") || p.String() != want {
			t.Errorf("%s: %q %v, want %q", in, p, err, want)
		}
		if again, err := ParseURLPath(want); want != "" && (err != nil || again != p) {
			t.Errorf("%s is read again as %q: %v", want, again, err)
		}
	}
}
