package certificate

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/job"
)

// Aspect is the ordering of certificates. It goes on beside other work on the same server, which an authority may take minutes for.
const Aspect = "certificate"

// Alarm is told of certificates that could not be renewed.
type Alarm interface {
	// RenewalFailed is called in the transaction that notes the failure.
	RenewalFailed(ctx context.Context, tx *db.Tx, c query.Certificate, reason string) error
}

// Issuer orders certificates from an authority and has them served.
type Issuer struct {
	DB        *db.DB
	Vault     Vault
	Authority *Authority
	Work      *Work
	Log       *slog.Logger
	// Alarm is told of failed renewals; nil leaves that out.
	Alarm Alarm
}

// Plan is one stage that changes nothing by itself: what follows it talks to the authority.
func (i *Issuer) Plan(_ context.Context, _ *query.Queries, _ query.Server, w job.Pending) ([]job.Stage, error) {
	if len(w.Included) == 0 {
		return nil, nil
	}
	return []job.Stage{{Name: "order", After: func(ctx context.Context, server query.Server) error {
		for _, op := range w.Included {
			if err := i.order(ctx, server, op); err != nil {
				return err
			}
		}
		return nil
	}}}, nil
}

// order obtains what an operation is about, and keeps it beside what is served. One that is there already was obtained before a restart.
func (i *Issuer) order(ctx context.Context, server query.Server, op query.Operation) error {
	ctx, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	q := i.DB.Read()
	row, err := q.GetCertificate(ctx, op.ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return &job.StageError{Reason: "The certificate was deleted."}
	}
	if err != nil {
		return fmt.Errorf("read certificate %d: %w", op.ResourceID, err)
	}
	if row.NextChain != nil {
		return nil
	}
	d, err := q.GetDomain(ctx, row.SiteID, row.DomainID)
	if err != nil {
		return fmt.Errorf("read domain of certificate %d: %w", row.ID, err)
	}
	o := Order{Server: server, Domain: d, Names: wanted(d), Method: text(row.VerificationMethod), PreferredChain: text(row.PreferredChain)}
	if row.Chain != nil {
		if o.Replaces, _, err = parseChain(*row.Chain); err != nil {
			return err
		}
	}
	key, err := newKey(text(row.KeyType))
	if err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	chain, err := i.Authority.Obtain(ctx, o, key)
	if err != nil {
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return err
		}
		return &job.StageError{Reason: explain(err)}
	}
	leaf, chain, err := parseChain(chain)
	if err != nil || fits(leaf, key.Public(), d.Name, i.DB.Clock.Now()) != nil {
		return &job.StageError{Reason: "The authority issued a certificate that does not fit."}
	}
	encoded, err := encodeKey(key)
	if err != nil {
		return err
	}
	sealed, err := i.Vault.Box.Seal(place(row.ID, columnNext), encoded)
	if err != nil {
		return err
	}
	return i.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.SetNextCertificate(ctx, row.ID, &chain, sealed, tx.Micros())
	})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// explain says for people why an authority did not issue.
func explain(err error) string {
	var problem acme.Problem
	if errors.As(err, &problem) {
		out := "The authority refused: " + problem.Detail
		for _, sub := range problem.Subproblems {
			out += " " + sub.Identifier.Value + ": " + sub.Detail
		}
		return strings.ToValidUTF8(out, "")
	}
	return "No certificate could be obtained: " + strings.ToValidUTF8(err.Error(), "")
}

