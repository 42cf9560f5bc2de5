package render

import (
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// RedirectsInput are the redirects of a site, in order.
type RedirectsInput struct{ Rules []Redirect }

// Redirect redirects the paths that its source matches to its target.
type Redirect struct {
	From      value.RedirectSource
	To        value.RedirectTarget
	Permanent bool // 301, else 302
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
	for _, r := range in.Rules {
		if r.From.IsZero() || r.To.IsZero() {
			return "", errors.New("a redirect needs a source and a target")
		}
		flag := "redirect"
		if r.Permanent {
			flag = "permanent"
		}
		c.line("rewrite %s %s %s;", c.expression(fmt.Sprintf("(*LIMIT_MATCH=%d)%s", matchLimit, r.From)), c.expression(r.To.String()), flag)
	}
	return c.b.String(), c.err
}

func (c *conf) expression(s string) string {
	quoted, err := nginxExpression(s)
	c.fail(err)
	return quoted
}
