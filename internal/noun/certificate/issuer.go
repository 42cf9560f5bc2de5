package certificate

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Aspect is the ordering of certificates, which may take minutes. It runs in parallel to other work on the server; the orders of
// one domain are sequential.
const Aspect = "certificate"

// Issuer orders certificates from an authority and has them served.
type Issuer struct {
	DB        *db.DB
	Vault     Vault
	Authority *Authority
	Work      *Work
	Alarm     Alarm
	Log       *slog.Logger
}

// Aspect returns it for the engine.
func (i *Issuer) Aspect() job.Aspect {
	return task.Kind[query.Certificate]{
		Load: task.Row((*query.Queries).GetCertificate), Gone: "the certificate was deleted", Steps: i.steps, Write: i.write,
	}.Aspect()
}

// steps returns one stage that changes nothing: its After talks to the authority.
func (i *Issuer) steps(_ context.Context, _ *query.Queries, _ query.Server, op query.Operation, _ query.Certificate) ([]job.Stage, error) {
	return []job.Stage{{Name: "order", After: func(ctx context.Context, server query.Server) error { return i.order(ctx, server, op) }}}, nil
}

// order obtains an operation's certificate, and stores it beside the served one. An existing one was obtained before a restart.
func (i *Issuer) order(ctx context.Context, server query.Server, op query.Operation) error {
	ctx, cancel := context.WithTimeout(ctx, attemptWithin)
	defer cancel()
	q := i.DB.Read()
	row, err := q.Ungranted().GetCertificate(ctx, op.ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return &job.StageError{Reason: "The certificate was deleted."}
	}
	if err != nil {
		return fmt.Errorf("read certificate %d: %w", op.ResourceID, err)
	}
	if row.NextChain != nil {
		return nil
	}
	d, err := q.GetDomain(ctx, row, row.DomainID)
	if err != nil {
		return fmt.Errorf("read domain of certificate %d: %w", row.ID, err)
	}
	if text.Of(row.VerificationMethod) != DNS01 {
		if err := serves(ctx, q, d); err != nil {
			return err
		}
	}
	names, err := held(ctx, q, server, d, text.Of(row.VerificationMethod))
	if err != nil {
		return err
	}
	o := Order{
		Server: server, Domain: d, Names: names, Method: text.Of(row.VerificationMethod),
		PreferredChain: text.Of(row.PreferredChain), Provider: row.DNSProviderID,
	}
	if row.Chain != nil {
		if o.Replaces, _, err = parseChain(*row.Chain); err != nil {
			return err
		}
	}
	key, err := newKey(text.Of(row.KeyType))
	if err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	chain, err := i.Authority.Obtain(ctx, o, key)
	if err != nil {
		return i.Authority.judge(ctx, o, err)
	}
	leaf, chain, err := parseChain(chain)
	if err != nil || fits(leaf, key.Public(), d.Name, i.DB.Clock.Now()) != nil {
		return &job.StageError{Reason: "The authority issued a certificate that does not match the request."}
	}
	encoded, err := encodeKey(key)
	if err != nil {
		return err
	}
	sealed, err := i.Vault.Box.Seal(sealedAt(row.ID, columnNext), encoded)
	if err != nil {
		return err
	}
	return i.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if _, err := held(ctx, tx.Granted, server, d, o.Method); err != nil { // it took a while
			return err
		}
		return tx.SetNextCertificate(ctx, row.ID, &chain, sealed, tx.Micros())
	})
}

// lookAgain is how often an order checks whether its domain is served.
const lookAgain = time.Second

// serves makes an order wait for the work that lets nginx answer for a domain, which may have been accepted just before: the authority counts failed
// tries. Where that work fails, the order goes on, and says what the authority sees.
func serves(ctx context.Context, q *query.Granted, d query.Domain) error {
	s, err := q.GetSite(ctx, d)
	if err != nil {
		return fmt.Errorf("read site %d: %w", d.SiteID, err)
	}
	waits := d.Status == domain.StatusConnecting || d.Status == domain.StatusEnabling || d.Status == domain.StatusUpdating
	if waits || s.Status == site.StatusInstalling {
		return &job.LaterError{Reason: "Waiting until the server serves " + d.Name + ".", After: lookAgain}
	}
	return nil
}

// held returns the names to order for a domain: those that its rows have on the server. Nginx answers the challenge of a name
// that another site has from the same directory, so that site would validate it for this one. Such a www beside the domain's
// wildcard is left out.
func held(ctx context.Context, q *query.Granted, server query.Server, d query.Domain, method string) ([]string, error) {
	var names []string
	for _, name := range wanted(d, method) {
		holder, err := q.GetNameHolder(ctx, server, name)
		switch {
		case err != nil && !errors.Is(err, db.ErrNotFound):
			return nil, fmt.Errorf("read who holds %s: %w", name, err)
		case err == nil && holder != nil && *holder == d.ID, err != nil && d.Wildcard && name == "www."+d.Name:
			names = append(names, name)
		case d.Wildcard && name == "www."+d.Name:
		default:
			return nil, &job.StageError{Reason: "The name " + name + " does not belong to this domain on this server."}
		}
	}
	return names, nil
}

// write shows that a certificate is ordered, and at the end has the new one served, or records why there is none. The previous one is still served.
func (i *Issuer) write(ctx context.Context, tx *db.Tx, op query.Operation, row query.Certificate, at job.State) error {
	switch {
	case at == job.Queued:
		row.Status, row.OperationID = StatusInstalling, &op.ID
		if op.Action == "renew" {
			row.Status = StatusRenewing
		}
		return setStatus(ctx, tx, row)
	case !at.Ended():
		return nil
	case !at.Done() || row.NextChain == nil:
		return i.notIssued(ctx, tx, op, row)
	}
	return i.issued(ctx, tx, op, row)
}

