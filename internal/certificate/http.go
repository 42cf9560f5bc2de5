package certificate

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/domain"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// CertificateAttributes are the attributes of a certificate.
type CertificateAttributes struct {
	Type               string   `json:"type" enum:"letsencrypt,csr,existing"`
	VerificationMethod *string  `json:"verification_method" enum:"http-01,dns-01"`
	KeyType            *string  `json:"key_type" enum:"ecdsa,rsa"`
	PreferredChain     *string  `json:"preferred_chain" enum:"ISRG Root X1"`
	RequestStatus      string   `json:"request_status" enum:"verifying,creating,created"`
	Status             string   `json:"status" enum:"installing,installed,removing,restarting,stopping,stopped,starting,syncing,updating,disabling,disabled,enabling,running,restoring,deleting,failed,success,failed-unknown,failed-runner,renewing"`
	Active             bool     `json:"active"`
	CreatedAt          api.Time `json:"created_at"`
	UpdatedAt          api.Time `json:"updated_at"`
}

// ResourceType is certificates.
func (CertificateAttributes) ResourceType() string { return resource }

// Unlinked marks resources without links.
func (CertificateAttributes) Unlinked() {}

// CertificateResource is a certificate in a document.
type CertificateResource = api.Resource[CertificateAttributes, api.NoRelationships]

// CreateDomainCertificateRequest asks for a certificate; the part of its type says the rest.
type CreateDomainCertificateRequest struct {
	Enable      *bool        `json:"enable,omitempty" doc:"Whether the domain is served with it at once, default true."`
	Type        string       `json:"type" enum:"letsencrypt,csr,existing,clone"`
	LetsEncrypt *ACMERequest `json:"letsencrypt,omitempty"`
	Existing    *Pair        `json:"existing,omitempty"`
	CSR         *Subject     `json:"csr,omitempty"`
	Clone       *Original    `json:"clone,omitempty"`
}

// ACMERequest says how a certificate is issued.
type ACMERequest struct {
	VerificationMethod string  `json:"verification_method,omitempty" enum:"http-01,dns-01"`
	KeyType            string  `json:"key_type,omitempty" enum:"ecdsa,rsa"`
	PreferredChain     *string `json:"preferred_chain,omitempty" nullable:"true" enum:"ISRG Root X1"`
}

// Pair is a certificate with its key, as PEM.
type Pair struct {
	Key         string `json:"key,omitempty"`
	Certificate string `json:"certificate,omitempty"`
}

// Subject is whom a request is for.
type Subject struct {
	Domain       string  `json:"domain,omitempty"`
	SANs         *string `json:"sans,omitempty" nullable:"true"`
	Country      string  `json:"country,omitempty"`
	State        string  `json:"state,omitempty"`
	City         string  `json:"city,omitempty"`
	Organization string  `json:"organization,omitempty"`
	Department   string  `json:"department,omitempty"`
}

// Original names the certificate to clone.
type Original struct {
	CertificateID int64 `json:"certificate_id,omitempty"`
}

// DomainCertificateActionRequest asks for an action.
type DomainCertificateActionRequest struct {
	Action string `json:"action" enum:"enable,disable"`
}

// InstallCertificateRequest brings the certificate that was signed from a request.
type InstallCertificateRequest struct {
	Certificate string `json:"certificate" doc:"The certificate and those between it and the root, as PEM."`
}

// Operations are the operations on certificates.
type Operations struct {
	Store  *Store
	Vault  Vault
	Work   *Work
	Router *api.Router
	// DNS tells whether dns-01 challenges can be answered.
	DNS bool
}

