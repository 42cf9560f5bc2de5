package dns

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-acme/lego/v4/challenge"
	"github.com/go-acme/lego/v4/providers/dns/cloudflare"
	"github.com/go-acme/lego/v4/providers/dns/desec"
	"github.com/go-acme/lego/v4/providers/dns/digitalocean"
	"github.com/go-acme/lego/v4/providers/dns/gandiv5"

	"github.com/hostlerhq/hostler/internal/ground/bounded"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// The supported providers.
const (
	RFC2136      = "rfc2136"
	Cloudflare   = "cloudflare"
	DeSEC        = "desec"
	DigitalOcean = "digitalocean"
	Gandi        = "gandi"
	Hetzner      = "hetzner"
)

// Settings configure the access to a provider. Token and Secret are secrets.
type Settings struct {
	Provider   string `json:"provider"`
	Token      string `json:"token,omitempty"`
	Nameserver string `json:"nameserver,omitempty"`
	Key        string `json:"key,omitempty"`
	Algorithm  string `json:"algorithm,omitempty"`
	Secret     string `json:"secret,omitempty"`
}

// A Publisher publishes proofs of control over a name, as TXT records.
type Publisher interface {
	// Present publishes the text of a key authorization at a name (_acme-challenge.example.com), beside others there.
	Present(ctx context.Context, name, authorization string) error
	// Remove removes it.
	Remove(ctx context.Context, name, authorization string) error
}

// Text returns the TXT record for a key authorization (RFC 8555, 8.4).
func Text(authorization string) string {
	sum := sha256.Sum256([]byte(authorization))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Prefix is the label that texts are published below.
const Prefix = "_acme-challenge."

// New opens a provider. Connections to addresses that a user entered are guarded.
func New(s Settings, guard outbound.Guard) (Publisher, error) {
	return newProvider(s, guard, &http.Client{Timeout: 30 * time.Second, Transport: bounded.Transport(guard.Transport(), outbound.MaxAnswer)})
}

func newProvider(s Settings, guard outbound.Guard, client *http.Client) (Publisher, error) {
	if s.Provider != RFC2136 && s.Token == "" {
		return nil, errors.New("the provider needs a token")
	}
	switch s.Provider {
	case RFC2136:
		return newUpdate(s, guard)
	case Cloudflare:
		c := cloudflare.NewDefaultConfig()
		c.AuthToken, c.HTTPClient = s.Token, client
		return wrap(cloudflare.NewDNSProviderConfig(c))
	case DeSEC:
		c := desec.NewDefaultConfig()
		c.Token, c.HTTPClient = s.Token, client
		return wrap(desec.NewDNSProviderConfig(c))
	case DigitalOcean:
		c := digitalocean.NewDefaultConfig()
		c.AuthToken, c.HTTPClient = s.Token, client
		return wrap(digitalocean.NewDNSProviderConfig(c))
	case Gandi:
		c := gandiv5.NewDefaultConfig()
		c.PersonalAccessToken, c.HTTPClient = s.Token, client
		return wrap(gandiv5.NewDNSProviderConfig(c))
	case Hetzner:
		return &hetzner{base: hetznerAPI, token: s.Token, client: client}, nil
	}
	return nil, fmt.Errorf("unknown DNS provider %q", s.Provider)
}

// hosted is a provider of the library, which computes the name and the text of a record itself.
type hosted struct{ provider challenge.Provider }

func wrap[P challenge.Provider](p P, err error) (Publisher, error) {
	if err != nil {
		return nil, fmt.Errorf("open DNS provider: %w", err)
	}
	return hosted{p}, nil
}

// Present publishes a text through the library.
func (h hosted) Present(_ context.Context, name, authorization string) error {
	return h.provider.Present(strings.TrimPrefix(name, Prefix), authorization, authorization)
}

// Remove removes it through the library.
func (h hosted) Remove(_ context.Context, name, authorization string) error {
	return h.provider.CleanUp(strings.TrimPrefix(name, Prefix), authorization, authorization)
}
