package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/hostlerhq/hostler/internal/ground/markup"
)

const (
	longestQuery = 100
	mostWords    = 8
	mostResults  = 20
	excerptBytes = 180
)

// A section is a heading of a page with the text below it, up to the next heading.
type section struct {
	address, page, heading, text string
	lowPage, lowHeading, lowText string
	task                         bool // the page leads through something, others are looked up
}

// sections returns the text of all pages for users, in the order of the menu. It is made by the first search.
var sections = sync.OnceValue(func() []section {
	var out []section
	users, _ := guides()
	for i, g := range users {
		for _, e := range g.pages {
			if _, err := files.Open(e.name + ".md"); err == nil { // the API's reference is not a file
				for _, s := range parts(e) {
					s.task = i < 3
					out = append(out, s)
				}
			}
		}
	}
	for i, s := range out {
		out[i].lowPage, out[i].lowHeading, out[i].lowText = strings.ToLower(s.page), strings.ToLower(s.heading), strings.ToLower(s.text)
	}
	return out
})

// parts returns the sections of a page.
func parts(e entry) []section {
	raw := []byte(source(e.name))
	document := newMarkdown().Parser().Parse(text.NewReader(raw))
	out := []section{{address: Path + e.name, page: e.title, heading: e.title}}
	var words strings.Builder
	finish := func() {
		out[len(out)-1].text = strings.Join(strings.Fields(words.String()), " ")
		words.Reset()
	}
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				_ = words.WriteByte('\n')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level > 1 {
				finish()
				id, _ := n.AttributeString("id")
				anchor, _ := id.([]byte)
				out = append(out, section{address: Path + e.name + "#" + string(anchor), page: e.title, heading: plain(n, raw)})
			}
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			_, _ = words.Write(n.Segment.Value(raw))
			if n.SoftLineBreak() {
				_ = words.WriteByte(' ')
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			_, _ = words.Write(n.Lines().Value(raw))
		}
		return ast.WalkContinue, nil
	})
	finish()
	return out
}

// plain returns the text of a heading.
func plain(n ast.Node, raw []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			_, _ = b.Write(t.Segment.Value(raw))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// also are words that people bring from elsewhere, with those that the pages use for the same.
var also = map[string]string{
	"ssl": "certificate", "tls": "certificate", "supervisor": "process", "daemon": "process", "worker": "process", "queue": "process", "crontab": "cron",
	"ufw": "firewall", "2fa": "second factor", "mfa": "second factor", "env": ".env", "undo": "roll back", "rollback": "roll back", "ci": "pipeline",
	"webhook": "hook",
	"client":  "organization", "upgrade": "update", "mysql": "mariadb", "lets": "let's",
}

// little are words that say nothing about what is looked for.
var little = map[string]bool{"a": true, "an": true, "and": true, "do": true, "for": true, "how": true, "i": true, "in": true, "is": true, "my": true,
	"of": true, "on": true, "the": true, "to": true, "with": true}

// split returns the words of a query that say what is looked for.
func split(query string) []string {
	all := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;?!"()“”`, r) })
	words := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return little[w] })
	if len(words) == 0 {
		words = all
	}
	return words[:min(len(words), mostWords)]
}

// find returns the sections that have all words of a query, the best first; if there is none, those that have some of them.
func find(query string) []section {
	if len(query) > longestQuery {
		query = strings.ToValidUTF8(query[:longestQuery], "")
	}
	words := split(query)
	if len(words) == 0 {
		return nil
	}
	type hit struct {
		section
		score, words int
	}
	var hits []hit
	for _, s := range sections() {
		h, least := hit{section: s}, 100
		for _, w := range words {
			score := s.score(w)
			if other, found := also[w]; found {
				score = max(score, s.score(other)/2)
			}
			if score > 0 {
				h.words++
				h.score += score
			}
			least = min(least, score)
		}
		h.score += 4 * least // a section about all of the words comes before one that is about one of them, and mentions the others
		if h.words > 0 {
			if s.task {
				h.score += 5
			}
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.score, a.score)) })
	var out []section
	for _, h := range hits[:min(len(hits), mostResults)] {
		if h.words < hits[0].words {
			break
		}
		out = append(out, h.section)
	}
	return out
}

// score says how well a section fits a word: 0 if it does not have it. Pages about a subject come before those that mention it.
func (s section) score(word string) int {
	score := 0
	if strings.Contains(s.lowHeading, word) {
		score += 10
	}
	if strings.Contains(s.lowPage, word) {
		score += 6
	}
	if strings.HasPrefix(s.lowHeading, word) || strings.Contains(s.lowHeading, " "+word) {
		score += 3
	}
	return score + min(strings.Count(s.lowText, word), 4)
}

// answer is the page of the results of a query. A script shows them below the field while one types (search.js).
func answer(query string) []byte {
	results := find(query)
	said := fmt.Sprintf("%d results for “%s”", len(results), query)
	switch {
	case strings.TrimSpace(query) == "":
		said = "Type what you are looking for."
	case len(results) == 0:
		said = fmt.Sprintf("No page has “%s”. Look through all pages, or try another word.", query)
	case len(results) == mostResults:
		said = fmt.Sprintf("The first %d results for “%s”", len(results), query)
	case len(results) == 1:
		said = fmt.Sprintf("1 result for “%s”", query)
	}
	return page("search", "Search", query, markup.Join(
		markup.E("h1", markup.Text("Search")),
		markup.E("p", markup.Attr("role", "status"), markup.Attr("id", "said"), markup.Text(said)),
		markup.E("ul", markup.Attr("id", "results"), markup.Each(results, func(s section) markup.Node {
			where := markup.If(s.heading != s.page, markup.E("span", markup.Text(s.page)))
			return markup.E("li", markup.E("a", markup.Attr("href", s.address), markup.E("strong", markup.Text(s.heading)), where,
				markup.E("small", markup.Text(excerpt(s, query)))))
		}))))
}

// excerpt returns the part of a section's text around the first word of a query that it has.
func excerpt(s section, query string) string {
	start := 0
	for _, w := range split(query) {
		if at := strings.Index(s.lowText, w); at >= 0 && len(s.lowText) == len(s.text) {
			start = max(0, at-excerptBytes/3)
			break
		}
	}
	out := s.text[start:min(len(s.text), start+excerptBytes)]
	if start > 0 { // begins with a whole word
		_, out, _ = strings.Cut(out, " ")
		out = "… " + out
	}
	if start+excerptBytes < len(s.text) {
		if at := strings.LastIndexByte(out, ' '); at > 0 {
			out = out[:at]
		}
		out += " …"
	}
	return strings.ToValidUTF8(out, "")
}
