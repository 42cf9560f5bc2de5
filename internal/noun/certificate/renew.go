package certificate

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Renew is the job that starts due renewals.
type Renew struct{}

// Kind names the job.
func (Renew) Kind() string { return "certificate.renew" }

// RenewEvery is the interval of Renew.
const RenewEvery = time.Hour

// Renew starts due renewals, and asks the authority whether others should be renewed earlier, for example after a revocation.
func (i *Issuer) Renew(ctx context.Context, _ Renew) error {
	if err := i.suggestions(ctx); err != nil {
		i.Log.WarnContext(ctx, "asking when to renew certificates failed", "error", err)
	}
	if err := errors.Join(i.Authority.retire(ctx), i.Authority.sweep(ctx)); err != nil {
		i.Log.WarnContext(ctx, "deactivating what authorities remember failed", "error", err)
	}
	if err := i.expiring(ctx); err != nil {
		return err
	}
	due, err := i.DB.Read().Ungranted().ListDueCertificates(ctx, micros(i.DB.Clock.Now()))
	if err != nil {
		return fmt.Errorf("list certificates to renew: %w", err)
	}
	for _, row := range due {
		if err := i.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return i.begin(ctx, tx, row.ID) }); err != nil {
			return fmt.Errorf("renew certificate %d: %w", row.ID, err)
		}
	}
	return nil
}

func micros(t time.Time) *int64 {
	m := t.UnixMicro()
	return &m
}

func (i *Issuer) begin(ctx context.Context, tx *db.Tx, id int64) error {
	row, err := tx.Ungranted().GetCertificate(ctx, id)
	if err != nil {
		return err
	}
	s, err := tx.GetSite(ctx, row)
	if err != nil {
		return err
	}
	if err := tx.LockServer(ctx, s.ServerID); err != nil {
		return err
	}
	if row, err = tx.Ungranted().GetCertificate(ctx, id); err != nil || row.Status != StatusInstalled || row.RenewAt == nil || *row.RenewAt > tx.Micros() {
		return err
	}
	srv, err := tx.GetServer(ctx, s)
	if err != nil {
		return err
	}
	d, err := tx.GetDomain(ctx, row, row.DomainID)
	if err != nil {
		return err
	}
	if d.CertificateID == nil || *d.CertificateID != row.ID { // not served: it needs no renewal
		return tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: row.ID, UpdatedAt: tx.Micros()})
	}
	_, err = i.Work.order(ctx, tx, server.Path{Grant: access.Grant{OrganizationID: s.OrganizationID}, Server: srv}, d, &row, "renew")
	return err
}

// Suggestion is when an authority wants a certificate renewed (RFC 9773).
type Suggestion struct {
	Start, End time.Time
	// Again is when to ask again.
	Again time.Time
}

// Limits on how often an authority is asked again.
const (
	askLeast   = time.Minute
	askDefault = 6 * time.Hour
	askMost    = 24 * time.Hour
)

