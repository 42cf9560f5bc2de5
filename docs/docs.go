// Package docs serves the documentation, as pages of this program: it describes the version that runs.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/hostlerhq/hostler/internal/ground/markup"
)

//go:embed *.md pictures/*.png page.css search.js
var files embed.FS

// Path is where the documentation is served.
const Path = "/docs/"

// Repository is where the source of the documentation is, with the decisions, which are not part of the program.
const Repository = "https://github.com/hostlerhq/hostler/blob/main/docs/"

// home is the first page. Its headings and lists are the menu too, so that a page has one place where it is listed.
const home = "README"

// A group is a heading of the home with the pages below it.
type group struct {
	title string
	pages []entry
}

// An entry is a page of the menu. Its name is an address below Path.
type entry struct{ name, title string }

var listed = regexp.MustCompile(`(?m)^(?:## (.+)|- \[([^]]+)\]\(([^)]+)\).*)$`)

// contents returns the groups of the menu. The last one is for those who work on Hostler itself.
var contents = sync.OnceValue(func() []group {
	var out []group
	for _, m := range listed.FindAllStringSubmatch(source(home), -1) {
		if m[1] != "" {
			out = append(out, group{title: m[1]})
			continue
		}
		last := &out[len(out)-1]
		last.pages = append(last.pages, entry{strings.TrimPrefix(strings.TrimSuffix(m[3], ".md"), Path), m[2]})
	}
	return out
})

// guides returns the groups for those who use an installation, and the one for maintainers.
func guides() ([]group, group) {
	all := contents()
	return all[:len(all)-1], all[len(all)-1]
}

// Handler serves the documentation below Path. A page is rendered when it is first asked for; it panics if it can't be, as all of them are part of the program.
func Handler() http.Handler {
	pages := map[string]func() []byte{"": sync.OnceValue(func() []byte { return render(home) })}
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		if name, found := strings.CutSuffix(e.Name(), ".md"); found && name != home {
			pages[name] = sync.OnceValue(func() []byte { return render(name) })
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		name := strings.TrimPrefix(req.URL.Path, Path)
		w.Header().Set("Cache-Control", "no-cache")
		switch content, found := pages[name]; {
		case found:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(content())
		case name == "search":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(answer(req.URL.Query().Get("q")))
		case name == home:
			http.Redirect(w, req, Path, http.StatusSeeOther)
		case name == "page.css" || name == "search.js" || strings.HasPrefix(name, "pictures/"):
			http.ServeFileFS(w, req, files, name)
		default:
			http.NotFound(w, req)
		}
	})
}

// source returns the text of a page.
func source(name string) string {
	raw, err := files.ReadFile(name + ".md")
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// title returns the heading of a page.
func title(text string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	return first
}

// scrolls lets people reach by keys what is scrolled on its own on a small screen.
var scrolls = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<div class="table" tabindex="0"><table>`, "</table>", "</table></div>")

func newMarkdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{}, 100))))
}

func render(name string) []byte {
	text := source(name)
	var body strings.Builder
	if err := newMarkdown().Convert([]byte(text), &body); err != nil {
		panic(fmt.Errorf("render %s: %w", name, err))
	}
	return page(name, title(text), "", markup.Trusted(scrolls.Replace(body.String()))) // our own text
}

// page is a document: the search, what was asked for and the menu, which comes last so that a small screen shows the text first.
func page(name, title, query string, content markup.Node) []byte {
	class := "page"
	if name == home {
		class, title = "contents", "Documentation"
	}
	head := markup.Join(markup.E("link", markup.Attr("rel", "icon"), markup.Attr("href", "/mark.svg")),
		markup.E("link", markup.Attr("rel", "stylesheet"), markup.Attr("href", "/fonts.css")), // of the dashboard, as the theme that was chosen there
		markup.E("script", markup.Attr("src", "/theme.js")), markup.E("script", markup.Attr("src", Path+"search.js"), markup.Attr("defer", "")))
	return markup.Page(title+" · Hostler", Path+"page.css", head, markup.Join(
		markup.E("a", markup.Attr("href", "#content"), markup.Attr("class", "skip"), markup.Text("Skip to content")),
		banner(query),
		markup.E("main", markup.Attr("id", "content"), markup.Attr("class", class), content),
		menu(name)))
}

func banner(query string) markup.Node {
	return markup.E("header",
		markup.E("a", markup.Attr("href", "/"), markup.Attr("class", "mark"),
			markup.E("img", markup.Attr("src", "/mark.svg"), markup.Attr("alt", ""), markup.Attr("width", "22"), markup.Attr("height", "22")), markup.Text("Hostler")),
		markup.E("a", markup.Attr("href", Path), markup.Text("Documentation")),
		markup.E("a", markup.Attr("href", "#menu"), markup.Attr("class", "narrow"), markup.Text("All pages")),
		markup.E("form", markup.Attr("role", "search"), markup.Attr("action", Path+"search"),
			markup.E("input", markup.Attr("type", "search"), markup.Attr("name", "q"), markup.Attr("value", query),
				markup.Attr("aria-label", "Search the documentation"),
				markup.Attr("placeholder", "Search"), markup.Attr("autocomplete", "off"), markup.Attr("maxlength", fmt.Sprint(longestQuery))),
			markup.E("kbd", markup.Attr("aria-hidden", "true"), markup.Text("/"))))
}

// menu lists the guides, and for a page of maintainers theirs; one of them may be the page itself.
func menu(name string) markup.Node {
	users, maintainers := guides()
	if slices.ContainsFunc(maintainers.pages, func(e entry) bool { return e.name == name }) {
		users = []group{maintainers}
	}
	return markup.E("nav", markup.Attr("id", "menu"), markup.Attr("aria-label", "Documentation"), markup.Each(users, func(g group) markup.Node {
		return markup.Join(markup.E("h2", markup.Text(g.title)), markup.E("ul", markup.Each(g.pages, func(e entry) markup.Node {
			parts := []markup.Part{markup.Attr("href", Path+e.name), markup.Text(e.title)}
			if e.name == name {
				parts = append(parts, markup.Attr("aria-current", "page"))
			}
			return markup.E("li", markup.E("a", parts...))
		})))
	}))
}

// links makes links between the files of this directory lead to their pages, and links to decisions into the repository.
type links struct{}

// Transform rewrites the links of a document.
func (links) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !entering || !ok || bytes.Contains(link.Destination, []byte("://")) {
			return ast.WalkContinue, nil
		}
		if bytes.HasPrefix(link.Destination, []byte("decisions/")) {
			link.Destination = append([]byte(Repository), link.Destination...)
			return ast.WalkContinue, nil
		}
		to, fragment, cut := strings.Cut(string(link.Destination), "#")
		to = strings.TrimSuffix(to, ".md")
		if cut {
			to += "#" + fragment
		}
		link.Destination = []byte(to)
		return ast.WalkContinue, nil
	})
}
