// Package markup builds HTML pages from elements. All text and all values of attributes are escaped, and an address is one of the web.
//
// html/template is not used in the program: templates call methods by names that only the data of a template knows, so that the linker would keep every method
// of every type, which makes the program a fifth larger (docs/decisions/0178-no-templates.md).
package markup

import (
	"html"
	"slices"
	"strings"
)

// Part is what an element is made of: a Node or an Attribute.
type Part interface{ part(*element) }

// Node is markup.
type Node struct{ html string }

// Attribute is an attribute of an element.
type Attribute struct {
	name  literal
	value string
}

// literal is text of the program. Other packages can only write it as a constant, never compute it.
type literal string

type element struct{ attributes, content strings.Builder }

func (n Node) part(e *element) { e.content.WriteString(n.html) }

func (a Attribute) part(e *element) {
	e.attributes.WriteString(" " + string(a.name) + `="` + html.EscapeString(a.value) + `"`)
}

func (n Node) String() string { return n.html }

// Text is text.
func Text(s string) Node { return Node{html.EscapeString(s)} }

// Trusted is markup that is complete: nothing in it is escaped.
func Trusted(s string) Node { return Node{s} }

// Attr is an attribute. One that holds an address is empty unless the address is relative or one of HTTP.
func Attr(name literal, value string) Attribute {
	if name == "href" || name == "src" || name == "action" {
		value = address(value)
	}
	return Attribute{name, value}
}

// address returns an address without a scheme or with that of HTTP, and nothing for another one, such as javascript:.
func address(s string) string {
	scheme, _, found := strings.Cut(s, ":")
	if !found || strings.ContainsAny(scheme, "/?#") || strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http") {
		return s
	}
	return ""
}

// E is an element.
func E(name literal, parts ...Part) Node {
	var e element
	for _, p := range parts {
		p.part(&e)
	}
	start := "<" + string(name) + e.attributes.String() + ">"
	if slices.Contains([]literal{"br", "img", "input", "link", "meta"}, name) { // they have no content and no end
		return Node{start}
	}
	return Node{start + e.content.String() + "</" + string(name) + ">"}
}

// Code is a <code> with a text.
func Code(s string) Node { return E("code", Text(s)) }

// Join puts nodes behind each other.
func Join(nodes ...Node) Node {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.html)
	}
	return Node{b.String()}
}

// Each makes a node of each element of a list.
func Each[T any](list []T, node func(T) Node) Node {
	var b strings.Builder
	for _, one := range list {
		b.WriteString(node(one).html)
	}
	return Node{b.String()}
}

// If is a node, or nothing.
func If(condition bool, n Node) Node {
	if condition {
		return n
	}
	return Node{}
}

// Page is a document with its style sheet.
func Page(title, style string, head, body Node) []byte {
	return []byte("<!doctype html>\n" + E("html", Attr("lang", "en"),
		E("head", E("meta", Attr("charset", "utf-8")), E("meta", Attr("name", "viewport"), Attr("content", "width=device-width, initial-scale=1")),
			E("title", Text(title)), head, E("link", Attr("rel", "stylesheet"), Attr("href", style))),
		E("body", body)).html + "\n")
}
