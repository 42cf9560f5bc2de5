package docs_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/hostlerhq/hostler/docs"
)

// reader returns a function that reads pages.
func reader() func(path string) *httptest.ResponseRecorder {
	handler := docs.Handler()
	return func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
}

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	anchor    = regexp.MustCompile(`\bid="([^"]+)"`)
)

// Every link of the documentation leads to a page, a part of one or a picture that is served.
func TestLinks(t *testing.T) {
	t.Parallel()
	get := reader()
	found, open := map[string]string{}, []string{docs.Path}
	for len(open) > 0 {
		path := open[0]
		open = open[1:]
		if _, known := found[path]; known {
			continue
		}
		page := get(path)
		found[path] = page.Body.String()
		if page.Code != http.StatusOK {
			t.Errorf("%s is answered %d", path, page.Code)
		}
		for _, link := range reference.FindAllStringSubmatch(page.Body.String(), -1) {
			to, err := (&url.URL{Path: path}).Parse(link[1])
			if err != nil {
				t.Errorf("%s links to %s: %v", path, link[1], err)
				continue
			}
			if file, decision := strings.CutPrefix(link[1], docs.Repository); decision {
				if _, err := os.Stat(file); err != nil {
					t.Errorf("%s links to a decision: %v", path, err)
				}
			}
			if to.Host == "" && strings.HasPrefix(to.Path, docs.Path) && to.Path != docs.Path+"api/" {
				open = append(open, to.Path)
			}
		}
	}
	if len(found) < 40 {
		t.Errorf("only %d pages are linked", len(found))
	}
	for path, page := range found {
		for _, link := range reference.FindAllStringSubmatch(page, -1) {
			to, _ := (&url.URL{Path: path}).Parse(link[1])
			if to == nil || to.Fragment == "" || found[to.Path] == "" {
				continue
			}
			if ids := anchor.FindAllString(found[to.Path], -1); !strings.Contains(strings.Join(ids, " "), `id="`+to.Fragment+`"`) {
				t.Errorf("%s links to %s, which is not there", path, link[1])
			}
		}
	}
	if got := get(docs.Path + "nothing").Code; got != http.StatusNotFound {
		t.Errorf("an unknown page is answered %d", got)
	}
}

