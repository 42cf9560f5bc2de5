package edge

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/test/pebble"
)

// proofs are hosts that serve only http-01 challenges, each at its own address, and an authority that remembers validations.
type proofs struct {
	*world
	ca        *pebble.Authority
	authority *certificate.Authority
	mu        sync.Mutex
	files     map[int64]map[string]string
	addresses map[int64]string
}

func newProofs(t *testing.T, w *world) *proofs {
	t.Helper()
	p := &proofs{world: w, files: map[int64]map[string]string{}, addresses: map[int64]string{}}
	port := 0
	for i, id := range []int64{number(w.mine.server), number(w.other.server), number(w.foreign.server)} {
		p.addresses[id], p.files[id] = "127.0.0."+strconv.Itoa(2+i), map[string]string{}
		l, err := net.Listen("tcp", net.JoinHostPort(p.addresses[id], strconv.Itoa(port)))
		if err != nil {
			t.Fatal(err)
		}
		port = l.Addr().(*net.TCPAddr).Port
		s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			p.mu.Lock()
			defer p.mu.Unlock()
			content, ok := p.files[id][strings.Replace(req.URL.Path, "/.well-known/acme-challenge", render.ACMEDirectory, 1)]
			if !ok {
				http.NotFound(rw, req)
			}
			_, _ = rw.Write([]byte(content))
		})}
		go func() { _ = s.Serve(l) }()
		t.Cleanup(func() { _ = s.Close() })
	}
	p.ca = pebble.Start(t, pebble.Config{HTTPPort: port, Remembers: true})
	roots := x509.NewCertPool()
	text, err := os.ReadFile(p.ca.Roots)
	if err != nil {
		t.Fatal(err)
	}
	roots.AppendCertsFromPEM(text)
	p.authority = &certificate.Authority{DB: w.App.DB, Box: w.App.Box, Directory: p.ca.Directory, Roots: roots, Runner: p, Targets: p}
	return p
}

func (p *proofs) Target(s query.Server) (host.Target, error) { return host.Target{ServerID: s.ID}, nil }

func (p *proofs) Run(_ context.Context, t host.Target, run wire.Run, _ func(wire.Event)) (wire.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range run.Change.Steps {
		if s.File != nil && s.File.Absent {
			delete(p.files[t.ServerID], s.File.Path)
		} else if s.File != nil {
			p.files[t.ServerID][s.File.Path] = string(s.File.Content)
		}
	}
	return wire.Result{State: wire.StateSucceeded}, nil
}

// order returns one for a name by the site of some things.
func (p *proofs) order(of things, name string) certificate.Order {
	p.T.Helper()
	server := must(p.App.DB.Read().Ungranted().GetServer(context.Background(), number(of.server)))
	domain := must(p.App.DB.Read().Ungranted().GetDomain(context.Background(), number(of.site), number(of.domain)))
	domain.Name = name
	return certificate.Order{Server: server, Domain: domain, Names: []string{name}, Method: certificate.HTTP01}
}

func (p *proofs) obtain(of things, name string) error {
	p.T.Helper()
	_, err := p.authority.Obtain(context.Background(), p.order(of, name), must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)))
	return err
}

// account returns an organization's account, as the authority knows it.
func (p *proofs) account(organization int64) acme.Account {
	p.T.Helper()
	row := must(p.App.DB.Read().Ungranted().GetACMEAccount(context.Background(), organization, p.ca.Directory))
	sealed := secret.Place{Table: "organization_acme_accounts", Row: strconv.FormatInt(organization, 10) + " " + p.ca.Directory, Column: "private_key"}
	block, _ := pem.Decode(must(p.App.Box.Open(sealed, row.PrivateKey)))
	return acme.Account{Status: acme.StatusValid, Location: row.Location, PrivateKey: must(x509.ParsePKCS8PrivateKey(block.Bytes)).(*ecdsa.PrivateKey)}
}

// count returns how many rows a table has.
func (p *proofs) count(table string) (n int) {
	p.T.Helper()
	p.Tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.SQL.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&n)
	})
	return n
}

