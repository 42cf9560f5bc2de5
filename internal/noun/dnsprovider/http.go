package dnsprovider

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// DNSProviderAttributes are the attributes of a provider.
type DNSProviderAttributes struct {
	Name       string   `json:"name"`
	Provider   string   `json:"provider" enum:"rfc2136,cloudflare,desec,digitalocean,gandi,hetzner"`
	Nameserver *string  `json:"nameserver" doc:"For rfc2136; null for other providers, as are key and algorithm."`
	Key        *string  `json:"key"`
	Algorithm  *string  `json:"algorithm"`
	InUse      bool     `json:"in_use" doc:"Whether any certificate is renewed through this provider, or the records of any domain are kept there."`
	CreatedAt  api.Time `json:"created_at"`
	UpdatedAt  api.Time `json:"updated_at"`
}

// ResourceType returns dnsProviders.
func (DNSProviderAttributes) ResourceType() string { return "dnsProviders" }

// Resource is a provider in a document.
type Resource = api.Resource[DNSProviderAttributes, api.NoRelationships]

// CreateDNSProviderRequest connects an account at a DNS provider, or a nameserver of one's own.
type CreateDNSProviderRequest struct {
	Name       string     `json:"name" maxLength:"255"`
	Provider   string     `json:"provider" enum:"rfc2136,cloudflare,desec,digitalocean,gandi,hetzner"`
	Secret     api.Secret `json:"secret" maxLength:"1024" writeOnly:"true"`
	Nameserver *string    `json:"nameserver,omitempty" nullable:"true"`
	Key        *string    `json:"key,omitempty" nullable:"true" doc:"For rfc2136: the name of the key that signs updates."`
	Algorithm  *string    `json:"algorithm,omitempty" nullable:"true" enum:"hmac-sha256,hmac-sha384,hmac-sha512" doc:"For rfc2136; default hmac-sha256."`
}

// UpdateDNSProviderRequest changes a provider. Omitted fields are unchanged; a new nameserver or key needs the secret again.
type UpdateDNSProviderRequest struct {
	Name       *string     `json:"name,omitempty" maxLength:"255"`
	Secret     *api.Secret `json:"secret,omitempty" maxLength:"1024" writeOnly:"true"`
	Nameserver *string     `json:"nameserver,omitempty" nullable:"true"`
	Key        *string     `json:"key,omitempty" nullable:"true"`
	Algorithm  *string     `json:"algorithm,omitempty" nullable:"true" enum:"hmac-sha256,hmac-sha384,hmac-sha512"`
}

// Operations are the operations on providers.
type Operations struct {
	Store  *Store
	Router *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single, tag = "/orgs/{organization}/dns-providers", "/orgs/{organization}/dns-providers/{dnsProvider}", "DNS Providers"
	view, manage := []access.Permission{access.CredentialView}, []access.Permission{access.CredentialManage}
	api.Index(o.Router, api.Operation{
		ID: "organizations.dns-providers.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view,
		Extension: true,
		Summary:   "List DNS providers", Sorts: []string{"name", "created_at"},
	}, o.Store.InOrganization, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.dns-providers.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true, Status: http.StatusCreated,
		Summary: "Connect a DNS provider", Description: "Certificates can then be issued through the provider with dns-01, and the records of domains created there.",
		Example: map[string]any{"nameserver": "192.0.2.53", "key": "hostler", "secret": "c2VjcmV0c2VjcmV0c2VjcmV0"},
	}, o.Store.InOrganization, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.dns-providers.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view,
		Extension: true,
		Summary:   "Get a DNS provider",
	}, o.Store.InPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.dns-providers.update", Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true, BodyOptional: true,
		Summary: "Update a DNS provider",
		Example: map[string]any{"name": "example"},
	}, o.Store.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.dns-providers.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true, Status: http.StatusNoContent, Conflict: true,
		Summary: "Delete a DNS provider", Description: "Refused while certificates are renewed through the provider, or records of domains are kept there.",
	}, o.Store.InPath, o.destroy)
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("dns_providers", db.Equal("organization_id", c.Parent.OrganizationID)),
		func(rows ...query.DNSProvider) ([]Resource, error) {
			return o.resources(ctx, q, c.Parent.Slug, rows...)
		})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return api.Single(o.resources(ctx, o.Store.DB.Reader(), c.Parent.Slug, c.Parent.Provider))
}

