package https

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/ground/bounded"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// Limits of orders and their repetition.
const (
	orderWithin = 5 * time.Minute
	firstRetry  = time.Minute
	mostRetry   = 3 * time.Hour
	// mostWait is how long a timer runs before the clock is read again: clocks are set, and machines sleep.
	mostWait = time.Hour
)

// ordered is a certificate that an authority issues.
type ordered struct {
	c          Config
	names      []string
	store      store
	challenges *challenges
	// selfSigned is served while there is no other.
	selfSigned *tls.Certificate

	mu     sync.Mutex
	pair   *tls.Certificate
	failed *failure
	// obtained is when this program obtained the certificate.
	obtained time.Time
	// tries counts failures since the program started: a person who fixes something and restarts it does not wait.
	tries int
}

func openOrdered(c Config) (*ordered, error) {
	at, err := url.Parse(c.Authority.Directory)
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("acme-directory %q is not a URL", c.Authority.Directory)
	}
	o := &ordered{c: c, names: c.names(), challenges: newChallenges(), store: newStore(c.Authority.Dir, at)}
	if o.pair, o.failed, err = o.store.read(o.names); err != nil {
		return nil, err
	}
	o.selfSigned, err = selfSign(o.names, c.Clock.Now())
	return o, err
}

func (o *ordered) certificate() (*tls.Certificate, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pair != nil {
		return o.pair, nil
	}
	return o.selfSigned, nil
}

func (o *ordered) problem() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.failed == nil && o.pair == nil:
		return ""
	case o.failed == nil:
		return judge(o.pair.Leaf, o.names, o.c.Clock.Now())
	case o.pair == nil:
		return fmt.Sprintf("The panel has no certificate, and browsers warn of it. %s", o.failed.Text)
	default:
		return fmt.Sprintf("The panel's certificate could not be renewed, and ends on %s. %s", o.pair.Leaf.NotAfter.UTC().Format("2 January 2006, 15:04 MST"),
			o.failed.Text)
	}
}

// run orders the certificate when it is due.
func (o *ordered) run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := o.wait()
		if wait <= 0 {
			o.renew(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(wait, mostWait)):
		}
	}
}

// wait returns how long it is until the next order: a certificate is renewed when a third of its life is left.
func (o *ordered) wait() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.c.Clock.Now()
	due := now
	if o.pair != nil {
		leaf := o.pair.Leaf
		third := leaf.NotAfter.Sub(leaf.NotBefore) / 3
		due = leaf.NotAfter.Add(-third)
		// With a clock that is far ahead, a new certificate is due as well.
		if again := o.obtained.Add(third); again.After(due) {
			due = again
		}
	}
	if o.tries > 0 {
		pause := o.c.Authority.Retry
		if pause == 0 {
			pause = firstRetry
		}
		for range min(o.tries-1, 16) {
			pause = min(2*pause, mostRetry)
		}
		if again := o.failed.At.Add(pause); again.After(due) {
			due = again
		}
	}
	return due.Sub(now)
}

// renew orders a certificate and serves it. What fails is kept for people to see, and tried again later.
func (o *ordered) renew(ctx context.Context) {
	ordering, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	pair, err := o.obtain(ordering)
	if ctx.Err() != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.tries++
		o.failed = &failure{At: o.c.Clock.Now(), Text: explain(err)}
		o.c.Log.ErrorContext(ctx, "no certificate for the panel could be obtained", "names", strings.Join(o.names, ","), "error", err)
		if err := o.store.writeFailure(o.failed); err != nil {
			o.c.Log.ErrorContext(ctx, "saving why there is no certificate failed", "error", err)
		}
		return
	}
	o.pair, o.failed, o.tries, o.obtained = pair, nil, 0, o.c.Clock.Now()
	o.c.Log.InfoContext(ctx, "obtained a certificate for the panel", "names", strings.Join(o.names, ","), "ends_at", pair.Leaf.NotAfter)
}

// obtain orders a certificate with a new key, and saves both.
func (o *ordered) obtain(ctx context.Context) (*tls.Certificate, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: o.c.Authority.Roots, MinVersion: tls.VersionTLS12}
	defer transport.CloseIdleConnections()
	client := &acmez.Client{
		Client: &acme.Client{
			Directory: o.c.Authority.Directory, UserAgent: "hostler",
			HTTPClient: &http.Client{Transport: bounded.Transport(transport, outbound.MaxAnswer), Timeout: 30 * time.Second},
		},
		ChallengeSolvers: map[string]acmez.Solver{acme.ChallengeTypeTLSALPN01: tlsSolver{o.challenges}},
	}
	if o.c.Authority.OverHTTP {
		client.ChallengeSolvers[acme.ChallengeTypeHTTP01] = textSolver{o.challenges}
	}
	account, err := o.account(ctx, client)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	chains, err := client.ObtainCertificateForSANs(ctx, account, key, o.names)
	var problem acme.Problem
	if errors.As(err, &problem) && problem.Type == acme.ProblemTypeAccountDoesNotExist {
		if err := o.store.forgetAccount(); err != nil {
			return nil, err
		}
		if account, err = o.account(ctx, client); err != nil {
			return nil, err
		}
		chains, err = client.ObtainCertificateForSANs(ctx, account, key, o.names)
	}
	if err != nil {
		return nil, err
	}
	if len(chains) == 0 {
		return nil, errors.New("the authority issued nothing")
	}
	return o.store.writeCertificate(chains[0].ChainPEM, key)
}

// account returns the account at the authority, and makes it the first time.
func (o *ordered) account(ctx context.Context, client *acmez.Client) (acme.Account, error) {
	account, err := o.store.account()
	if err != nil || account.PrivateKey != nil {
		return account, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return account, fmt.Errorf("make a key: %w", err)
	}
	account, err = client.NewAccount(ctx, acme.Account{TermsOfServiceAgreed: true, PrivateKey: key})
	if err != nil {
		return account, fmt.Errorf("make an account: %w", err)
	}
	return account, o.store.writeAccount(account.Location, key)
}

// explain explains why there is no certificate, for people.
func explain(err error) string {
	var problem acme.Problem
	var away *url.Error
	switch {
	case errors.As(err, &problem):
		if a, ok := problem.Resource.(acme.Authorization); ok {
			return "The authority could not verify " + a.IdentifierValue() + ": " + sentence(problem.Detail)
		}
		return "The authority refused: " + sentence(problem.Detail)
	case errors.As(err, &away):
		return "The authority can't be reached: " + sentence(away.Error())
	}
	return "The order failed: " + sentence(err.Error())
}

func sentence(text string) string {
	return strings.TrimRight(strings.ToValidUTF8(text, ""), ". \n") + "."
}

// selfSign makes a certificate that no browser trusts, for the time before the authority's.
func selfSign(names []string, now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	serial := make([]byte, 16)
	if _, err := rand.Read(serial); err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	template := &x509.Certificate{
		DNSNames: names, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0), SerialNumber: number(serial),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("sign a certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// encodeKey returns a key in PEM.
func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
