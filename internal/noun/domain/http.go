package domain

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// DomainRecordAttributes are the attributes of a domain.
type DomainRecordAttributes struct {
	Name                    string   `json:"name"`
	Type                    string   `json:"type" enum:"primary,alias"`
	Status                  string   `json:"status" enum:"pending,connecting,enabled,removing,securing,updating,disabling,disabled,enabling"`
	WWWRedirectType         string   `json:"www_redirect_type" enum:"from-www,to-www,none"`
	AllowWildcardSubdomains bool     `json:"allow_wildcard_subdomains"`
	CreatedAt               api.Time `json:"created_at"`
	UpdatedAt               api.Time `json:"updated_at"`
}

// ResourceType returns domainRecords.
func (DomainRecordAttributes) ResourceType() string { return Kind }

// DomainRecordResource is a domain in a document.
type DomainRecordResource = server.Document[DomainRecordAttributes]

// DomainRecordConfigurationAttributes are a DNS record that the domain needs.
type DomainRecordConfigurationAttributes struct {
	Type  string `json:"type" enum:"A,CNAME,TXT"`
	Name  string `json:"name"`
	Value string `json:"value"`
	TTL   *int64 `json:"ttl"`
}

// ResourceType returns domainRecordConfigurations.
func (DomainRecordConfigurationAttributes) ResourceType() string { return "domainRecordConfigurations" }

// Metas are what the meta of these resources has besides.
func (DomainRecordConfigurationAttributes) Metas() []any { return []any{Meta{}} }

// AnyType tells that the contract leaves the type open.
func (DomainRecordConfigurationAttributes) AnyType() {}

// Unlinked marks resources without links.
func (DomainRecordConfigurationAttributes) Unlinked() {}

// Resolver asks the DNS as the world sees it.
type Resolver interface {
	// Lookup returns the values of the records of a kind at a name.
	Lookup(ctx context.Context, kind, name string) ([]string, error)
}

// DomainRecordConfigurationResource is a DNS record in a document.
type DomainRecordConfigurationResource = api.Resource[DomainRecordConfigurationAttributes, api.NoRelationships]

// CreateDomainRequest asks for a domain.
type CreateDomainRequest struct {
	Name                    string `json:"name"`
	AllowWildcardSubdomains bool   `json:"allow_wildcard_subdomains"`
	WWWRedirectType         string `json:"www_redirect_type" enum:"from-www,to-www,none"`
}

// UpdateDomainRequest changes the policies of a domain.
type UpdateDomainRequest struct {
	WWWRedirectType         string `json:"www_redirect_type" enum:"from-www,to-www,none"`
	AllowWildcardSubdomains *bool  `json:"allow_wildcard_subdomains,omitempty" nullable:"true"`
}

// DomainActionRequest asks for an action.
type DomainActionRequest struct {
	Action string `json:"action" enum:"enable,disable,mark-as-primary"`
}

// Operations are the operations on domains.
type Operations struct {
	*Store
	// ChallengeZone is where dns-01 challenges are delegated to, "" for nowhere.
	ChallengeZone string
	Resolver      Resolver
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/sites/{site}/domains"
	const single = many + "/{domainRecord}"
	meta := []access.Permission{access.SiteMeta}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.index", Method: http.MethodGet, Path: many, Tag: "Sites", Mode: api.Sync, Permissions: meta,
		Summary: "List the domains of a site",
		Filters: []api.Filter{{Name: "status", Enum: []string{
			"pending", StatusConnecting, StatusEnabled, StatusRemoving, "securing", StatusUpdating,
			StatusDisabling, StatusDisabled, StatusEnabling,
		}}, {Name: "type", Enum: []string{Primary, Alias}}}, Sorts: []string{"name", "created_at"},
	}, o.Load, o.Index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.store", Method: http.MethodPost, Path: many, Tag: "Sites", Mode: api.Async, Permissions: meta,
		Status:      http.StatusAccepted,
		ChangesHost: true, Removable: true, Conflict: true, Summary: "Add a domain to a site",
		Description: "Each domain has its own vhost and certificates. A name can be used once per server.",
		Example:     map[string]any{"name": "www.example.com"},
	}, o.Load, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.show", Method: http.MethodGet, Path: single, Tag: "Sites", Mode: api.Sync, Permissions: meta,
		Summary: "Get a domain",
	}, o.InPath, o.Single)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.update", Method: http.MethodPatch, Path: single, Tag: "Sites", Mode: api.Async, Permissions: meta,
		ChangesHost: true, Conflict: true, Summary: "Update the policies of a domain",
	}, o.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.destroy", Method: http.MethodDelete, Path: single, Tag: "Sites", Mode: api.Async, Permissions: meta,
		Status:      http.StatusNoContent,
		ChangesHost: true, Conflict: true, Summary: "Delete a domain",
		Description: "The primary domain can't be deleted. The status of a domain is removing until the server confirms.",
	}, o.InPath, o.destroy)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.configurations", Method: http.MethodGet, Path: single +
			"/configurations", Tag: "Sites", Mode: api.Sync, Permissions: meta, Whole: true,
		Summary:     "List the DNS records that a domain needs",
		Description: "The CNAME record for _acme-challenge is only for dns-01 challenges, and is set once. meta.record reports whether DNS has each record now.",
	}, o.InPath, o.configurations)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.actions.store", Method: http.MethodPost, Path: single +
			"/actions", Tag: "Sites", Mode: api.Async, Permissions: meta, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Noun: "domains", Verb: "act", Summary: "Enable or disable a domain, or make it primary",
		Description: "The site is named after its primary domain. The site's directory is not renamed, since programs are running in it.",
		Actions: map[string]api.Action{
			"disable": {Summary: "Disable a domain", Asks: "The site does not respond at it until it is enabled again."},
			"enable":  {Summary: "Enable a domain"},
			"mark-as-primary": {
				Summary:     "Set a domain as the site's primary one",
				Description: "The site is named after its primary domain. The site's directory is not renamed, since programs are running in it."},
		},
	}, o.InPath, o.action)
}

