package render

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// served runs a real nginx with files below its directory and returns a client for it. Ports become a socket in the directory,
// and system paths are below the directory too.
func served(t *testing.T, files map[string]string) (client *http.Client, dir string) {
	t.Helper()
	nginx := tool(t, "nginx")
	dir, err := os.MkdirTemp("", "nginx") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	here := strings.NewReplacer("listen 80;", "listen unix:"+dir+"/socket;", "    listen [::]:80;\n", "", "/etc/nginx/",
		dir+"/", "/var/log/nginx/", dir+"/log/", "/var/lib/hostler/", dir+"/", "/home/", dir+"/home/",
		"/run/php/", dir+"/")
	for name, text := range files {
		path := write(t, dir, strings.TrimPrefix(name, "/etc/nginx/"), here.Replace(text))
		for at := filepath.Dir(path); len(at) >= len(dir); at = filepath.Dir(at) {
			if err := os.Chmod(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(t, dir, "log/none", "")
	write(t, dir, "conf.d/"+filepath.Base(NginxHTTPPath), NginxHTTP(NginxVersion{1, 22, 1}))
	write(t, dir, "fastcgi_params", "fastcgi_param REQUEST_URI $request_uri;\n")
	main := write(t, dir, "nginx.conf",
		"daemon off;\nmaster_process off;\npid "+dir+"/pid;\nerror_log "+dir+"/error;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path "+dir+
			"/a;\nproxy_temp_path "+dir+"/b;\nfastcgi_temp_path "+dir+
			"/c;\nuwsgi_temp_path "+dir+"/d;\nscgi_temp_path "+dir+"/e;\ninclude "+dir+"/conf.d/*.conf;\n}\n")
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, nginx, "-p", dir, "-c", main)
	var said bytes.Buffer
	cmd.Stderr, cmd.Cancel = &said, func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cancel()
		<-ended
		if t.Failed() {
			log, _ := os.ReadFile(dir + "/error")
			t.Logf("nginx said %s%s", said.String(), log)
		}
	})
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", dir+"/socket")
	}
	for { // until it listens, or has ended
		c, err := dial(ctx, "", "")
		if err == nil {
			_ = c.Close()
			break
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ended: %v\n%s", err, said.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	transport := &http.Transport{DialContext: dial}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, dir
}

func sure1[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func staticVhost(t *testing.T, id int64, name string) string {
	return sure1[string](t)(NginxVhost(VhostInput{
		Version: NginxVersion{1, 22, 1}, SiteID: id, Domain: sure1[value.Domain](t)(value.ParseDomain(name)),
		Static: &Static{Root: sure1[value.AbsPath](t)(value.ParseAbsPath("/home/forge/" + name))},
	}))
}

type answer struct {
	status   int
	location string
	header   http.Header
}

func ask(t *testing.T, client *http.Client, url, user, password string) answer {
	t.Helper()
	req := sure1[*http.Request](t)(http.NewRequest(http.MethodGet, url, nil))
	if user != "" {
		req.SetBasicAuth(user, password)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return answer{res.StatusCode, res.Header.Get("Location"), res.Header}
}

func TestRedirectsAreServed(t *testing.T) {
	t.Parallel()
	rules := RedirectsInput{}
	for _, r := range []struct {
		from, to  string
		permanent bool
	}{
		{"/sale/?sort=price", "/cheap", true},
		{`^/list\.php\?page=2$`, "/list/2", false},
		{`^/item\.php\?id=(\d+)&lang=(\w+)`, "https://shop.example/$2/$1?", false},
		{"^/café$", "/coffee", false},
		{"^/old$", "/new", true},
		{`^/blog/(\d{4})/(.*)$`, "https://blog.example.com/$1/$2", false},
		{"^/old", "/prefix", false},
		{"^/search$", "/find?q=$arg_q&x=1?", false},
		{`^/say/([^?]*)$`, "/said/$1", false},
		{"^/(a+)+[!?]$", "/slow", false},
		{"^/(?!keep|\\.).*-(?=gone)", "/ahead", false},
		{"^/\\.well-known", "/stolen", false},
		{"^/faq/(\\d+)$", "/help#q$1", false},
		{"^/prices$", "https://shop.example/?tab=2#prices", true},
		{"^/terms$", "/legal#terms?", false},
		{"^/all$", "/every?$args#all", false},
	} {
		rules.Rules = append(rules.Rules, Redirect{
			sure1[value.RedirectSource](t)(value.ParseRedirectSource(r.from)),
			sure1[value.RedirectTarget](t)(value.ParseRedirectTarget(r.to)), r.permanent, true,
		})
	}
	client, _ := served(t, map[string]string{
		"conf.d/50-site-7.conf":                   staticVhost(t, 7, "a.example"),
		"hostler-conf/7/server/10-redirects.conf": sure1[string](t)(NginxRedirects(rules)),
		"acme-challenge/token":                    "proof",
		"home/forge/a.example/page.html":          "page",
	})
	for path, want := range map[string]answer{
		"/old": {301, "http://a.example/new", nil}, "/older": {302, "http://a.example/prefix", nil}, "/page.html": {200, "", nil}, "/none": {404, "", nil},
		"/sale/?sort=price": {301, "http://a.example/cheap", nil}, "/sale/?sort=name": {404, "", nil}, "/sale/sort=price": {404, "", nil},
		"/list.php?page=2": {302, "http://a.example/list/2", nil}, "/list.php?page=20": {404, "", nil}, "/list.php": {404, "", nil},
		"/item.php?id=7&lang=de&x=1": {302, "https://shop.example/de/7", nil}, "/caf%C3%A9?x=1": {302, "http://a.example/coffee?x=1", nil},
		"/blog/2024/x?y=1":                    {302, "https://blog.example.com/2024/x?y=1", nil},
		"/search?q=a%20b":                     {302, "http://a.example/find?q=a%20b&x=1", nil},
		"/x-gone":                             {302, "http://a.example/ahead", nil},
		"/faq/12":                             {302, "http://a.example/help#q12", nil},
		"/faq/12?utm=mail&x=a%20b":            {302, "http://a.example/help?utm=mail&x=a%20b#q12", nil},
		"/prices":                             {301, "https://shop.example/?tab=2#prices", nil},
		"/prices?a=1":                         {301, "https://shop.example/?tab=2&a=1#prices", nil},
		"/terms?a=1":                          {302, "http://a.example/legal#terms", nil},
		"/all?a=1":                            {302, "http://a.example/every?a=1#all", nil},
		"/keep-gone":                          {404, "", nil},
		"/.well-known/acme-challenge/token":   {200, "", nil}, // whatever the rules say
		"/.well-known/other":                  {302, "http://a.example/stolen", nil},
		"/say/%0d%0aSet-Cookie:%20evil=1":     {302, "http://a.example/said/%0D%0ASet-Cookie:%20evil=1", nil},
		"/" + strings.Repeat("a", 4000) + "?": {500, "", nil}, // the limit of the expression, at once
	} {
		got := ask(t, client, "http://a.example"+path, "", "")
		if got.status != want.status || got.location != want.location || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%.40s: %d %s, want %d %s", path, got.status, got.location, want.status, want.location)
		}
	}
}

// Cookies of single sign-on, and addresses with a query as search pages have them, have more than 8 KiB. What nginx has no room for is refused, not cut.
func TestLongLinesOfRequests(t *testing.T) {
	t.Parallel()
	client, _ := served(t, map[string]string{"conf.d/50-site-7.conf": staticVhost(t, 7, "a.example"), "home/forge/a.example/page.html": "page"})
	for _, c := range []struct{ query, cookie, status int }{{20000, 0, 200}, {0, 30000, 200}, {20000, 30000, 200}, {33000, 0, 414}, {0, 33000, 400}} {
		req := sure1[*http.Request](t)(http.NewRequest(http.MethodGet, "http://a.example/page.html?q="+strings.Repeat("a", c.query), nil))
		req.Header.Set("Cookie", "session="+strings.Repeat("b", c.cookie))
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != c.status {
			t.Errorf("a query of %d and a cookie of %d bytes: %d, want %d", c.query, c.cookie, res.StatusCode, c.status)
		}
	}
}

// nginx accepts every escape that the typed value accepts.
func TestRedirectEscapesAreServed(t *testing.T) {
	t.Parallel()
	rules, target := RedirectsInput{}, sure1[value.RedirectTarget](t)(value.ParseRedirectTarget("/new"))
	for c := byte('!'); c <= '~'; c++ {
		if '2' <= c && c <= '9' { // nginx reports a missing group
			continue
		}
		patterns := []string{`(a(?=b))/\%cx`, `(a)\%c<1>`, `(a)\%c`}
		if strings.ContainsRune("gNopPx", rune(c)) {
			patterns = append(patterns, `(a(?=b))/\%c{1}`, `(a(?=b))\%c{L}`)
		}
		for _, pattern := range patterns {
			if from, err := value.ParseRedirectSource(fmt.Sprintf(pattern, c)); err == nil {
				rules.Rules = append(rules.Rules, Redirect{From: from, To: target})
			}
		}
	}
	client, _ := served(t, map[string]string{
		"conf.d/50-site-7.conf":                   staticVhost(t, 7, "a.example"),
		"hostler-conf/7/server/10-redirects.conf": sure1[string](t)(NginxRedirects(rules)),
		"home/forge/a.example/page.html":          "page",
	})
	if got := ask(t, client, "http://a.example/page.html", "", ""); got.location != "http://a.example/new" || len(rules.Rules) < 100 {
		t.Errorf("%d redirects: %+v", len(rules.Rules), got)
	}
}

func TestProtectionIsServed(t *testing.T) {
	t.Parallel()
	hash := func(password string) string {
		return string(sure1[[]byte](t)(bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)))
	}
	path := func(p string) value.URLPath { return sure1[value.URLPath](t)(value.ParseURLPath(p)) }
	in := ProtectionInput{SiteID: 7, Rules: []Protected{{3, "Admins", path("/admin")}, {4, "off", path("/admin/deep")}}}
	whole := ProtectionInput{SiteID: 8, Rules: []Protected{{5, "off", value.URLPath{}}, {6, "Deep", path("/deep")}}}
	php := sure1[string](t)(NginxVhost(VhostInput{
		Version: NginxVersion{1, 22, 1}, SiteID: 7, Domain: sure1[value.Domain](t)(value.ParseDomain("a.example")),
		PHP: &PHP{
			Root: sure1[value.AbsPath](t)(value.ParseAbsPath("/home/forge/a.example")),
			Pool: Pool{SiteID: 7, PHP: sure1[value.PHPVersion](t)(value.ParsePHPVersion("php82"))},
		},
	}))
	client, _ := served(t, map[string]string{
		"conf.d/45-site-7-20-protection.conf":       sure1[string](t)(NginxProtectionMaps(in)),
		"conf.d/45-site-8-20-protection.conf":       sure1[string](t)(NginxProtectionMaps(whole)),
		"conf.d/45-site-7-15-check.conf":            sure1[string](t)(NginxCheck(7, strings.Repeat("7", 32))),
		"conf.d/45-site-8-15-check.conf":            sure1[string](t)(NginxCheck(8, strings.Repeat("8", 32))),
		"conf.d/50-site-7.conf":                     php,
		"conf.d/50-site-8.conf":                     staticVhost(t, 8, "b.example"),
		"hostler-conf/7/server/20-protection.conf":  NginxProtection(7),
		"hostler-conf/8/server/20-protection.conf":  NginxProtection(8),
		"hostler-conf/7/users-3":                    sure1[string](t)(UsersFile([]Credential{{"anna", hash("geheim")}, {"bo b", hash("ürsprung $1")}})),
		"hostler-conf/7/users-4":                    sure1[string](t)(UsersFile([]Credential{{"deep", hash("x")}})),
		"hostler-conf/8/users-5":                    sure1[string](t)(UsersFile([]Credential{{"anna", hash("geheim")}})),
		"hostler-conf/8/users-6":                    sure1[string](t)(UsersFile([]Credential{{"deep", hash("x")}})),
		"acme-challenge/token":                      "proof",
		"home/forge/a.example/page.html":            "page",
		"home/forge/a.example/index.php":            "",
		"home/forge/a.example/admin/page.html":      "page",
		"home/forge/a.example/admin/deep/page.html": "page",
		"home/forge/a.example/administrator.html":   "page",
		"home/forge/b.example/page.html":            "page",
		"home/forge/b.example/deep/page.html":       "page",
	})
	const a, b = "http://a.example", "http://b.example"
	for _, tt := range []struct {
		url, user, password string
		want                int
	}{
		{a + "/page.html", "", "", 200},
		{a + "/administrator.html", "", "", 200},
		{a + "/admin/page.html", "", "", 401},
		{a + "/admin/page.html", "anna", "geheim", 200},
		{a + "/admin/page.html", "anna", "wrong", 401},
		{a + "/admin/page.html", "bo b", "ürsprung $1", 200},
		{a + "/admin/deep/page.html", "anna", "geheim", 401},
		{a + "/admin/deep/page.html", "deep", "x", 200},
		{a + "/other", "", "", 502},                 // the program would answer; there is none
		{a + "/admin", "", "", 401},                 // the program's answer
		{a + "/admin/users", "anna", "geheim", 502}, // is passed on
		{a + "/%61dmin/x", "", "", 401},
		{a + "//admin/x", "", "", 401},
		{a + "/x/../admin/x", "", "", 401},
		{a + "/Admin/x", "", "", 401},
		{a + "/admin;x", "", "", 401},
		{a + "/index.php/admin/x", "", "", 401},
		{a + "/admin.php", "", "", 401},
		{a + "/.well-known/acme-challenge/token", "", "", 200},
		{b + "/page.html", "", "", 401},
		{b + "/page.html", "anna", "geheim", 200},
		{b + "/deep/page.html", "anna", "geheim", 401},
		{b + "/deep/page.html", "deep", "x", 200},
		{b + "/.well-known/acme-challenge/token", "", "", 200},
		{a + "/.well-known/acme-challenge/none", "", "", 404},
		{b + "/.well-known/acme-challenge/none", "", "", 404},
	} {
		if got := ask(t, client, tt.url, tt.user, tt.password); got.status != tt.want {
			t.Errorf("%s as %q: %d, want %d", tt.url, tt.user, got.status, tt.want)
		}
	}
	// The health check of a site passes its password, and no other site's.
	for pass, want := range map[string]int{strings.Repeat("8", 32): 200, strings.Repeat("7", 32): 401, "": 401, "x": 401} {
		req := sure1[*http.Request](t)(http.NewRequest(http.MethodGet, b+"/deep/page.html", nil))
		req.Header.Set("X-Hostler-Check", pass)
		res := sure1[*http.Response](t)(client.Do(req))
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("a health check with %q is answered %d, want %d", pass, res.StatusCode, want)
		}
	}
	if got := ask(t, client, a+"/admin", "", "").header.Get("WWW-Authenticate"); got != `Basic realm="Admins"` {
		t.Errorf("visitors are asked with %s", got)
	}
}
