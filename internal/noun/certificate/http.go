package certificate

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// CertificateAttributes are the attributes of a certificate.
type CertificateAttributes struct {
	Type               string   `json:"type" enum:"letsencrypt,csr,existing"`
	VerificationMethod *string  `json:"verification_method" enum:"http-01,dns-01"`
	KeyType            *string  `json:"key_type" enum:"ecdsa,rsa"`
	PreferredChain     *string  `json:"preferred_chain" enum:"ISRG Root X1"`
	RequestStatus      string   `json:"request_status" enum:"verifying,creating,created"`
	Status             string   `json:"status"`
	Active             bool     `json:"active"`
	CreatedAt          api.Time `json:"created_at"`
	UpdatedAt          api.Time `json:"updated_at"`
}

// ResourceType returns certificates.
func (CertificateAttributes) ResourceType() string { return resource }

// Metas are what the meta of these resources has besides.
func (CertificateAttributes) Metas() []any { return []any{Meta{}} }

// Unlinked marks resources without links.
func (CertificateAttributes) Unlinked() {}

// CertificateResource is a certificate in a document.
type CertificateResource = api.Resource[CertificateAttributes, api.NoRelationships]

// CreateDomainCertificateRequest asks for a certificate; the part for its type has the details.
type CreateDomainCertificateRequest struct {
	Enable      *bool        `json:"enable,omitempty" doc:"Whether to activate it immediately, default true."`
	Type        string       `json:"type" enum:"letsencrypt,csr,existing,clone"`
	LetsEncrypt *ACMERequest `json:"letsencrypt,omitempty"`
	Existing    *Pair        `json:"existing,omitempty"`
	CSR         *Subject     `json:"csr,omitempty"`
	Clone       *Original    `json:"clone,omitempty"`
}

// ACMERequest is how a certificate is issued.
type ACMERequest struct {
	VerificationMethod string  `json:"verification_method,omitempty" enum:"http-01,dns-01"`
	KeyType            string  `json:"key_type,omitempty" enum:"ecdsa,rsa"`
	PreferredChain     *string `json:"preferred_chain,omitempty" nullable:"true" enum:"ISRG Root X1"`
	// DNSProviderID is an addition of ours.
	DNSProviderID *int64 `json:"dns_provider_id,omitempty" nullable:"true" ours:"true"`
}

// Pair is a certificate with its key, as PEM.
type Pair struct {
	Key         api.Secret `json:"key,omitzero"`
	Certificate string     `json:"certificate,omitempty"`
}

// Subject is the subject of a request.
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

// InstallCertificateRequest uploads the certificate that was signed from a request.
type InstallCertificateRequest struct {
	Certificate string `json:"certificate" doc:"The certificate and its intermediates, as PEM."`
}

// DNSProviders are the DNS providers of organizations.
type DNSProviders interface {
	// Usable returns access.ErrNotFound for a provider that the caller can't use.
	Usable(ctx context.Context, q *query.Granted, g access.Grant, id int64) error
}

// Operations are the operations on certificates.
type Operations struct {
	Store  *Store
	Vault  Vault
	Work   *Work
	Router *api.Router
	// Delegation reports whether dns-01 challenges can be answered where a domain's CNAME points.
	Delegation bool
	// DNS are the providers that they can be published through.
	DNS DNSProviders
}

// Register adds the operations.
func (o *Operations) Register() {
	const inSite = "/orgs/{organization}/servers/{server}/sites/{site}"
	const inDomain = inSite + "/domains/{domainRecord}"
	const many, single = inDomain + "/certificates", inDomain + "/certificates/{certificate}"
	meta, ssl := []access.Permission{access.SiteMeta}, []access.Permission{access.SiteManageSSL}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.certificates.index", Method: http.MethodGet, Path: inSite + "/certificates", Tag: "Sites",
		Mode: api.Sync, Permissions: meta, Whole: true,
		Noun: "site-certificates", Summary: "List the certificates of a site",
	}, o.Store.Domains.Load, o.ofSite)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificate.show", Method: http.MethodGet, Path: inDomain + "/certificate",
		Tag: "Sites", Mode: api.Sync, Permissions: meta,
		Noun: "domains", Verb: "certificate", Summary: "Get the certificate served for a domain",
	}, o.Store.Active, o.show)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.index", Method: http.MethodGet, Path: many, Tag: "Sites",
		Mode: api.Sync, Permissions: meta, Whole: true,
		Noun: "certificates", Summary: "List the certificates of a domain",
	}, o.Store.Domains.InPath, o.ofDomain)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.store", Method: http.MethodPost, Path: many, Tag: "Sites",
		Mode: api.Async, Permissions: ssl, Status: http.StatusAccepted,
		Conflict: true, Noun: "certificates", Summary: "Create a certificate",
		Description: "letsencrypt certificates are issued and renewed automatically. For csr, have meta.certificate.csr signed and upload the result. existing " +
			"and clone are used as they are.",
	}, o.Store.Domains.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.active", Method: http.MethodGet, Path: many + "/active",
		Tag: "Sites", Mode: api.Sync, Permissions: meta,
		Noun: "certificates", Summary: "Get the active certificate of a domain",
	}, o.Store.Active, o.show)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.show", Method: http.MethodGet, Path: single, Tag: "Sites",
		Mode: api.Sync, Permissions: meta, Noun: "certificates", Summary: "Get a certificate",
	}, o.Store.InPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.update", Method: http.MethodPut, Path: single, Tag: "Sites",
		Mode: api.Async, Permissions: ssl, Status: http.StatusAccepted,
		Extension: true, Conflict: true, Noun: "certificates", Summary: "Install a certificate signed from a request",
	}, o.Store.InPath, o.install)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.destroy", Method: http.MethodDelete, Path: single, Tag: "Sites",
		Mode: api.Async, Permissions: ssl, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Noun: "certificates", Summary: "Delete a certificate",
		Description: "If a domain's active certificate is deleted, the domain is served over plain HTTP.",
	}, o.Store.InPath, o.destroy)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.certificates.actions.store", Method: http.MethodPost, Path: single + "/actions",
		Tag: "Sites", Mode: api.Async, Permissions: meta, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Noun: "certificates", Verb: "act", Summary: "Enable or disable a certificate",
		Description: "The active certificate is served, and plain HTTP redirects to HTTPS.",
		Actions: map[string]api.Action{
			"disable": {
				Summary:     "Disable a certificate",
				Description: "The domain is served over HTTP only.", Asks: "The domain is served over HTTP only, and browsers that enforce HTTPS for " +
					"it (HSTS) refuse to connect."},
			"enable": {
				Summary:     "Enable a certificate in place of the active one",
				Description: "The active certificate is served, and plain HTTP redirects to HTTPS."},
		},
	}, o.Store.InPath, o.action)
}

