package edge

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
)

// advisor is an authority that does nothing but say when it wants certificates renewed (RFC 9773).
type advisor struct {
	*httptest.Server
	start, end time.Time
	again      string // Retry-After
	asked      atomic.Int64
}

func newAdvisor(t *testing.T, start, end time.Time, again string) *advisor {
	a := &advisor{start: start, end: end, again: again}
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if req.URL.Path == "/dir" {
			_ = json.NewEncoder(w).Encode(map[string]string{
				"newNonce": a.URL + "/nonce", "newAccount": a.URL + "/account",
				"newOrder": a.URL + "/order", "renewalInfo": a.URL + "/ari",
			})
			return
		}
		a.asked.Add(1)
		w.Header().Set("Retry-After", a.again)
		_ = json.NewEncoder(w).Encode(map[string]any{"suggestedWindow": map[string]any{"start": a.start, "end": a.end}})
	}))
	t.Cleanup(a.Close)
	return a
}

// issuer returns the part of the App that renews, asking this authority.
func (w *world) issuer(a *advisor) *certificate.Issuer {
	w.T.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(a.Certificate())
	vault := certificate.Vault{Box: w.App.Box}
	return &certificate.Issuer{
		DB: w.App.DB, Vault: vault, Log: slog.New(slog.DiscardHandler),
		Work: &certificate.Work{Queue: w.App.Queue, Ledger: w.App.Ledger}, Alarm: certificate.MailAlarm{Mail: w.App.Outbox},
		Authority: &certificate.Authority{DB: w.App.DB, Box: w.App.Box, Directory: a.URL + "/dir", Roots: roots},
	}
}

// issued returns a domain a certificate of the authority that is served, good for 90 days from now, to be renewed in 70.
func (w *world) issued(d string) query.Certificate {
	w.T.Helper()
	return w.issuedFor(d, 90*24*time.Hour)
}

// issuedFor is issued with another life, after 7/9 of which the certificate is to be renewed.
func (w *world) issuedFor(d string, life time.Duration) query.Certificate {
	w.T.Helper()
	now := w.Clock.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, SubjectKeyId: []byte{1, 2, 3, 4}, NotBefore: now,
		NotAfter: now.Add(1e6 * time.Hour),
	}
	caKey, key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	leaf := &x509.Certificate{
		SerialNumber: must(rand.Int(rand.Reader, big.NewInt(1<<62))), AuthorityKeyId: []byte{1, 2, 3, 4},
		DNSNames: []string{"a.example.org"}, NotBefore: now, NotAfter: now.Add(life),
	}
	der := must(x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), caKey))
	chain, expires, due := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), leaf.NotAfter.UnixMicro(), now.Add(life*7/9).UnixMicro()
	var row query.Certificate
	w.Tx(func(ctx context.Context, tx *db.Tx) (err error) {
		domain, err := tx.Ungranted().GetDomain(ctx, number(w.mine.site), number(d))
		if err != nil {
			return err
		}
		method, kind := certificate.HTTP01, certificate.ECDSA
		if row, err = tx.InsertCertificate(ctx, query.InsertCertificateParams{
			SiteID: domain.SiteID, DomainID: domain.ID, Type: certificate.LetsEncrypt, VerificationMethod: &method, KeyType: &kind, RequestStatus: "created",
			Status: certificate.StatusInstalled, Enable: true, Names: "a.example.org", Chain: &chain, ExpiresAt: &expires, CreatedAt: tx.Micros(),
			UpdatedAt: tx.Micros(),
		}); err != nil {
			return err
		}
		if err := tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: row.ID, RenewAt: &due, UpdatedAt: tx.Micros()}); err != nil {
			return err
		}
		wish, err := certificate.Noun(nil).Want(row.ID, certificate.Specification{SiteID: domain.SiteID, DomainID: domain.ID, Active: true, Chain: chain})
		if err != nil {
			return err
		}
		if err := w.App.Ledger.Adopt(ctx, tx, number(w.mine.server), wish); err != nil {
			return err
		}
		row, err = tx.Ungranted().GetCertificate(ctx, row.ID)
		return err
	})
	return row
}

