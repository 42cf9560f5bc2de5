package mail

import (
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/markup"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Step is one part of what became of some work: what was planned, when it was applied, or how it was verified.
type Step struct {
	Name string `json:"name"`
	// Text says it in one line, Lines in detail.
	Text  string   `json:"text"`
	Lines []string `json:"lines,omitempty"`
	// Done is set if it happened.
	Done bool `json:"done"`
}

// Lines returns steps as lines of plain text.
func Lines(steps []Step) []string {
	var out []string
	for _, s := range steps {
		out = append(out, s.Name+": "+s.Text)
		for _, line := range s.Lines {
			out = append(out, "  "+line)
		}
	}
	return out
}

// plain returns the body of a message as plain text.
func (m Message) plain() string {
	parts := []string{m.Text}
	if len(m.Steps) > 0 {
		parts = append(parts, strings.Join(Lines(m.Steps), "\n"))
	}
	body := strings.Join(parts, "\n\n") + "\n"
	if m.Link != "" {
		body += "\n" + m.Link + "\n"
	}
	return body
}

// The styles of an HTML body. They have no colours of their own, so that it is legible in the themes of all mail programs.
const (
	bodyStyle  = "margin:0;padding:24px;font:15px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"
	paragraph  = "margin:0 0 16px;white-space:pre-wrap;overflow-wrap:anywhere"
	first      = paragraph + ";font-size:18px;font-weight:600"
	tableStyle = "width:100%;margin:0 0 16px;border-collapse:collapse;border-bottom:1px solid #8888"
	nameStyle  = "width:8em;padding:12px 12px 12px 0;border-top:1px solid #8888;text-align:left;vertical-align:top;white-space:nowrap"
	stepStyle  = "padding:12px 0;border-top:1px solid #8888;vertical-align:top;overflow-wrap:anywhere"
	detail     = "font:13px/1.6 ui-monospace,Menlo,Consolas,monospace"
)

// html returns the body of a message as HTML. It loads nothing.
func (m Message) html() string {
	var paragraphs []markup.Node
	for p := range strings.SplitSeq(strings.TrimSpace(m.Text), "\n\n") {
		style := paragraph
		if len(paragraphs) == 0 && len(m.Steps) > 0 {
			style = first
		}
		paragraphs = append(paragraphs, markup.E("p", markup.Attr("style", style), broken(strings.Split(p, "\n"))))
	}
	return "<!doctype html>\n" + markup.E("html", markup.Attr("lang", "en"),
		markup.E("head",
			markup.E("meta", markup.Attr("charset", "utf-8")),
			markup.E("meta", markup.Attr("name", "viewport"), markup.Attr("content", "width=device-width")),
			markup.E("meta", markup.Attr("name", "color-scheme"), markup.Attr("content", "light dark")),
			markup.E("title", markup.Text(text.Line(m.Subject)))),
		markup.E("body", markup.Attr("style", bodyStyle), markup.E("div", markup.Attr("style", "max-width:600px"),
			markup.Join(paragraphs...),
			markup.If(len(m.Steps) > 0, markup.E("table", markup.Attr("style", tableStyle), markup.Each(m.Steps, Step.row))),
			markup.If(m.Link != "", markup.E("p", markup.Attr("style", "margin:0;overflow-wrap:anywhere"),
				markup.E("a", markup.Attr("href", m.Link), markup.Text(m.Link)))))),
	).String() + "\n"
}

// row returns a step as a row of a table.
func (s Step) row() markup.Node {
	mark := "\u25cb " // a circle
	if s.Done {
		mark = "\u2713 " // a check mark
	}
	return markup.E("tr",
		markup.E("th", markup.Attr("scope", "row"), markup.Attr("style", nameStyle), markup.Text(mark+s.Name)),
		markup.E("td", markup.Attr("style", stepStyle), markup.Text(s.Text),
			markup.If(len(s.Lines) > 0, markup.Join(markup.E("br"), markup.E("span", markup.Attr("style", detail), broken(s.Lines))))))
}

// broken returns lines with breaks between them.
func broken(lines []string) markup.Node {
	var out []markup.Node
	for i, line := range lines {
		if i > 0 {
			out = append(out, markup.E("br"))
		}
		out = append(out, markup.Text(line))
	}
	return markup.Join(out...)
}