// Register adds the operations.
func (o *Operations) Register() {
	const inSite = "/orgs/{organization}/servers/{server}/sites/{site}"
	const inDomain = inSite + "/domains/{domainRecord}"
	const many, single = inDomain + "/certificates", inDomain + "/certificates/{certificate}"
	meta, ssl := []access.Permission{access.SiteMeta}, []access.Permission{access.SiteManageSSL}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.certificates.index", Method: http.MethodGet, Path: inSite + "/certificates", Tag: "Sites", Mode: api.Sync, Permissions: meta, Whole: true,
		Summary: "List the certificates of a site",
	}, o.Store.Domains.Sites.InPath, o.ofSite)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificate.show", Method: http.MethodGet, Path: inDomain + "/certificate", Tag: "Sites", Mode: api.Sync, Permissions: meta,
		Summary: "Get the certificate that a domain is served with",
	}, o.Store.Active, o.show)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.index", Method: http.MethodGet, Path: many, Tag: "Sites", Mode: api.Sync, Permissions: meta, Whole: true,
		Summary: "List the certificates of a domain",
	}, o.Store.Domains.InPath, o.ofDomain)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.store", Method: http.MethodPost, Path: many, Tag: "Sites", Mode: api.Async, Permissions: ssl, Status: http.StatusAccepted,
		Conflict: true, Summary: "Create a certificate",
		Description: "One of letsencrypt is issued and renewed by itself. Of csr meta.certificate.csr is to be signed and brought back. existing and clone are taken as they are.",
	}, o.Store.Domains.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.active", Method: http.MethodGet, Path: many + "/active", Tag: "Sites", Mode: api.Sync, Permissions: meta,
		Summary: "Get the active certificate of a domain",
	}, o.Store.Active, o.show)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.show", Method: http.MethodGet, Path: single, Tag: "Sites", Mode: api.Sync, Permissions: meta, Summary: "Get a certificate",
	}, o.Store.InPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.update", Method: http.MethodPut, Path: single, Tag: "Sites", Mode: api.Async, Permissions: ssl, Status: http.StatusAccepted,
		Extension: true, Conflict: true, Summary: "Install the certificate that was signed from a request",
	}, o.Store.InPath, o.install)
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.destroy", Method: http.MethodDelete, Path: single, Tag: "Sites", Mode: api.Async, Permissions: ssl, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Summary: "Delete a certificate", Description: "A domain whose active certificate is deleted is served over plain HTTP.",
	}, o.Store.InPath, o.destroy)
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.actions.store", Method: http.MethodPost, Path: single + "/actions", Tag: "Sites", Mode: api.Async, Permissions: meta, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Summary: "Enable or disable a certificate", Description: "The active one is served; plain HTTP leads to HTTPS then.",
	}, o.Store.InPath, o.action)
}

func (o *Operations) ofSite(ctx context.Context, c api.Call[site.Path]) (api.Collection[CertificateResource], error) {
	q := o.Store.DB.Read()
	rows, err := q.ListSiteCertificates(ctx, c.Parent.Site.ID)
	if err != nil {
		return api.Collection[CertificateResource]{}, fmt.Errorf("list certificates: %w", err)
	}
	domains, err := q.ListDomains(ctx, c.Parent.Site.ID)
	if err != nil {
		return api.Collection[CertificateResource]{}, fmt.Errorf("list domains: %w", err)
	}
	data, err := resources(ctx, o.Store.DB.Reader(), domains, rows...)
	return api.Collection[CertificateResource]{Data: data}, err
}

func (o *Operations) ofDomain(ctx context.Context, c api.Call[domain.Path]) (api.Collection[CertificateResource], error) {
	rows, err := o.Store.DB.Read().ListDomainCertificates(ctx, c.Parent.Domain.ID)
	if err != nil {
		return api.Collection[CertificateResource]{}, fmt.Errorf("list certificates: %w", err)
	}
	data, err := resources(ctx, o.Store.DB.Reader(), []query.Domain{c.Parent.Domain}, rows...)
	return api.Collection[CertificateResource]{Data: data}, err
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[CertificateResource], error) {
	return document(ctx, o.Store.DB.Reader(), c.Parent.Domain, c.Parent.Certificate)
}

func document(ctx context.Context, q query.DBTX, d query.Domain, row query.Certificate) (api.Document[CertificateResource], error) {
	data, err := resources(ctx, q, []query.Domain{d}, row)
	if err != nil {
		return api.Document[CertificateResource]{}, err
	}
	return api.Document[CertificateResource]{Data: data[0]}, nil
}