func (o *Operations) resources(ctx context.Context, q query.DBTX, slug string, rows ...query.DNSProvider) ([]Resource, error) {
	used, err := db.Held(ctx, q, "certificates", "dns_provider_id", rows, func(row query.DNSProvider) int64 { return row.ID })
	if err != nil {
		return nil, err
	}
	records, err := db.Held(ctx, q, "domain_dns", "dns_provider_id", rows, func(row query.DNSProvider) int64 { return row.ID })
	if err != nil {
		return nil, err
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		id := strconv.FormatInt(row.ID, 10)
		out[i] = Resource{ID: id, Links: o.Router.Links(pathOf(slug, id)), Attributes: DNSProviderAttributes{
			Name: row.Name, Provider: row.Provider,
			Nameserver: api.OrNull(row.Nameserver),
			Key:        api.OrNull(row.KeyName), Algorithm: api.OrNull(row.Algorithm), InUse: used[row.ID] || records[row.ID],
			CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt),
		}}
	}
	return out, nil
}

func pathOf(slug, id string) string { return "/orgs/" + slug + "/dns-providers/" + id }

// check checks a row and its secret for its provider, and normalizes them.
func check(f api.Fields, row *query.DNSProvider, plain string) {
	row.Name = f.Line("name", row.Name, 0)
	if len(f["secret"]) == 0 && (plain == "" || strings.ContainsFunc(plain, func(r rune) bool { return r <= ' ' || r > '~' })) {
		f.Add("secret", "The secret must be printable ASCII characters without spaces.")
	}
	if row.Provider != dns.RFC2136 {
		for field, text := range map[string]string{"nameserver": row.Nameserver, "key": row.KeyName, "algorithm": row.Algorithm} {
			if text != "" && len(f["provider"]) == 0 {
				f.Add(field, "Only the provider rfc2136 has a %s.", field)
			}
		}
		return
	}
	if row.Algorithm == "" {
		row.Algorithm = dns.Algorithms()[0]
	}
	if len(f["nameserver"]) == 0 && !isServer(row.Nameserver) {
		f.Add("nameserver", "The nameserver must be an address or a name, with a port if it is not 53.")
	}
	if _, err := value.ParseDomain(row.KeyName + ".example"); len(f["key"]) == 0 && (row.KeyName == "" || err != nil) {
		f.Add("key", "The key must be the name of a key: letters, digits, dashes and dots.")
	}
	if raw, err := base64.StdEncoding.DecodeString(plain); len(f["secret"]) == 0 && (err != nil || len(raw) < 16) {
		f.Add("secret", "The secret must be a key of at least 16 bytes as base64.")
	}
}