// The home lists every page, by what people want to do. The pages of maintainers have a menu of their own, and no other page has them in its menu.
func TestHome(t *testing.T) {
	t.Parallel()
	get := reader()
	home := get(docs.Path)
	if home.Code != http.StatusOK || !strings.Contains(home.Body.String(), ">What do you want to do?</h1>") {
		t.Fatalf("the home: %d %.300s", home.Code, home.Body)
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pages {
		if name := strings.TrimSuffix(file, ".md"); name != "README" && !strings.Contains(home.Body.String(), `href="`+name+`"`) {
			t.Errorf("%s is not on the home", file)
		}
	}
	menu := func(page string) string {
		_, menu, _ := strings.Cut(get(docs.Path+page).Body.String(), "<nav")
		return menu
	}
	for page, want := range map[string][2]bool{"laravel": {true, false}, "architecture": {false, true}, "search?q=x": {true, false}} {
		users, maintainers := strings.Contains(menu(page), ">WordPress<"), strings.Contains(menu(page), ">Testing<")
		if users != want[0] || maintainers != want[1] {
			t.Errorf("the menu of %s has users' pages: %t, maintainers' pages: %t", page, users, maintainers)
		}
	}
	if !strings.Contains(menu("laravel"), `<a href="/docs/laravel" aria-current="page">Laravel</a>`) {
		t.Error("the menu does not mark the page that is open")
	}
}

// What people look for is the first result, also in the words of other products; a search without scripts is a page of its own.
func TestSearch(t *testing.T) {
	t.Parallel()
	get := reader()
	first := regexp.MustCompile(`<ul id="results"><li><a href="([^"]+)"`)
	for query, want := range map[string]string{
		"laravel": "/docs/laravel", "wordpress": "/docs/wordpress", "Deploy Hook": "/docs/deployments#hooks-and-pushes", "heartbeats": "/docs/processes#heartbeats",
		"ssl": "/docs/sites#certificates", "crontab": "/docs/processes#scheduled-jobs", "rotate master key": "/docs/operations#rotate-the-master-key",
		"the server is gone": "/docs/bad-day#the-server-is-gone", "queue": "/docs/laravel#queue-workers-and-the-scheduler", "wildcard dns": "/docs/sites#dns-01",
		"php version": "/docs/upgrading#php", "gunicorn nosuchword": "/docs/own-program#create-the-site",
	} {
		page := get(docs.Path + "search?q=" + url.QueryEscape(query)).Body.String()
		if got := first.FindStringSubmatch(page); got == nil || got[1] != want {
			t.Errorf("the first result for %q is %q, want %s", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"": "Type what you are looking for.", "xyzzy": "No page has “xyzzy”", "meilisearch": " result", "<b>": "“&lt;b&gt;”",
		strings.Repeat("long ", 1000): "results for",
	} {
		answer := get(docs.Path + "search?q=" + url.QueryEscape(query))
		if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), want) {
			t.Errorf("%.20q is answered %d, without %q", query, answer.Code, want)
		}
	}
	if page := get(docs.Path + "search?q=ledger").Body.String(); strings.Contains(page, `"/docs/architecture`) {
		t.Error("users find the pages of maintainers")
	}
}

// The documentation has the dashboard's colours, in both themes.
func TestColours(t *testing.T) {
	t.Parallel()
	read := func(file string) string {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	light, dark, _ := strings.Cut(read("../web/src/style.css"), `[data-theme="dark"] {`)
	named := func(css, name string) string {
		_, value, _ := strings.Cut(css, "\n  --"+name+": ")
		value, _, _ = strings.Cut(value, ";")
		return value
	}
	found := regexp.MustCompile(`--([a-z]+): light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\)`).FindAllStringSubmatch(read("page.css"), -1)
	if len(found) < 9 {
		t.Errorf("only %d colours", len(found))
	}
	for _, c := range found {
		if c[2] != named(light, c[1]) || c[3] != named(dark, c[1]) {
			t.Errorf("--%s is %s and %s, in the dashboard %s and %s", c[1], c[2], c[3], named(light, c[1]), named(dark, c[1]))
		}
	}
}

// said are the texts of the dashboard: those of its catalogue, and the names in its sources that are the same in each language.
func said(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile("../web/src/locales/en.po")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^msgid ("(?:[^"\\]|\\.)*"(?:\n"(?:[^"\\]|\\.)*")*)`).FindAllStringSubmatch(string(raw), -1) {
		var text string
		for line := range strings.Lines(m[1]) {
			part, err := strconv.Unquote(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			text += part
		}
		out[text] = true
	}
	literal := regexp.MustCompile(`(?:title|text|label|name)(?:: |=|=\{)['"]([^'"]+)['"]|\['[^']*', '([A-Z][^']+)'\]`)
	err = filepath.WalkDir("../web/src", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(strings.TrimSuffix(file, "x"), ".ts") {
			return err
		}
		raw, err := os.ReadFile(file)
		for _, m := range literal.FindAllStringSubmatch(string(raw), -1) {
			out[m[1]+m[2]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What the pages for users call a button, a field or a page of the dashboard is what the dashboard calls it. Names are in italics, which nothing else is.
func TestNamesOfTheDashboard(t *testing.T) {
	t.Parallel()
	get, names := reader(), said(t)
	_, menu, _ := strings.Cut(get(docs.Path+"search").Body.String(), "<nav")
	found := 0
	for _, link := range reference.FindAllStringSubmatch(menu, -1) {
		if link[1] == docs.Path+"api/" {
			continue
		}
		page, err := html.Parse(get(link[1]).Body)
		if err != nil {
			t.Fatal(err)
		}
		for n := range page.Descendants() {
			if n.Type != html.ElementNode || n.Data != "em" || n.FirstChild == nil {
				continue
			}
			name := n.FirstChild.Data
			switch found++; {
			case name == "Test:": // a test that holds what was said
			case !names[strings.TrimRight(name, ".,")]:
				t.Errorf("%s: the dashboard has nothing that is called %q", link[1], name)
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d names were found", found)
	}
}