func resources(ctx context.Context, q query.DBTX, domains []query.Domain, rows ...query.Certificate) ([]CertificateResource, error) {
	operations := make([]*int64, len(rows))
	for i, row := range rows {
		operations[i] = row.OperationID
	}
	ops, err := job.Operations(ctx, q, operations...)
	if err != nil {
		return nil, err
	}
	active := map[int64]bool{}
	for _, d := range domains {
		if d.CertificateID != nil {
			active[*d.CertificateID] = true
		}
	}
	out := make([]CertificateResource, len(rows))
	for i, row := range rows {
		about := &api.CertificateMeta{Names: []string{}, ExpiresAt: api.NullTimeOf(row.ExpiresAt), RenewAt: api.NullTimeOf(row.RenewAt), Failure: row.Failure, CSR: row.Csr}
		if row.Names != "" {
			about.Names = strings.Split(row.Names, ",")
		}
		out[i] = CertificateResource{ID: strconv.FormatInt(row.ID, 10), Meta: &api.Meta{Operation: job.Meta(ops, row.OperationID), Certificate: about},
			Attributes: CertificateAttributes{Type: row.Type, VerificationMethod: row.VerificationMethod, KeyType: row.KeyType, PreferredChain: row.PreferredChain, RequestStatus: row.RequestStatus,
				Status: row.Status, Active: active[row.ID], CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt)}}
	}
	return out, nil
}

const maxCertificates = 50

// draft is a certificate that is about to be a row, with its key.
type draft struct {
	row query.InsertCertificateParams
	key []byte
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], b CreateDomainCertificateRequest) (api.Document[CertificateResource], error) {
	var none api.Document[CertificateResource]
	d, err := domain.Current(ctx, tx, c.Parent)
	if err != nil {
		return none, err
	}
	has, err := tx.ListDomainCertificates(ctx, d.ID)
	if err != nil {
		return none, fmt.Errorf("list certificates: %w", err)
	}
	if len(has) >= maxCertificates {
		c.Fields.Add("type", "A domain can have at most %d certificates.", maxCertificates)
	}
	in := draft{row: query.InsertCertificateParams{SiteID: d.SiteID, DomainID: d.ID, Type: b.Type, RequestStatus: requestCreated, Status: StatusInstalling, Enable: b.Enable == nil || *b.Enable,
		Names: strings.Join(wanted(d), ","), CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()}}
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
		if row.PrivateKey, err = o.Vault.Box.Seal(place(row.ID, columnKey), in.key); err != nil {
			return none, err
		}
		if err := tx.SetCertificateKey(ctx, row.ID, row.PrivateKey); err != nil {
			return none, fmt.Errorf("create certificate: %w", err)
		}
	}
	event, err := o.begin(ctx, tx, c.Parent.Path, d, &row)
	if err != nil {
		return none, err
	}
	if d, err = tx.GetDomain(ctx, d.SiteID, d.ID); err != nil {
		return none, fmt.Errorf("read domain: %w", err)
	}
	doc, err := document(ctx, tx.SQL, d, row)
	doc.Location, doc.Event = domain.URL(c.Parent.Path, d.ID)+"/certificates/"+strconv.FormatInt(row.ID, 10), event
	return doc, err
}

// begin accepts what a new certificate needs: to be issued, to be served, or nothing yet.
func (o *Operations) begin(ctx context.Context, tx *db.Tx, p site.Path, d query.Domain, row *query.Certificate) (int64, error) {
	switch {
	case row.Type == LetsEncrypt:
		return o.Work.Order(ctx, tx, p, d, row, "create")
	case row.Chain != nil && row.Enable:
		return o.Work.Enable(ctx, tx, p.Grant, p.Server, d, row, StatusInstalling, "enable", &row.ID)
	}
	status := StatusInstalled
	if row.Chain == nil { // a request that waits for its signature
		status = StatusInstalling
	}
	row.Status = status
	return 0, tx.SetCertificateStatus(ctx, query.SetCertificateStatusParams{ID: row.ID, Status: status, RequestStatus: row.RequestStatus, UpdatedAt: tx.Micros()})
}

