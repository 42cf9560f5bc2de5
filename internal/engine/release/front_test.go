package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A site whose first page shows nothing goes live with a warning, and is reported where something else was meant to be that page.
func TestFirstPageThatShowsNothing(t *testing.T) {
	t.Parallel()
	const static, php = "index.html index.htm", "index.php index.html"
	const source = `<div id="root"></div><script type="module" src="/src/main.jsx"></script>`
	for _, c := range []struct {
		name, pages, web string
		files            map[string]string
		want             string // in the warning; "" for none
		certain          bool
	}{
		{"an empty page", static, ".", map[string]string{"index.html": ""}, "The page index.html in the web directory / is empty.", true},
		{"a page of blanks", static, "public", map[string]string{"public/index.html": "\ufeff \r\n"},
			"The page index.html in the web directory public is empty.", true},
		{"an empty program", php, ".", map[string]string{"index.php": ""}, "The page index.php in the web directory / is empty.", true},
		{"capitals", static, ".", map[string]string{"Index.html": "x"}, "It has Index.html: rename it, since capitals count.", true},
		{"another name", static, ".", map[string]string{"home.html": "x", "404.html": "x"}, "It has home.html: rename it to index.html.", true},
		{"several names", static, ".", map[string]string{"home.html": "x", "shop.html": "x"}, "has no index.html or index.htm, so the site's address alone", false},
		{"a directory below", static, ".", map[string]string{"my-site/index.html": "x", "README.md": "x"}, "my-site has one: set the web directory to it.", true},
		{"built elsewhere", static, ".", map[string]string{"dist/index.html": "x", "package.json": "{}"}, "A page is in /dist: set the web directory to it", true},
		{"Laravel, with its top as web directory", php, ".", map[string]string{"artisan": "x", "public/index.php": "<?php"}, "A page is in /public:", true},
		{"PHP on a static site", static, ".", map[string]string{"index.php": "<?php"}, "create a site of the type php", true},
		{"not built", static, ".", map[string]string{"_config.yml": "x", "index.md": "x"}, "has no index.html", false},
		{"source of React", static, ".", map[string]string{"index.html": source, "src/main.jsx": "x", "package.json": "{}"}, "it names src/main.jsx, which", true},
		{
			"source beside what was built", static, ".", map[string]string{"index.html": source, "package.json": "{}", "dist/index.html": "x"},
			"A page is in /dist: set the web directory to it.", true,
		},
		{
			"source of Vue", static, ".", map[string]string{"index.html": "<script src=/src/main.js type=module></script>",
				"package.json": `{"devDependencies": {"vite": "^6"}}`},
			"it names src/main.js, which", true,
		},
		{"source of Create React App", static, "public",
			map[string]string{"public/index.html": `<link href="%PUBLIC_URL%/icon.png">`}, "it names %PUBLIC_URL%, which", true},
		{"a page", static, ".", map[string]string{"index.htm": "x"}, "", false},
		{"modules that browsers load", static, ".",
			map[string]string{"index.html": `<script type="module" src="src/main.js"></script>`, "package.json": "{}"}, "", false},
		{"what a page translates itself", static, ".", map[string]string{"index.html": `<script type="text/babel" src="app.jsx"></script>`}, "", false},
		{"a built page", static, ".", map[string]string{"index.html": `<script type="module" crossorigin src="/assets/index-a1.js"></script>`}, "", false},
		{"a program", php, ".", map[string]string{"index.php": "<?php // %PUBLIC_URL%", "Index.html": ""}, "", false},
		{"a page of PHP's site", php, ".", map[string]string{"index.html": "x"}, "", false},
		{"a configuration of its own", "", ".", map[string]string{"home.html": "x"}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.commit("One", map[string]string{".keep": "x"})
			run := t.TempDir()
			s.goesLive(t, run, c.web, c.pages, c.want, func(release string) {
				for name, content := range c.files {
					at := filepath.Join(release, name)
					if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			})
			raw, err := os.ReadFile(filepath.Join(run, wire.ReportFile))
			reported := map[string]string{}
			if err != nil || json.Unmarshal(raw, &reported) != nil || (reported[release.ReportServed] != "1") != c.certain {
				t.Errorf("reported is %q, %v", raw, err)
			}
		})
	}
}

// A page that the web server may not read, a directory that it may not enter and one that it never serves are said
// while the release goes live.
func TestFirstPageThatIsShut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		web, pages, shut string
		mode             os.FileMode
		want             string // in the warning; "" for none
	}{
		"a page":             {"public", "index.html", "public/index.html", 0o640, "page index.html in the web directory public, whose mode is 0640"},
		"a web directory":    {"public", "index.html", "public", 0o700, "can't enter the directory releases/1/public, whose mode is 0700"},
		"a release":          {".", "index.html", ".", 0o750, "can't enter the directory releases/1, whose mode is 0750"},
		"a program":          {"public", "index.php", "public/index.php", 0o600, ""}, // PHP runs as the site's account
		"another file":       {"public", "index.html", "public/secret.txt", 0o600, ""},
		"a hidden directory": {"public", "index.html", "public/.search", 0o755, "not served: .search in the web directory public"},
		"a tool's":           {"public", "index.html", "public/.well-known", 0o755, ""},
		"beside the code":    {".", "index.html", ".search", 0o755, ""},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.commit("One", map[string]string{"index.html": "x", "public/index.html": "x", "public/index.php": "<?php", "public/secret.txt": "x"})
			s.goesLive(t, t.TempDir(), c.web, c.pages, c.want, func(release string) {
				at := filepath.Join(release, c.shut)
				if _, err := os.Stat(at); err != nil {
					if err := os.Mkdir(at, 0o755); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.Chmod(at, c.mode); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// goesLive puts the first release live, once built has changed it; what is said then has want, or no warning where that is "".
func (s *site) goesLive(t *testing.T, run, web, pages, want string, built func(release string)) {
	t.Helper()
	env := map[string]string{release.VarWeb: web, release.VarPages: pages}
	if out, err := s.in(run, "1", env, "create"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	built(filepath.Join(s.root, "releases/1"))
	out, err := s.in(run, "1", env, "activate", "verify")
	if err != nil || !strings.Contains(out, "Release 1 is live") {
		t.Fatalf("%v\n%s", err, out)
	}
	if want == "" && strings.Contains(out, "Warning") || !strings.Contains(out, want) {
		t.Errorf("it said %q, want %q", out, want)
	}
}
