package job_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

var certificates = certificate.Noun(nil)

// certificateDriver asks for domains to be served with certificates, one each. The mark is the key.
var certificateDriver = &driver{
	kind: certificates.Kind, aspect: site.Aspect, noun: certificates, applied: "served", failed: "kept",
	aspects: siteAspects, prepare: prepareDomains,
	mark: func(number string) string { return number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		none := ledger.Wish{}
		w.made[certificates.Kind]++
		d, err := tx.Ungranted().GetDomain(ctx, w.made[site.Aspect], w.made[domainFor(w.made[certificates.Kind])])
		if err != nil {
			return none, err
		}
		chain, err := chainOf(d.Name)
		if err != nil {
			return none, err
		}
		c, err := tx.InsertCertificate(ctx, query.InsertCertificateParams{
			SiteID: d.SiteID, DomainID: d.ID, Type: certificate.Existing,
			RequestStatus: "created", Status: certificate.StatusInstalled, Chain: &chain,
		})
		if err != nil {
			return none, err
		}
		spec := certificate.Specification{SiteID: d.SiteID, DomainID: d.ID, Chain: chain}
		kept, err := certificates.Want(c.ID, spec)
		if err == nil {
			err = w.ledger.Adopt(ctx, tx, w.server.ID, kept)
		}
		if err != nil {
			return none, err
		}
		spec.Active = true
		return keyed(w, c.ID, spec, mark)
	},
	update: func(ctx context.Context, tx *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error) {
		shown, err := certificates.Row(ctx, tx.Granted, id)
		if err == nil && shown.Phase == ledger.Gone {
			err = db.ErrNotFound
		}
		if err != nil {
			return ledger.Wish{}, err
		}
		shown.Specification.Active = true
		return keyed(w, id, shown.Specification, mark)
	},
	remove: certificates.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		c, err := w.db.Read().Ungranted().GetCertificate(ctx, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		if err != nil || c.Status != certificate.StatusInstalled {
			return c.Status, err
		}
		d, err := w.db.Read().Ungranted().GetDomain(ctx, c.SiteID, c.DomainID)
		if d.CertificateID != nil && *d.CertificateID == id {
			return "served", err
		}
		return "kept", err
	},
}

// mostCertificates is more than a walk creates.
const mostCertificates = 40

func domainFor(n int64) string { return "domain " + strconv.FormatInt(n, 10) }

// prepareDomains makes the domains that walks give certificates to; the host has them from the beginning.
func prepareDomains(ctx context.Context, tx *db.Tx, w *walker) error {
	if err := prepareSite(ctx, tx, w); err != nil {
		return err
	}
	for n := int64(1); n <= mostCertificates; n++ {
		d, err := tx.InsertDomain(ctx, query.InsertDomainParams{
			SiteID: w.made[site.Aspect], Name: letters.Replace(strconv.FormatInt(n, 10)) + ".example.com", Type: domain.Alias, Status: domain.StatusEnabled,
			WWWRedirectType: "none",
		})
		if err != nil {
			return err
		}
		served, err := domain.Domains.Want(d.ID, domain.SpecificationOf(d))
		if err != nil {
			return err
		}
		if err := tx.PutApplied(ctx, query.PutAppliedParams{
			Kind: served.Kind, ID: d.ID, ServerID: w.server.ID, Version: 1,
			Specification: string(served.Specification),
		}); err != nil {
			return err
		}
		w.made[domainFor(n)] = d.ID
	}
	return nil
}

func keyed(w *walker, id int64, s certificate.Specification, mark string) (wish ledger.Wish, err error) {
	if s.Key, err = w.box.Seal(secret.Place{Table: "certificates", Row: strconv.FormatInt(id, 10), Column: "private_key"}, []byte(mark)); err != nil {
		return wish, err
	}
	return certificates.Want(id, s)
}

func chainOf(name string) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<32, 0)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), err
}
