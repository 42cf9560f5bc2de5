package e2e_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
)

// authority is a Pebble whose certificates tests look at on hosts.
type authority struct{ *pebble.Authority }

// get asks a host for a name over TLS, trusting the authority alone.
func (a *authority) get(t *testing.T, h *hosts.Host, scheme, name, path string) (*http.Response, *x509.Certificate) {
	t.Helper()
	return visit(t, h, a.Trusted(t), scheme, name, path)
}

// visit asks a host for a name as a browser that trusts these roots alone does, and gives the certificate that it saw.
func visit(t *testing.T, h *hosts.Host, pool *x509.CertPool, scheme, name, path string) (*http.Response, *x509.Certificate) {
	t.Helper()
	client := &http.Client{
		Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				_, port, _ := net.SplitHostPort(address)
				return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(h.IP, port))
			},
		},
	}
	res, err := client.Get(scheme + "://" + name + path)
	if err != nil {
		t.Fatalf("ask for %s://%s%s: %v", scheme, name, path, err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if res.TLS == nil {
		return res, nil
	}
	return res, res.TLS.PeerCertificates[0]
}
