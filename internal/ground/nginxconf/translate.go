package nginxconf

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// outside are directives of nginx's http block that a text without a server block keeps beside it.
var outside = map[string]bool{
	"upstream": true, "map": true, "geo": true, "split_clients": true, "limit_req_zone": true, "limit_conn_zone": true, "proxy_cache_path": true,
	"fastcgi_cache_path": true, "log_format": true,
}

// Translate returns a text of another product, or of a server that was set up by hand, as one that can be judged, and says what it changed. Its includes, logs,
// certificates and sockets are those of Hostler's own text, the names that it defines are the site's, and what has no server block is put into the one of ours.
// Anything else stays. site is the id of the site.
func Translate(tree, ours []*Statement, site int64) (out []*Statement, changes []string) {
	t := translator{server: mainServer(ours), prefix: Bounds{Site: site}.prefix(), names: map[string]string{}}
	if t.server == nil {
		return tree, nil
	}
	walk(tree, func(s *Statement) { t.stapling = t.stapling || s.Name() == "ssl_stapling" })
	walk(ours, func(s *Statement) { t.tls = t.tls || s.Name() == "listen" && secure(s) })
	if mainServer(tree) == nil && fragment(tree) {
		tree = t.within(tree, ours)
	}
	t.upgrades(tree)
	out = t.renamed(t.block(t.homed(t.spelled(t.reached(tree)), ownProgram(ours)), false))
	slices.SortStableFunc(t.changes, func(a, b change) int { return a.line - b.line })
	for _, c := range t.changes {
		changes = append(changes, fmt.Sprintf("Line %d: %s", c.line, c.what))
	}
	return out, changes
}

// upgrades gives $connection_upgrade, which guides to web sockets define by a map elsewhere, the meaning of ours where the text has no map of its own.
func (t *translator) upgrades(tree []*Statement) {
	const theirs = "$connection_upgrade"
	line, own := 0, false
	walk(tree, func(s *Statement) {
		for _, w := range s.Args() {
			if s.Name() == "map" && w == theirs {
				own = true
			} else if line == 0 && w == theirs {
				line = s.Line
			}
		}
	})
	if line > 0 && !own {
		t.names[theirs] = "$hostler_connection"
		t.say(line, "%s is $hostler_connection here", theirs)
	}
}

// spelled gives names with letters of a language their ASCII form (RFC 5890), in which browsers send them.
func (t *translator) spelled(tree []*Statement) []*Statement {
	return clone(tree, func(s *Statement) {
		if s.Name() != "server_name" {
			return
		}
		for i, word := range s.Words[1:] {
			bare := strings.TrimPrefix(word.Text, "*.")
			sent, err := value.ParseDomain(bare)
			if err != nil || !strings.ContainsFunc(bare, func(r rune) bool { return r >= utf8.RuneSelf }) {
				continue
			}
			s.Words[i+1].Text = strings.TrimSuffix(word.Text, bare) + sent.String()
			t.say(s.Line, "browsers send %q as %s", bare, sent)
		}
	})
}

// hereNames are names of a computer's own programs: of any of its addresses, and what Docker calls the computer in a container.
var hereNames = map[string]bool{"0.0.0.0": true, "host.docker.internal": true}

// container matches the name of a container, or of /etc/hosts: no domain. docker compose has such names.
var container = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// ownProgram returns the upstream of the site's program in our text, "" if it has none.
func ownProgram(ours []*Statement) (found string) {
	walk(ours, func(s *Statement) {
		if s.Name() == "proxy_pass" && len(s.Args()) == 1 {
			if name, ok := strings.CutPrefix(s.Args()[0], "http://"); ok && container.MatchString(name) {
				found = name
			}
		}
	})
	return found
}

// homed leads what is proxied to a name of this computer, or of a container of the other one, to the site's program, or to the port of the same number here.
// Whether that is one of the site's own is judged afterwards, as for an address that was written.
func (t *translator) homed(tree []*Statement, program string) []*Statement {
	own := map[string]bool{"localhost": true, "unix": true}
	walk(tree, func(s *Statement) {
		if s.Name() == "upstream" && len(s.Args()) == 1 {
			own[s.Args()[0]] = true
		}
	})
	return clone(tree, func(s *Statement) {
		if s.Name() != "proxy_pass" && (s.Name() != "server" || s.Block) || len(s.Words) < 2 {
			return
		}
		scheme, rest, found := strings.Cut(s.Words[1].Text, "://")
		if !found {
			scheme, rest = "", s.Words[1].Text
		}
		authority, tail := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			authority, tail = rest[:i], rest[i:]
		}
		host, port, found := strings.Cut(authority, ":")
		if !found || own[host] || !hereNames[host] && !container.MatchString(host) || !numeric.MatchString(port) {
			return
		}
		to := "127.0.0.1:" + port
		if scheme == "http" && program != "" {
			to = program
		}
		if s.Words[1].Text = to + tail; scheme != "" {
			s.Words[1].Text = scheme + "://" + s.Words[1].Text
		}
		t.say(s.Line, "%q is a name of a container or of this computer: the site's own program at %s is meant", host, to)
	})
}

