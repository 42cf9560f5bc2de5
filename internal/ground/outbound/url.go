package outbound

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// maxURL is a length that the called programs are known to accept. RFC 9110, 4.1 recommends at least 8000 octets; no real address needs that many.
const maxURL = 2000

var (
	hostPattern = regexp.MustCompile(`^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.?$`)
	// numberPattern matches last labels that some resolvers read as numbers of an address (127.1, 0x7f000001, 017700000001): no
	// top-level domain has one.
	numberPattern = regexp.MustCompile(`^(0[xX][0-9a-fA-F]*|[0-9]+)$`)
)

// CheckURL parses an http or https URL that a user entered. It reports forbidden addresses at once; a name is checked when it is
// resolved, for each connection.
func (g Guard) CheckURL(text string) (*url.URL, error) {
	const shape = value.Error("It must be an http or https URL like https://app.example.com/hook.")
	if len(text) > maxURL || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || !unicode.IsPrint(r) }) {
		return nil, shape
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.Hostname() == "":
		return nil, shape
	case u.Port() != "" && !isPort(u.Port()):
		return nil, value.Error("Its port must be a number from 1 to 65535.")
	case u.User != nil:
		return nil, value.Error("It must not hold a user or a password.")
	case u.Fragment != "":
		return nil, value.Error("It must not have a fragment.")
	}
	return u, g.checkHost(u.Hostname())
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
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
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) { // as the HTTP client asks for it
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return value.Error("Its host is not valid.")
		}
		host = ascii
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

// clientTimeout limits a whole call.
const clientTimeout = 15 * time.Second

// MaxAnswer is the longest answer to a call of a service's API, in bytes, where its library reads answers to their end.
const MaxAnswer = 16 << 20

// Client returns a client for what the guard allows. It follows no redirects: their targets were not entered by a user.
func (g Guard) Client() *http.Client {
	return &http.Client{
		Transport: g.Transport(), Timeout: clientTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Explain returns a user's explanation of why a call failed, without the called address, which may be a secret.
func Explain(err error) string {
	var unknown *net.DNSError
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.Is(err, ErrForbidden):
		return "The address is private, and connections to private addresses are not allowed here."
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return "The host name does not exist."
	case errors.As(err, &unknown) && !unknown.IsTimeout:
		return "The host name could not be looked up."
	case errors.As(err, &certificate):
		return "The certificate is not valid: " + certificate.Err.Error() + "."
	case errors.As(err, &timeout) && timeout.Timeout():
		return "There was no answer in time."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The connection was refused."
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "There is no way to its address."
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return "It does not speak TLS there; http:// may be right."
	case errors.As(err, &alert):
		return "It refused the TLS connection: " + alert.Error() + "."
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "It closed the connection without an answer."
	case strings.Contains(err.Error(), "malformed HTTP"): // net/http has no type for it
		return "What answers there does not speak HTTP."
	default:
		return "The connection failed."
	}
}