// issued has a new certificate served.
func (i *Issuer) issued(ctx context.Context, tx *db.Tx, op query.Operation, row query.Certificate) error {
	d, err := tx.GetDomain(ctx, row, row.DomainID)
	if err != nil {
		return fmt.Errorf("settle certificate %d: %w", op.ResourceID, err)
	}
	leaf, _, err := parseChain(*row.NextChain)
	if err != nil {
		return err
	}
	at := renewAt(leaf)
	micros := at.UnixMicro()
	if err := tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: row.ID, RenewAt: &micros, UpdatedAt: tx.Micros()}); err != nil {
		return fmt.Errorf("settle certificate %d: %w", row.ID, err)
	}
	srv, err := tx.GetServer(ctx, op)
	if err != nil {
		return fmt.Errorf("settle certificate %d: %w", row.ID, err)
	}
	shown, err := certificates.Row(ctx, tx.Granted, row.ID)
	if err != nil || shown.Phase == ledger.Deleting || shown.Phase == ledger.Gone {
		return err
	}
	key, err := i.moved(row)
	if err != nil {
		return err
	}
	row.RequestStatus = requestCreated
	p := server.Path{Grant: access.Grant{OrganizationID: op.OrganizationID}, Server: srv}
	if shown.Phase != ledger.Applied || shown.Specification.Active { // the new one takes the place of the old once it is on the host
		if err := setStatus(ctx, tx, row); err != nil {
			return err
		}
		chain := *row.NextChain
		if !shown.Specification.Active { // it is being removed: there is nothing to return to
			if err := tx.SetNextCertificate(ctx, row.ID, nil, nil, tx.Micros()); err != nil {
				return fmt.Errorf("settle certificate %d: %w", row.ID, err)
			}
		}
		_, err = i.Work.change(ctx, tx, p, d, &row, "install", func(s *Specification) { s.Chain, s.Key = chain, key })
		return err
	}
	row.Chain, row.PrivateKey = row.NextChain, key
	if err := tx.SetNextCertificate(ctx, row.ID, nil, nil, tx.Micros()); err != nil {
		return fmt.Errorf("settle certificate %d: %w", row.ID, err)
	}
	if err := i.Work.keep(ctx, tx, srv.ID, row); err != nil {
		return err
	}
	enable := op.Action == "create" && row.Enable
	row.Status, row.OperationID = StatusInstalled, &op.ID
	if enable {
		row.Status = StatusInstalling
	}
	if err := setStatus(ctx, tx, row); err != nil || !enable {
		return err
	}
	_, err = i.Work.change(ctx, tx, p, d, &row, "enable", func(s *Specification) { s.Active = true })
	return err
}

// moved returns the key of an obtained certificate, sealed for the place of the stored one.
func (i *Issuer) moved(row query.Certificate) ([]byte, error) {
	key, err := i.Vault.Box.Open(sealedAt(row.ID, columnNext), row.NextPrivateKey)
	if err != nil {
		return nil, err
	}
	return i.Vault.Box.Seal(sealedAt(row.ID, columnKey), key)
}

func (i *Issuer) notIssued(ctx context.Context, tx *db.Tx, op query.Operation, row query.Certificate) error {
	reason := "No certificate was obtained in time."
	if now, err := tx.GetOperation(ctx, op); err == nil && now.Reason != "" {
		reason = now.Reason
	}
	if err := failed(ctx, tx, i.Alarm, row, reason); err != nil {
		return err
	}
	row.Status, row.OperationID = StatusFailed, &op.ID
	if row.Chain != nil {
		row.Status = StatusInstalled
	}
	return setStatus(ctx, tx, row)
}

// Backoff between failed renewals.
const (
	firstAgain = time.Hour
	mostAgain  = 24 * time.Hour

	lastWeek = 7 * 24 * time.Hour
)

// failed records a failure, and when a renewal is retried; other orders wait for a person. For a renewal that fails, people are
// notified while there is time: the first time, and repeatedly in the last week.
func failed(ctx context.Context, tx *db.Tx, to Alarm, row query.Certificate, reason string) error {
	p := query.SetCertificateRenewalParams{ID: row.ID, Failure: reason, Failures: row.Failures + 1, UpdatedAt: tx.Micros()}
	if row.Chain != nil {
		wait := min(firstAgain<<min(row.Failures, 10), mostAgain)
		at := tx.Now.Add(wait/2 + rand.N(wait/2)).UnixMicro()
		p.RenewAt = &at
	}
	if err := tx.SetCertificateRenewal(ctx, p); err != nil {
		return fmt.Errorf("note failure of certificate %d: %w", row.ID, err)
	}
	if row.Chain == nil || row.Failures > 0 && (row.ExpiresAt == nil || time.UnixMicro(*row.ExpiresAt).Sub(tx.Now) > lastWeek) {
		return nil
	}
	return alarm(ctx, tx, to, row, reason)
}

// renewWindow returns the last third of a certificate's life, at most its last 21 days, without its end: some time is left for retries.
func renewWindow(leaf *x509.Certificate) (earliest, latest time.Time) {
	window := max(min(leaf.NotAfter.Sub(leaf.NotBefore)/3, 21*24*time.Hour), 0)
	return leaf.NotAfter.Add(-window), leaf.NotAfter.Add(-window / 3)
}

// renewAt returns a random time in the window, so that certificates that were issued together are not renewed together. The
// authority's suggestion (RFC 9773) takes precedence.
func renewAt(leaf *x509.Certificate) time.Time {
	earliest, latest := renewWindow(leaf)
	return earliest.Add(rand.N(latest.Sub(earliest) + 1))
}
