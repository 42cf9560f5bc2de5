package render

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// RedirectsInput are the redirects of a site, in order.
type RedirectsInput struct{ Rules []Redirect }

// Redirect redirects the paths that its source matches to its target.
type Redirect struct {
	From      value.RedirectSource
	To        value.RedirectTarget
	Permanent bool // 301, else 302
	// Query matches a source that has a query string with the whole address, as the client sent it.
	Query bool
}

// matchLimit limits the work of one expression: without it a source like (a+)+$ would block a worker, which other sites share,
// for seconds per request (pcre2pattern(3), "Setting match resource limits"). nginx answers 500 beyond it.
const matchLimit = 20000

// NginxRedirects returns the file of a site's redirects, included by each of its vhosts. They come before locations and password
// protection, and after http-01 challenges, which must be answered whatever the rules say.
func NginxRedirects(in RedirectsInput) (string, error) {
	c := conf{}
	c.line("# Written by Hostler; changes are overwritten.")
	c.open(`if ($uri ~ "^/\.well-known/acme-challenge/")`)
	c.line("break;")
	c.close()
	if slices.ContainsFunc(in.Rules, func(r Redirect) bool { return ofVisitor(r.To.String()) != r.To.String() }) {
		c.line("uninitialized_variable_warn off;")
		c.open(`if (%s = "")`, visitorScheme)
		c.line("set %s $scheme;", visitorScheme)
		c.close()
	}
	for _, r := range in.Rules {
		if r.From.IsZero() || r.To.IsZero() {
			return "", errors.New("a redirect needs a source and a target")
		}
		if expression, ok := r.From.Query(); ok && r.Query {
			code := 302
			if r.Permanent {
				code = 301
			}
			// The target gets no query string beyond its own; the question mark that keeps rewrite from adding one is not needed.
			c.open("if ($request_uri ~ %s)", c.expression(limited(expression)))
			c.line("return %d %s;", code, c.expression(strings.TrimSuffix(ofVisitor(r.To.String()), "?")))
			c.close()
			continue
		}
		flag := "redirect"
		if r.Permanent {
			flag = "permanent"
		}
		from, to := c.expression(limited(r.From.String())), ofVisitor(r.To.String())
		if with, without, ok := beforeFragment(to); ok {
			c.open(`if ($args != "")`)
			c.line("rewrite %s %s %s;", from, c.expression(with), flag)
			c.close()
			to = without
		}
		c.line("rewrite %s %s %s;", from, c.expression(to), flag)
	}
	return c.b.String(), c.err
}

// ofVisitor returns a target with the scheme that the visitor used: that of the request is the balancer's own where one is in front.
func ofVisitor(target string) string {
	return schemeVariable.ReplaceAllString(target, strings.ReplaceAll(visitorScheme, "$", "$$")+"$1")
}

var schemeVariable = regexp.MustCompile(`\$(?:scheme|\{scheme\})([^A-Za-z0-9_]|$)`)

// beforeFragment returns the forms of a target with a fragment: for visitors with arguments and for those without. rewrite would add the arguments at the
// end, where they are a part of the fragment.
func beforeFragment(target string) (with, without string, ok bool) {
	address, fragment, ok := strings.Cut(target, "#")
	if !ok || strings.HasSuffix(fragment, "?") { // a question mark at the end asks for no arguments
		return "", "", false
	}
	without = target + "?"
	for _, has := range []string{"$args", "$query_string", "$request_uri", "${args", "${query_string", "${request_uri"} {
		if strings.Contains(address, has) {
			return without, without, true
		}
	}
	join := "?"
	if address = strings.TrimSuffix(address, "?"); strings.Contains(address, "?") {
		join = "&"
	}
	return address + join + "$args#" + fragment + "?", without, true
}

func limited(expression string) string {
	return fmt.Sprintf("(*LIMIT_MATCH=%d)%s", matchLimit, expression)
}

func (c *conf) expression(s string) string {
	quoted, err := nginxExpression(s)
	c.fail(err)
	return quoted
}
