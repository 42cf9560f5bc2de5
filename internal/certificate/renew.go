package certificate

import (
	"context"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
)

// Renew is the job that begins renewals that are due.
type Renew struct{}

// Kind names the job.
func (Renew) Kind() string { return "certificate.renew" }

// RenewEvery is how often due renewals are looked for.
const RenewEvery = time.Hour

// Work begins the renewals that are due, and asks the authority whether others should be renewed earlier: after a revocation for instance.
func (i *Issuer) Renew(ctx context.Context, _ Renew) error {
	if err := i.suggestions(ctx); err != nil {
		i.Log.WarnContext(ctx, "asking when to renew certificates failed", "error", err)
	}
	due, err := i.DB.Read().ListDueCertificates(ctx, micros(i.DB.Clock.Now()))
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
	row, err := tx.GetCertificate(ctx, id)
	if err != nil {
		return err
	}
	s, err := tx.GetSite(ctx, row.SiteID)
	if err != nil {
		return err
	}
	if err := tx.LockServer(ctx, s.ServerID); err != nil {
		return err
	}
	if row, err = tx.GetCertificate(ctx, id); err != nil || row.Status != StatusInstalled || row.RenewAt == nil || *row.RenewAt > tx.Micros() {
		return err
	}
	server, err := tx.GetServer(ctx, s.ServerID)
	if err != nil {
		return err
	}
	d, err := tx.GetDomain(ctx, row.SiteID, row.DomainID)
	if err != nil {
		return err
	}
	if d.CertificateID == nil || *d.CertificateID != row.ID { // not served: nobody needs a new one
		return tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: row.ID, UpdatedAt: tx.Micros()})
	}
	_, err = i.Work.order(ctx, tx, access.Grant{OrganizationID: s.OrganizationID}, server, d, &row, "renew")
	return err
}

// suggestions moves renewals forward where the authority says so.
func (i *Issuer) suggestions(ctx context.Context) error {
	rows, err := db.All[query.Certificate](ctx, i.DB.Reader(), "certificates", db.Equal("type", LetsEncrypt), db.Equal("status", StatusInstalled))
	if err != nil {
		return err
	}
	var first error
	for _, row := range rows {
		if row.Chain == nil || row.RenewAt == nil || row.Failures > 0 || *row.RenewAt <= i.DB.Clock.Now().UnixMicro() {
			continue
		}
		at, err := i.Authority.Suggested(ctx, *row.Chain)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if at.IsZero() || at.UnixMicro() >= *row.RenewAt {
			continue
		}
		if err := i.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: row.ID, RenewAt: micros(at), UpdatedAt: tx.Micros()})
		}); err != nil {
			return fmt.Errorf("note when to renew certificate %d: %w", row.ID, err)
		}
	}
	return first
}