// numeric matches a port.
var numeric = regexp.MustCompile(`^[0-9]{1,5}$`)

type change struct {
	line int
	what string
}

type translator struct {
	server   *Statement // ours
	tls      bool       // the domain has a certificate
	stapling bool       // the text has OCSP stapling
	prefix   string     // of names that a site defines
	names    map[string]string
	changes  []change
}

func (t *translator) say(line int, format string, args ...any) {
	t.changes = append(t.changes, change{line, fmt.Sprintf(format, args...)})
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

// theirInclude reports whether a statement includes the files that another product writes for a site.
func theirInclude(s *Statement) bool {
	return s.Name() == "include" && len(s.Words) > 1 && strings.HasPrefix(strings.TrimPrefix(s.Words[1].Text, "/etc/nginx/"), "forge-conf/")
}

// frame are the directives of our server block that a text which is the whole inside of one does not replace.
var frame = []string{"listen", "server_name", "server_tokens", "root", "disable_symlinks", "include", "ssl_certificate", "ssl_certificate_key", ""}

// within puts a text without a server block into ours. One that includes the other product's files for a server block is the whole inside of one: of ours it
// keeps the frame. Of others, each directive and location takes the place of ours.
func (t *translator) within(tree, ours []*Statement) []*Statement {
	var beside, inside []*Statement
	line, whole, programs := 0, false, false
	has := map[string]bool{}
	for _, s := range tree {
		if outside[s.Name()] {
			beside = append(beside, s)
			continue
		}
		inside = append(inside, s)
		if line == 0 && s.Name() != "" {
			line = s.Line
		}
		whole = whole || theirInclude(s)
		walk(s.Body, func(s *Statement) { programs = programs || s.Name() == "fastcgi_pass" })
		if has[key(s)] = true; !s.Block && s.Name() != "add_header" && s.Name() != "include" {
			has[s.Name()] = true
		}
	}
	t.say(line, "what has no server block is put into the site's own")
	out := beside
	for _, s := range ours {
		if s == t.server {
			copied := *s
			copied.Body = nil
			for _, own := range s.Body {
				challenge := own.Block && strings.Contains(key(own), "acme-challenge")
				runs := false
				walk(own.Body, func(s *Statement) { runs = runs || s.Name() == "fastcgi_pass" })
				switch {
				case challenge:
				case has[key(own)], !own.Block && has[own.Name()], runs && programs, whole && !slices.Contains(frame, own.Name()):
					continue
				}
				copied.Body = append(copied.Body, own)
			}
			copied.Body = append(copied.Body, inside...)
			s = &copied
		}
		out = append(out, s)
	}
	return out
}

// secure reports whether a listen is for TLS.
func secure(s *Statement) bool { return slices.Contains(s.Args(), "ssl") }

// reached gives the server blocks of a domain without a certificate, which listen for TLS, the addresses of ours, and leaves out those that only lead there.
func (t *translator) reached(tree []*Statement) []*Statement {
	if t.tls {
		return tree
	}
	listens := false
	for _, s := range tree {
		walk(s.Body, func(s *Statement) { listens = listens || s.Name() == "listen" && secure(s) })
	}
	if !listens {
		return tree
	}
	var out []*Statement
	for _, s := range tree {
		if s.Name() != "server" {
			out = append(out, s)
			continue
		}
		if leadsToTLS(s) {
			t.say(s.Line, "a server that leads to HTTPS is left out: the domain has no certificate yet")
			continue
		}
		copied := *s
		copied.Body = nil
		plain := false
		for _, inner := range s.Body {
			plain = plain || inner.Name() == "listen" && !secure(inner)
		}
		for _, inner := range s.Body {
			if inner.Name() != "listen" || !secure(inner) {
				copied.Body = append(copied.Body, inner)
				continue
			}
			t.say(inner.Line, "listen %s is left out: the domain has no certificate yet", strings.Join(inner.Args(), " "))
			if !plain {
				copied.Body, plain = append(copied.Body, t.ours("listen")...), true
			}
		}
		out = append(out, &copied)
	}
	return out
}

// leadsToTLS reports whether a server block serves nothing, and leads visitors to HTTPS.
func leadsToTLS(s *Statement) bool {
	leads, serves := false, false
	walk(s.Body, func(s *Statement) {
		switch s.Name() {
		case "return", "rewrite":
			leads = leads || strings.Contains(key(s), "https://")
		case "root", "alias", "proxy_pass", "fastcgi_pass", "try_files":
			serves = true
		}
		serves = serves || s.Name() == "listen" && secure(s)
	})
	return leads && !serves
}

// block translates the statements of a block.
func (t *translator) block(tree []*Statement, inServer bool) []*Statement {
	var out []*Statement
	included := false
	for _, s := range tree {
		t.define(s)
		if s.Block {
			copied := *s
			copied.Body = t.named(s, t.block(s.Body, inServer || s.Name() == "server"), inServer)
			out = append(out, &copied)
			continue
		}
		as, known := t.known(s)
		switch {
		case !known && s.Name() == "fastcgi_pass":
			out = append(append(out, s), t.parameters(tree, s.Line)...)
		case !known:
			out = append(out, s)
		case theirInclude(s):
			if inServer && !included {
				included = true
				out = append(out, t.lacking(tree)...)
			}
			t.say(s.Line, "include %s is done by Hostler's own includes", strings.Join(s.Args(), " "))
		case len(as) == 0:
			t.say(s.Line, "%s is left out: Hostler sets it", s.Name())
		case s.Name() == "listen":
			out = append(out, as...)
			t.say(s.Line, "parameters of listen are left out: they are those of the server")
		case s.Name() == "fastcgi_pass":
			out = append(append(out, as...), t.parameters(tree, s.Line)...)
			t.say(s.Line, "fastcgi_pass is that of the site here")
		default:
			out = append(out, as...)
			t.say(s.Line, "%s is that of the site here", s.Name())
		}
	}
	return out
}

// named gives a server block that is for any name, or for none, those of ours: the only ones that lead to it here.
func (t *translator) named(s *Statement, body []*Statement, inServer bool) []*Statement {
	if s.Name() != "server" || inServer || len(s.Args()) > 0 || len(t.ours("server_name")) == 0 {
		return body
	}
	var out []*Statement
	for _, inner := range body {
		if inner.Name() == "server_name" {
			if any := inner.Args(); len(any) != 1 || any[0] != "_" && any[0] != "localhost" && any[0] != "" {
				return body
			}
			continue
		}
		out = append(out, inner)
	}
	t.say(s.Line, "server_name is that of the site here")
	return append(slices.Clone(t.ours("server_name")[:1]), out...)
}

// theirPool matches the sockets of PHP as other servers name them. One with a name that Hostler gives stays, to be judged.
var theirPool = regexp.MustCompile(`^unix:(/var)?/run/php(-fpm)?/([a-z0-9._-]+)\.sock$`)

// known returns what stands in our text for a statement of theirs.
func (t *translator) known(s *Statement) (as []*Statement, known bool) {
	args := s.Args()
	if len(args) == 0 {
		return nil, false
	}
	first := args[0]
	switch s.Name() {
	case "include":
		return nil, theirInclude(s) || strings.HasPrefix(first, "/etc/letsencrypt/")
	case "ssl_session_cache":
		return nil, strings.HasPrefix(first, "shared:") && !strings.HasPrefix(first, "shared:hostler")
	case "ssl_stapling", "ssl_stapling_verify":
		return nil, first == "on"
	case "resolver", "resolver_timeout", "ssl_trusted_certificate":
		return nil, t.stapling // they are for that alone, in what generators write
	case "ssl_dhparam":
		return nil, strings.HasPrefix(first, "/etc/nginx/") || strings.HasPrefix(first, "/etc/letsencrypt/") || strings.HasPrefix(first, "/etc/ssl/")
	case "listen":
		return t.listen(s)
	case "error_log", "access_log":
		if !strings.HasPrefix(first, "/var/log/nginx/") {
			return nil, false
		}
	case "ssl_certificate", "ssl_certificate_key":
		if !strings.HasPrefix(first, "/etc/nginx/ssl/") && !strings.HasPrefix(first, "/etc/letsencrypt/") {
			return nil, false
		}
	case "fastcgi_pass":
		if m := theirPool.FindStringSubmatch(first); m == nil || strings.HasPrefix(m[3], "hostler-") {
			return nil, false
		}
	default:
		return nil, false
	}
	found := t.ours(s.Name())
	for _, own := range found {
		if key(own) == key(s) || own.Words[1].Text == first {
			return nil, false // it is ours already
		}
	}
	if s.Name() == "fastcgi_pass" && len(found) == 0 {
		return nil, false
	}
	found = found[:min(1, len(found))]
	if len(found) == 1 && s.Name() == "access_log" && len(args) > 1 { // with a format of their own
		own := *found[0]
		own.Words = append(slices.Clone(own.Words[:2]), s.Words[2:]...)
		found = []*Statement{&own}
	}
	return found, true
}

// listen returns a listen without the parameter that the socket has already.
func (t *translator) listen(s *Statement) (as []*Statement, known bool) {
	i := slices.IndexFunc(s.Words, func(w Word) bool { return w.Text == "ipv6only=on" })
	if i < 0 {
		return nil, false
	}
	own := *s
	own.Words = slices.Delete(slices.Clone(s.Words), i, i+1)
	return []*Statement{&own}, true
}

// parameters returns those of ours that tell PHP which file to run, for a block that leaves them to a file: fastcgi_params of Debian and Ubuntu has them not,
// and PHP would answer with an empty page.
func (t *translator) parameters(block []*Statement, line int) (out []*Statement) {
	included := false
	for _, s := range block {
		switch {
		case len(s.Words) < 2:
		case s.Name() == "fastcgi_param" && s.Words[1].Text == "SCRIPT_FILENAME":
			return nil
		case s.Name() == "include":
			file := path.Base(s.Words[1].Text)
			if included = included || file == "fastcgi_params"; file == "fastcgi.conf" || file == "fastcgi-php.conf" {
				return nil
			}
		}
	}
	if !included {
		return nil
	}
	for _, s := range t.ours("fastcgi_param") {
		if name := s.Words[1].Text; name == "SCRIPT_FILENAME" || name == "DOCUMENT_ROOT" {
			out = append(out, s)
		}
	}
	if len(out) > 0 {
		t.say(line, "SCRIPT_FILENAME is added: fastcgi_params does not have it here")
	}
	return out
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

// define notes the name that a statement gives to something, of which nginx has one for all sites. Variables are noted with their dollar sign.
func (t *translator) define(s *Statement) {
	args := s.Args()
	if len(args) == 0 {
		return
	}
	name := ""
	switch s.Name() {
	case "log_format", "upstream":
		name = args[0]
	case "limit_req_zone", "limit_conn_zone", "proxy_cache_path", "fastcgi_cache_path":
		for _, a := range args {
			if key, v, _ := strings.Cut(a, "="); key == "zone" || key == "keys_zone" {
				name, _, _ = strings.Cut(v, ":")
			}
		}
	case "map", "geo", "split_clients":
		if name = args[len(args)-1]; !single.MatchString(name) {
			return
		}
	}
	plain := strings.TrimPrefix(name, "$")
	if !word.MatchString(plain) || strings.HasPrefix(plain, t.prefix) || strings.HasPrefix(plain, "hostler_") || t.names[name] != "" {
		return
	}
	t.names[name] = strings.TrimSuffix(name, plain) + t.prefix + plain
	t.say(s.Line, "%s is %s here, since nginx has one of the name for all sites", name, t.names[name])
}

// renamed gives what a text defines the site's names, wherever it is named.
func (t *translator) renamed(tree []*Statement) []*Statement {
	if len(t.names) == 0 {
		return tree
	}
	name := func(old string) string { return cmp.Or(t.names[old], old) }
	return clone(tree, func(s *Statement) {
		for i := range s.Words {
			w := &s.Words[i]
			w.Text = reference.ReplaceAllStringFunc(w.Text, func(ref string) string {
				plain := "$" + strings.Trim(ref, "${}")
				if t.names[plain] == "" {
					return ref
				}
				return "${" + t.names[plain][1:] + "}"
			})
			if single.MatchString(strings.NewReplacer("{", "", "}", "").Replace(w.Text)) {
				w.Text = strings.NewReplacer("{", "", "}", "").Replace(w.Text)
			}
			if i == 0 {
				continue
			}
			switch s.Name() {
			case "log_format", "upstream", "limit_conn", "proxy_cache", "fastcgi_cache", "fastcgi_pass":
				if i == 1 {
					w.Text = name(w.Text)
				}
			case "access_log":
				if i == 2 {
					w.Text = name(w.Text)
				}
			case "limit_req_zone", "limit_conn_zone", "limit_req", "proxy_cache_path", "fastcgi_cache_path":
				if key, v, found := strings.Cut(w.Text, "="); found && (key == "zone" || key == "keys_zone") {
					zone, size, sized := strings.Cut(v, ":")
					if w.Text = key + "=" + name(zone); sized {
						w.Text += ":" + size
					}
				}
			case "proxy_pass":
				if scheme, rest, found := strings.Cut(w.Text, "://"); found {
					host, path, deep := strings.Cut(rest, "/")
					if w.Text = scheme + "://" + name(host); deep {
						w.Text += "/" + path
					}
				}
			}
		}
	})
}
