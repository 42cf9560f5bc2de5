package nginxconf

import (
	"regexp"
	"strconv"
	"strings"
)

// builtin are nginx's variables that describe the request, the connection or nginx itself.
var builtin = set(`args binary_remote_addr body_bytes_sent bytes_sent connection connection_requests connection_time content_length content_type
	date_gmt date_local document_root document_uri fastcgi_path_info fastcgi_script_name gzip_ratio host hostname http2 https invalid_referer is_args
	limit_conn_status limit_rate limit_req_status msec nginx_version pid pipe proxy_add_x_forwarded_for proxy_host proxy_internal_body_length proxy_port
	proxy_protocol_addr proxy_protocol_port proxy_protocol_server_addr proxy_protocol_server_port query_string realip_remote_addr realip_remote_port
	realpath_root remote_addr remote_port remote_user request request_body request_body_file request_completion request_filename request_id request_length
	request_method request_time request_uri scheme secure_link secure_link_expires server_addr server_name server_port server_protocol status
	tcpinfo_rcv_space tcpinfo_rtt tcpinfo_rttvar tcpinfo_snd_cwnd time_iso8601 time_local uri
	hostler_upgrade hostler_connection hostler_connection_kept`)

// families are the prefixes of variables that nginx derives from their names. A site that set one would change it for every site:
// nginx has one table of variables, and one that is set is no longer read from the request.
var families = []string{"arg_", "cookie_", "http_", "sent_http_", "sent_trailer_", "upstream_", "ssl_", "proxy_protocol_tlv_"}

var (
	reference = regexp.MustCompile(`\$(?:\{([A-Za-z0-9_]*)\}?|([A-Za-z0-9_]+))`)
	group     = regexp.MustCompile(`\(\?(?:P?<([A-Za-z0-9_]+)|'([A-Za-z0-9_]+))`)
	single    = regexp.MustCompile(`^\$[A-Za-z0-9_]+$`)
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// references returns the variables that a word names, in lower case like nginx. "$1" is a group of the last expression.
func references(text string) []string {
	var out []string
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(m[1] + m[2])
		if name == "" || name[0] >= '1' && name[0] <= '9' {
			continue
		}
		out = append(out, name)
	}
	return out
}

// groups returns the names of an expression's groups.
func groups(text string) []string {
	var out []string
	for _, m := range group.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

func isFamily(name string) bool {
	for _, f := range families {
		if strings.HasPrefix(name, f) {
			return true
		}
	}
	return false
}

func (j *judge) readable(name string) bool {
	id := strconv.FormatInt(j.Site, 10)
	return builtin[name] || isFamily(name) || j.variables[name] || j.given[name] || name == "hostler_realm_"+id || name == "hostler_users_"+id
}

// declare records what a statement defines.
func (j *judge) declare(s *Statement) {
	args := s.Args()
	for _, a := range args {
		for _, name := range groups(a) {
			if name = strings.ToLower(name); j.isOwn(name) {
				j.variables[name] = true
			}
		}
	}
	variable := func(i int, own func(string) bool) {
		if i < len(args) && single.MatchString(args[i]) {
			if name := strings.ToLower(args[i][1:]); own(name) {
				j.variables[name] = true
			}
		}
	}
	switch s.Name() {
	case "set", "auth_request_set":
		variable(0, j.settable)
	case "map", "split_clients":
		variable(1, j.isOwn)
	case "geo":
		variable(len(args)-1, j.isOwn)
	case "upstream":
		if len(args) == 1 {
			j.upstreams[args[0]] = true
		}
	case "log_format":
		if len(args) > 0 {
			j.formats[args[0]] = true
		}
	case "limit_req_zone", "limit_conn_zone", "proxy_cache_path", "fastcgi_cache_path":
		for _, a := range args {
			for _, p := range []string{"zone=", "keys_zone="} {
				if rest, ok := strings.CutPrefix(a, p); ok {
					name, _, _ := strings.Cut(rest, ":")
					j.zones[name] = true
				}
			}
		}
	}
}

// isOwn reports whether only this site can have a name.
func (j *judge) isOwn(name string) bool { return strings.HasPrefix(name, j.prefix()) }

// settable reports whether "set" is allowed for a variable. Its value belongs to the request; its name is known to all sites.
func (j *judge) settable(name string) bool {
	switch {
	case strings.HasPrefix(name, "hostler_"), isFamily(name):
		return false
	case strings.HasPrefix(name, "site_"):
		return j.isOwn(name)
	case name == "args" || name == "limit_rate":
		return true
	}
	return !builtin[name]
}
