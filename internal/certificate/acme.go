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
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/domain"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/secret"
)

// LetsEncryptDirectory is the authority that is asked by default.
const LetsEncryptDirectory = "https://acme-v02.api.letsencrypt.org/directory"

// DNS answers dns-01 challenges: it publishes TXT records in a zone of the operator's, which domains delegate to once with a CNAME.
type DNS interface {
	// Present publishes a value beside others of the same name, and returns when it can be seen.
	Present(ctx context.Context, name, value string) error
	// Remove takes the value away.
	Remove(ctx context.Context, name, value string) error
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
	DNS     DNS
	// Zone is where dns-01 challenges are delegated to.
	Zone string

	mu     sync.Mutex
	client *acme.Client
}

// Order is a certificate to obtain.
type Order struct {
	Server         query.Server
	Domain         query.Domain
	Names          []string
	Method         string
	PreferredChain string
	Replaces       *x509.Certificate
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

// Obtain orders a certificate, proves that its names are ours, and returns it with those between it and the root, as PEM.
func (a *Authority) Obtain(ctx context.Context, o Order, key crypto.Signer) (string, error) {
	account, err := a.account(ctx)
	if err != nil {
		return "", err
	}
	client := acmez.Client{Client: a.acme(), ChallengeSolvers: map[string]acmez.Solver{}}
	switch {
	case o.Method == DNS01 && a.DNS != nil:
		client.ChallengeSolvers[acme.ChallengeTypeDNS01] = &delegated{a.DNS, domain.ChallengeTarget(o.Domain, a.Zone)}
	case o.Method == DNS01:
		return "", errors.New("there is no zone for DNS challenges")
	default:
		target, err := a.Targets.Target(o.Server)
		if err != nil {
			return "", err
		}
		client.ChallengeSolvers[acme.ChallengeTypeHTTP01] = &served{a.Runner, target, a.DB}
	}
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
	var problem acme.Problem
	if params.Replaces != nil && errors.As(err, &problem) && strings.Contains(problem.Type, "alreadyReplaced") {
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

// issuedBy tells whether the last certificate of a chain was issued by a root of this name.
func issuedBy(chain, root string) bool {
	rest := chain[max(strings.LastIndex(chain, "-----BEGIN CERTIFICATE-----"), 0):]
	last, _, err := parseChain(rest)
	return err == nil && last.Issuer.CommonName == root
}

// account is ours at the authority, made the first time.
func (a *Authority) account(ctx context.Context) (acme.Account, error) {
	at := secret.Place{Table: "acme_accounts", Row: a.Directory, Column: "private_key"}
	row, err := a.DB.Read().GetACMEAccount(ctx, a.Directory)
	if err == nil {
		text, err := a.Box.Open(at, row.PrivateKey)
		if err != nil {
			return acme.Account{}, err
		}
		key, err := parseKey(string(text))
		if err != nil {
			return acme.Account{}, err
		}
		account := acme.Account{Status: acme.StatusValid, Location: row.Location, PrivateKey: key, TermsOfServiceAgreed: true}
		return account, nil
	}
	if !errors.Is(err, db.ErrNotFound) {
		return acme.Account{}, fmt.Errorf("read account: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return acme.Account{}, fmt.Errorf("make key: %w", err)
	}
	account, err := a.acme().NewAccount(ctx, acme.Account{TermsOfServiceAgreed: true, PrivateKey: key})
	if err != nil {
		return account, fmt.Errorf("make account: %w", err)
	}
	text, err := encodeKey(key)
	if err != nil {
		return account, err
	}
	sealed, err := a.Box.Seal(at, text)
	if err != nil {
		return account, err
	}
	err = a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.InsertACMEAccount(ctx, a.Directory, sealed, account.Location, tx.Micros())
	})
	if err != nil {
		return account, fmt.Errorf("keep account: %w", err)
	}
	return account, nil
}

// Suggested is when the authority wants a certificate renewed (RFC 9773), zero where it does not say.
func (a *Authority) Suggested(ctx context.Context, chain string) (time.Time, error) {
	leaf, _, err := parseChain(chain)
	if err != nil {
		return time.Time{}, err
	}
	info, err := a.acme().GetRenewalInfo(ctx, leaf)
	if errors.Is(err, acme.ErrUnsupported) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("ask when to renew: %w", err)
	}
	return info.SelectedTime, nil
}

// served answers http-01 challenges with a file that the host's nginx serves, whatever else the site does.
type served struct {
	runner Runner
	target host.Target
	db     *db.DB
}

const tokenWithin = time.Minute

func (s *served) file(ctx context.Context, token string, f wire.File) error {
	if path.Base(token) != token || strings.HasPrefix(token, ".") || token == "" { // from the authority
		return errors.New("the authority sent a token that is none")
	}
	f.Path = render.ACMEDirectory + "/" + token
	now := s.db.Clock.Now()
	run := wire.Run{ID: "acme-" + secret.Random(8), Lane: "acme", Fence: now.UnixMicro(), Deadline: now.Add(tokenWithin), Change: &wire.Change{Steps: []wire.Step{
		{Name: "directory of challenges", Dir: &wire.Dir{Path: render.ACMEDirectory, Mode: 0o755}}, {Name: "challenge", File: &f}}}}
	result, err := s.runner.Run(ctx, s.target, run, nil)
	if err != nil {
		if reason := host.Reason(err); reason != "" {
			return errors.New(reason)
		}
		return err
	}
	if result.State != wire.StateSucceeded {
		return fmt.Errorf("put the challenge on the server: %s", result.Reason)
	}
	return nil
}

// Present puts the file there.
func (s *served) Present(ctx context.Context, c acme.Challenge) error {
	return s.file(ctx, c.Token, wire.File{Mode: 0o644, Content: []byte(c.KeyAuthorization)})
}

// CleanUp takes it away.
func (s *served) CleanUp(ctx context.Context, c acme.Challenge) error {
	return s.file(context.WithoutCancel(ctx), c.Token, wire.File{Absent: true})
}

// delegated answers dns-01 challenges at the name that the domain's CNAME leads to.
type delegated struct {
	dns    DNS
	target string
}

func (d *delegated) Present(ctx context.Context, c acme.Challenge) error {
	return d.dns.Present(ctx, d.target, c.DNS01KeyAuthorization())
}

func (d *delegated) CleanUp(ctx context.Context, c acme.Challenge) error {
	return d.dns.Remove(context.WithoutCancel(ctx), d.target, c.DNS01KeyAuthorization())
}
