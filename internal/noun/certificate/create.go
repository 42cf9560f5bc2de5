package certificate

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

const maxCertificates = 50

// draft is a certificate about to be inserted, with its key.
type draft struct {
	row query.InsertCertificateParams
	key []byte
}

func (o *Operations) store(
	ctx context.Context, tx *db.Tx, c api.Call[domain.Path], b CreateDomainCertificateRequest,
) (api.Document[CertificateResource], error) {
	var none api.Document[CertificateResource]
	d, err := o.Store.Domains.Current(ctx, tx, &c.Parent)
	if err != nil {
		return none, err
	}
	has, err := tx.ListDomainCertificates(ctx, d)
	if err != nil {
		return none, fmt.Errorf("list certificates: %w", err)
	}
	if len(has) >= maxCertificates {
		c.Fields.Add("type", "A domain can have at most %d certificates.", maxCertificates)
	}
	in := draft{row: query.InsertCertificateParams{
		SiteID: d.SiteID, DomainID: d.ID, Type: b.Type, RequestStatus: requestCreated, Status: StatusInstalling,
		Enable: b.Enable == nil || *b.Enable, Names: strings.Join(wanted(d, ""), ","), CreatedAt: tx.Micros(),
		UpdatedAt: tx.Micros(),
	}}
	if len(c.Fields) == 0 {
		if err := o.fill(ctx, tx, c, d, b, &in); err != nil {
			return none, err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertCertificate(ctx, in.row)
	if err != nil {
		return none, fmt.Errorf("create certificate: %w", err)
	}
	if in.key != nil {
		if row.PrivateKey, err = o.Vault.Box.Seal(sealedAt(row.ID, columnKey), in.key); err != nil {
			return none, err
		}
		if err := tx.SetCertificateKey(ctx, row.ID, row.PrivateKey); err != nil {
			return none, fmt.Errorf("create certificate: %w", err)
		}
	}
	if err := o.Work.keep(ctx, tx, c.Parent.At.Server.ID, row); err != nil {
		return none, err
	}
	event, err := o.begin(ctx, tx, c.Parent.At, d, &row)
	if err != nil {
		return none, err
	}
	if d, err = tx.GetDomain(ctx, d, d.ID); err != nil {
		return none, fmt.Errorf("read domain: %w", err)
	}
	doc, err := document(ctx, tx.SQL, d, row)
	doc.Location, doc.Event = o.Store.Domains.URL(c.Parent.At, d.ID)+"/certificates/"+strconv.FormatInt(row.ID, 10), event
	return doc, err
}

// begin accepts the first work of a new certificate: issuing, serving, or none yet.
func (o *Operations) begin(ctx context.Context, tx *db.Tx, p site.Path, d query.Domain, row *query.Certificate) (int64, error) {
	switch {
	case row.Type == LetsEncrypt:
		return o.Work.order(ctx, tx, p.Path, d, row, "create")
	case row.Chain != nil && row.Enable:
		if err := setStatus(ctx, tx, *row); err != nil {
			return 0, err
		}
		return o.Work.change(ctx, tx, p.Path, d, row, "enable", func(s *Specification) { s.Active = true })
	}
	row.Status = StatusInstalled
	if row.Chain == nil { // a request that waits for its signature
		row.Status = StatusInstalling
	}
	return 0, setStatus(ctx, tx, *row)
}

func (o *Operations) fill(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], d query.Domain, b CreateDomainCertificateRequest, in *draft) error {
	switch b.Type {
	case LetsEncrypt:
		return o.acme(ctx, tx, c, d, b.LetsEncrypt, in)
	case Existing:
		if b.Existing == nil {
			c.Fields.Add("existing", "The existing field is required.")
			return nil
		}
		o.existing(c.Fields, d, *b.Existing, tx.Now, in)
	case CSR:
		if b.CSR == nil {
			c.Fields.Add("csr", "The csr field is required.")
			return nil
		}
		return request(c.Fields, d, *b.CSR, in)
	case Clone:
		if b.Clone == nil {
			c.Fields.Add("clone", "The clone field is required.")
			return nil
		}
		return o.clone(ctx, tx, c, d, b.Clone.CertificateID, in)
	}
	return nil
}

func (o *Operations) acme(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], d query.Domain, asked *ACMERequest, in *draft) error {
	if asked == nil {
		asked = &ACMERequest{}
	}
	method, kind := asked.VerificationMethod, asked.KeyType
	if method == "" {
		method = HTTP01
		if d.Wildcard || asked.DNSProviderID != nil {
			method = DNS01
		}
	}
	if kind == "" {
		kind = ECDSA
	}
	switch {
	case method == HTTP01 && d.Wildcard:
		c.Fields.Add("letsencrypt.verification_method", "A wildcard needs the verification_method dns-01.")
	case method == HTTP01 && asked.DNSProviderID != nil:
		c.Fields.Add("letsencrypt.dns_provider_id", "A DNS provider is for the verification_method dns-01.")
	case method == DNS01 && asked.DNSProviderID == nil && !o.Delegation:
		c.Fields.Add("letsencrypt.verification_method", "This service has no zone for DNS challenges. Name a DNS provider.")
	case asked.DNSProviderID != nil:
		err := o.DNS.Usable(ctx, tx.Granted, c.Parent.At.Grant, *asked.DNSProviderID)
		if errors.Is(err, access.ErrNotFound) {
			c.Fields.Add("letsencrypt.dns_provider_id", "The selected DNS provider does not exist.")
		} else if err != nil {
			return err
		}
	}
	in.row.VerificationMethod, in.row.KeyType, in.row.PreferredChain, in.row.DNSProviderID, in.row.RequestStatus = &method, &kind, asked.PreferredChain,
		asked.DNSProviderID, requestVerifying
	return nil
}