// A name that one organization validated gives a site of another, or another site of its own, no certificate: each name is validated for each order.
func TestNeighbourIsIssuedWhatWasProven(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		p := newProofs(t, w)
		const name = "victim.example.net"
		p.ca.Leads(t, name, p.addresses[number(w.mine.server)])
		if err := p.obtain(w.mine, name); err != nil {
			t.Fatalf("whose server the name leads to is issued nothing: %v", err)
		}
		for who, of := range map[string]things{"another organization": w.foreign, "another site of the organization": w.other} {
			if p.obtain(of, name) == nil {
				t.Errorf("%s is issued a certificate for a name that leads elsewhere", who)
			}
		}
		if err := p.obtain(w.mine, name); err != nil {
			t.Errorf("whose server the name leads to is issued nothing after others tried: %v", err)
		}
		// The name moves to the other organization.
		p.ca.Leads(t, name, p.addresses[number(w.foreign.server)])
		if err := p.obtain(w.foreign, name); err != nil {
			t.Errorf("where the name leads now nothing is issued: %v", err)
		}
		if p.obtain(w.mine, name) == nil {
			t.Error("who proved the name before it moved is issued another certificate")
		}
		if a, b := p.account(w.org.ID), p.account(w.otherOrg.ID); a.Location == b.Location {
			t.Errorf("two organizations have one account at the authority: %s", a.Location)
		}
	})
}

// A leftover validation, for example of a service that was killed during an order, is useless to another site.
func TestColleagueIsIssuedWhatAKilledOrderProved(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		p := newProofs(t, w)
		const name = "victim.example.net"
		p.ca.Leads(t, name, p.addresses[number(w.mine.server)])
		if err := p.obtain(w.mine, name); err != nil { // there is an account now
			t.Fatal(err)
		}
		account, client := p.account(w.org.ID), &acme.Client{Directory: p.ca.Directory, HTTPClient: p.ca.Client}
		order := must(client.NewOrder(ctx, account, acme.Order{Identifiers: []acme.Identifier{{Type: "dns", Value: name}}}))
		left := must(client.GetAuthorization(ctx, account, order.Authorizations[0]))
		c := left.Challenges[slices.IndexFunc(left.Challenges, func(c acme.Challenge) bool { return c.Type == acme.ChallengeTypeHTTP01 })]
		p.mu.Lock()
		p.files[number(w.mine.server)][render.ACMEDirectory+"/"+c.Token] = c.KeyAuthorization
		p.mu.Unlock()
		if left.Status == acme.StatusPending {
			must(client.InitiateChallenge(ctx, account, c))
			must(client.PollAuthorization(ctx, account, left))
		}

		if p.obtain(w.other, name) == nil {
			t.Error("another site is issued a certificate for the name")
		}
		if now := must(client.GetAuthorization(ctx, account, left.Location)); now.Status == acme.StatusValid {
			t.Error("the authority remembers the proof still")
		}
	})
}

// After an order nothing that the authority remembers is valid, whether it issued or not.
func TestAuthorityRemembersNoProof(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		p := newProofs(t, w)
		p.ca.Leads(t, "shop.example.net", p.addresses[number(w.mine.server)])
		p.ca.Leads(t, "www.shop.example.net", p.addresses[number(w.foreign.server)])
		o := p.order(w.mine, "shop.example.net")
		o.Names = append(o.Names, "www.shop.example.net") // which can't be proven: the order fails with one name proven
		if _, err := p.authority.Obtain(context.Background(), o, must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))); err == nil {
			t.Fatal("a certificate was issued for a name that leads elsewhere")
		}
		if err := p.obtain(w.mine, "shop.example.net"); err != nil {
			t.Fatal(err)
		}
		ctx, account := context.Background(), p.account(w.org.ID)
		client := &acme.Client{Directory: p.ca.Directory, HTTPClient: p.ca.Client}
		order := must(client.NewOrder(ctx, account, acme.Order{Identifiers: []acme.Identifier{{Type: "dns", Value: "shop.example.net"}}}))
		if a := must(client.GetAuthorization(ctx, account, order.Authorizations[0])); a.Status != acme.StatusPending {
			t.Errorf("a new order finds the name %s", a.Status)
		}
		if n := p.count("acme_authorizations"); n != 0 {
			t.Errorf("%d authorizations are recorded still", n)
		}
	})
}

