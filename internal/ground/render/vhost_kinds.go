package render

import (
	"errors"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// static serves files. As generators of sites write them, the page /about may be about.html, and what is not there is answered with 404.html if there is one.
func (c *conf) static(in *Static) {
	c.root(in.Root)
	c.line("index index.html index.htm;")
	c.line("charset utf-8;")
	c.line("error_page 404 /404.html;")
	c.dotfiles()
	c.open("location /")
	c.line("try_files $uri $uri.html $uri/ =404;")
	c.close()
}

// php passes existing scripts to the pool, and everything that is not a file to index.php. $realpath_root is the release itself,
// not the link to it: after a switch, running requests keep their files and the opcode cache sees new ones (ngx_http_core_module,
// $realpath_root). HTTP_PROXY is emptied against CVE-2016-5385.
func (c *conf) php(vhost VhostInput, seconds int) {
	in := vhost.PHP
	socket, err := in.Pool.Socket()
	c.fail(err)
	c.root(in.Root)
	c.line("index index.php index.html;")
	c.line("charset utf-8;")
	c.line("error_page 404 /index.php;")
	c.dotfiles()
	c.open("location /")
	c.line("try_files $uri $uri/ /index.php?$query_string;")
	c.close()
	for _, path := range []string{"/favicon.ico", "/robots.txt"} {
		c.open("location = %s", path)
		c.line("access_log off;")
		c.line("log_not_found off;")
		c.line("try_files $uri /index.php?$query_string;")
		c.close()
	}
	c.open(`location ~ \.php$`)
	c.line("try_files $uri =404;")
	c.line("include fastcgi_params;")
	c.line("fastcgi_pass unix:%s;", socket)
	c.line("fastcgi_index index.php;")
	c.line("fastcgi_param SCRIPT_FILENAME $realpath_root$fastcgi_script_name;")
	c.line("fastcgi_param DOCUMENT_ROOT $realpath_root;")
	c.line(`fastcgi_param HTTP_PROXY "";`)
	if vhost.Balanced { // the later of two parameters counts
		c.line("fastcgi_param HTTPS $hostler_https_%d;", vhost.SiteID)
		c.line("fastcgi_param REQUEST_SCHEME %s;", vhost.scheme())
		c.line("fastcgi_param SERVER_PORT %s;", vhost.port())
	}
	c.line("fastcgi_buffer_size 16k;")
	c.line("fastcgi_buffers 16 16k;")
	if seconds > 0 {
		c.line("fastcgi_read_timeout %ds;", seconds)
	}
	c.close()
}

// NginxReverb returns a file for the vhosts of a site that runs a WebSocket server beside its application: the paths of its
// protocol (pusher.com, "Pusher Channels Protocol" and "HTTP API") go to that program.
func NginxReverb(port value.Port) (string, error) {
	c := conf{}
	if port.IsZero() {
		return "", errors.New("a program needs a port")
	}
	c.line("# Written by Hostler; changes are overwritten.")
	for _, path := range []string{"/app/", "/apps/"} {
		c.open("location ^~ %s", path)
		c.pass(VhostInput{}, "http://127.0.0.1:"+port.String(), "$hostler_connection", 0)
		c.close()
	}
	return c.b.String(), c.err
}

// proxy passes everything to the program, including what looks like a PHP file, whose source nginx must not send.
func (c *conf) proxy(vhost VhostInput, seconds int) {
	siteID, in := vhost.SiteID, vhost.Proxy
	if in.Port.IsZero() != in.Switched {
		c.fail(errors.New("a proxy needs a port, or an upstream that says it"))
	}
	target := "http://127.0.0.1:" + in.Port.String()
	if in.Switched {
		target = "http://" + UpstreamName(siteID)
		c.line("error_page 502 504 = @away;")
		c.open("location @away")
		c.line("default_type text/plain;")
		c.line(`add_header Retry-After 10 always;`)
		c.line(`return 503 "The program of this site does not answer.\n";`)
		c.close()
	}
	if in.Root.IsZero() {
		c.open("location /")
		c.pass(vhost, target, "$hostler_connection", seconds)
		c.close()
		return
	}
	c.root(in.Root)
	c.dotfiles()
	c.open(`location ~ \.php$`)
	c.line("try_files /.hostler/none @app;")
	c.close()
	c.open("location /")
	c.line("try_files $uri @app;")
	c.close()
	c.open("location @app")
	c.pass(vhost, target, "$hostler_connection", seconds)
	c.close()
}

// balancer tries another node if one can't be reached or fails before it answers. nginx never does so for requests that aren't
// idempotent once they were sent, nor after 10 s: a slow page on one node must not be tried on all of them in turn.
func (c *conf) balancer(siteID int64, in *Balancer, seconds int) {
	c.open("location /")
	if in.Empty {
		c.line("return 503;")
		c.close()
		return
	}
	connection := "$hostler_connection"
	if in.Keepalive {
		connection = "$hostler_connection_kept"
	}
	c.pass(VhostInput{}, "http://"+UpstreamName(siteID), connection, seconds)
	c.line("proxy_next_upstream error timeout;")
	c.line("proxy_next_upstream_tries 3;")
	c.line("proxy_next_upstream_timeout 10s;")
	c.close()
}

// passSeconds is how long a proxy waits between two pieces of a response, unless a limit is set: what is behind it decides, as with event streams.
const passSeconds = 3600

// pass writes the settings that all proxies share. A client's claims about its origin are replaced, never appended to (RFC 7239 section 8.1); those of
// our balancers have replaced them already. Responses are passed on as they come: nginx would hold back what is written over TLS and HTTP/1.1 until
// 16 KiB are together, header included (ssl_buffer_size). A program that wants its responses buffered says so with X-Accel-Buffering.
func (c *conf) pass(vhost VhostInput, target, connection string, seconds int) {
	c.line("proxy_pass %s;", target)
	c.line("proxy_http_version 1.1;")
	c.line("proxy_set_header Host $host;")
	c.line("proxy_set_header Upgrade $hostler_upgrade;")
	c.line("proxy_set_header Connection %s;", connection)
	c.line("proxy_set_header X-Real-IP $remote_addr;")
	c.line("proxy_set_header X-Forwarded-For $remote_addr;")
	c.line("proxy_set_header X-Forwarded-Proto %s;", vhost.scheme())
	c.line("proxy_set_header X-Forwarded-Host $host;")
	c.line("proxy_set_header X-Forwarded-Port %s;", vhost.port())
	c.line(`proxy_set_header Forwarded "";`)
	c.line(`proxy_set_header Proxy "";`)
	c.line("proxy_redirect off;")
	c.line("proxy_connect_timeout 2s;")
	if seconds <= 0 {
		seconds = passSeconds
	}
	c.line("proxy_read_timeout %ds;", seconds)
	c.line("proxy_buffering off;")
	c.line("proxy_buffer_size 16k;")
	c.line("proxy_buffers 8 16k;")
}