func shown(r query.Domain) (id int64, operation *int64, a DomainRecordAttributes) {
	return r.ID, r.OperationID, DomainRecordAttributes{
		Name: r.Name, Type: r.Type, Status: r.Status, WWWRedirectType: r.WWWRedirectType,
		AllowWildcardSubdomains: r.Wildcard,
		CreatedAt:               api.TimeOf(r.CreatedAt), UpdatedAt: api.TimeOf(r.UpdatedAt),
	}
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CreateDomainRequest) (api.Document[DomainRecordResource], error) {
	var none api.Document[DomainRecordResource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	var name value.Domain
	if len(c.Fields["name"]) == 0 {
		var err error
		if name, err = value.ParseDomain(b.Name); err != nil {
			c.Fields.Add("name", "%s", err)
		}
	}
	rows, err := tx.ListDomains(ctx, c.Parent.Site)
	if err != nil {
		return none, fmt.Errorf("list domains: %w", err)
	}
	if len(rows) >= maxDomains {
		c.Fields.Add("name", "A site can have at most %d domains.", maxDomains)
	}
	if slices.ContainsFunc(rows, func(d query.Domain) bool { return d.Name == name.String() }) {
		c.Fields.Coded("name", api.CodeTaken, nil, "The site already has this domain.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertDomain(ctx, query.InsertDomainParams{
		SiteID: c.Parent.Site.ID, Name: name.String(), Type: Alias, Status: StatusConnecting,
		WWWRedirectType: b.WWWRedirectType,
		Wildcard:        b.AllowWildcardSubdomains, Challenge: secret.Random(challengeBytes), CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create domain: %w", err)
	}
	if err := o.claim(ctx, tx, c.Fields, "name", c.Parent.Server.ID, row); err != nil {
		return none, err
	}
	return o.Create(ctx, tx, c.Parent, row.ID, SpecificationOf(row), "Connecting domain "+row.Name)
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateDomainRequest) (api.Document[DomainRecordResource], error) {
	var none api.Document[DomainRecordResource]
	row, err := o.Current(ctx, tx, &c.Parent)
	if err != nil {
		return none, err
	}
	if row.Status == StatusRemoving {
		return none, api.Conflict("The domain is being deleted.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if off(row.Status) {
		return none, api.Conflict("The domain is disabled. Enable it first.")
	}
	asks, err := newest(ctx, tx, row.ID)
	if err != nil {
		return none, err
	}
	b = api.Over(c, UpdateDomainRequest{AllowWildcardSubdomains: new(asks.Wildcard)})
	asks.WWWRedirectType, asks.Wildcard = b.WWWRedirectType, b.AllowWildcardSubdomains != nil && *b.AllowWildcardSubdomains
	if err := o.claim(ctx, tx, c.Fields, "www_redirect_type", c.Parent.At.Server.ID, rowOf(row.ID, asks)); err != nil {
		return none, err
	}
	return o.Change(ctx, tx, c.Parent.At, row.ID, asks, "update", "Updating domain "+row.Name)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.Remove(ctx, tx, c.Parent, "Removing domain "+c.Parent.Row.Name, func(now Path) error {
		if now.Row.Type == Primary {
			return api.Conflict("The primary domain can't be deleted. Make another one primary first.")
		}
		return o.notPrimary(ctx, tx, now)
	})
}

// notPrimary returns a conflict for the primary domain, and for one that gives way to another: that work may fail, and then it is primary again.
func (o *Operations) notPrimary(ctx context.Context, tx *db.Tx, p Path) error {
	some, err := primaries(ctx, tx, p.At.Server.ID, p.At.Site.ID)
	if err == nil && some[p.ID] {
		err = api.Conflict("Another domain is becoming the primary one. Try again when that is done.")
	}
	return err
}

// claim takes the names of a domain. Those that another one has are failures of the field.
func (o *Operations) claim(ctx context.Context, tx *db.Tx, f api.Fields, field string, serverID int64, row query.Domain) error {
	taken, err := claim(ctx, tx, serverID, row)
	if err != nil {
		return err
	}
	for _, name := range taken {
		f.Coded(field, api.CodeTaken, nil, "The name %s is already used on this server.", name)
	}
	return f.Err()
}

func (o *Operations) action(ctx context.Context, tx *db.Tx, c api.Call[Path], b DomainActionRequest) (api.Empty, error) {
	row, err := o.Current(ctx, tx, &c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	if row.Status == StatusRemoving {
		return api.Empty{}, api.Conflict("The domain is being deleted.")
	}
	off := off(row.Status)
	switch {
	case len(c.Fields) > 0:
	case b.Action == "disable" && row.Type == Primary:
		c.Fields.Add("action", "The primary domain can't be disabled.")
	case b.Action == markPrimary && off:
		c.Fields.Add("action", "A disabled domain can't be the primary one.")
	}
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	if b.Action == "enable" && !off && row.Status != StatusEnabling || b.Action == "disable" && off || b.Action == markPrimary && row.Type == Primary {
		return api.Empty{}, nil // it is so already
	}
	description := map[string]string{"enable": "Enabling domain ", "disable": "Disabling domain ", markPrimary: "Making primary domain "}[b.Action] + row.Name
	if b.Action == markPrimary {
		wishes, err := mark(ctx, tx, c.Parent.At, row.ID)
		if err != nil {
			return api.Empty{}, err
		}
		accepted, err := o.Acceptor.Accept(ctx, tx, c.Parent.At.Path, row.SiteID, b.Action, description, wishes...)
		return api.Empty{Event: accepted.EventID}, err
	}
	if b.Action == "disable" {
		if err := o.notPrimary(ctx, tx, c.Parent); err != nil {
			return api.Empty{}, err
		}
	}
	_, accepted, err := o.Alter(ctx, tx, c.Parent.At, row.ID, b.Action, description, func(s *Specification) { s.Disabled = b.Action == "disable" })
	return api.Empty{Event: accepted.EventID}, err
}

// ttl is what is asked for of records, in seconds.
const ttl = 300

// lookWithin is how long the DNS has to say what it shows.
const lookWithin = 5 * time.Second

func (o *Operations) configurations(ctx context.Context, c api.Call[Path]) (api.Collection[DomainRecordConfigurationResource], error) {
	var out api.Collection[DomainRecordConfigurationResource]
	add := func(kind, name, target string) {
		seconds := int64(ttl)
		out.Data = append(out.Data, DomainRecordConfigurationResource{
			ID:         strconv.Itoa(len(out.Data) + 1),
			Attributes: DomainRecordConfigurationAttributes{Type: kind, Name: name, Value: target, TTL: &seconds},
		})
	}
	all, err := namesOf(c.Parent.Row)
	if err != nil {
		return out, err
	}
	if ip := c.Parent.At.Server.IPAddress; ip != nil {
		for _, name := range all {
			add("A", name, *ip)
		}
	}
	if o.ChallengeZone != "" {
		add("CNAME", dns.Prefix+c.Parent.Row.Name, ChallengeTarget(c.Parent.Row, o.ChallengeZone))
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	var wg sync.WaitGroup
	for i := range out.Data {
		wg.Go(func() {
			a := out.Data[i].Attributes
			found, err := o.Resolver.Lookup(ctx, a.Type, a.Name)
			about := RecordMeta{Seen: slices.Contains(found, strings.ToLower(a.Value)), Found: append([]string{}, found...)}
			if err != nil {
				about.Problem = new("DNS can't be queried: " + strings.ToValidUTF8(err.Error(), "") + ".")
			}
			out.Data[i].Meta = &api.Meta{Own: []any{Meta{about}}}
		})
	}
	wg.Wait()
	return out, nil
}

// Meta is what DNS records add to meta.
type Meta struct {
	Record RecordMeta `json:"record"`
}

// RecordMeta is what DNS shows at the name of a record.
type RecordMeta struct {
	Seen  bool     `json:"seen"`
	Found []string `json:"found" nullable:"false" doc:"The existing values of this type."`
	// Problem is null if DNS answered.
	Problem *string `json:"problem"`
}

// ChallengeTarget returns the name that a domain's dns-01 challenges are delegated to (RFC 8555 section 8.4).
func ChallengeTarget(d query.Domain, zone string) string {
	label := d.Challenge
	if label == "" { // of a site from before domains had one
		label = "domain-" + strconv.FormatInt(d.ID, 10)
	}
	return dns.Prefix + label + "." + zone
}
