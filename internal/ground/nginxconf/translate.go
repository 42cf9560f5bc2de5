package nginxconf

import (
	"fmt"
	"regexp"
	"strings"
)

// outside are directives of nginx's http block that a text without a server block keeps beside it.
var outside = map[string]bool{
	"upstream": true, "map": true, "geo": true, "split_clients": true, "limit_req_zone": true, "limit_conn_zone": true, "proxy_cache_path": true,
	"fastcgi_cache_path": true, "log_format": true,
}

// Translate returns a text of the product that people come from as one that can be judged, and says what it changed: its includes, logs, certificates and
// parameters are those of Hostler's own text, and what has no server block is put into the one of ours. Anything else stays.
func Translate(tree, ours []*Statement) (out []*Statement, changes []string) {
	t := translator{server: mainServer(ours)}
	if t.server == nil {
		return tree, nil
	}
	if mainServer(tree) == nil && fragment(tree) {
		tree = t.within(tree, ours)
	}
	out = t.block(tree, false)
	return out, t.changes
}

type translator struct {
	server  *Statement // ours
	changes []string
}

func (t *translator) say(line int, format string, args ...any) {
	t.changes = append(t.changes, fmt.Sprintf("Line %d: ", line)+fmt.Sprintf(format, args...))
}

// mainServer returns the server block that serves, rather than redirects: the longest.
func mainServer(tree []*Statement) (found *Statement) {
	for _, s := range tree {
		if s.Name() == "server" && (found == nil || len(s.Body) > len(found.Body)) {
			found = s
		}
	}
	return found
}

// fragment reports whether a text is of the inside of a server block.
func fragment(tree []*Statement) bool {
	for _, s := range tree {
		if name := s.Name(); name != "" && !outside[name] && name != "include" {
			return true
		}
	}
	return false
}

func (t *translator) within(tree, ours []*Statement) []*Statement {
	var beside, inside []*Statement
	line := 1
	for i := len(tree) - 1; i >= 0; i-- {
		if s := tree[i]; outside[s.Name()] {
			beside = append([]*Statement{s}, beside...)
		} else {
			inside = append([]*Statement{s}, inside...)
			line = s.Line
		}
	}
	t.say(line, "what has no server block is put into the site's own")
	out := beside
	for _, s := range ours {
		if s == t.server {
			copied := *s
			copied.Body = append(append([]*Statement{}, s.Body...), inside...)
			s = &copied
		}
		out = append(out, s)
	}
	return out
}

// block translates the statements of a block.
func (t *translator) block(tree []*Statement, inServer bool) []*Statement {
	var out []*Statement
	included := false
	for _, s := range tree {
		if s.Block {
			copied := *s
			copied.Body = t.block(s.Body, inServer || s.Name() == "server")
			out = append(out, &copied)
			continue
		}
		as, known := t.known(s)
		switch {
		case !known:
			out = append(out, s)
		case s.Name() == "include":
			if inServer && !included {
				included = true
				out = append(out, t.lacking(tree)...)
			}
			t.say(s.Line, "include %s is done by Hostler's own includes", strings.Join(s.Args(), " "))
		case len(as) == 0:
			t.say(s.Line, "%s is left out: Hostler sets it", s.Name())
		default:
			out = append(out, as...)
			t.say(s.Line, "%s is that of the site here", s.Name())
		}
	}
	return out
}

// packagedPool matches the socket of a pool as their servers name it, with its account for an isolated site: one with a name that Hostler gives stays, to be
// judged.
var packagedPool = regexp.MustCompile(`^unix:(/var)?/run/php/php\d\.\d-fpm(-[a-z0-9_-]+)?\.sock$`)

// known returns what stands in our text for a statement of theirs.
func (t *translator) known(s *Statement) (as []*Statement, known bool) {
	args := s.Args()
	if len(args) == 0 {
		return nil, false
	}
	first := args[0]
	switch s.Name() {
	case "include":
		return nil, strings.HasPrefix(strings.TrimPrefix(first, "/etc/nginx/"), "forge-conf/")
	case "ssl_dhparam":
		return nil, strings.HasPrefix(first, "/etc/nginx/")
	case "error_log", "access_log":
		if !strings.HasPrefix(first, "/var/log/nginx/") {
			return nil, false
		}
	case "ssl_certificate", "ssl_certificate_key":
		if !strings.HasPrefix(first, "/etc/nginx/ssl/") {
			return nil, false
		}
	case "fastcgi_pass":
		if !packagedPool.MatchString(first) {
			return nil, false
		}
	default:
		return nil, false
	}
	found := t.ours(s.Name())
	for _, own := range found {
		if key(own) == key(s) {
			return nil, false // it is ours already
		}
	}
	if s.Name() == "fastcgi_pass" && len(found) == 0 {
		return nil, false
	}
	return found[:min(1, len(found))], true
}

// ours returns the statements of a name in our server block.
func (t *translator) ours(name string) (found []*Statement) {
	walk(t.server.Body, func(s *Statement) {
		if s.Name() == name {
			found = append(found, s)
		}
	})
	return found
}

// lacking returns our includes that a server block does not have.
func (t *translator) lacking(body []*Statement) (out []*Statement) {
	has := map[string]bool{}
	for _, s := range body {
		if s.Name() == "include" {
			has[key(s)] = true
		}
	}
	for _, s := range t.server.Body {
		if s.Name() == "include" && !has[key(s)] {
			out = append(out, s)
		}
	}
	return out
}
