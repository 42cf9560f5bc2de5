package mail

import (
	"strings"
	"testing"
)

// Both bodies say the same, and what others wrote is no HTML.
func TestBodies(t *testing.T) {
	t.Parallel()
	m := Message{
		Subject: "Hostler: shop was deployed", Text: "shop was deployed\n\nServer <img src=x>\nand more",
		Steps: []Step{
			{Name: "Planned", Text: "Commit abc", Lines: []string{"<script>alert(1)</script>", "By Ada"}, Done: true},
			{Name: "Not verified", Text: "This work has no check of its own."},
		},
		Link: "https://panel.example.com/orgs/acme?a=1&b=2#token",
	}
	want := `shop was deployed

Server <img src=x>
and more

Planned: Commit abc
  <script>alert(1)</script>
  By Ada
Not verified: This work has no check of its own.

https://panel.example.com/orgs/acme?a=1&b=2#token
`
	if got := m.plain(); got != want {
		t.Errorf("the text is\n%s\ninstead of\n%s", got, want)
	}
	page := m.html()
	for _, want := range []string{
		"Server &lt;img src=x&gt;<br>and more", "\u2713 Planned</th>", "&lt;script&gt;alert(1)&lt;/script&gt;<br>By Ada",
		"\u25cb Not verified</th>", `href="https://panel.example.com/orgs/acme?a=1&amp;b=2#token"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, never := range []string{"<img", "<script", "http:", "url("} { // nothing is loaded
		if strings.Contains(page, never) {
			t.Errorf("%q is in\n%s", never, page)
		}
	}
	page = Message{Subject: "x", Text: "y", Link: "javascript:alert(1)"}.html()
	if strings.Contains(page, `href="javascript:`) {
		t.Errorf("a link that is a script:\n%s", page)
	}
}

// What made mails of other tools illegible is shown as it was written.
func TestBodyShowsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, text, want string }{
		{"dgtlmoon/changedetection.io#2866: the rest is gone", "Extract <title> now\nmore", "Extract &lt;title&gt; now<br>more"},
		{"dgtlmoon/changedetection.io#2866: it became a tag", "(&lt;button&gt; too)", "(&amp;lt;button&amp;gt; too)"},
		{"mhkafadar/notifine#55: it is not delivered", "Co-authored-by: Ada <ada@example.com>", "Co-authored-by: Ada &lt;ada@example.com&gt;"},
		{"rust-lang/homu#175: what follows is folded", "see <details> & <summary>", "see &lt;details&gt; &amp; &lt;summary&gt;"},
		{"gocd/gocd#304: escaped twice", "It's \"done\"", "It&#39;s &#34;done&#34;"},
		{"travis-ci/travis-ci#234: lines run together", "one\ntwo\n\nthree", "one<br>two</p>"},
	} {
		page := Message{Text: "Head", Steps: []Step{{Name: "Planned", Text: "x", Lines: strings.Split(c.text, "\n")}}}.html()
		if lines, _, _ := strings.Cut(c.want, "</p>"); !strings.Contains(page, lines) {
			t.Errorf("%s: as lines, no %q in\n%s", c.from, lines, page)
		}
		if page = (Message{Text: c.text}).html(); !strings.Contains(page, c.want) {
			t.Errorf("%s: no %q in\n%s", c.from, c.want, page)
		}
	}
}