// isServer reports whether a text is where a nameserver could be.
func isServer(text string) bool {
	host := text
	if h, port, err := net.SplitHostPort(text); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
		host = h
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return !strings.Contains(host, "%")
	}
	_, err := value.ParseDomain(host)
	return err == nil
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateDNSProviderRequest) (api.Document[Resource], error) {
	row := query.DNSProvider{
		Name: b.Name, Provider: b.Provider,
		Nameserver: text.Trimmed(b.Nameserver), KeyName: text.Trimmed(b.Key), Algorithm: text.Trimmed(b.Algorithm),
	}
	plain := strings.TrimSpace(b.Secret.Reveal())
	check(c.Fields, &row, plain)
	if err := c.Fields.Err(); err != nil {
		return api.Document[Resource]{}, err
	}
	row, err := tx.InsertDNSProvider(ctx, query.InsertDNSProviderParams{
		OrganizationID: c.Parent.OrganizationID, Name: row.Name, Provider: row.Provider,
		Nameserver: row.Nameserver, KeyName: row.KeyName,
		Algorithm: row.Algorithm, Secret: []byte{}, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return api.Document[Resource]{}, fmt.Errorf("create DNS provider: %w", err)
	}
	return o.keep(ctx, tx, c.Parent.Slug, row, &plain) // the seal is bound to the row, which has to be there first
}

// keep writes a row; its secret too, unless that stays.
func (o *Operations) keep(ctx context.Context, tx *db.Tx, slug string, row query.DNSProvider, plain *string) (api.Document[Resource], error) {
	var err error
	if plain != nil {
		if row.Secret, err = o.Store.Box.Seal(sealedAt(row.ID), []byte(*plain)); err != nil {
			return api.Document[Resource]{}, err
		}
	}
	row, err = tx.UpdateDNSProvider(ctx, query.UpdateDNSProviderParams{
		ID: row.ID, Name: row.Name, Nameserver: row.Nameserver, KeyName: row.KeyName,
		Algorithm: row.Algorithm, Secret: row.Secret, UpdatedAt: tx.Micros(),
	})
	if errors.Is(err, db.ErrNotFound) {
		return api.Document[Resource]{}, api.ErrNotFound
	}
	if err != nil {
		return api.Document[Resource]{}, fmt.Errorf("keep DNS provider: %w", err)
	}
	doc, err := api.Single(o.resources(ctx, tx.SQL, slug, row))
	doc.Location = pathOf(slug, doc.Data.ID)
	return doc, err
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateDNSProviderRequest) (api.Document[Resource], error) {
	row, err := organization.Current(ctx, tx, "dns_providers", tx.GetDNSProvider, c.Parent, c.Parent.Provider.ID)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	was, err := o.Store.Box.Open(sealedAt(row.ID), row.Secret)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	b = api.Over(c, UpdateDNSProviderRequest{Nameserver: new(row.Nameserver), Key: new(row.KeyName), Algorithm: new(row.Algorithm)})
	plain := string(was)
	c.Fields.SameAddress("secret", b.Secret != nil, api.Address{Field: "nameserver", Was: row.Nameserver, Now: text.Trimmed(b.Nameserver)},
		api.Address{Field: "key", Was: row.KeyName, Now: text.Trimmed(b.Key)})
	if b.Name != nil {
		row.Name = *b.Name
	}
	row.Nameserver, row.KeyName, row.Algorithm = text.Trimmed(b.Nameserver), text.Trimmed(b.Key), text.Trimmed(b.Algorithm)
	if b.Secret != nil {
		plain = strings.TrimSpace(b.Secret.Reveal())
	}
	check(c.Fields, &row, plain)
	if err := c.Fields.Err(); err != nil {
		return api.Document[Resource]{}, err
	}
	return o.keep(ctx, tx, c.Parent.Slug, row, &plain)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	n, err := tx.CountDNSProviderCertificates(ctx, c.Parent.Provider)
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete DNS provider: %w", err)
	}
	if n > 0 {
		return api.Empty{}, api.Conflict("The DNS provider is in use. Certificates that use it: %d.", n)
	}
	if n, err = tx.CountDNSProviderDomains(ctx, c.Parent.Provider); err != nil {
		return api.Empty{}, fmt.Errorf("delete DNS provider: %w", err)
	}
	if n > 0 {
		return api.Empty{}, api.Conflict("The DNS provider is in use. Domains whose records are kept there: %d.", n)
	}
	if n, err = tx.DeleteDNSProvider(ctx, c.Parent.Provider.ID); err == nil && n == 0 {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete DNS provider: %w", err)
	}
	return api.Empty{}, nil
}
