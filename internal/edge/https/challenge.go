package https

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"sync"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"
)

// challenges are what the authority may ask for at the moment.
type challenges struct {
	mu sync.Mutex
	// texts are the answers over HTTP by token, and certificates those over TLS by name.
	texts        map[string]string
	certificates map[string]*tls.Certificate
}

func newChallenges() *challenges {
	return &challenges{texts: map[string]string{}, certificates: map[string]*tls.Certificate{}}
}

const challengePath = "/.well-known/acme-challenge/"

// overHTTP answers an http-01 challenge (RFC 8555, section 8.3), and reports whether the request was one.
func (c *challenges) overHTTP(w http.ResponseWriter, req *http.Request) bool {
	token, ok := strings.CutPrefix(req.URL.Path, challengePath)
	if !ok {
		return false
	}
	c.mu.Lock()
	text, open := c.texts[token]
	c.mu.Unlock()
	if !open {
		http.NotFound(w, req)
		return true
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write([]byte(text))
	return true
}

// overTLS returns the certificate that answers a tls-alpn-01 challenge (RFC 8737), nil if none is open for the name.
func (c *challenges) overTLS(name string) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.certificates[strings.ToLower(name)]
}

// textSolver and tlsSolver open and close challenges for acmez.
type (
	textSolver struct{ *challenges }
	tlsSolver  struct{ *challenges }
)

func (s textSolver) Present(_ context.Context, ch acme.Challenge) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[ch.Token] = ch.KeyAuthorization
	return nil
}

func (s textSolver) CleanUp(_ context.Context, ch acme.Challenge) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.texts, ch.Token)
	return nil
}

func (s tlsSolver) Present(_ context.Context, ch acme.Challenge) error {
	made, err := acmez.TLSALPN01ChallengeCert(ch)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.certificates[strings.ToLower(ch.Identifier.Value)] = made
	return nil
}

func (s tlsSolver) CleanUp(_ context.Context, ch acme.Challenge) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.certificates, strings.ToLower(ch.Identifier.Value))
	return nil
}
