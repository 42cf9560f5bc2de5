// Package https serves the panel's own HTTPS. Its certificate is either in files, which are read again when they change, or issued by an ACME authority
// (RFC 8555) and renewed before it ends.
package https

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mholt/acmez/v3"

	"github.com/hostlerhq/hostler/internal/ground/clock"
)

// Config describes where the certificate comes from: from files, or from an authority.
type Config struct {
	// CertificateFile contains a chain, the panel's own certificate first, and KeyFile its key, both in PEM.
	CertificateFile, KeyFile string
	// Authority issues the certificate if there are no files.
	Authority *Authority
	// Base is the URL that people use, and Others are further URLs of the same panel.
	Base   *url.URL
	Others []*url.URL
	Clock  clock.Clock
	Log    *slog.Logger
}

// Authority is a certificate authority and what is kept of its work.
type Authority struct {
	// Directory is the authority's URL.
	Directory string
	// Roots are trusted for it instead of the system's, if not nil.
	Roots *x509.CertPool
	// Dir holds the account, the certificate and its key.
	Dir string
	// OverHTTP lets the authority fetch challenges from Plain. It tries TLS connections in any case.
	OverHTTP bool
	// Retry is the delay after the first failure, default a minute; it doubles with each further one.
	Retry time.Duration
}

// source is where a certificate comes from.
type source interface {
	// certificate returns the one to serve now.
	certificate() (*tls.Certificate, error)
	// problem returns what is wrong with it, "" for nothing.
	problem() string
}

// Front is the panel's HTTPS.
type Front struct {
	c       Config
	source  source
	ordered *ordered // nil with files
}

// Open reads the certificate. Files that can't be used are an error which names their setting; without a certificate of the authority, a self-signed one is
// served until Run has obtained it.
func Open(c Config) (*Front, error) {
	f := &Front{c: c}
	if c.Authority == nil {
		files := &files{certificateFile: c.CertificateFile, keyFile: c.KeyFile, names: c.names(), clock: c.Clock}
		f.source = files
		return f, files.read()
	}
	var err error
	if f.ordered, err = openOrdered(c); err != nil {
		return nil, err
	}
	f.source = f.ordered
	return f, nil
}

// names returns the names that the certificate is for.
func (c Config) names() []string {
	var out []string
	for _, u := range append([]*url.URL{c.Base}, c.Others...) {
		if name := strings.ToLower(u.Hostname()); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Run renews the certificate until ctx ends.
func (f *Front) Run(ctx context.Context) {
	if f.ordered != nil {
		f.ordered.run(ctx)
	}
}

// Problem returns what is wrong with the certificate, "" for nothing.
func (f *Front) Problem() string { return f.source.problem() }

// TLS returns the configuration of the server.
func (f *Front) TLS() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.source.certificate() },
		// The authority's own connections offer nothing but this protocol (RFC 8737, section 3).
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			if f.ordered == nil || !slices.Equal(hello.SupportedProtos, []string{acmez.ACMETLS1Protocol}) {
				return nil, nil //nolint:nilnil // which stands for the server's configuration
			}
			answer := f.ordered.challenges.overTLS(hello.ServerName)
			if answer == nil {
				return nil, errors.New("no challenge is open for this name")
			}
			return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: hello.SupportedProtos, Certificates: []tls.Certificate{*answer}}, nil
		},
	}
}

// Plain answers plain HTTP: challenges of the authority, and the way to HTTPS. The address comes from the settings, not from the request. A request that
// changes something is refused: it has already sent its token in the open.
func (f *Front) Plain() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if f.ordered != nil && f.ordered.challenges.overHTTP(w, req) {
			return
		}
		to := f.c.origin(req.Host)
		if req.Method != http.MethodGet && req.Method != http.MethodHead {
			http.Error(w, "Use "+to, http.StatusForbidden)
			return
		}
		at := req.URL.EscapedPath()
		if !strings.HasPrefix(at, "/") { // as in "GET http:.example.org/", whose rest would become a part of the host
			at = "/"
		}
		if req.URL.RawQuery != "" {
			at += "?" + req.URL.RawQuery
		}
		http.Redirect(w, req, to+at, http.StatusMovedPermanently)
	})
}

// origin returns the origin for a requested host: its own if it is one of the panel's names, else that of the base URL.
func (c Config) origin(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	for _, u := range c.Others {
		if strings.EqualFold(u.Hostname(), host) {
			return u.Scheme + "://" + u.Host
		}
	}
	return c.Base.Scheme + "://" + c.Base.Host
}

// Examine returns what is wrong with the certificate of a panel that may or may not be running.
func Examine(c Config) error {
	f, err := Open(c)
	if err != nil {
		return err
	}
	if f.ordered != nil && f.ordered.pair == nil && f.ordered.failed == nil {
		return errors.New("none has been obtained yet")
	}
	if text := f.Problem(); text != "" {
		return errors.New(strings.TrimSuffix(text, "."))
	}
	return nil
}

// soon is when the end of a certificate that nothing renews is reported: two weeks before, or with the last quarter of a shorter life.
func soon(leaf *x509.Certificate) time.Time {
	return leaf.NotAfter.Add(-min(14*24*time.Hour, leaf.NotAfter.Sub(leaf.NotBefore)/4))
}

// judge returns what is wrong with a certificate, "" for nothing.
func judge(leaf *x509.Certificate, names []string, now time.Time) string {
	for _, name := range names {
		if err := leaf.VerifyHostname(name); err != nil {
			return fmt.Sprintf("The panel's certificate is not valid for %s.", name)
		}
	}
	switch day := leaf.NotAfter.UTC().Format("2 January 2006, 15:04 MST"); {
	case now.Before(leaf.NotBefore):
		return fmt.Sprintf("The panel's certificate is not valid before %s.", leaf.NotBefore.UTC().Format("2 January 2006, 15:04 MST"))
	case !now.Before(leaf.NotAfter):
		return fmt.Sprintf("The panel's certificate ended on %s.", day)
	case !now.Before(soon(leaf)):
		return fmt.Sprintf("The panel's certificate ends on %s.", day)
	}
	return ""
}