// The authority is asked as often as it wants, and certificates are renewed when it suggests, each at its own time, and at once if that is past.
func TestRenewalFollowsTheAuthority(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		now := e.Clock.Now()
		day := 24 * time.Hour
		soon := newAdvisor(t, now.Add(10*day), now.Add(20*day), "86400")
		i, row := w.issuer(soon), w.issued(w.mine.domain)
		at := w.sites(w.mine.server) + "/" + w.mine.site + "/domains/" + w.mine.domain + "/certificates/" + fmt.Sprint(row.ID)
		renew := func(i *certificate.Issuer) (time.Time, string) {
			t.Helper()
			if err := i.Renew(context.Background(), certificate.Renew{}); err != nil {
				t.Fatal(err)
			}
			a := w.owner.Get(at).Want(t, 200)
			due, _ := time.Parse(time.RFC3339Nano, a.Text("data", "meta", "certificate", "renew_at"))
			return due, a.Text("data", "attributes", "status")
		}
		first, status := renew(i)
		if first.Before(soon.start) || first.After(soon.end) || status != "installed" {
			t.Errorf("it is renewed %s, %s, and the window is %s to %s", first, status, soon.start, soon.end)
		}
		for range 5 { // it said to come back in a day
			renew(i)
		}
		if n := soon.asked.Load(); n != 1 {
			t.Errorf("the authority was asked %d times", n)
		}
		e.Clock.Move(25 * time.Hour)
		if again, _ := renew(i); !again.Equal(first) || soon.asked.Load() != 2 {
			t.Errorf("asked again, %d times, it is renewed %s instead of %s", soon.asked.Load(), again, first)
		}
		e.Clock.Move(25 * time.Hour)
		if late, _ := renew(w.issuer(newAdvisor(t, now.Add(100*day), now.Add(120*day), "60"))); late.After(now.Add(90 * day)) {
			t.Errorf("an authority that wants it renewed after its end is followed: %s", late)
		}
		e.Clock.Move(25 * time.Hour)
		before, _ := renew(w.issuer(newAdvisor(t, now.Add(2*day), now.Add(day), "60"))) // a window that is none
		if after, status := renew(w.issuer(newAdvisor(t, now.Add(2*day), now.Add(day), "60"))); !after.Equal(before) || status != "installed" {
			t.Errorf("after an answer that is none it is renewed %s instead of %s, %s", after, before, status)
		}
		if _, status := renew(w.issuer(newAdvisor(t, now.Add(-2*day), now.Add(time.Second-2*day), "60"))); status != "renewing" {
			t.Errorf("when the authority wants it renewed at once it is %s", status)
		}
	})
}

// A renewal that fails changes nothing that is served, is retried later and later, and owners are notified at once, and in the last week each time.
func TestFailedRenewalAlarms(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		i, row := w.issuer(newAdvisor(t, e.Clock.Now(), e.Clock.Now(), "")), w.issued(w.mine.domain)
		at := w.sites(w.mine.server) + "/" + w.mine.site + "/domains/" + w.mine.domain + "/certificates/" + fmt.Sprint(row.ID)
		told := func() int {
			w.Mail.Last(t, "owner@example.com")
			n := 0
			for _, m := range w.Mail.all {
				if m.To == "owner@example.com" && strings.Contains(m.Subject, "one-too.example.com") && strings.Contains(m.Text, "30 May 2026") {
					n++
				}
			}
			return n
		}
		fail := func() {
			t.Helper()
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				return tx.SetCertificateStatus(ctx, query.SetCertificateStatusParams{
					ID: row.ID, Status: certificate.StatusInstalled,
					RequestStatus: "created", UpdatedAt: tx.Micros(),
				})
			})
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				now, err := tx.Ungranted().GetCertificate(ctx, row.ID)
				if err != nil {
					return err
				}
				past := tx.Micros()
				return tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{
					ID: row.ID, RenewAt: &past, Failure: now.Failure,
					Failures: now.Failures, UpdatedAt: past,
				})
			})
			if err := i.Renew(context.Background(), certificate.Renew{}); err != nil {
				t.Fatal(err)
			}
			id := number(w.owner.Get(at).Text("data", "meta", "operation", "id"))
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				op, err := tx.Ungranted().GetOperation(ctx, id)
				if err != nil {
					return err
				}
				if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: id, State: "failed", Reason: "The authority refused.", UpdatedAt: tx.Micros()}); err != nil {
					return err
				}
				return i.Aspect().Write(ctx, tx, op, job.Failed)
			})
			a := w.owner.Get(at).Want(t, 200)
			if a.Text("data", "attributes", "status") != "installed" || a.At("data", "attributes", "active") != true ||
				a.Text("data", "meta", "certificate", "failure") != "The authority refused." {
				t.Errorf("after a failed renewal: %s", a.Body)
			}
			next, _ := time.Parse(time.RFC3339Nano, a.Text("data", "meta", "certificate", "renew_at"))
			if wait := next.Sub(e.Clock.Now()); wait < 25*time.Minute || wait > 25*time.Hour {
				t.Errorf("it is tried again after %s", wait)
			}
		}
		fail()
		if n := told(); n != 1 {
			t.Errorf("after the first failure owners got %d mails", n)
		}
		fail()
		fail()
		if n := told(); n != 1 {
			t.Errorf("after three failures owners got %d mails", n)
		}
		e.Clock.Move(84 * 24 * time.Hour)
		fail()
		fail()
		if n := told(); n != 3 {
			t.Errorf("in the last week owners got %d mails for two failures", n-1)
		}
	})
}