func (o *Operations) ofSite(ctx context.Context, c api.Call[site.Path]) (api.Collection[CertificateResource], error) {
	q := o.Store.DB.Read()
	rows, err := q.ListSiteCertificates(ctx, c.Parent.Site)
	if err != nil {
		return api.Collection[CertificateResource]{}, fmt.Errorf("list certificates: %w", err)
	}
	domains, err := q.ListDomains(ctx, c.Parent.Site)
	if err != nil {
		return api.Collection[CertificateResource]{}, fmt.Errorf("list domains: %w", err)
	}
	data, err := resources(ctx, o.Store.DB.Reader(), domains, rows...)
	return api.Collection[CertificateResource]{Data: data}, err
}

func (o *Operations) ofDomain(ctx context.Context, c api.Call[domain.Path]) (api.Collection[CertificateResource], error) {
	rows, err := o.Store.DB.Read().ListDomainCertificates(ctx, c.Parent.Row)
	if err != nil {
		return api.Collection[CertificateResource]{}, fmt.Errorf("list certificates: %w", err)
	}
	data, err := resources(ctx, o.Store.DB.Reader(), []query.Domain{c.Parent.Row}, rows...)
	return api.Collection[CertificateResource]{Data: data}, err
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[CertificateResource], error) {
	return document(ctx, o.Store.DB.Reader(), c.Parent.Row, c.Parent.Certificate)
}

func document(ctx context.Context, q query.DBTX, d query.Domain, row query.Certificate) (api.Document[CertificateResource], error) {
	return api.Single(resources(ctx, q, []query.Domain{d}, row))
}

func resources(ctx context.Context, q query.DBTX, domains []query.Domain, rows ...query.Certificate) ([]CertificateResource, error) {
	operations := make([]*int64, len(rows))
	for i, row := range rows {
		operations[i] = row.OperationID
	}
	ops, err := job.ReadOperations(ctx, q, operations...)
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
		about := CertificateMeta{
			Names: []string{}, ExpiresAt: api.NullTimeOf(row.ExpiresAt), RenewAt: api.NullTimeOf(row.RenewAt),
			Failure: row.Failure, CSR: row.Csr,
		}
		about.MissingIssuer = missing(row)
		if row.Names != "" {
			about.Names = strings.Split(row.Names, ",")
		}
		out[i] = CertificateResource{
			ID: strconv.FormatInt(row.ID, 10), Meta: &api.Meta{Operation: job.Meta(ops, row.OperationID), Own: []any{Meta{about}}},
			Attributes: CertificateAttributes{
				Type: row.Type, VerificationMethod: row.VerificationMethod, KeyType: row.KeyType,
				PreferredChain: row.PreferredChain, RequestStatus: row.RequestStatus, Status: row.Status, Active: active[row.ID],
				CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt),
			},
		}
	}
	return out, nil
}

// Meta is what certificates add to meta.
type Meta struct {
	Certificate CertificateMeta `json:"certificate"`
}

// CertificateMeta describes a certificate and its renewal.
type CertificateMeta struct {
	Names     []string     `json:"names" nullable:"false"`
	ExpiresAt api.NullTime `json:"expires_at"`
	RenewAt   api.NullTime `json:"renew_at" doc:"When the certificate will be renewed; null if it is not renewed automatically."`
	Failure   string       `json:"failure"`
	// MissingIssuer is set for an uploaded certificate without the one between it and a root.
	MissingIssuer string  `json:"missing_issuer"`
	CSR           *string `json:"csr" doc:"The certificate signing request, as PEM; null for other types of certificates."`
}
