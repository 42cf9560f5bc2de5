// Package docs serves the documentation, as pages of this program: it describes the version that runs.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

//go:embed *.md decisions/*.md pictures/*.png page.html page.css
var files embed.FS

// Path is where the documentation is served.
const Path = "/docs/"

// guides are the pages for those who use an installation, in the order of the menu. The others are for maintainers, and linked from these.
var guides = []string{"dashboard", "servers", "sites", "deployments", "databases", "backups", "processes", "access", "security", "api"}

type page struct {
	Title  string
	Name   string
	Body   template.HTML
	Guides []string
}

// Handler serves the documentation below Path. It panics if a page can't be rendered, as all of them are part of the program.
func Handler() http.Handler {
	shown := template.Must(template.ParseFS(files, "page.html"))
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{}, 100))))
	pages := map[string][]byte{}
	for _, pattern := range []string{".", "decisions"} {
		entries, err := files.ReadDir(pattern)
		if err != nil {
			panic(err)
		}
		for _, entry := range entries {
			name, found := strings.CutSuffix(path.Join(pattern, entry.Name()), ".md")
			if !found {
				continue
			}
			raw, err := files.ReadFile(name + ".md")
			if err != nil {
				panic(err)
			}
			var body, out bytes.Buffer
			if err := markdown.Convert(raw, &body); err != nil {
				panic(fmt.Errorf("render %s: %w", name, err))
			}
			title, _, _ := strings.Cut(strings.TrimPrefix(string(raw), "# "), "\n")
			about := page{Title: title, Name: name, Body: template.HTML(body.String()), Guides: guides} // our own text
			if err := shown.Execute(&out, about); err != nil {
				panic(fmt.Errorf("render %s: %w", name, err))
			}
			pages[name] = out.Bytes()
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
			_, _ = w.Write(content)
		case name == "page.css" || strings.HasPrefix(name, "pictures/"):
			http.ServeFileFS(w, req, files, name)
		default:
			http.NotFound(w, req)
		}
	})
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
