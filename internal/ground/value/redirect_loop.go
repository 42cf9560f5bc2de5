package value

import (
	"cmp"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// RedirectLoops reports whether whoever follows a redirect to its target is redirected by it again, without end: the target is on the site itself, and the
// source matches its path. A target with parts of the source or other variables is judged by two requests that the source matches; sources of PCRE's own
// syntax are not judged.
func RedirectLoops(from RedirectSource, to RedirectTarget, site string) bool {
	if _, query := from.Query(); query {
		return false
	}
	parsed, err := syntax.Parse(from.pattern, syntax.Perl)
	if err != nil {
		return false
	}
	expression, err := regexp.Compile(from.pattern)
	if err != nil {
		return false
	}
	judged := false
	for _, times := range []int{0, 1} {
		path := "/" + strings.TrimPrefix(sample(parsed, times), "/")
		if !expression.MatchString(path) {
			continue
		}
		if !endless(expression, to.target, path, site) {
			return false
		}
		judged = true
	}
	return judged
}

// hops is how many redirects browsers follow, less than any of them (fetch.spec.whatwg.org, "HTTP-redirect fetch").
const hops = 10

// endless reports whether a redirect leads from a path of the site to paths of the site that it matches too.
func endless(from *regexp.Regexp, target, path, site string) bool {
	for range hops {
		at := from.FindStringSubmatchIndex(path)
		if at == nil {
			return false
		}
		next, err := url.Parse(filled(target, path, site, func(group int) string {
			if 2*group+1 >= len(at) || at[2*group] < 0 {
				return ""
			}
			return path[at[2*group]:at[2*group+1]]
		}))
		if err != nil || next.Host != "" && (next.Port() != "" || !SameDomain(next.Hostname(), site)) {
			return false
		}
		path = cmp.Or(next.Path, "/")
	}
	return true
}

// filled returns a target as a request for a path without a query string has it.
func filled(target, path, site string, group func(int) string) string {
	return redirectVariable.ReplaceAllStringFunc(target, func(name string) string {
		switch name = strings.Trim(name, "${}"); {
		case name == "request_uri":
			return path
		case name == "host", name == "server_name":
			return site
		case name == "scheme":
			return "https"
		case name != "" && name[0] >= '1' && name[0] <= '9':
			return group(int(name[0]-'0')) + name[1:]
		}
		return "" // the query string, and its parameters
	})
}

// sample returns a text that an expression matches, in which each part that may be repeated or left out stands at least so many times.
func sample(e *syntax.Regexp, times int) string {
	switch e.Op {
	case syntax.OpLiteral:
		return string(e.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpCharClass:
		for i := 0; i+1 < len(e.Rune); i += 2 {
			for _, r := range []rune{'a', '1', e.Rune[i]} {
				if r >= e.Rune[i] && r <= e.Rune[i+1] && unicode.IsGraphic(r) {
					return string(r)
				}
			}
		}
		return ""
	case syntax.OpStar, syntax.OpQuest:
		return strings.Repeat(sample(e.Sub[0], times), times)
	case syntax.OpPlus:
		return sample(e.Sub[0], times)
	case syntax.OpRepeat:
		return strings.Repeat(sample(e.Sub[0], times), max(e.Min, 1))
	case syntax.OpAlternate, syntax.OpCapture:
		return sample(e.Sub[0], times)
	case syntax.OpConcat:
		var b strings.Builder
		for _, part := range e.Sub {
			b.WriteString(sample(part, times))
		}
		return b.String()
	}
	return ""
}