// A renewed certificate that the host rejects changes nothing that is served, and owners are notified. A retry replaces the old one.
func TestRenewedCertificateIsNotTaken(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		i, row := w.issuer(newAdvisor(t, w.Clock.Now(), w.Clock.Now(), "")), w.issued(w.mine.domain)
		w.Clock.Move(time.Hour)
		next := w.issued(w.mine.domain) // whose chain is a newer one
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			for _, id := range []int64{next.ID, row.ID} {
				wish, err := certificate.Noun(nil).Want(id, certificate.Specification{SiteID: row.SiteID, DomainID: row.DomainID, Active: id == row.ID, Chain: *row.Chain})
				if err == nil {
					err = w.App.Ledger.Adopt(ctx, tx, number(w.mine.server), wish)
				}
				if err != nil {
					return err
				}
			}
			past := tx.Micros()
			return tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: row.ID, RenewAt: &past, UpdatedAt: past})
		})
		at := w.sites(w.mine.server) + "/" + w.mine.site + "/domains/" + w.mine.domain + "/certificates/" + fmt.Sprint(row.ID)
		if err := i.Renew(context.Background(), certificate.Renew{}); err != nil {
			t.Fatal(err)
		}
		w.serviceBegan(t, "certificates", access.SiteManageSSL)
		order := number(w.owner.Get(at).Text("data", "meta", "operation", "id"))
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			sealed, err := w.App.Box.Seal(secret.Place{Table: "certificates", Row: fmt.Sprint(row.ID), Column: "next_private_key"}, []byte("key"))
			if err != nil {
				return err
			}
			if err := tx.SetNextCertificate(ctx, row.ID, next.Chain, sealed, tx.Micros()); err != nil {
				return err
			}
			op, err := tx.Ungranted().GetOperation(ctx, order)
			if err != nil {
				return err
			}
			if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: order, State: "succeeded", UpdatedAt: tx.Micros()}); err != nil {
				return err
			}
			return i.Aspect().Write(ctx, tx, op, job.Succeeded)
		})
		want := func(when, status, failure, chain string) {
			t.Helper()
			a := w.owner.Get(at).Want(t, 200)
			if a.Text("data", "attributes", "status") != status || a.At("data", "attributes", "active") != true ||
				a.Text("data", "meta", "certificate", "failure") != failure {
				t.Errorf("%s: %s", when, a.Body)
			}
			now := must(w.App.DB.Read().Ungranted().GetCertificate(context.Background(), row.ID))
			if *now.Chain != chain || status == "installed" && now.NextChain != nil {
				t.Errorf("%s the chain is\n%s and after it comes %v", when, *now.Chain, now.NextChain)
			}
		}
		want("while it is put on the host", "renewing", "", *row.Chain)
		w.ended(at, false, "nginx refuses the site")
		const reason = "The renewed certificate could not be put on the server. nginx refuses the site"
		want("refused", "installed", reason, *row.Chain)
		if m := w.Mail.Last(t, "owner@example.com"); m == nil || !strings.Contains(m.Text, reason) {
			t.Errorf("owners are told %v", m)
		}
		w.retry(w.mine.server, at).Want(t, 202)
		want("tried again", "renewing", reason, *row.Chain)
		w.ended(at, true)
		want("taken", "installed", "", *next.Chain)
	})
}

// nowhere is where challenges can't be put.
type nowhere struct{}

func (nowhere) Target(query.Server) (host.Target, error) { return host.Target{}, errors.New("nowhere") }

// A certificate that is asked for together with its domain or its site is ordered once they are served.
func TestOrderWaitsForItsDomain(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		i := w.issuer(newAdvisor(t, w.Clock.Now(), w.Clock.Now(), ""))
		i.Authority.Targets = nowhere{}
		at := w.sites(w.mine.server) + "/" + w.mine.site
		d := w.owner.Post(at+"/domains", map[string]any{"name": "new.example.org", "www_redirect_type": "none", "allow_wildcard_subdomains": false}).Want(t, 202).ID()
		certificate := at + "/domains/" + d + "/certificates"
		certificate += "/" + w.owner.Post(certificate, map[string]any{"type": "letsencrypt"}).Want(t, 202).ID()
		tried := func() error {
			t.Helper()
			read := w.App.DB.Read().Ungranted()
			op := must(read.GetOperation(context.Background(), number(w.owner.Get(certificate).Want(t, 200).Text("data", "meta", "operation", "id"))))
			row := must(read.GetServer(context.Background(), number(w.mine.server)))
			stages := must(i.Aspect().Plan(context.Background(), read, row, []query.Operation{op}))
			return stages[0].After(context.Background(), row)
		}
		waits := func(when string, want bool) {
			t.Helper()
			err := tried()
			if later := (*job.LaterError)(nil); errors.As(err, &later) != want {
				t.Errorf("%s the order ends with %v", when, err)
			}
		}
		waits("while the site is installed", true)
		w.ended("/orgs/acme/sites/"+w.mine.site, true)
		waits("while its domain is connected", true)
		w.ended(at+"/domains/"+d, true)
		waits("once both are served", false)
	})
}

