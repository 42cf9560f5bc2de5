package certificate

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/bounded"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/domain"
)

// LetsEncryptDirectory is the default authority.
const LetsEncryptDirectory = "https://acme-v02.api.letsencrypt.org/directory"

// Providers are the DNS providers of organizations.
type Providers interface {
	// Open returns the provider with an id in an organization.
	Open(ctx context.Context, q *query.Granted, organization query.InOrganization, id int64) (dns.Publisher, error)
}

// Resolver queries DNS like the authority will.
type Resolver interface {
	// Lookup returns the values of the records of a type at a name.
	Lookup(ctx context.Context, kind, name string) ([]string, error)
	// Seen returns once the zone's nameservers show a text at a name.
	Seen(ctx context.Context, name, text string) error
}

// Runner does work on hosts.
type Runner interface {
	Run(ctx context.Context, t host.Target, run wire.Run, on func(wire.Event)) (wire.Result, error)
}

// Authority is the certificate authority that certificates are ordered from (RFC 8555).
type Authority struct {
	DB        *db.DB
	Box       *secret.Box
	Directory string
	// Roots are trusted for the directory instead of the system's, if not nil.
	Roots   *x509.CertPool
	Runner  Runner
	Targets job.Targets
	// Zone is the zone that dns-01 challenges are delegated to, and DNS its provider; nil for neither.
	Zone string
	DNS  dns.Publisher
	// Providers are those that organizations connected.
	Providers Providers
	Resolver  Resolver

	mu     sync.Mutex
	client *acme.Client
	// making is held while an account is created: simultaneous orders need one, not one each.
	making sync.Mutex
}

// Order is a certificate to obtain.
type Order struct {
	Server         query.Server
	Domain         query.Domain
	Names          []string
	Method         string
	PreferredChain string
	// Provider is the DNS provider for dns-01; nil for the zone that names are delegated to.
	Provider *int64
	Replaces *x509.Certificate
}

func (a *Authority) acme() *acme.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.client == nil {
		a.client = a.clientOf(a.Directory)
	}
	return a.client
}

func (a *Authority) clientOf(directory string) *acme.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: a.Roots, MinVersion: tls.VersionTLS12}
	return &acme.Client{
		Directory: directory, UserAgent: "hostler",
		HTTPClient: &http.Client{Transport: bounded.Transport(transport, outbound.MaxAnswer), Timeout: 30 * time.Second},
	}
}

// ownError is a failure of this service itself, such as a read of its database: no answer of the authority, and not the end of an order.
type ownError struct{ err error }

func (e *ownError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *ownError) Unwrap() error { return e.err }

// own marks an error as an ownError; nil stays nil.
func own(err error) error {
	if err == nil {
		return nil
	}
	return &ownError{err}
}

// Obtain orders a certificate in the account of the server's organization, validates its names, and returns its chain, as PEM. An
// account that the authority has forgotten or closed is replaced.
func (a *Authority) Obtain(ctx context.Context, o Order, key crypto.Signer) (string, error) {
	organization := o.Server.OrganizationID
	account, err := a.account(ctx, organization)
	if err != nil {
		return "", err
	}
	chain, err := a.obtain(ctx, account, o, key)
	if err == nil || !a.closed(ctx, account, err) {
		return chain, err
	}
	err = a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.DeleteACMEAccount(ctx, organization, a.Directory, account.Location)
	})
	if err != nil {
		return "", own(fmt.Errorf("forget account: %w", err))
	}
	if account, err = a.account(ctx, organization); err != nil {
		return "", err
	}
	return a.obtain(ctx, account, o, key)
}

// closed reports whether an order failed because its account is no longer there (RFC 8555 section 6.6), or was deactivated (7.3.6): that is final, and
// authorities refuse everything of such an account as unauthorized, as they refuse names. So they are asked for the account.
func (a *Authority) closed(ctx context.Context, account acme.Account, failure error) bool {
	var problem acme.Problem
	switch {
	case !errors.As(failure, &problem):
		return false
	case problem.Type != acme.ProblemTypeUnauthorized:
		return problem.Type == acme.ProblemTypeAccountDoesNotExist
	case problem.Resource != nil: // it is about an authorization
		return false
	}
	now, err := a.acme().GetAccount(ctx, account)
	if err == nil {
		return now.Status != "" && now.Status != acme.StatusValid
	}
	return errors.As(err, &problem) && (problem.Type == acme.ProblemTypeUnauthorized || problem.Type == acme.ProblemTypeAccountDoesNotExist)
}

// solver returns the solver for an order's method.
func (a *Authority) solver(ctx context.Context, o Order) (kind string, s acmez.Solver, err error) {
	if o.Method != DNS01 {
		target, err := a.Targets.Target(o.Server)
		return acme.ChallengeTypeHTTP01, &served{a.Runner, target, a.DB}, own(err)
	}
	p := &published{to: a.DNS, resolver: a.Resolver}
	switch {
	case o.Provider != nil:
		if p.to, err = a.Providers.Open(ctx, a.DB.Read(), o.Server, *o.Provider); errors.Is(err, db.ErrNotFound) {
			err = &proofError{"The DNS provider that this certificate was issued through was deleted."}
		} else {
			err = own(err)
		}
	case a.DNS != nil && a.Zone != "":
		p.target = domain.ChallengeTarget(o.Domain, a.Zone)
	default:
		err = &proofError{"This service has no zone for DNS challenges."}
	}
	return acme.ChallengeTypeDNS01, p, err
}

// issuedBy reports whether the last certificate of a chain was issued by a root of this name.
func issuedBy(chain, root string) bool {
	rest := chain[max(strings.LastIndex(chain, "-----BEGIN CERTIFICATE-----"), 0):]
	last, _, err := parseChain(rest)
	return err == nil && last.Issuer.CommonName == root
}
