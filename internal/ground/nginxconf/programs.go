package nginxconf

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var parameter = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// pathParameters are paths that PHP opens, or uses as the directory that it serves.
var pathParameters = set("SCRIPT_FILENAME DOCUMENT_ROOT PATH_TRANSLATED CONTEXT_DOCUMENT_ROOT")

func (j *judge) param(args []string) {
	if len(args) < 2 {
		return
	}
	name, v := strings.ToUpper(args[0]), args[1]
	switch {
	case !parameter.MatchString(name):
		j.refuse(quoted(args[0]) + " is no name of a parameter")
	case name == "PHP_VALUE" || name == "PHP_ADMIN_VALUE":
		j.refuse(name + " would change the settings of PHP, and what it runs, from here")
	case pathParameters[name] && !documentPath.MatchString(v) && v != "$request_filename" &&
		v != "$document_root$fastcgi_path_info" && !j.below(v) || pathParameters[name] && strings.Contains(v, ".."):
		j.refuse(name + " must be $document_root or $realpath_root, with $fastcgi_script_name or a fixed path behind it")
	}
}

func (j *judge) fastcgiPass(args []string) {
	if len(args) != 1 {
		return
	}
	socket, ok := strings.CutPrefix(args[0], "unix:")
	if ok && slices.Contains(j.Sockets, socket) || j.upstreams[args[0]] {
		return
	}
	said := "; the site has none"
	if len(j.Sockets) > 0 {
		said = ": unix:" + j.Sockets[0]
	}
	j.refuse("fastcgi_pass can only lead to the site's own PHP pool" + said)
}

var target = regexp.MustCompile(`^(https?)://([^/$?#@\\\s]+)(/.*)?$`)

func (j *judge) proxyPass(args []string) {
	if len(args) != 1 {
		return
	}
	m := target.FindStringSubmatch(args[0])
	if m == nil && strings.HasSuffix(args[0], "$request_uri") {
		j.refuse("proxy_pass must not end with $request_uri: without it, nginx passes the same on")
		return
	}
	if m == nil {
		j.refuse("proxy_pass must be http:// or https://, an address, and nothing or a path that begins with /")
		return
	}
	j.leads(m[2], map[string]int64{"http": 80, "https": 443}[m[1]])
}

// node checks a server of an upstream.
func (j *judge) node() {
	args := j.at.Args()
	if j.at.Block || len(args) == 0 {
		j.refuse("a server of an upstream is an address with parameters")
		return
	}
	if socket, ok := strings.CutPrefix(args[0], "unix:"); ok && slices.Contains(j.Sockets, socket) {
		return
	}
	j.leads(args[0], 80)
	for _, a := range args[1:] {
		if name, _, _ := strings.Cut(a, "="); !slices.Contains([]string{"weight", "max_fails", "fail_timeout", "max_conns", "backup", "down"}, name) {
			j.refuse(quoted(a) + " can't be said of a server of an upstream")
		}
	}
}

// leads refuses destinations that a request must not be sent to: listeners on the server itself other than the site's own
// programs, networks that are not public, and names, which can resolve to anything.
func (j *judge) leads(authority string, port int64) {
	if slices.Contains(j.Upstreams, authority) || j.upstreams[authority] && strings.HasPrefix(authority, j.prefix()) {
		return
	}
	if strings.HasPrefix(authority, "unix:") {
		j.refuse(j.at.Name() + " must be an address: sockets belong to programs of others")
		return
	}
	host, text := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		host, text = authority[:i], authority[i+1:]
	}
	if text != "" || strings.HasSuffix(authority, ":") {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 || text[0] == '0' {
			j.refuse(quoted(authority) + " has no port that can be used")
			return
		}
		port = int64(n)
	}
	if host == "localhost" || host == "127.0.0.1" || host == "[::1]" {
		if !slices.Contains(j.Ports, port) {
			j.refuse(fmt.Sprintf("port %d of the server itself is none of the site's own%s", port, j.ports()))
		}
		return
	}
	bracketed := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	switch {
	case err != nil || address.Is6() != bracketed || address.Zone() != "":
		j.refuse(quoted(host) + " must be an address: nginx would not start while a name can't be looked up, and it could lead to the server itself. " +
			"Write the address, and the name in proxy_set_header Host and proxy_ssl_name")
	case !isPublic(address) || slices.Contains(j.Addresses, address.Unmap()):
		j.refuse(quoted(host) + " is not a public address outside the server")
	}
}

func (j *judge) ports() string {
	if len(j.Ports) == 0 {
		return ", which has none: choose a type with a program of its own, such as Node.js"
	}
	words := make([]string, len(j.Ports))
	for i, p := range j.Ports {
		words[i] = strconv.FormatInt(p, 10)
	}
	said := ", which are " + strings.Join(words, ", ")
	if len(j.Upstreams) > 0 {
		said += ": http://" + j.Upstreams[0] + " leads to its program"
	}
	return said
}

// special are networks that are not public, in addition to those that netip knows (RFC 6890), and those that embed other addresses.
var special = func() []netip.Prefix {
	var out []netip.Prefix
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "::/96", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}()

func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}