func (o *Operations) fill(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], d query.Domain, b CreateDomainCertificateRequest, in *draft) error {
	switch b.Type {
	case LetsEncrypt:
		o.acme(c.Fields, d, b.LetsEncrypt, in)
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

func (o *Operations) acme(f api.Fields, d query.Domain, asked *ACMERequest, in *draft) {
	if asked == nil {
		asked = &ACMERequest{}
	}
	method, kind := asked.VerificationMethod, asked.KeyType
	if method == "" {
		method = HTTP01
		if d.Wildcard {
			method = DNS01
		}
	}
	if kind == "" {
		kind = ECDSA
	}
	switch {
	case method == HTTP01 && d.Wildcard:
		f.Add("letsencrypt.verification_method", "A wildcard needs the verification_method dns-01.")
	case method == DNS01 && !o.DNS:
		f.Add("letsencrypt.verification_method", "This service has no zone for DNS challenges.")
	}
	in.row.VerificationMethod, in.row.KeyType, in.row.PreferredChain, in.row.RequestStatus = &method, &kind, asked.PreferredChain, requestVerifying
}

func (o *Operations) existing(f api.Fields, d query.Domain, pair Pair, now time.Time, in *draft) {
	key, err := parseKey(pair.Key)
	if err != nil {
		f.Add("existing.key", "%s.", sentence(err))
	}
	leaf, chain, err := parseChain(pair.Certificate)
	if err != nil {
		f.Add("existing.certificate", "%s.", sentence(err))
	}
	if len(f) > 0 {
		return
	}
	switch err := fits(leaf, key.Public(), d.Name, now); {
	case errors.Is(err, errPair):
		f.Add("existing.key", "%s.", sentence(err))
	case err != nil:
		f.Add("existing.certificate", "%s.", sentence(err))
	}
	if in.key, err = encodeKey(key); err != nil {
		f.Add("existing.key", "%s.", sentence(errKey))
	}
	in.chain(leaf, chain)
}

func (in *draft) chain(leaf *x509.Certificate, chain string) {
	expires := leaf.NotAfter.UnixMicro()
	in.row.Chain, in.row.ExpiresAt, in.row.Names = &chain, &expires, strings.Join(leaf.DNSNames, ",")
}

// request makes a key and a request to have signed (RFC 2986). The key never leaves in an answer.
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
	subject := pkix.Name{CommonName: strings.TrimSpace(s.Domain)}
	for field, part := range map[string]struct {
		text string
		into *[]string
		most int
	}{"country": {s.Country, &subject.Country, 2}, "state": {s.State, &subject.Province, 128}, "city": {s.City, &subject.Locality, 128},
		"organization": {s.Organization, &subject.Organization, 64}, "department": {s.Department, &subject.OrganizationalUnit, 64}} {
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
		f.Add("csr.domain", "No request can be made of this.")
		return nil
	}
	text, kind := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})), RSA
	in.row.Csr, in.row.KeyType, in.row.RequestStatus, in.row.Names = &text, &kind, requestCreating, strings.Join(names, ",")
	in.key, err = encodeKey(key)
	return err
}

// clone copies a certificate of the organization, through the store: what the caller may not know of is not there.
func (o *Operations) clone(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], d query.Domain, id int64, in *draft) error {
	row, err := tx.GetCertificate(ctx, id)
	if err == nil {
		var of query.Site
		if of, err = tx.GetSite(ctx, row.SiteID); err == nil {
			var g access.Grant
			if of.OrganizationID != c.Parent.OrganizationID {
				err = db.ErrNotFound
			} else if _, g, err = o.Store.Domains.Sites.Servers.Open(ctx, tx.Queries, c.Parent.Grant, of.ServerID); err == nil {
				err = g.Require([]access.Permission{access.SiteManageSSL}, nil)
			}
		}
	}
	if errors.Is(err, db.ErrNotFound) || errors.Is(err, access.ErrNotFound) || err != nil && errors.As(err, new(*access.Denied)) || err == nil && (row.Chain == nil || row.PrivateKey == nil) {
		c.Fields.Add("clone.certificate_id", "The selected certificate does not exist.")
		return nil
	}
	if err != nil {
		return fmt.Errorf("read certificate %d: %w", id, err)
	}
	key, err := o.Vault.Box.Open(place(row.ID, columnKey), row.PrivateKey)
	if err != nil {
		return err
	}
	in.row.Type = Existing
	f := api.Fields{}
	o.existing(f, d, Pair{Key: string(key), Certificate: *row.Chain}, tx.Now, in)
	for _, texts := range f {
		c.Fields.Add("clone.certificate_id", "%s", texts[0])
	}
	return nil
}

