package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hostlerhq/hostler/internal/edge/https"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
)

// Scheme returns the scheme of what the panel serves.
func (c Config) Scheme() string {
	if c.TLSCertificateFile != "" || c.TLSKeyFile != "" || c.TLSACME {
		return "https"
	}
	return "http"
}

// errPlain is returned for settings that make no sense without TLS.
var errPlain = errors.New("http-listen is for panels that serve HTTPS: set tls-certificate-file and tls-key-file, or tls-acme")

// Encrypts says what is missing if people are sent to an https base URL that nothing leads to Hostler: it serves plain HTTP, and no proxy is named that could
// have the certificate.
func (c Config) Encrypts() error {
	if c.Scheme() == "https" || !strings.HasPrefix(c.BaseURL, "https://") || len(c.TrustedProxies) > 0 {
		return nil
	}
	return fmt.Errorf("the base URL is %s, but Hostler serves plain HTTP on %s, and no proxy is named that has the certificate", c.BaseURL, c.Listen)
}

// tls returns the settings of the panel's HTTPS, nil if it serves plain HTTP.
func (c Config) tls(log *slog.Logger) (*https.Config, error) {
	files := c.TLSCertificateFile != "" || c.TLSKeyFile != ""
	switch {
	case !files && !c.TLSACME && c.HTTPListen != "":
		return nil, errPlain
	case !files && !c.TLSACME:
		return nil, nil //nolint:nilnil // which stands for plain HTTP
	case files && c.TLSACME:
		return nil, errors.New("tls-acme and tls-certificate-file can't be used together")
	case files && (c.TLSCertificateFile == "" || c.TLSKeyFile == ""):
		return nil, errors.New("tls-certificate-file and tls-key-file must be used together")
	}
	return c.withNames(https.Config{CertificateFile: c.TLSCertificateFile, KeyFile: c.TLSKeyFile, Clock: clock.System{}, Log: log})
}

// withNames adds the URLs that the certificate is for, and the authority.
func (c Config) withNames(out https.Config) (*https.Config, error) {
	for i, text := range []string{cmp.Or(c.BaseURL, c.Scheme()+"://"+c.Listen), c.AuthURL} {
		if text == "" && i > 0 {
			continue
		}
		u, err := parseBase([]string{"base URL", "auth URL"}[i], text)
		if err != nil {
			return nil, err
		}
		if u.Scheme != "https" {
			return nil, fmt.Errorf("the panel serves HTTPS, so the %s %q must begin with https://", []string{"base-url", "auth-url"}[i], text)
		}
		if c.TLSACME && net.ParseIP(u.Hostname()) != nil {
			return nil, fmt.Errorf("tls-acme needs a name, and %q has an address", text)
		}
		if i == 0 {
			out.Base = u
		} else {
			out.Others = []*url.URL{u}
		}
	}
	if c.TLSACME {
		out.Authority = &https.Authority{
			Directory: cmp.Or(c.ACMEDirectory, certificate.LetsEncryptDirectory), Roots: c.ACMERoots,
			Dir: filepath.Join(c.DataDir, "tls"), OverHTTP: c.HTTPListen != "",
		}
	}
	return &out, nil
}

// front is the panel's HTTPS while it serves; nil for plain HTTP.
type front struct {
	*https.Front
	plain *http.Server
	end   context.CancelFunc
	done  sync.WaitGroup
}

// openFront reads the certificate, serves plain HTTP at the second address, and begins to look after the certificate. It needs no database.
func openFront(ctx context.Context, c Config, log *slog.Logger) (*front, error) {
	settings, err := c.tls(log)
	if settings == nil || err != nil {
		return nil, err
	}
	if settings.Authority != nil {
		if err := openDataDir(c.DataDir); err != nil {
			return nil, err
		}
	}
	f := &front{}
	if f.Front, err = https.Open(*settings); err != nil {
		return nil, err
	}
	if c.HTTPListen != "" {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.HTTPListen)
		if err != nil {
			return nil, fmt.Errorf("http-listen: %w", err)
		}
		f.plain = &http.Server{
			Handler: f.Plain(), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: readTimeout,
			IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		}
		f.done.Go(func() { _ = f.plain.Serve(newCrowd(l, c.TrustedProxies, new(atomic.Int64))) })
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	f.end = end
	f.done.Go(func() { f.Run(running) })
	return f, nil
}

func (f *front) close() {
	if f == nil {
		return
	}
	f.end()
	if f.plain != nil {
		_ = f.plain.Close()
	}
	f.done.Wait()
}

// serve serves connections with a server, over TLS if the panel does.
func (f *front) serve(server *http.Server, l net.Listener) error {
	if f == nil {
		return server.Serve(l)
	}
	server.TLSConfig = f.TLS()
	server.ErrorLog = log.New(withoutHandshakes{os.Stderr}, "", log.LstdFlags)
	return server.ServeTLS(l, "", "")
}

// problem returns what is wrong with the certificate, "" for nothing.
func (f *front) problem() string {
	if f == nil {
		return ""
	}
	return f.Problem()
}

// withoutHandshakes drops lines about handshakes that clients did not finish, and about what they sent that is no HTTP/2: whoever scans a network makes some.
type withoutHandshakes struct{ io.Writer }

func (w withoutHandshakes) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("TLS handshake error")) || bytes.Contains(line, []byte("http2: server connection error")) {
		return len(line), nil
	}
	return w.Writer.Write(line)
}

// front checks the panel's HTTPS.
func (e *examination) front() {
	if e.c.Scheme() == "http" && e.c.HTTPListen == "" {
		return
	}
	settings, err := e.c.tls(slog.New(slog.DiscardHandler))
	e.add("the settings of TLS are usable", err, "correct base-url, or the settings that begin with tls-")
	if err != nil {
		return
	}
	mend := "put a valid certificate and its key there; a running panel reads them at once"
	if e.c.TLSACME {
		mend = "let the panel's name lead to this machine, and let the authority reach it at port 443 or, with http-listen, port 80; it is tried again automatically"
	}
	e.add("the panel's certificate is usable", https.Examine(*settings), mend)
}