func (o *Operations) existing(f api.Fields, d query.Domain, pair Pair, now time.Time, in *draft) {
	key, err := parseKey(pair.Key.Reveal())
	if err != nil {
		f.Add("existing.key", "%s.", text.Capital(err.Error()))
	}
	if len(f) > 0 {
		return
	}
	leaf, chain, err := uploadedChain(pair.Certificate, key.Public())
	if err != nil {
		f.Add("existing.certificate", "%s.", text.Capital(err.Error()))
		return
	}
	switch err := fits(leaf, key.Public(), d.Name, now); {
	case errors.Is(err, errPair):
		f.Add("existing.key", "%s.", text.Capital(err.Error()))
	case err != nil:
		f.Add("existing.certificate", "%s.", text.Capital(err.Error()))
	}
	if in.key, err = encodeKey(key); err != nil {
		f.Add("existing.key", "%s.", text.Capital(errKey.Error()))
	}
	in.chain(leaf, chain)
}

func (in *draft) chain(leaf *x509.Certificate, chain string) {
	expires := leaf.NotAfter.UnixMicro()
	in.row.Chain, in.row.ExpiresAt, in.row.Names = &chain, &expires, strings.Join(leaf.DNSNames, ",")
}

// maxCommonName is how many characters a common name can have (RFC 5280, ub-common-name). Authorities take longer names from the extension alone.
const maxCommonName = 64

// request generates a key and a request to have signed (RFC 2986). The key is never part of an answer.
func request(f api.Fields, d query.Domain, s Subject, in *draft) error {
	names := []string{}
	add := func(field, name string) {
		p, err := value.ParseWildcardDomain(strings.TrimSpace(name))
		if err != nil {
			f.Add(field, "%s", err)
			return
		}
		names = append(names, p.String())
	}
	add("csr.domain", s.Domain)
	if s.SANs != nil {
		for name := range strings.FieldsFuncSeq(*s.SANs, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' }) {
			add("csr.sans", name)
		}
	}
	if len(names) > 100 {
		f.Add("csr.sans", "There can be at most 100 names.")
	}
	subject := pkix.Name{}
	if len(names) > 0 && len(names[0]) <= maxCommonName {
		subject.CommonName = names[0]
	}
	for field, part := range map[string]struct {
		text string
		into *[]string
		most int
	}{
		"country": {s.Country, &subject.Country, 2}, "state": {s.State, &subject.Province, 128}, "city": {s.City, &subject.Locality, 128},
		"organization": {s.Organization, &subject.Organization, 64}, "department": {s.Department, &subject.OrganizationalUnit, 64},
	} {
		text := strings.TrimSpace(part.text)
		if len([]rune(text)) > part.most || field == "country" && text != "" && len(text) != 2 {
			f.Add("csr."+field, "The %s must have at most %d characters.", field, part.most)
		}
		if text != "" {
			*part.into = []string{text}
		}
	}
	if len(f) > 0 {
		return nil
	}
	key, err := newKey(RSA)
	if err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject, DNSNames: names}, key)
	if err != nil {
		f.Add("csr.domain", "No request can be generated from this.")
		return nil //nolint:nilerr // the field says it
	}
	text, kind := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})), RSA
	in.row.Csr, in.row.KeyType, in.row.RequestStatus, in.row.Names = &text, &kind, requestCreating, strings.Join(names, ",")
	in.key, err = encodeKey(key)
	return err
}

// clone copies a certificate of the organization, through the store: one that the caller can't see is not found.
func (o *Operations) clone(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], d query.Domain, id int64, in *draft) error {
	row, err := tx.GetOrganizationCertificate(ctx, c.Parent, id)
	if err == nil {
		var of query.Site
		if of, err = tx.GetOrganizationSite(ctx, c.Parent, row.SiteID); err == nil {
			var g access.Grant
			if _, g, err = o.Store.Domains.Sites.Servers.Open(ctx, tx.Granted, c.Parent.At.Grant, of.ServerID); err == nil {
				err = g.Require(access.SiteManageSSL)
			}
		}
	}
	if errors.Is(err, db.ErrNotFound) || errors.Is(err, access.ErrNotFound) || err != nil && errors.As(err, new(*access.Denied)) ||
		err == nil && (row.Chain == nil || row.PrivateKey == nil) {
		c.Fields.Add("clone.certificate_id", "The selected certificate does not exist.")
		return nil
	}
	if err != nil {
		return fmt.Errorf("read certificate %d: %w", id, err)
	}
	key, err := o.Vault.Box.Open(sealedAt(row.ID, columnKey), row.PrivateKey)
	if err != nil {
		return err
	}
	in.row.Type = Existing
	f := api.Fields{}
	o.existing(f, d, Pair{Key: api.SecretOf(string(key)), Certificate: *row.Chain}, tx.Now, in)
	for _, problems := range f {
		c.Fields.Add("clone.certificate_id", "%s", problems[0])
	}
	return nil
}