func (o *Operations) install(ctx context.Context, tx *db.Tx, c api.Call[Path], b InstallCertificateRequest) (api.Document[CertificateResource], error) {
	var none api.Document[CertificateResource]
	d, err := domain.Current(ctx, tx, c.Parent.Path)
	if err != nil {
		return none, err
	}
	row, err := o.current(ctx, tx, c.Parent)
	if err != nil {
		return none, err
	}
	if row.Type != CSR || row.Chain != nil {
		return none, api.Conflict("This certificate does not wait for its signature.")
	}
	leaf, chain, err := parseChain(b.Certificate)
	if err != nil && len(c.Fields["certificate"]) == 0 {
		c.Fields.Add("certificate", "%s.", sentence(err))
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	text, err := o.Vault.Box.Open(place(row.ID, columnKey), row.PrivateKey)
	if err != nil {
		return none, err
	}
	key, err := parseKey(string(text))
	if err != nil {
		return none, err
	}
	if err := fits(leaf, key.Public(), d.Name, tx.Now); err != nil {
		c.Fields.Add("certificate", "%s.", sentence(err))
		return none, c.Fields.Err()
	}
	in := draft{}
	in.chain(leaf, chain)
	if err := tx.SetCertificateChain(ctx, query.SetCertificateChainParams{ID: row.ID, Chain: in.row.Chain, PrivateKey: row.PrivateKey, Names: in.row.Names, ExpiresAt: in.row.ExpiresAt, UpdatedAt: tx.Micros()}); err != nil {
		return none, fmt.Errorf("install certificate: %w", err)
	}
	row.Chain, row.Names, row.ExpiresAt, row.RequestStatus = in.row.Chain, in.row.Names, in.row.ExpiresAt, requestCreated
	event, err := o.begin(ctx, tx, c.Parent.Path.Path, d, &row)
	if err != nil {
		return none, err
	}
	if d, err = tx.GetDomain(ctx, d.SiteID, d.ID); err != nil {
		return none, fmt.Errorf("read domain: %w", err)
	}
	doc, err := document(ctx, tx.SQL, d, row)
	doc.Event = event
	return doc, err
}

func (o *Operations) current(ctx context.Context, tx *db.Tx, p Path) (query.Certificate, error) {
	row, err := tx.GetCertificate(ctx, p.Certificate.ID)
	if errors.Is(err, db.ErrNotFound) {
		return row, api.ErrNotFound
	}
	if err != nil {
		return row, fmt.Errorf("read certificate %d: %w", p.Certificate.ID, err)
	}
	if row.Status == StatusRemoving {
		return row, api.Conflict("The certificate is being deleted.")
	}
	return row, nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	d, err := domain.Current(ctx, tx, c.Parent.Path)
	if err != nil {
		return api.Empty{}, err
	}
	row, err := o.current(ctx, tx, c.Parent)
	if row.Status == StatusRemoving { // a second delete while the first runs
		return api.Empty{}, nil
	}
	if err != nil {
		return api.Empty{}, err
	}
	after := d.CertificateID
	if after != nil && *after == row.ID {
		after = nil
	}
	event, err := o.Work.Enable(ctx, tx, c.Parent.Grant, c.Parent.Server, d, &row, StatusRemoving, "delete", after)
	return api.Empty{Event: event}, err
}

func (o *Operations) action(ctx context.Context, tx *db.Tx, c api.Call[Path], b DomainCertificateActionRequest) (api.Empty, error) {
	d, err := domain.Current(ctx, tx, c.Parent.Path)
	if err != nil {
		return api.Empty{}, err
	}
	row, err := o.current(ctx, tx, c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	active := d.CertificateID != nil && *d.CertificateID == row.ID
	if len(c.Fields) == 0 && b.Action == "enable" && row.Chain == nil {
		c.Fields.Add("action", "The certificate has not been issued yet.")
	}
	if err := c.Fields.Err(); err != nil || active == (b.Action == "enable") {
		return api.Empty{}, err
	}
	status, after := StatusEnabling, &row.ID
	if b.Action == "disable" {
		status, after = StatusDisabling, nil
	}
	event, err := o.Work.Enable(ctx, tx, c.Parent.Grant, c.Parent.Server, d, &row, status, b.Action, after)
	return api.Empty{Event: event}, err
}

func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