// Suggested asks the authority when it wants a certificate renewed; false if it does not say. The library's own method refuses
// the one-second window that some authorities use for "at once", and waits seconds for another answer.
func (a *Authority) Suggested(ctx context.Context, leaf *x509.Certificate) (Suggestion, bool, error) {
	client := a.acme()
	dir, err := client.GetDirectory(ctx)
	if err != nil {
		return Suggestion{}, false, fmt.Errorf("ask when to renew: %w", err)
	}
	if dir.RenewalInfo == "" {
		return Suggestion{}, false, nil
	}
	id, err := acme.ARIUniqueIdentifier(leaf)
	if err != nil {
		return Suggestion{}, false, fmt.Errorf("ask when to renew: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(dir.RenewalInfo, "/")+"/"+id, nil)
	if err != nil {
		return Suggestion{}, false, fmt.Errorf("ask when to renew: %w", err)
	}
	req.Header.Set("User-Agent", client.UserAgent)
	res, err := client.HTTPClient.Do(req)
	if err != nil {
		return Suggestion{}, false, fmt.Errorf("ask when to renew: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return Suggestion{}, false, fmt.Errorf("ask when to renew: the authority answered %s", res.Status)
	}
	var info struct {
		SuggestedWindow struct{ Start, End time.Time }
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&info); err != nil {
		return Suggestion{}, false, fmt.Errorf("ask when to renew: read the answer: %w", err)
	}
	window := info.SuggestedWindow
	if window.Start.IsZero() || !window.End.After(window.Start) {
		return Suggestion{}, false, fmt.Errorf("ask when to renew: the window %s to %s is not valid", window.Start, window.End)
	}
	now := a.DB.Clock.Now()
	return Suggestion{Start: window.Start, End: window.End, Again: now.Add(askAgain(res.Header.Get("Retry-After"), now))}, true, nil
}

const maxAnswer = 64 << 10

// askAgain returns the delay in a header, in seconds or as a date (RFC 9110, 10.2.3).
func askAgain(header string, now time.Time) time.Duration {
	wait := askDefault
	if n, err := strconv.ParseInt(header, 10, 32); err == nil {
		wait = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, askLeast), askMost)
}

// at returns a time in the window that depends only on the certificate. A new random one at every query would move the renewals
// of all certificates to the beginning of their windows, since the earliest of many counts.
func (s Suggestion) at(leaf *x509.Certificate) time.Time {
	sum := sha256.Sum256(leaf.Raw)
	share := float64(binary.BigEndian.Uint32(sum[:4])) / (1 << 32)
	return s.Start.Add(time.Duration(share * float64(s.End.Sub(s.Start))))
}

// mostSilent is how many answers may fail in a row before the rest is left for the next time.
const mostSilent = 3

// suggestions renews when the authority suggests it, because it knows of revocations. A suggestion later than our own time is ignored.
func (i *Issuer) suggestions(ctx context.Context) error {
	rows, err := i.DB.Read().Ungranted().ListCertificatesToAskAbout(ctx, micros(i.DB.Clock.Now()))
	if err != nil {
		return fmt.Errorf("list certificates to ask about: %w", err)
	}
	var first error
	silent := 0
	for _, row := range rows {
		if silent == mostSilent {
			break
		}
		leaf, _, err := parseChain(*row.Chain)
		if err != nil {
			return fmt.Errorf("read certificate %d: %w", row.ID, err)
		}
		s, says, err := i.Authority.Suggested(ctx, leaf)
		if err != nil {
			silent++
			if first == nil {
				first = err
			}
			continue
		}
		silent = 0
		at, again := *row.RenewAt, i.DB.Clock.Now().Add(askMost)
		if says {
			_, latest := renewWindow(leaf)
			at, again = min(s.at(leaf).UnixMicro(), latest.UnixMicro()), s.Again
		}
		if err := i.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return tx.SetCertificateSuggestion(ctx, row.ID, &at, micros(again))
		}); err != nil {
			return fmt.Errorf("note when to renew certificate %d: %w", row.ID, err)
		}
	}
	return first
}

// expireSoon is how long before its end people are notified of a certificate that is not renewed automatically.
const expireSoon = 14 * 24 * time.Hour

// expiring notifies once of each served certificate that is not renewed.
func (i *Issuer) expiring(ctx context.Context) error {
	rows, err := i.DB.Read().Ungranted().ListExpiringCertificates(ctx, micros(i.DB.Clock.Now().Add(expireSoon)))
	if err != nil {
		return fmt.Errorf("list expiring certificates: %w", err)
	}
	for _, row := range rows {
		const reason = "It is not renewed automatically. Upload another one."
		if err := i.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			if err := tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: row.ID, Failure: reason, UpdatedAt: tx.Micros()}); err != nil {
				return err
			}
			return alarm(ctx, tx, i.Alarm, row, reason)
		}); err != nil {
			return fmt.Errorf("tell that certificate %d expires: %w", row.ID, err)
		}
	}
	return nil
}
