package render

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// NginxVersion is the version of nginx on a host: it determines the supported settings.
type NginxVersion struct{ major, minor, patch int }

// ParseNginxVersion parses "1.22.1", with or without leading "nginx/" and trailing words of the distribution, as printed by nginx -v.
func ParseNginxVersion(text string) (NginxVersion, error) {
	var v NginxVersion
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text), "nginx version: "), "nginx/")
	if _, err := fmt.Sscanf(text, "%d.%d.%d", &v.major, &v.minor, &v.patch); err != nil || v.major < 1 || v.minor < 0 || v.patch < 0 {
		return NginxVersion{}, fmt.Errorf("%q is no version of nginx", text)
	}
	return v, nil
}

// String returns the version, "1.22.1".
func (v NginxVersion) String() string { return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch) }

// UnmarshalText calls ParseNginxVersion.
func (v *NginxVersion) UnmarshalText(text []byte) (err error) {
	*v, err = ParseNginxVersion(string(text))
	return err
}

func (v NginxVersion) atLeast(least string) bool { return semver.Compare("v"+v.String(), least) >= 0 }

// rejectsHandshake: ssl_reject_handshake came with 1.19.4 (ngx_http_ssl_module).
func (v NginxVersion) rejectsHandshake() bool { return v.atLeast("v1.19.4") }

// http2Directive: "http2 on" came with 1.25.1, which deprecated the parameter of listen (ngx_http_v2_module).
func (v NginxVersion) http2Directive() bool { return v.atLeast("v1.25.1") }

// http2Fields: until 1.19.7 the headers of HTTP/2 had limits of their own (ngx_http_v2_module, "http2_max_field_size").
func (v NginxVersion) http2Fields() bool { return !v.atLeast("v1.19.7") }

// NginxHTTPPath is the path for NginxHTTP: before the site files, in the http block of the main file.
const NginxHTTPPath = "/etc/nginx/conf.d/00-hostler.conf"

// NginxHTTP returns the settings that all vhosts share. Names of up to 253 characters need the larger hash buckets: one that
// doesn't fit fails the whole server (nginx.org/en/docs/hash.html). An Upgrade header is passed on only for WebSockets (RFC 6455
// section 4.1), since passing on any (h2c) would let a client tunnel past the access rules of its vhost.
func NginxHTTP(v NginxVersion) string {
	fields := ""
	if v.http2Fields() {
		fields = "http2_max_field_size 32k;\nhttp2_max_header_size 128k;\n"
	}
	return `# Written by Hostler; changes are overwritten.
server_names_hash_bucket_size 512;
server_names_hash_max_size 8192;

# A line of a request's headers, the first one with its path too: cookies and tokens of single sign-on have more than the 8 KiB that nginx takes otherwise.
large_client_header_buffers 4 32k;
` + fields + `
# Types that mime.types of nginx lacks: browsers run no module, and read no manifest, of another type.
types {
    application/javascript mjs;
    application/json map;
    application/manifest+json webmanifest;
    font/otf otf;
    font/ttf ttf;
    text/vtt vtt;
}
# In addition to text/html, and not text/plain, which programs write bit by bit.
gzip_types application/javascript application/json application/manifest+json application/rss+xml application/wasm application/xml font/otf font/ttf
    image/svg+xml text/css text/javascript text/vtt text/xml;

map $http_upgrade $hostler_upgrade {
    default "";
    ~*^websocket$ websocket;
}
# To upstreams without, and with, connections that are kept alive.
map $http_upgrade $hostler_connection {
    default close;
    ~*^websocket$ upgrade;
}
map $http_upgrade $hostler_connection_kept {
    default "";
    ~*^websocket$ upgrade;
}

log_format hostler '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" '
    '$host $request_time $upstream_addr $upstream_status $upstream_response_time $limit_conn_status';
`
}

// CatchAllInput is the input of the vhost for unknown hosts.
type CatchAllInput struct {
	Version NginxVersion
	NoIPv6  bool // the kernel has no IPv6: nginx refuses to listen on it
}

// NginxCatchAll closes connections to unknown hosts without an answer (444), and refuses their handshakes if nginx can. If it
// can't, port 443 is left out, since it would need a certificate: then the first vhost with TLS answers for unknown names.
func NginxCatchAll(in CatchAllInput) string {
	c := conf{version: in.Version, noIPv6: in.NoIPv6}
	c.line("# Written by Hostler; changes are overwritten.")
	c.open("server")
	c.listen("80", "default_server")
	c.line("server_name _;")
	c.line("server_tokens off;")
	c.line("access_log off;")
	c.line("return 444;")
	c.close()
	if in.Version.rejectsHandshake() {
		c.open("server")
		c.listenTLS("default_server")
		c.line("server_name _;")
		c.line("access_log off;")
		c.tlsSettings()
		c.line("ssl_reject_handshake on;")
		c.close()
	}
	return c.b.String()
}

// conf writes nginx's format: lines, blocks and, through the quoter, textual parameters.
type conf struct {
	b       strings.Builder
	depth   int
	version NginxVersion
	noIPv6  bool
	err     error // the first one
}

func (c *conf) line(format string, args ...any) {
	c.b.WriteString(strings.Repeat("    ", c.depth))
	fmt.Fprintf(&c.b, format+"\n", args...)
}

func (c *conf) open(format string, args ...any) {
	c.line(format+" {", args...)
	c.depth++
}

func (c *conf) close() {
	c.depth--
	c.line("}")
}

func (c *conf) quote(s string) string {
	quoted, err := nginxQuote(s)
	c.fail(err)
	return quoted
}

func (c *conf) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *conf) listen(port string, parameters ...string) {
	rest := strings.Join(append([]string{""}, parameters...), " ")
	c.line("listen %s%s;", port, rest)
	if !c.noIPv6 {
		c.line("listen [::]:%s%s;", port, rest)
	}
}

// listenTLS enables HTTP/2 for every vhost alike, since before 1.25.1 it belongs to the address and not to the vhost.
func (c *conf) listenTLS(parameters ...string) {
	if c.version.http2Directive() {
		c.listen("443", append([]string{"ssl"}, parameters...)...)
		c.line("http2 on;")
		return
	}
	c.listen("443", append([]string{"ssl", "http2"}, parameters...)...)
}

// tlsSettings are the same in every vhost, because several of them count only in the first one of an address. They are not in the
// http block, where Debian's nginx.conf already has ssl_protocols and a second one is an error.
func (c *conf) tlsSettings() {
	c.line("ssl_protocols TLSv1.2 TLSv1.3;")
	c.line("ssl_session_cache shared:hostler:10m;")
	c.line("ssl_session_timeout 1d;")
	c.line("ssl_session_tickets off;")
}
