package certificate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// Work begins work on certificates: ordering is an aspect of its own, since it takes long and changes no configuration; serving is part of the
// site's plan.
type Work struct{ Jobs *job.Queue }

// serving is the request of work that changes which certificate a domain is served with.
type serving struct {
	DomainID int64  `json:"domain_id"`
	Before   *int64 `json:"before"`
	After    *int64 `json:"after"`
	// Status is the certificate's before.
	Status string `json:"status"`
}

// Deadlines of an order: a DNS record takes its time to be seen.
const (
	orderWithin = 15 * time.Minute
	// attemptWithin is less than a job may take.
	attemptWithin = 12 * time.Minute
)

// Order accepts the issuing, or the renewal, of a certificate.
func (w *Work) Order(ctx context.Context, tx *db.Tx, p site.Path, d query.Domain, row *query.Certificate, action string) (int64, error) {
	return w.order(ctx, tx, p.Grant, p.Server, d, row, action)
}

func (w *Work) order(ctx context.Context, tx *db.Tx, g access.Grant, server query.Server, d query.Domain, row *query.Certificate, action string) (int64, error) {
	status, description := StatusInstalling, "Issuing a certificate for "+d.Name
	if action == "renew" {
		status, description = StatusRenewing, "Renewing the certificate of "+d.Name
	}
	accepted, err := w.Jobs.Begin(ctx, tx, job.Work{Grant: g, ServerID: server.ID, SiteID: row.SiteID, Ready: server.IsReady, Aspect: job.Beside(Aspect, d.ID), Resource: resource, ResourceID: row.ID, Action: action,
		Description: description, RanAs: "root", Request: nil, Within: orderWithin})
	if err != nil {
		return 0, err
	}
	row.Status, row.OperationID = status, &accepted.OperationID
	return accepted.EventID, setStatus(ctx, tx, *row)
}

// Enable accepts that a domain is served with the certificate after, nil for none, on behalf of row.
func (w *Work) Enable(ctx context.Context, tx *db.Tx, g access.Grant, server query.Server, d query.Domain, row *query.Certificate, status, action string, after *int64) (int64, error) {
	description := map[string]string{"enable": "Serving the certificate of ", "disable": "No longer serving the certificate of ", "delete": "Removing a certificate of ", "install": "Serving the renewed certificate of "}[action] + d.Name
	accepted, err := w.Jobs.Begin(ctx, tx, job.Work{Grant: g, ServerID: server.ID, SiteID: row.SiteID, Ready: server.IsReady, Aspect: site.Aspect, Resource: resource, ResourceID: row.ID, Action: action,
		Description: description, RanAs: "root", Request: serving{DomainID: d.ID, Before: d.CertificateID, After: after, Status: row.Status}, Within: site.Deadline})
	if err != nil {
		return 0, err
	}
	if err := tx.SetDomainCertificate(ctx, d.ID, after, tx.Micros()); err != nil {
		return 0, fmt.Errorf("choose certificate of domain: %w", err)
	}
	row.Status, row.OperationID = status, &accepted.OperationID
	return accepted.EventID, setStatus(ctx, tx, *row)
}

func setStatus(ctx context.Context, tx *db.Tx, row query.Certificate) error {
	err := tx.SetCertificateStatus(ctx, query.SetCertificateStatusParams{ID: row.ID, Status: row.Status, RequestStatus: row.RequestStatus, OperationID: row.OperationID, UpdatedAt: tx.Micros()})
	if err != nil {
		return fmt.Errorf("set status of certificate %d: %w", row.ID, err)
	}
	return nil
}

// Part is the certificates of sites on their hosts.
type Part struct {
	Vault Vault
	Alarm Alarm
}

// Steps are none: certificates belong to vhosts.
func (p Part) Steps(context.Context, *query.Queries, site.Desired, job.Pending) (steps, late []wire.Step, err error) {
	return nil, nil, nil
}

const baseDirectory = "/etc/ssl/hostler"

func files(id int64) (dir, chain, key string) {
	dir = fmt.Sprintf("%s/%d", baseDirectory, id)
	return dir, dir + "/chain.pem", dir + "/key.pem"
}

// TLS is the certificate that a domain should be served with, and its files. Those of its other certificates go once nginx has let go of them.
func (p Part) TLS(ctx context.Context, q *query.Queries, d query.Domain, gone bool, w job.Pending) (tls *render.TLS, steps, late []wire.Step, err error) {
	rows, err := q.ListDomainCertificates(ctx, d.ID)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("list certificates: %w", err)
	}
	active, err := chosen(d, w)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, row := range rows {
		dir, chainPath, keyPath := files(row.ID)
		if gone || active == nil || *active != row.ID || row.Chain == nil && row.NextChain == nil {
			late = append(late, site.Absent("certificate of "+d.Name, chainPath), site.Absent("key of "+d.Name, keyPath), wire.Step{Name: "certificate of " + d.Name, Dir: &wire.Dir{Path: dir, Absent: true}})
			continue
		}
		chain, sealed, column := row.Chain, row.PrivateKey, columnKey
		if row.NextChain != nil && slices.ContainsFunc(w.Included, func(op query.Operation) bool { return row.OperationID != nil && op.ID == *row.OperationID }) {
			chain, sealed, column = row.NextChain, row.NextPrivateKey, columnNext
		}
		if chain == nil {
			continue
		}
		key, err := p.Vault.Box.Open(place(row.ID, column), sealed)
		if err != nil {
			return nil, nil, nil, err
		}
		tls = &render.TLS{Redirect: true}
		if tls.Certificate, err = value.ParseAbsPath(chainPath); err != nil {
			return nil, nil, nil, job.Planned(err)
		}
		if tls.Key, err = value.ParseAbsPath(keyPath); err != nil {
			return nil, nil, nil, job.Planned(err)
		}
		steps = append(steps,
			wire.Step{Name: "certificates", Dir: &wire.Dir{Path: baseDirectory, Mode: 0o755}},
			wire.Step{Name: "certificate of " + d.Name, Dir: &wire.Dir{Path: dir, Mode: 0o700}},
			wire.Step{Name: "certificate of " + d.Name, File: &wire.File{Path: chainPath, Mode: 0o644, Content: []byte(*chain)}},
			wire.Step{Name: "key of " + d.Name, File: &wire.File{Path: keyPath, Mode: 0o600, Content: key, Secret: true}})
	}
	return tls, steps, late, nil
}

