package markup_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/hostlerhq/hostler/internal/ground/markup"
)

func TestPage(t *testing.T) {
	t.Parallel()
	list := markup.Each([]string{"a", "b & c"}, func(s string) markup.Node { return markup.E("li", markup.Code(s)) })
	got := string(markup.Page("A & B", "/page.css", markup.Node{}, markup.Join(markup.E("ul", list), markup.If(false, markup.Text("hidden")),
		markup.E("input", markup.Attr("name", "x"), markup.Attr("required", "")))))
	want := `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>A &amp; B</title>` +
		`<link rel="stylesheet" href="/page.css"></head><body><ul><li><code>a</code></li><li><code>b &amp; c</code></li></ul><input name="x" required="">` +
		"</body></html>\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Whatever a text is, a browser reads it as that text, in an element as in an attribute.
func TestHostileText(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onload='x`, `&lt;b&gt;`, "</title><b>",
		"a\nb", "`${x}`", "é ✓",
	} {
		page := markup.Page(hostile, "/page.css", markup.Node{}, markup.E("p", markup.Attr("title", hostile), markup.Text(hostile)))
		root, err := html.Parse(strings.NewReader(string(page)))
		if err != nil {
			t.Fatal(err)
		}
		elements, texts := map[string]int{}, map[string]string{}
		for n := range root.Descendants() {
			switch {
			case n.Type == html.ElementNode:
				elements[n.Data]++
				for _, a := range n.Attr {
					texts[n.Data+" "+a.Key] = a.Val
				}
			case n.Type == html.TextNode:
				texts[n.Parent.Data] += n.Data
			}
		}
		if elements["p"] != 1 || len(elements) != 7 || texts["p"] != hostile || texts["p title"] != hostile || texts["title"] != hostile {
			t.Errorf("%q is read as %v, %q", hostile, elements, texts)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/oauth/device?x=a:b":     "/oauth/device?x=a:b",
		"#a:b":                    "#a:b",
		"page.css":                "page.css",
		"https://example.com/a:b": "https://example.com/a:b",
		"HTTP://example.com":      "HTTP://example.com",
		"javascript:alert(1)":     "",
		"JavaScript:alert(1)":     "",
		"java\tscript:alert(1)":   "",
		" javascript:alert(1)":    "",
		"data:text/html,<b>":      "",
		"vbscript:x":              "",
	} {
		for _, e := range []markup.Node{
			markup.E("a", markup.Attr("href", address)), markup.E("a", markup.Attr("src", address)),
			markup.E("a", markup.Attr("action", address)),
		} {
			if _, value, _ := strings.Cut(e.String(), `="`); value != want+`"></a>` {
				t.Errorf("%q: %s", address, e)
			}
		}
	}
}
