package certificate

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/dns"
	"github.com/hostlerhq/hostler/internal/domain"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/secret"
)

// LetsEncryptDirectory is the authority that is asked by default.
const LetsEncryptDirectory = "https://acme-v02.api.letsencrypt.org/directory"

// Providers are the DNS providers of organizations.
type Providers interface {
	// Open gives the provider with an id in an organization.
	Open(ctx context.Context, q *query.Queries, organizationID, id int64) (dns.Publisher, error)
}

// Resolver asks the DNS as the authority will.
type Resolver interface {
	// Lookup are the values of the records of a kind at a name.
	Lookup(ctx context.Context, kind, name string) ([]string, error)
	// Seen returns once the zone's nameservers show a text at a name.
	Seen(ctx context.Context, name, text string) error
}

// Runner does work on hosts.
type Runner interface {
	Run(ctx context.Context, t host.Target, run wire.Run, on func(wire.Event)) (wire.Result, error)
}

// Targets says where a server is.
type Targets interface {
	Target(server query.Server) (host.Target, error)
}

// Authority is the certificate authority that certificates are ordered from (RFC 8555).
type Authority struct {
	DB        *db.DB
	Box       *secret.Box
	Directory string
	// Roots are trusted for the directory in place of the system's, when not nil.
	Roots   *x509.CertPool
	Runner  Runner
	Targets Targets
	// Zone is where dns-01 challenges are delegated to, and DNS what publishes in it; nil for neither.
	Zone string
	DNS  dns.Publisher
	// Providers are those that organizations connected.
	Providers Providers
	Resolver  Resolver

	mu     sync.Mutex
	client *acme.Client
	// making is held while an account is made: orders at once need one, not one each.
	making sync.Mutex
}

// Order is a certificate to obtain.
type Order struct {
	Server         query.Server
	Domain         query.Domain
	Names          []string
	Method         string
	PreferredChain string
	// Provider is what the names are proven through by dns-01; nil for the zone that they are delegated to.
	Provider *int64
	Replaces *x509.Certificate
}

func (a *Authority) acme() *acme.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.client == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = &tls.Config{RootCAs: a.Roots, MinVersion: tls.VersionTLS12}
		a.client = &acme.Client{Directory: a.Directory, UserAgent: "hostler", HTTPClient: &http.Client{Transport: transport, Timeout: 30 * time.Second}}
	}
	return a.client
}

// Obtain orders a certificate, proves that its names are ours, and returns it with those between it and the root, as PEM. An account that the
// authority has forgotten is made anew.
func (a *Authority) Obtain(ctx context.Context, o Order, key crypto.Signer) (string, error) {
	account, err := a.account(ctx)
	if err != nil {
		return "", err
	}
	chain, err := a.obtain(ctx, account, o, key)
	var problem acme.Problem
	if !errors.As(err, &problem) || problem.Type != acme.ProblemTypeAccountDoesNotExist {
		return chain, err
	}
	err = a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.DeleteACMEAccount(ctx, a.Directory, account.Location)
	})
	if err != nil {
		return "", fmt.Errorf("forget account: %w", err)
	}
	if account, err = a.account(ctx); err != nil {
		return "", err
	}
	return a.obtain(ctx, account, o, key)
}

// solver proves names in an order's way.
func (a *Authority) solver(ctx context.Context, o Order) (kind string, s acmez.Solver, err error) {
	if o.Method != DNS01 {
		target, err := a.Targets.Target(o.Server)
		return acme.ChallengeTypeHTTP01, &served{a.Runner, target, a.DB}, err
	}
	p := &published{to: a.DNS, resolver: a.Resolver}
	switch {
	case o.Provider != nil:
		p.to, err = a.Providers.Open(ctx, a.DB.Read(), o.Server.OrganizationID, *o.Provider)
		if errors.Is(err, db.ErrNotFound) {
			err = &proofError{"The DNS provider that this certificate was issued through was deleted."}
		}
	case a.DNS != nil && a.Zone != "":
		p.target = domain.ChallengeTarget(o.Domain, a.Zone)
	default:
		err = &proofError{"This service has no zone for DNS challenges."}
	}
	return acme.ChallengeTypeDNS01, p, err
}

