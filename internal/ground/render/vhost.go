package render

import (
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// ACMEDirectory contains the files of http-01 challenges (RFC 8555 section 8.3), named by their tokens.
const ACMEDirectory = "/var/lib/hostler/acme-challenge"

// Policies for the name with and without "www.", by their names in the contract.
const (
	WWWFrom = "from-www" // www.example.com redirects to example.com
	WWWTo   = "to-www"   // example.com redirects to www.example.com
	WWWNone = "none"     // www.example.com is not ours, unless through a wildcard
)

// VhostInput is one domain of a site. Exactly one of Static, PHP, Proxy and Balancer is set.
type VhostInput struct {
	Version  NginxVersion
	NoIPv6   bool // as in CatchAllInput
	SiteID   int64
	Domain   value.Domain
	Wildcard bool   // all subdomains too
	WWW      string // "" is WWWNone
	TLS      *TLS   // nil: plain HTTP only

	MaxUploadMB         int // 0: nginx's default
	MaxExecutionSeconds int // 0: nginx's default

	Static   *Static
	PHP      *PHP
	Proxy    *Proxy
	Balancer *Balancer

	// Balanced tells that requests come through load balancers of ours, and NginxBalancers is included.
	Balanced bool
}

// TLS are the files of the active certificate, the chain and the key, as PEM.
type TLS struct {
	Certificate, Key value.AbsPath
	Redirect         bool // plain HTTP redirects to HTTPS
}

// Static is a site of files.
type Static struct{ Root value.AbsPath }

// PHP is a site with a front controller index.php.
type PHP struct {
	Root value.AbsPath // may be below a link that deployments switch
	Pool Pool          // as in PoolInput
}

// Proxy is a site that is served by a program on a local port.
type Proxy struct {
	Port value.Port
	// Switched is set instead of Port if the port changes with each deployment: ServiceUpstream then names it.
	Switched bool
	Root     value.AbsPath // nginx serves files below it; empty: the program serves everything
}

// Balancer is a site whose nodes are in NginxUpstream.
type Balancer struct {
	Empty     bool // has no nodes
	Keepalive bool // the upstream keeps connections open
}

// AccessLog returns the access log of a site, for all of its domains.
func AccessLog(siteID int64) string {
	return fmt.Sprintf("/var/log/nginx/hostler-%d-access.log", siteID)
}

// ErrorLog returns the error log of a site, for all of its domains.
func ErrorLog(siteID int64) string {
	return fmt.Sprintf("/var/log/nginx/hostler-%d-error.log", siteID)
}

// NginxVhost returns the file of one domain: the vhost, one that redirects from the other www name, and one that redirects from
// plain HTTP to HTTPS. All of them answer http-01 challenges, so that certificates can be renewed whatever the policies.
func NginxVhost(in VhostInput) (string, error) {
	c := conf{version: in.Version, noIPv6: in.NoIPv6}
	count := 0
	for _, set := range []bool{in.Static != nil, in.PHP != nil, in.Proxy != nil, in.Balancer != nil} {
		if set {
			count++
		}
	}
	switch {
	case in.SiteID <= 0 || in.Domain.IsZero() || in.Version == NginxVersion{}:
		return "", errors.New("a vhost needs a site, a domain and the version of nginx")
	case count != 1:
		return "", errors.New("a vhost needs exactly one kind")
	case in.TLS != nil && (in.TLS.Certificate.IsZero() || in.TLS.Key.IsZero()):
		return "", errors.New("TLS needs a certificate and a key")
	case in.MaxUploadMB < 0 || in.MaxExecutionSeconds < 0:
		return "", errors.New("a limit can't be negative")
	}
	main, other := in.Domain, value.Domain{}
	if www, ok := in.Domain.WithWWW(); ok {
		switch in.WWW {
		case WWWFrom:
			other = www
		case WWWTo:
			main, other = www, in.Domain
		case WWWNone, "":
		default:
			return "", fmt.Errorf("%q is no policy for www", in.WWW)
		}
	}
	names := main.String()
	if in.Wildcard {
		names += " *." + in.Domain.String() // an exact name in another vhost wins (nginx.org/en/docs/http/server_names.html)
	}
	redirects := in.TLS != nil && in.TLS.Redirect

	c.line("# Written by Hostler; changes are overwritten. Put directives of your own into files in")
	c.line("# /etc/nginx/hostler-conf/%d/server.", in.SiteID)
	if !other.IsZero() {
		scheme := in.scheme()
		if redirects && !in.Balanced {
			scheme = "https"
		}
		c.redirect(in, other.String(), scheme+"://"+main.String(), true)
	}
	if redirects && !in.Balanced {
		c.redirect(in, names, "https://$host", false)
	}
	c.open("server")
	if !redirects || in.Balanced {
		c.listen("80")
	}
	c.head(in, names, in.TLS != nil)
	if redirects && in.Balanced { // not what a balancer has received over TLS: it would be redirected in a loop
		c.open("if ($hostler_plain_%d)", in.SiteID)
		c.line("return 301 https://$host$request_uri;")
		c.close()
	}
	if in.MaxUploadMB > 0 {
		c.line("client_max_body_size %dm;", in.MaxUploadMB)
	} else if in.Balancer != nil {
		c.line("client_max_body_size 0;") // the nodes decide
	}
	c.acme()
	switch {
	case in.Static != nil:
		c.static(in.Static)
	case in.PHP != nil:
		c.php(in, in.MaxExecutionSeconds)
	case in.Proxy != nil:
		c.proxy(in, in.MaxExecutionSeconds)
	default:
		c.balancer(in.SiteID, in.Balancer, in.MaxExecutionSeconds)
	}
	c.line("include /etc/nginx/hostler-conf/%d/server/*.conf;", in.SiteID)
	c.close()
	return c.b.String(), c.err
}

// scheme and port return the variables that say how the visitor's request was received: here, or by a balancer in front.
func (in VhostInput) scheme() string {
	if in.Balanced {
		return fmt.Sprintf("$hostler_scheme_%d", in.SiteID)
	}
	return "$scheme"
}

func (in VhostInput) port() string {
	if in.Balanced {
		return fmt.Sprintf("$hostler_port_%d", in.SiteID)
	}
	return "$server_port"
}

// redirect writes a vhost that redirects: for plain HTTP, and for TLS if requested and there is a certificate.
func (c *conf) redirect(in VhostInput, names, target string, tls bool) {
	c.open("server")
	c.listen("80")
	c.head(in, names, tls && in.TLS != nil)
	c.acme()
	c.open("location /")
	c.line("return 301 %s$request_uri;", target)
	c.close()
	c.close()
}

func (c *conf) head(in VhostInput, names string, tls bool) {
	if tls {
		c.listenTLS()
	}
	c.line("server_name %s;", names)
	c.line("server_tokens off;")
	c.line("access_log %s hostler;", AccessLog(in.SiteID))
	c.line("error_log %s;", ErrorLog(in.SiteID))
	if tls {
		c.line("ssl_certificate %s;", c.quote(in.TLS.Certificate.String()))
		c.line("ssl_certificate_key %s;", c.quote(in.TLS.Key.String()))
		c.tlsSettings()
	}
}

// acme writes the challenge location, which takes precedence over redirects, password protection and the application. An error page of its own, for a status
// that nothing has, takes the site's away: a token that is not there is a 404, and not what the application or a password answers in its place.
func (c *conf) acme() {
	c.open("location ^~ /.well-known/acme-challenge/")
	c.line("alias %s/;", ACMEDirectory)
	c.line("default_type text/plain;")
	c.line("auth_basic off;")
	c.line("allow all;")
	c.line("error_page 599 /;")
	c.close()
}

func (c *conf) root(root value.AbsPath) {
	if root.IsZero() {
		c.fail(errors.New("a vhost of files needs their directory"))
	}
	c.line("root %s;", c.quote(root.String()))
	c.line("disable_symlinks if_not_owner;") // a user's link leads only to the user's own files
}

// dotfiles come before other expressions, since the first match is used: /.git/hook.php is not a program.
func (c *conf) dotfiles() {
	c.open(`location ~ /\.(?!well-known(/|$))`)
	c.line("deny all;")
	c.close()
}
