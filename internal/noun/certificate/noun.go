package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/noun/domain"
)

// Specification is what a certificate asks of the server of its domain. The host has only the files of an active one.
type Specification struct {
	SiteID   int64 `json:"site_id"`
	DomainID int64 `json:"domain_id"`
	// Active is set for the certificate that the domain is served with.
	Active bool `json:"active"`
	// Chain is the certificate, and those between it and the root, as PEM; "" until there is one.
	Chain string `json:"chain,omitempty"`
	// Key is the private key, sealed for its column.
	Key []byte `json:"key,omitempty"`
}

// Noun returns the noun. alarm is called for a renewed certificate that could not be put on its server.
func Noun(alarm Alarm) *ledger.Noun[Specification] {
	return &ledger.Noun[Specification]{
		Kind: resource, Version: 1, Parent: domain.Kind, In: func(s Specification) int64 { return s.DomainID },
		Needs: []access.Permission{access.SiteManageSSL}, Write: func(ctx context.Context, tx *db.Tx, _ int64, row ledger.Row[Specification]) error {
			return write(ctx, tx, alarm, row)
		},
	}
}

// certificates is the noun, for everything but writing rows.
var certificates = Noun(nil)

func write(ctx context.Context, tx *db.Tx, to Alarm, row ledger.Row[Specification]) error {
	if row.Phase == ledger.Gone {
		if _, err := tx.DeleteCertificate(ctx, row.ID); err != nil {
			return fmt.Errorf("delete certificate %d: %w", row.ID, err)
		}
		return nil
	}
	c, err := tx.Ungranted().GetCertificate(ctx, row.ID)
	if errors.Is(err, db.ErrNotFound) { // with its domain
		if row.Phase == ledger.Creating || row.Phase == ledger.Updating {
			return api.Conflict("The certificate was deleted.")
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read certificate %d: %w", row.ID, err)
	}
	kept := row.Specification // until another one is on the host
	if row.Applied != nil && row.Applied.Chain != "" {
		kept = *row.Applied
	}
	put := query.PutCertificateParams{
		ID: row.ID, Status: c.Status, OperationID: c.OperationID, Chain: c.Chain, PrivateKey: c.PrivateKey,
		Names: c.Names, ExpiresAt: c.ExpiresAt, UpdatedAt: tx.Micros(),
	}
	if ordered := row.Phase == ledger.Applied && c.OperationID != nil && (row.OperationID == nil || *row.OperationID < *c.OperationID); !ordered {
		put.Status, put.OperationID = statusOf(c, row), row.OperationID
	}
	if kept.Chain != "" {
		leaf, chain, err := parseChain(kept.Chain)
		if err != nil {
			return err
		}
		put.Chain, put.PrivateKey, put.Names, put.ExpiresAt = &chain, kept.Key, strings.Join(leaf.DNSNames, ","), micros(leaf.NotAfter)
	}
	if err := tx.PutCertificate(ctx, put); err != nil {
		return fmt.Errorf("write certificate %d: %w", row.ID, err)
	}
	if row.Specification.Active && row.Phase != ledger.Deleting {
		err = tx.SetDomainCertificate(ctx, c.DomainID, &row.ID, tx.Micros())
	} else {
		err = tx.ClearDomainCertificate(ctx, c.DomainID, &row.ID, tx.Micros())
	}
	if err != nil {
		return fmt.Errorf("write certificate of domain %d: %w", c.DomainID, err)
	}
	if row.Phase == ledger.Applied && c.Status == StatusRenewing && api.SameOrNil(c.OperationID, row.OperationID) {
		return installed(ctx, tx, to, c, row)
	}
	return nil
}

// installed discards the renewed certificate that was stored beside the served one. If it could not be put on the host people are
// notified; if a retry succeeded, the failure is cleared.
func installed(ctx context.Context, tx *db.Tx, to Alarm, c query.Certificate, row ledger.Row[Specification]) error {
	now := row.Specification
	if c.NextChain == nil {
		leaf, chain, err := parseChain(now.Chain)
		if err != nil || chain == text.Of(c.Chain) {
			return err
		}
		return tx.SetCertificateRenewal(ctx, query.SetCertificateRenewalParams{ID: c.ID, RenewAt: micros(renewAt(leaf)), UpdatedAt: tx.Micros()})
	}
	if err := tx.SetNextCertificate(ctx, c.ID, nil, nil, tx.Micros()); err != nil {
		return fmt.Errorf("write certificate %d: %w", c.ID, err)
	}
	if now.Chain == *c.NextChain {
		return nil
	}
	reason := "The renewed certificate could not be put on the server."
	if row.OperationID != nil {
		op, err := tx.Ungranted().GetOperation(ctx, *row.OperationID)
		if err != nil {
			return fmt.Errorf("read why certificate %d could not be put on its server: %w", c.ID, err)
		}
		reason = strings.TrimSpace(reason + " " + op.Reason)
	}
	return failed(ctx, tx, to, c, reason)
}

// statusOf returns the status of a certificate's row, given its current one.
func statusOf(c query.Certificate, row ledger.Row[Specification]) string {
	s := row.Specification
	switch {
	case row.Phase == ledger.Deleting:
		return StatusRemoving
	case row.Phase == ledger.Creating, row.Phase == ledger.Updating:
		was := Specification{}
		if row.Applied != nil {
			was = *row.Applied
		}
		switch {
		case !was.Active && s.Active && c.Status == StatusInstalling: // a new one
			return StatusInstalling
		case !was.Active && s.Active:
			return StatusEnabling
		case was.Active && !s.Active:
			return StatusDisabling
		case was.Chain != s.Chain:
			return StatusRenewing
		}
	case s.Chain == "" && c.Type == CSR: // it waits for its signature
		return StatusInstalling
	case s.Chain == "":
		return StatusFailed
	}
	return StatusInstalled
}

// actives returns the certificates that a domain is served with on the host, or after open operations.
func actives(ctx context.Context, tx *db.Tx, serverID, domainID int64) ([]int64, error) {
	known, err := certificates.Known(ctx, tx.Granted, serverID)
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, c := range known {
		if c.Specification.DomainID == domainID && c.Specification.Active && !slices.Contains(out, c.ID) {
			out = append(out, c.ID)
		}
	}
	slices.Sort(out)
	return out, nil
}