// Settle has what was obtained served, or notes why there is nothing. What was served before is served still.
func (i *Issuer) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	row, err := tx.GetCertificate(ctx, op.ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("settle certificate %d: %w", op.ResourceID, err)
	}
	d, err := tx.GetDomain(ctx, row.SiteID, row.DomainID)
	if err != nil {
		return fmt.Errorf("settle certificate %d: %w", op.ResourceID, err)
	}
	if !done || row.NextChain == nil {
		return i.notIssued(ctx, tx, op, row)
	}
	leaf, _, err := parseChain(*row.NextChain)
	if err != nil {
		return err
	}
	at := renewAt(leaf, tx.Now)
	micros := at.UnixMicro()
	if err := tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: row.ID, RenewAt: &micros, UpdatedAt: tx.Micros()}); err != nil {
		return fmt.Errorf("settle certificate %d: %w", row.ID, err)
	}
	row.RequestStatus = requestCreated
	server, err := tx.GetServer(ctx, op.ServerID)
	if err != nil {
		return fmt.Errorf("settle certificate %d: %w", row.ID, err)
	}
	g := access.Grant{OrganizationID: op.OrganizationID}
	active := d.CertificateID != nil && *d.CertificateID == row.ID
	if active { // the new one takes the place of the old once it is on the host
		_, err = i.Work.Enable(ctx, tx, g, server, d, &row, StatusRenewing, "install", d.CertificateID)
		return err
	}
	if err := (Part{Vault: i.Vault}).follow(ctx, tx, row); err != nil {
		return err
	}
	if op.Action == "create" && row.Enable {
		_, err = i.Work.Enable(ctx, tx, g, server, d, &row, StatusInstalling, "enable", &row.ID)
		return err
	}
	row.Status, row.OperationID = StatusInstalled, &op.ID
	return setStatus(ctx, tx, row)
}

func (i *Issuer) notIssued(ctx context.Context, tx *db.Tx, op query.Operation, row query.Certificate) error {
	reason := "No certificate was obtained in time."
	if now, err := tx.GetOperation(ctx, op.ID); err == nil && now.Reason != "" {
		reason = now.Reason
	}
	if err := failed(ctx, tx, row, reason); err != nil {
		return err
	}
	row.Status, row.OperationID = StatusFailed, &op.ID
	if row.Chain != nil {
		row.Status = StatusInstalled
		if i.Alarm != nil {
			if err := i.Alarm.RenewalFailed(ctx, tx, row, reason); err != nil {
				return err
			}
		}
	}
	return setStatus(ctx, tx, row)
}

// Backoff between failed renewals.
const (
	firstAgain = time.Hour
	mostAgain  = 24 * time.Hour
)

// failed notes a failure, and when a renewal is tried again; others wait for somebody to do so.
func failed(ctx context.Context, tx *db.Tx, row query.Certificate, reason string) error {
	p := query.SetCertificateRenewalParams{ID: row.ID, Failure: reason, Failures: row.Failures + 1, UpdatedAt: tx.Micros()}
	if row.Chain != nil {
		wait := min(firstAgain<<min(row.Failures, 10), mostAgain)
		at := tx.Now.Add(wait/2 + rand.N(wait/2)).UnixMicro()
		p.RenewAt = &at
	}
	if err := tx.SetCertificateRenewal(ctx, p); err != nil {
		return fmt.Errorf("note failure of certificate %d: %w", row.ID, err)
	}
	return nil
}

// Resume makes a certificate that is tried again transitional once more.
func (i *Issuer) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	row, err := tx.GetCertificate(ctx, op.ResourceID)
	if err != nil {
		return fmt.Errorf("resume certificate %d: %w", op.ResourceID, err)
	}
	row.Status, row.OperationID = StatusInstalling, &op.ID
	if op.Action == "renew" {
		row.Status = StatusRenewing
	}
	return setStatus(ctx, tx, row)
}

// renewAt is a random time within the last third of a certificate's life, at most 21 days before its end: so that certificates that were issued
// together are not renewed together. What the authority suggests (RFC 9773) comes before it.
func renewAt(leaf *x509.Certificate, now time.Time) time.Time {
	window := min(leaf.NotAfter.Sub(leaf.NotBefore)/3, 21*24*time.Hour)
	if window <= 0 {
		return now
	}
	return leaf.NotAfter.Add(-window/3 - rand.N(window*2/3+1))
}
