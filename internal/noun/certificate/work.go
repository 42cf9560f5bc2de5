package certificate

import (
	"context"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Work starts work on certificates. Ordering is a task in a separate aspect, since it takes long and changes no configuration;
// which certificate a domain is served with is in the ledger, and part of the site's plan.
type Work struct {
	Queue  *job.Queue
	Ledger *ledger.Ledger
}

// Deadlines of an order: a DNS record takes a while to become visible.
const (
	orderWithin = 15 * time.Minute
	// attemptWithin is less than the time limit of a job.
	attemptWithin = 12 * time.Minute
)

// order accepts the issuing, or the renewal, of a certificate.
func (w *Work) order(ctx context.Context, tx *db.Tx, p server.Path, d query.Domain, row *query.Certificate, action string) (int64, error) {
	status, description := StatusInstalling, "Issuing a certificate for "+d.Name
	if action == "renew" {
		status, description = StatusRenewing, "Renewing the certificate of "+d.Name
	}
	asks := server.Acceptor{Name: job.Beside(Aspect, d.ID), Within: orderWithin}.Work(p, row.SiteID, resource, row.ID, action, description)
	asks.Needs = []access.Permission{access.SiteManageSSL}
	accepted, err := w.Queue.Begin(ctx, tx, asks)
	if err != nil {
		return 0, err
	}
	row.Status, row.OperationID = status, &accepted.OperationID
	return accepted.EventID, setStatus(ctx, tx, *row)
}

// keep makes a certificate known to the ledger that needs nothing on the host: one that no domain is served with.
func (w *Work) keep(ctx context.Context, tx *db.Tx, serverID int64, row query.Certificate) error {
	wish, err := certificates.Want(row.ID, Specification{SiteID: row.SiteID, DomainID: row.DomainID, Chain: text.Of(row.Chain), Key: row.PrivateKey})
	if err != nil {
		return err
	}
	return w.Ledger.Adopt(ctx, tx, serverID, wish)
}

// change accepts a change of a certificate, made on its newest specification, and reads the row that shows it. Where the domain is to be served with
// it, all others give way: the one on the host, and those that older operations ask for.
func (w *Work) change(ctx context.Context, tx *db.Tx, p server.Path, d query.Domain, row *query.Certificate, action string,
	change func(*Specification),
) (int64, error) {
	wish, active, err := changed(ctx, tx, row.ID, change)
	if err != nil {
		return 0, err
	}
	wishes := []ledger.Wish{wish}
	if active {
		others, err := actives(ctx, tx, p.Server.ID, d.ID)
		if err != nil {
			return 0, err
		}
		for _, id := range others {
			if id == row.ID {
				continue
			}
			wish, _, err := changed(ctx, tx, id, func(s *Specification) { s.Active = false })
			if err != nil {
				return 0, err
			}
			wishes = append(wishes, wish)
		}
	}
	return w.accept(ctx, tx, p, d, row, action, wishes...)
}

// changed returns the wish for a certificate with a change of its newest specification, and reports whether its domain will be served with it.
func changed(ctx context.Context, tx *db.Tx, id int64, change func(*Specification)) (wish ledger.Wish, active bool, err error) {
	shown, err := certificates.Row(ctx, tx.Granted, id)
	if err != nil {
		return wish, false, err
	}
	change(&shown.Specification)
	wish, err = certificates.Want(id, shown.Specification)
	return wish, shown.Specification.Active, err
}

func (w *Work) accept(ctx context.Context, tx *db.Tx, p server.Path, d query.Domain, row *query.Certificate, action string,
	wishes ...ledger.Wish,
) (int64, error) {
	description := map[string]string{
		"enable": "Serving the certificate of ", "disable": "No longer serving the certificate of ",
		"delete": "Removing a certificate of ", "install": "Serving the renewed certificate of ",
	}[action] + d.Name
	accepted, err := site.AcceptorOf(w.Ledger).Accept(ctx, tx, p, row.SiteID, action, description, wishes...)
	if err != nil {
		return 0, err
	}
	if *row, err = tx.Ungranted().GetCertificate(ctx, row.ID); err != nil {
		return 0, fmt.Errorf("read certificate %d: %w", row.ID, err)
	}
	return accepted.EventID, nil
}

func setStatus(ctx context.Context, tx *db.Tx, row query.Certificate) error {
	err := tx.SetCertificateStatus(ctx, query.SetCertificateStatusParams{
		ID: row.ID, Status: row.Status, RequestStatus: row.RequestStatus,
		OperationID: row.OperationID, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("set status of certificate %d: %w", row.ID, err)
	}
	return nil
}

// Include is the certificates of sites, as their vhosts include them.
type Include struct{}

func files(id int64) (dir, chain, key string) {
	dir = fmt.Sprintf("%s/%d", wire.CertificateDirectory, id)
	return dir, dir + "/" + wire.ChainFile, dir + "/key.pem"
}

// TLS returns the certificate that a domain should be served with, and its files. Those of its other certificates are removed
// once nginx no longer uses them.
func (Include) TLS(v ledger.View, d query.Domain, gone bool) (tls *render.TLS, steps, late []wire.Step, err error) {
	stay, err := certificates.Of(v)
	if err != nil {
		return nil, nil, nil, err
	}
	goes, err := certificates.Gone(v)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, c := range stay {
		switch s := c.Specification; {
		case s.DomainID != d.ID:
		case gone || !s.Active || s.Chain == "":
			late = append(late, without(c.ID, d)...)
		default:
			key, err := v.Open(sealedAt(c.ID, columnKey), s.Key)
			if err != nil {
				return nil, nil, nil, err
			}
			if tls, err = tlsOf(c.ID); err != nil {
				return nil, nil, nil, err
			}
			dir, chainPath, keyPath := files(c.ID)
			steps = append(steps,
				wire.Step{Name: "certificates", Dir: &wire.Dir{Path: wire.CertificateDirectory, Mode: 0o755}},
				wire.Step{Name: "certificate of " + d.Name, Dir: &wire.Dir{Path: dir, Mode: 0o700}},
				wire.Step{Name: "certificate of " + d.Name, File: &wire.File{Path: chainPath, Mode: 0o644, Content: []byte(s.Chain)}},
				wire.Step{Name: "key of " + d.Name, File: &wire.File{Path: keyPath, Mode: 0o600, Content: []byte(key.Reveal()), Secret: true}})
		}
	}
	for _, c := range goes {
		if c.Specification.DomainID == d.ID {
			late = append(late, without(c.ID, d)...)
		}
	}
	return tls, steps, late, nil
}

// without removes the files of a certificate.
func without(id int64, d query.Domain) []wire.Step {
	dir, chain, key := files(id)
	return []wire.Step{
		vhost.Absent("certificate of "+d.Name, chain), vhost.Absent("key of "+d.Name, key),
		{Name: "certificate of " + d.Name, Dir: &wire.Dir{Path: dir, Absent: true}},
	}
}

func tlsOf(id int64) (*render.TLS, error) {
	_, chain, key := files(id)
	tls := &render.TLS{Redirect: true}
	var err error
	if tls.Certificate, err = value.ParseAbsPath(chain); err != nil {
		return nil, err
	}
	tls.Key, err = value.ParseAbsPath(key)
	return tls, err
}
