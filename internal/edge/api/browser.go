package api

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// CSRFHeader must be on every request that changes something with a session's cookie, or that signs in; its value is arbitrary. A
// page of another site can't set it: the browser would send a preflight first, which is refused, as no other origin is allowed
// here.
const CSRFHeader = "X-Hostler-Csrf"

var errForged = errorOf(http.StatusForbidden, "This request must come from the dashboard itself: send the header "+CSRFHeader+".")

// forgery refuses what another site could have made a browser send. Two checks must pass: the header, which other sites can't
// set, and net/http's check of Sec-Fetch-Site and Origin.
type forgery struct {
	own     string // the origin that callers see, which a proxy may hide from Host
	origins *http.CrossOriginProtection
}

// newForgery also trusts a dashboard that is served elsewhere. A text that is not an origin is not trusted.
func newForgery(base *url.URL, dashboard string) forgery {
	f := forgery{base.Scheme + "://" + base.Host, http.NewCrossOriginProtection()}
	_ = f.origins.AddTrustedOrigin(dashboard)
	return f
}

func (f forgery) check(req *http.Request) error {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return nil
	}
	site := req.Header.Get("Sec-Fetch-Site")
	// A dashboard is below the same site: the session's cookie is valid for no other.
	if req.Header.Get(CSRFHeader) == "" || site == "cross-site" {
		return errForged
	}
	if site == "" && req.Header.Get("Origin") == f.own {
		return nil
	}
	if f.origins.Check(req) != nil {
		return errForged
	}
	return nil
}

// What a page of an allowed origin can send, and read of answers.
const (
	corsMethods = "GET, POST, PUT, DELETE"
	corsSends   = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, " + PlanHeader + ", " + CSRFHeader
	corsReads   = "ETag, Location, Retry-After, WWW-Authenticate, X-Hostler-Event, " + IgnoredHeader +
		", X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id"
	corsMinutes = "600" // seconds
)

// WithOrigins lets only pages of these origins read answers (WHATWG Fetch, 3.2). An origin is a scheme and a host.
func WithOrigins(origins []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h, origin := w.Header(), req.Header.Get("Origin")
		h.Add("Vary", "Origin")
		if origin == "" || !slices.Contains(origins, origin) {
			next.ServeHTTP(w, req)
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
		if req.Method == http.MethodOptions && req.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", corsMethods)
			h.Set("Access-Control-Allow-Headers", corsSends)
			h.Set("Access-Control-Max-Age", corsMinutes)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		h.Set("Access-Control-Expose-Headers", corsReads)
		next.ServeHTTP(w, req)
	})
}

const keyAddress contextKey = 100

// ClientAddress returns the address that a request comes from.
func ClientAddress(ctx context.Context) string {
	a, _ := ctx.Value(keyAddress).(string)
	return a
}

// ClientNetwork returns the unit in which anonymous callers are counted: the address, or for IPv6 the network that one customer has (RFC 6177).
func ClientNetwork(ctx context.Context) string {
	address := ClientAddress(ctx)
	if a, err := netip.ParseAddr(address); err == nil && a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return address
}

// WithClientAddress determines where requests come from. X-Forwarded-For counts only as far as trusted proxies wrote it: the
// address is the last one that is not a trusted proxy.
func WithClientAddress(trusted []netip.Prefix, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		next.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), keyAddress, clientAddress(trusted, req))))
	})
}

func clientAddress(trusted []netip.Prefix, req *http.Request) string {
	host, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		return req.RemoteAddr
	}
	isTrusted := func(text string) bool {
		a, err := netip.ParseAddr(text)
		return err == nil && slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a.Unmap()) })
	}
	chain := strings.Split(strings.Join(req.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(chain) - 1; i >= 0 && isTrusted(host); i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(chain[i]))
		if err != nil {
			break
		}
		host = a.Unmap().String()
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().WithZone("").String()
	}
	return host
}