// A domain is still served with its current certificate if another one can't replace it, whatever else is requested meanwhile.
func TestCertificateGivesWay(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.sites(w.mine.server) + "/" + w.mine.site
		w.ended("/orgs/acme/sites/"+w.mine.site, true)
		d := w.alias(at, "shop.example.org", "none")
		made := func() string {
			t.Helper()
			return d + "/certificates/" + w.owner.Post(d+"/certificates", certificateBody(t, "shop.example.org")).Want(t, 202).ID()
		}
		want := func(when string, active string, statuses map[string]string) {
			t.Helper()
			for path, status := range statuses {
				if a := w.owner.Get(path).Want(t, 200); a.Text("data", "attributes", "status") != status || a.At("data", "attributes", "active") != (path == active) {
					t.Errorf("%s: %s", when, a.Body)
				}
			}
		}
		a := made()
		w.ended(a, true)
		b := made()
		want("while another takes its place", b, map[string]string{a: "disabling", b: "installing"})
		first := w.begun(b)
		c := made()
		w.owner.Call("PATCH", d, map[string]any{"www_redirect_type": "to-www"}).Want(t, 200)
		w.endedOperation(first, false)
		want("with a third one asked for", c, map[string]string{b: "installed", c: "installing"})
		w.ended(c, false)
		w.ended(d, true)
		want("after both failed", a, map[string]string{a: "installed", b: "installed", c: "installed"})
		w.owner.Call("DELETE", a, nil).Want(t, 202)
		want("while it is deleted", "", map[string]string{a: "removing"})
		w.ended(a, false)
		want("after it could not be deleted", a, map[string]string{a: "installed"})
		w.owner.Post(b+"/actions", map[string]any{"action": "enable"}).Want(t, 202)
		w.ended(b, true)
		want("after another took its place", b, map[string]string{a: "installed", b: "installed", c: "installed"})
	})
}

// Owners are notified once of an uploaded certificate that ends soon.
func TestExpiringCertificateAlarms(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	i := w.issuer(newAdvisor(t, w.Clock.Now(), w.Clock.Now(), ""))
	at := w.sites(w.mine.server) + "/" + w.mine.site + "/domains/" + w.mine.domain + "/certificates/" + w.mine.certificate
	w.ended(at, true)
	look := func() {
		t.Helper()
		if err := i.Renew(context.Background(), certificate.Renew{}); err != nil {
			t.Fatal(err)
		}
	}
	look()
	if m := w.Mail.Last(t, "owner@example.com"); m != nil && strings.Contains(m.Subject, "certificate") {
		t.Errorf("owners are told ten months before: %s", m.Text)
	}
	w.Clock.Move(295 * 24 * time.Hour) // it ends on 31 December
	look()
	look()
	n := 0
	w.Mail.Last(t, "owner@example.com")
	for _, m := range w.Mail.all {
		if m.To == "owner@example.com" && strings.Contains(m.Subject, "one-too.example.com") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("owners got %d mails", n)
	}
	if got := w.owner.Get(at).Text("data", "meta", "certificate", "failure"); !strings.Contains(got, "not renewed automatically") {
		t.Errorf("the certificate says %q", got)
	}
}

// A certificate that is renewed automatically is a concern once its renewal is overdue, however long certificates live: six days, or 90.
func TestAutomaticRenewalIsNoConcern(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, c := range []struct{ life, planned, overdue time.Duration }{
		{6 * day, 5 * day, 16 * time.Hour},
		{90 * day, 82 * day, 2 * day},
	} {
		Worlds(t, func(t *testing.T, w *world) {
			w.issuedFor(w.mine.domain, c.life)
			ending := func() bool {
				return strings.Contains(strings.Join(attention(t, w.owner), ", "), "certificate-ending one-too.example.com")
			}
			if ending() {
				t.Errorf("a new certificate for %s is a concern", c.life)
			}
			w.Clock.Move(c.planned)
			if ending() {
				t.Errorf("a certificate for %s is a concern after %s, before its renewal is overdue", c.life, c.planned)
			}
			w.Clock.Move(c.overdue)
			if !ending() {
				t.Errorf("a certificate for %s is no concern after %s", c.life, c.planned+c.overdue)
			}
		})
	}
}
