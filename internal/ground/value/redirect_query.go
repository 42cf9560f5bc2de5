package value

import (
	"net/url"
	"regexp"
	"strings"
)

// urlQuery matches a source that is a URL with a query string rather than an expression: /sale/?sort=price. Its question mark is no operator.
var urlQuery = regexp.MustCompile(`^(\^?/[^?()\[\]{}|*+\\^$]*)\?([A-Za-z0-9_.~%-]+=[^?()\[\]{}|*+\\^$]*)(\$?)$`)

// Query returns the expression for a request with its query string, as the client sent it ($request_uri), if the source has one: a URL with a question mark
// and a parameter, or an escaped question mark. nginx's rewrite sees the path alone.
func (r RedirectSource) Query() (expression string, ok bool) {
	if m := urlQuery.FindStringSubmatch(r.pattern); m != nil {
		escaped := strings.NewReplacer(`.`, `\.`)
		return escaped.Replace(m[1]) + `\?` + escaped.Replace(m[2]) + m[3], true
	}
	class := false
	for i := 0; i < len(r.pattern); i++ {
		switch r.pattern[i] {
		case '\\':
			if i++; i < len(r.pattern) && r.pattern[i] == '?' && !class {
				return r.pattern, true
			}
		case '[':
			class = true
		case ']':
			class = false
		}
	}
	return "", false
}

var encodedPart = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)

// classes are the bracketed sets of an expression, whose characters are alternatives.
var classes = regexp.MustCompile(`\[[^\]]*\]`)

// Unmatched returns why no request can match the source, with what to write instead; "" if one may.
func (r RedirectSource) Unmatched() string {
	bare := strings.TrimPrefix(r.pattern, "^")
	if strings.HasPrefix(bare, "http://") || strings.HasPrefix(bare, "https://") || strings.HasPrefix(bare, "https?://") {
		path := "/"
		if u, err := url.Parse(strings.Replace(bare, "https?://", "https://", 1)); err == nil && u.Path != "" {
			path = u.Path
		}
		return "The source is matched with the path of a request, not with its host: write ^" + path + "."
	}
	if strings.HasPrefix(bare, "/") && strings.Contains(classes.ReplaceAllString(bare, ""), "#") && !strings.Contains(bare, `\#`) {
		before, _, _ := strings.Cut(r.pattern, "#")
		return "The source has a #, and browsers do not send what follows it: write " + before + "."
	}
	if _, query := r.Query(); query {
		return ""
	}
	if part := encodedPart.FindString(r.pattern); part != "" {
		if plainText, err := url.PathUnescape(part); err == nil && plain(plainText) {
			return "The source is matched with the decoded path: write " + strings.ReplaceAll(r.pattern, part, plainText) + "."
		}
	}
	return ""
}