func (a *Authority) obtain(ctx context.Context, account acme.Account, o Order, key crypto.Signer) (string, error) {
	kind, solver, err := a.solver(ctx, o)
	if err != nil {
		return "", err
	}
	client := acmez.Client{Client: a.acme(), ChallengeSolvers: map[string]acmez.Solver{kind: solver}}
	csr, err := acmez.NewCSR(key, o.Names)
	if err != nil {
		return "", fmt.Errorf("make request: %w", err)
	}
	params, err := acmez.OrderParametersFromCSR(account, csr)
	if err != nil {
		return "", fmt.Errorf("make order: %w", err)
	}
	params.Replaces = o.Replaces
	chains, err := client.ObtainCertificate(ctx, params)
	if params.Replaces != nil && unreplaced(err) {
		params.Replaces = nil
		chains, err = client.ObtainCertificate(ctx, params)
	}
	if err != nil {
		return "", err
	}
	if len(chains) == 0 {
		return "", errors.New("the authority issued nothing")
	}
	at := slices.IndexFunc(chains, func(c acme.Certificate) bool {
		return o.PreferredChain != "" && issuedBy(string(c.ChainPEM), o.PreferredChain)
	})
	return string(chains[max(at, 0)].ChainPEM), nil
}

// unreplaced tells whether an authority refused an order for what it would replace (RFC 9773, 5): that was replaced already, or is of another
// authority or of another account, as after this service made a new one. None of that speaks against the order itself.
func unreplaced(err error) bool {
	var problem acme.Problem
	if !errors.As(err, &problem) {
		return false
	}
	if _, ok := problem.Resource.(acme.Authorization); ok { // a name could not be verified
		return false
	}
	return slices.Contains([]string{acme.ProblemTypeMalformed, acme.ProblemTypeUnauthorized, acme.ProblemTypeAlreadyReplaced}, problem.Type)
}

// issuedBy tells whether the last certificate of a chain was issued by a root of this name.
func issuedBy(chain, root string) bool {
	rest := chain[max(strings.LastIndex(chain, "-----BEGIN CERTIFICATE-----"), 0):]
	last, _, err := parseChain(rest)
	return err == nil && last.Issuer.CommonName == root
}

// account is ours at the authority, made the first time.
func (a *Authority) account(ctx context.Context) (acme.Account, error) {
	a.making.Lock()
	defer a.making.Unlock()
	account, err := a.known(ctx)
	if err == nil || !errors.Is(err, db.ErrNotFound) {
		return account, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return account, fmt.Errorf("make key: %w", err)
	}
	if account, err = a.acme().NewAccount(ctx, acme.Account{TermsOfServiceAgreed: true, PrivateKey: key}); err != nil {
		return account, fmt.Errorf("make account: %w", err)
	}
	text, err := encodeKey(key)
	if err != nil {
		return account, err
	}
	sealed, err := a.Box.Seal(a.accountPlace(), text)
	if err != nil {
		return account, err
	}
	err = a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.InsertACMEAccount(ctx, a.Directory, sealed, account.Location, tx.Micros())
	})
	if err != nil {
		return account, fmt.Errorf("keep account: %w", err)
	}
	return a.known(ctx) // another process may have been first
}

func (a *Authority) accountPlace() secret.Place {
	return secret.Place{Table: "acme_accounts", Row: a.Directory, Column: "private_key"}
}

// known is the account that is kept; db.ErrNotFound where there is none yet.
func (a *Authority) known(ctx context.Context) (acme.Account, error) {
	row, err := a.DB.Read().GetACMEAccount(ctx, a.Directory)
	if err != nil {
		return acme.Account{}, fmt.Errorf("read account: %w", err)
	}
	text, err := a.Box.Open(a.accountPlace(), row.PrivateKey)
	if err != nil {
		return acme.Account{}, err
	}
	key, err := parseKey(string(text))
	if err != nil {
		return acme.Account{}, err
	}
	return acme.Account{Status: acme.StatusValid, Location: row.Location, PrivateKey: key, TermsOfServiceAgreed: true}, nil
}
