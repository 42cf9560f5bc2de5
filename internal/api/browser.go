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

// CSRFHeader must be on every request that changes something with a session's cookie, or that signs in; its value is free. A page of
// another site can't set it: the browser would ask first, and is told no, as nothing here allows other origins.
const CSRFHeader = "X-Hostler-Csrf"

var errForged = errorOf(http.StatusForbidden, "This request must come from the dashboard itself: send the header "+CSRFHeader+".")

// checkForgery refuses what another site could have made a browser send. Three things must agree: the header, which other sites can't set,
// Sec-Fetch-Site and Origin, where the browser sends them.
func checkForgery(base *url.URL, req *http.Request) error {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return nil
	}
	if req.Header.Get(CSRFHeader) == "" {
		return errForged
	}
	if site := req.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return errForged
	}
	if origin := req.Header.Get("Origin"); origin != "" && origin != base.Scheme+"://"+base.Host {
		return errForged
	}
	return nil
}

const keyAddress contextKey = 100

// ClientAddress is where a request comes from.
func ClientAddress(ctx context.Context) string {
	a, _ := ctx.Value(keyAddress).(string)
	return a
}

// ClientNetwork is who is counted where nobody is known: the address, of IPv6 the network that one customer has (RFC 6177).
func ClientNetwork(ctx context.Context) string {
	address := ClientAddress(ctx)
	if a, err := netip.ParseAddr(address); err == nil && a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return address
}

// WithClientAddress finds out where requests come from. X-Forwarded-For counts only as far as it was written by trusted proxies: the
// address is the last one that none of them has.
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
