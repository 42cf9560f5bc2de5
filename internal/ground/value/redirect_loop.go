package value

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
)

// RedirectLoops reports whether whoever follows a redirect to its target is redirected by it again, without end: the target is on the site itself, and the
// source matches its path. Targets with variables, other than the query string's, depend on the request, and are not judged; nor are sources of PCRE's own
// syntax.
func RedirectLoops(from RedirectSource, to RedirectTarget, site string) bool {
	target := redirectQuery.ReplaceAllString(to.target, "")
	if strings.Contains(target, "$") {
		return false
	}
	u, err := url.Parse(target)
	if err != nil || u.Host != "" && (u.Port() != "" || !SameDomain(u.Hostname(), site)) {
		return false
	}
	if _, query := from.Query(); query {
		return false
	}
	expression, err := regexp.Compile(from.pattern)
	return err == nil && expression.MatchString(cmp.Or(u.Path, "/"))
}

// redirectQuery is what targets end with to keep the query string, which nginx adds unless the target ends with a question mark.
var redirectQuery = regexp.MustCompile(`\$\{?is_args\}?\$\{?(?:args|query_string)\}?$|\?\$\{?(?:args|query_string)\}?$`)
