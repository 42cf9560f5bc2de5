// Package docs serves the documentation, as pages of this program: it describes the version that runs.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"net/http"
	"path"
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

//go:embed *.md decisions/*.md pictures/*.png page.css
var files embed.FS

// Path is where the documentation is served.
const Path = "/docs/"

// guides are the pages for those who use an installation, in the order of the menu. The others are for maintainers, and linked from these.
var guides = []string{
	"dashboard", "servers", "sites", "nodejs", "programs", "limits", "deployments", "databases", "backups", "processes", "access", "security", "command-line",
	"from-forge", "api", "clients", "pipelines",
}

// Handler serves the documentation below Path. A page is rendered when it is first asked for; it panics if it can't be, as all of them are part of the program.
func Handler() http.Handler {
	pages := map[string]func() []byte{}
	for _, pattern := range []string{".", "decisions"} {
		entries, err := files.ReadDir(pattern)
		if err != nil {
			panic(err)
		}
		for _, entry := range entries {
			if name, found := strings.CutSuffix(path.Join(pattern, entry.Name()), ".md"); found {
				pages[name] = sync.OnceValue(func() []byte { return render(name) })
			}
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		name := strings.TrimPrefix(req.URL.Path, Path)
		w.Header().Set("Cache-Control", "no-cache")
		switch content, found := pages[name]; {
		case name == "":
			http.Redirect(w, req, Path+guides[0], http.StatusSeeOther)
		case found:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(content())
		case name == "page.css" || strings.HasPrefix(name, "pictures/"):
			http.ServeFileFS(w, req, files, name)
		default:
			http.NotFound(w, req)
		}
	})
}

func render(name string) []byte {
	raw, err := files.ReadFile(name + ".md")
	if err != nil {
		panic(err)
	}
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{}, 100))))
	var body strings.Builder
	if err := markdown.Convert(raw, &body); err != nil {
		panic(fmt.Errorf("render %s: %w", name, err))
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(string(raw), "# "), "\n")
	icon := markup.E("link", markup.Attr("rel", "icon"), markup.Attr("href", "/mark.svg"))
	return markup.Page(title+" · Hostler documentation", Path+"page.css", icon,
		markup.Join(menu(name), markup.E("main", markup.Trusted(body.String())))) // our own text
}

// menu lists the guides; one of them may be the page itself.
func menu(name string) markup.Node {
	item := func(address, text string, current bool) markup.Node {
		parts := []markup.Part{markup.Attr("href", address), markup.Text(text)}
		if current {
			parts = append(parts, markup.Attr("aria-current", "page"))
		}
		return markup.E("li", markup.E("a", parts...))
	}
	return markup.E("nav", markup.Attr("aria-label", "Documentation"),
		markup.E("a", markup.Attr("href", "/"), markup.Attr("class", "home"),
			markup.E("img", markup.Attr("src", "/mark.svg"), markup.Attr("alt", ""), markup.Attr("width", "24"), markup.Attr("height", "24")), markup.Text(" Hostler")),
		markup.E("ul", markup.Each(guides, func(guide string) markup.Node {
			text := guide
			if guide == "api" {
				text = "API"
			}
			return item(Path+guide, text, guide == name)
		}), item(Path+"api/", "API reference", false)))
}

// links makes links between the files of this directory lead to their pages.
type links struct{}

// Transform rewrites the links of a document.
func (links) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !entering || !ok || bytes.Contains(link.Destination, []byte("://")) {
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