// The account that all organizations had in common is closed, with all that it proved; certificates that were issued in it are renewed in others.
func TestSharedAccountIsOfUseStill(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		p := newProofs(t, w)
		key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
		client := &acme.Client{Directory: p.ca.Directory, HTTPClient: p.ca.Client}
		shared := must(client.NewAccount(ctx, acme.Account{TermsOfServiceAgreed: true, PrivateKey: key}))
		text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(key))})
		sealed := must(w.App.Box.Seal(secret.Place{Table: "acme_accounts", Row: p.ca.Directory, Column: "private_key"}, text))
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "INSERT INTO shared_acme_accounts (directory, private_key, location, created_at) VALUES ($1, $2, $3, $4)",
				p.ca.Directory, sealed, shared.Location, tx.Micros())
			return err
		})
		if err := p.issuer().Renew(ctx, certificate.Renew{}); err != nil {
			t.Fatal(err)
		}
		_, err := client.NewOrder(ctx, shared, acme.Order{Identifiers: []acme.Identifier{{Type: "dns", Value: "a.example.net"}}})
		if !errors.As(err, new(acme.Problem)) {
			t.Errorf("an order in the shared account ends with %v", err)
		}
		if n := p.count("shared_acme_accounts"); n != 0 {
			t.Errorf("%d shared accounts are kept", n)
		}
	})
}

func (p *proofs) issuer() *certificate.Issuer {
	return &certificate.Issuer{
		DB: p.App.DB, Vault: certificate.Vault{Box: p.App.Box}, Log: slog.New(slog.DiscardHandler),
		Work: &certificate.Work{Queue: p.App.Queue, Ledger: p.App.Ledger}, Authority: p.authority,
	}
}

// A domain with a wildcard gets no certificate for the www of another site of the server, which nginx would validate for it.
func TestWildcardIsIssuedForTheNameOfAnotherSite(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		p := newProofs(t, w)
		row := w.issued(w.mine.domain)
		server, name := number(w.mine.server), "shop.example.net"
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			for _, q := range []string{
				"DELETE FROM site_names WHERE domain_id = " + w.mine.domain,
				"UPDATE domains SET name = '" + name +
					"', wildcard = TRUE, www_redirect_type = 'to-www', certificate_id = NULL, status = 'enabled' WHERE id = " + w.mine.domain,
				"UPDATE sites SET status = 'installed' WHERE id = " + w.mine.site,
			} {
				if _, err := tx.SQL.ExecContext(ctx, q); err != nil {
					return err
				}
			}
			domain, site, neighbour := number(w.mine.domain), number(w.mine.site), number(w.mine.balancerSite)
			_, err := tx.ClaimDomainName(ctx, server, name, site, &domain)
			if err == nil {
				_, err = tx.ClaimDomainName(ctx, server, "*."+name, site, &domain)
			}
			if err == nil {
				_, err = tx.ClaimDomainName(ctx, server, "www."+name, neighbour, nil)
			}
			return err
		})
		p.ca.Leads(t, name, p.addresses[server])
		p.ca.Leads(t, "www."+name, p.addresses[server])
		order := func() (query.Certificate, error) {
			t.Helper()
			stages, err := p.issuer().Aspect().Plan(ctx, w.App.DB.Read().Ungranted(), query.Server{}, []query.Operation{{ResourceID: row.ID}})
			if err != nil {
				t.Fatal(err)
			}
			err = stages[0].After(ctx, must(w.App.DB.Read().Ungranted().GetServer(ctx, server)))
			return must(w.App.DB.Read().Ungranted().GetCertificate(ctx, row.ID)), err
		}
		now, err := order()
		if err != nil {
			t.Fatal(err)
		}
		block, _ := pem.Decode([]byte(*now.NextChain))
		if leaf := must(x509.ParseCertificate(block.Bytes)); !slices.Equal(leaf.DNSNames, []string{name}) {
			t.Errorf("the certificate is for %v", leaf.DNSNames)
		}
		// Without the name's row nothing is issued, wherever the name leads.
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			if err := tx.SetNextCertificate(ctx, row.ID, nil, nil, tx.Micros()); err != nil {
				return err
			}
			domain := number(w.mine.domain)
			return tx.ReleaseDomainName(ctx, &domain, name)
		})
		if now, err := order(); err == nil || now.NextChain != nil {
			t.Errorf("a domain that does not hold its name is issued a certificate: %v", err)
		}
	})
}