// chosen is the certificate that a domain is to be served with, with held work as if it had not been asked for.
func chosen(d query.Domain, w job.Pending) (*int64, error) {
	for _, op := range w.Held {
		if op.ResourceType != resource {
			continue
		}
		s, err := servingOf(op)
		if err != nil {
			return nil, err
		}
		if s.DomainID == d.ID {
			return s.Before, nil
		}
	}
	return d.CertificateID, nil
}

func servingOf(op query.Operation) (serving, error) {
	var s serving
	if err := json.Unmarshal([]byte(op.Request), &s); err != nil {
		return s, fmt.Errorf("read what certificate %d was for: %w", op.ResourceID, err)
	}
	return s, nil
}

// Settle writes what is true now.
func (p Part) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	s, err := servingOf(op)
	if err != nil {
		return err
	}
	row, err := tx.GetCertificate(ctx, op.ResourceID)
	if err != nil {
		return fmt.Errorf("settle certificate %d: %w", op.ResourceID, err)
	}
	if done {
		return p.done(ctx, tx, op, row)
	}
	d, err := tx.GetDomain(ctx, row.SiteID, row.DomainID)
	if err != nil {
		return fmt.Errorf("settle certificate %d: %w", op.ResourceID, err)
	}
	if same(d.CertificateID, s.After) { // unless newer work chose another one
		if err := tx.SetDomainCertificate(ctx, d.ID, s.Before, tx.Micros()); err != nil {
			return fmt.Errorf("choose certificate of domain: %w", err)
		}
	}
	if op.Action == "install" { // what was served is served still
		if err := tx.SetNextCertificate(ctx, row.ID, nil, nil, tx.Micros()); err != nil {
			return fmt.Errorf("settle certificate %d: %w", row.ID, err)
		}
		if err := failed(ctx, tx, p.Alarm, row, "The renewed certificate could not be put on the server."); err != nil {
			return err
		}
	}
	if err := tx.SettleCertificate(ctx, row.ID, StatusInstalled, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("settle certificate %d: %w", row.ID, err)
	}
	return nil
}

func (p Part) done(ctx context.Context, tx *db.Tx, op query.Operation, row query.Certificate) error {
	if op.Action == "delete" {
		if _, err := tx.DeleteCertificate(ctx, row.ID); err != nil {
			return fmt.Errorf("delete certificate %d: %w", row.ID, err)
		}
		return nil
	}
	if op.Action == "install" && row.NextChain != nil {
		if err := p.follow(ctx, tx, row); err != nil {
			return err
		}
	}
	if err := tx.SettleCertificate(ctx, row.ID, StatusInstalled, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("settle certificate %d: %w", row.ID, err)
	}
	return nil
}

// follow makes the renewed certificate the one that is kept.
func (p Part) follow(ctx context.Context, tx *db.Tx, row query.Certificate) error {
	leaf, _, err := parseChain(*row.NextChain)
	if err != nil {
		return err
	}
	key, err := p.Vault.Box.Open(place(row.ID, columnNext), row.NextPrivateKey)
	if err != nil {
		return err
	}
	sealed, err := p.Vault.Box.Seal(place(row.ID, columnKey), key)
	if err != nil {
		return err
	}
	in := draft{}
	in.chain(leaf, *row.NextChain)
	if err := tx.SetCertificateChain(ctx, query.SetCertificateChainParams{ID: row.ID, Chain: row.NextChain, PrivateKey: sealed, Names: in.row.Names, ExpiresAt: in.row.ExpiresAt, UpdatedAt: tx.Micros()}); err != nil {
		return fmt.Errorf("settle certificate %d: %w", row.ID, err)
	}
	return nil
}

// Resume makes a certificate that is tried again transitional once more.
func (p Part) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	s, err := servingOf(op)
	if err != nil {
		return err
	}
	if err := tx.SetDomainCertificate(ctx, s.DomainID, s.After, tx.Micros()); err != nil {
		return fmt.Errorf("choose certificate of domain: %w", err)
	}
	row, err := tx.GetCertificate(ctx, op.ResourceID)
	if err != nil {
		return fmt.Errorf("resume certificate %d: %w", op.ResourceID, err)
	}
	row.Status, row.OperationID = map[string]string{"enable": StatusEnabling, "disable": StatusDisabling, "delete": StatusRemoving, "install": StatusRenewing}[op.Action], &op.ID
	return setStatus(ctx, tx, row)
}

func same(a, b *int64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
