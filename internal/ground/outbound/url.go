package outbound

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// maxURL is what programs that are called are known to take (RFC 9110, 4.1 asks for 8000 octets at least; nobody needs as many here).
const maxURL = 2000

var (
	hostPattern = regexp.MustCompile(`^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.?$`)
	// numberPattern are the last labels that some resolvers read as numbers of an address (127.1, 0x7f000001, 017700000001): no top-level domain has one.
	numberPattern = regexp.MustCompile(`^(0[xX][0-9a-fA-F]*|[0-9]+)$`)
)

// CheckURL reads an http or https URL that somebody typed in. Addresses in it that the guard does not allow are told at once; a name is looked at
// when it is resolved, each time that it is connected to.
func (g Guard) CheckURL(text string) (*url.URL, error) {
	const shape = value.Error("It must be an http or https URL like https://app.example.com/hook.")
	if len(text) > maxURL || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || !unicode.IsPrint(r) }) {
		return nil, shape
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.Hostname() == "":
		return nil, shape
	case u.User != nil:
		return nil, value.Error("It must not hold a user or a password.")
	case u.Fragment != "":
		return nil, value.Error("It must not have a fragment.")
	}
	return u, g.checkHost(u.Hostname())
}

func (g Guard) checkHost(host string) error {
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" { // an interface of this machine
			return value.Error("Its host is not valid.")
		}
		if err := g.Check(a); err != nil {
			return value.Error("Its address is private, and connections to private addresses are not allowed here.")
		}
		return nil
	}
	name := strings.TrimSuffix(host, ".")
	last := name[strings.LastIndex(name, ".")+1:]
	switch {
	case len(name) > 253 || !hostPattern.MatchString(host) || numberPattern.MatchString(last):
		return value.Error("Its host is not valid.")
	case !g.AllowPrivate && strings.EqualFold(last, "localhost"):
		return value.Error("Its address is private, and connections to private addresses are not allowed here.")
	}
	return nil
}

// clientTimeout is how long a whole call may take.
const clientTimeout = 15 * time.Second

// Client calls what the guard allows. It follows no redirects: where one leads was typed by nobody.
func (g Guard) Client() *http.Client {
	return &http.Client{Transport: g.Transport(), Timeout: clientTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Explain says for people why a call could not be made, without what was called: that may be a secret.
func Explain(err error) string {
	var unknown *net.DNSError
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrForbidden):
		return "The address is private, and connections to private addresses are not allowed here."
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return "The host name does not exist."
	case errors.As(err, &certificate):
		return "The certificate is not valid: " + certificate.Err.Error() + "."
	case errors.As(err, &timeout) && timeout.Timeout():
		return "There was no answer in time."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The connection was refused."
	default:
		return "The connection failed."
	}
}
