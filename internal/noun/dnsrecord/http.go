package dnsrecord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/noun/domain"
)

// Path is a domain visible to the caller.
type Path = domain.Path

// DomainDNSAttributes are the records that Hostler made for a domain, and what was seen of them.
type DomainDNSAttributes struct {
	DNSProviderID *int64      `json:"dns_provider_id"`
	Provider      *string     `json:"provider"`
	Status        string      `json:"status" enum:"none,pending,made,failed,removing"`
	Records       []DNSRecord `json:"records" nullable:"false"`
	// Problem is why the provider could not be asked.
	Problem   string       `json:"problem"`
	CheckedAt api.NullTime `json:"checked_at"`
}

// ResourceType returns domainDNS.
func (DomainDNSAttributes) ResourceType() string { return resource }

// DNSRecord is a record that Hostler made.
type DNSRecord struct {
	Name   string     `json:"name"`
	Type   string     `json:"type" enum:"A,AAAA"`
	Value  string     `json:"value"`
	Zone   string     `json:"zone"`
	State  string     `json:"state" enum:"unknown,made,changed,missing"`
	Found  []string   `json:"found" nullable:"false"`
	Seen   bool       `json:"seen"`
	Sights []DNSSight `json:"sights" nullable:"false"`
}

// DNSSight is what one nameserver shows.
type DNSSight struct {
	Server        string   `json:"server"`
	Authoritative bool     `json:"authoritative"`
	Values        []string `json:"values" nullable:"false"`
	Problem       string   `json:"problem"`
}

// Resource is the DNS of a domain in a document.
type Resource = api.Resource[DomainDNSAttributes, api.NoRelationships]

// DomainDNSPlanAttributes are what would be done at a provider.
type DomainDNSPlanAttributes struct {
	DNSProviderID int64         `json:"dns_provider_id"`
	Provider      string        `json:"provider"`
	Hash          string        `json:"hash"`
	Possible      bool          `json:"possible"`
	Steps         []DNSPlanStep `json:"steps" nullable:"false"`
}

// ResourceType returns domainDNSPlans.
func (DomainDNSPlanAttributes) ResourceType() string { return "domainDNSPlans" }

// DNSPlanStep is what is done about one record.
type DNSPlanStep struct {
	Action string `json:"action" enum:"create,change,delete,keep,leave,refuse"`
	Name   string `json:"name"`
	Type   string `json:"type" enum:"A,AAAA,CNAME,NS"`
	Was    string `json:"was"`
	Value  string `json:"value"`
	Named  bool   `json:"named"`
	Text   string `json:"text"`
}

// PlanResource is a plan in a document.
type PlanResource = api.Resource[DomainDNSPlanAttributes, api.NoRelationships]

// StoreDomainDNSRequest has the records of a domain made.
type StoreDomainDNSRequest struct {
	DNSProviderID int64    `json:"dns_provider_id"`
	Plan          string   `json:"plan" minLength:"64" maxLength:"64"`
	Replace       []string `json:"replace,omitempty" maxItems:"50"`
}

// Operations are the operations on the DNS of domains.
type Operations struct {
	*Store
	Router *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const single = "/orgs/{organization}/servers/{server}/sites/{site}/domains/{domainRecord}/dns"
	const tag = "Sites"
	meta := []access.Permission{access.SiteMeta}
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.dns.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: meta, Extension: true,
		Noun: "dns-records", Summary: "Get the DNS records that Hostler keeps for a domain",
		Description: "The state of the records, at the provider and from outside, is that of the last check.",
	}, o.Domains.InPath, o.show)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.dns.plan.show", Method: http.MethodGet, Path: single + "/plan", Tag: tag, Mode: api.Sync,
		Permissions: meta, Extension: true,
		Conflict: true, Invalid: true, RateLimit: api.CommandRateLimit,
		Noun: "dns-records", Verb: "plan", Summary: "Preview the DNS records of a domain",
		Description: "Reads what the DNS provider has, and returns what would be done for the domain's names to lead to its server, or to the load balancer " +
			"in front " +
			"of it. Nothing is changed.",
		Query: []api.Param{
			{Name: "dns_provider_id", Type: "integer", Description: "The DNS provider; may be left out where it keeps the records of the domain already."},
			{Name: "replace", Type: "string", Description: "Records of others that may be replaced, separated by commas: A www.example.com."},
			{Name: "remove", Type: "boolean", Description: "Whether to plan the removal of the records that Hostler made."},
		},
		Example: map[string]any{"dns_provider_id": "$DNS_PROVIDER"},
	}, o.Domains.InPath, o.plan)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.dns.store", Method: http.MethodPost, Path: single, Tag: tag, Mode: api.Async, Permissions: meta, Extension: true,
		Status: http.StatusAccepted, Conflict: true, RateLimit: api.CommandRateLimit,
		Noun: "dns-records", Summary: "Create the DNS records of a domain",
		Description: "Carries out a plan. Records that Hostler did not make, or that were changed manually, are changed only if replace names them. " +
			"Afterwards the records " +
			"follow when the server's address changes, a load balancer comes in front of it, or the domain gets other names.",
		Example: map[string]any{"plan": "0000000000000000000000000000000000000000000000000000000000000000"},
	}, o.Domains.InPath, o.checkStore, o.store)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.dns.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async, Permissions: meta, Extension: true,
		Status: http.StatusNoContent, Conflict: true,
		Noun: "dns-records", Verb: "remove", Summary: "Remove the DNS records of a domain",
		Description: "Removes the records that Hostler made, as far as they are as it made them. With keep, they stay at the provider, and Hostler no " +
			"longer changes " +
			"them. The records of a deleted domain are removed as well.",
		Query: []api.Param{{Name: "keep", Type: "boolean", Description: "Whether the records stay at the provider."}},
	}, o.Domains.InPath, o.destroy)
	api.Do(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.dns.check.store", Method: http.MethodPost, Path: single + "/check", Tag: tag, Mode: api.Sync,
		Permissions: meta, Extension: true,
		Status: http.StatusOK, Conflict: true, RateLimit: api.CommandRateLimit,
		Noun: "dns-records", Verb: "check", Summary: "Check the DNS records of a domain",
		Description: "Asks the DNS provider, the nameservers of the zone and a resolver for the records that Hostler made. They are also checked every hour, and " +
			"every minute while they are new.",
	}, o.Domains.InPath, o.check)
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return o.document(ctx, o.DB.Read(), o.DB.Reader(), c.Parent)
}

func (o *Operations) document(ctx context.Context, q *query.Granted, reader query.DBTX, p Path) (api.Document[Resource], error) {
	var none api.Document[Resource]
	out := Resource{ID: strconv.FormatInt(p.ID, 10), Links: o.Router.Links(o.path(p))}
	out.Attributes = DomainDNSAttributes{Status: statusNone, Records: []DNSRecord{}}
	row, err := q.GetDomainDNS(ctx, p.Row)
	if errors.Is(err, db.ErrNotFound) {
		return api.Document[Resource]{Data: out}, nil
	}
	if err != nil {
		return none, fmt.Errorf("read DNS of domain %d: %w", p.ID, err)
	}
	provider, err := q.GetDNSProvider(ctx, p.At.Grant, row.DNSProviderID)
	if err != nil {
		return none, fmt.Errorf("read DNS provider %d: %w", row.DNSProviderID, err)
	}
	records, err := q.ListDomainDNSRecords(ctx, p.Row)
	if err != nil {
		return none, fmt.Errorf("list DNS records of domain %d: %w", p.ID, err)
	}
	ops, err := job.ReadOperations(ctx, reader, row.OperationID)
	if err != nil {
		return none, err
	}
	saw := seenOf(row)
	a := &out.Attributes
	a.DNSProviderID, a.Provider, a.Status, a.Problem = &row.DNSProviderID, &provider.Provider, row.Status, saw.Problem
	if a.Status == statusChanging {
		a.Status = statusPending
	}
	if saw.At != 0 {
		a.CheckedAt = api.NullTimeOf(&saw.At)
	}
	for _, r := range records {
		a.Records = append(a.Records, recordOf(r, saw))
	}
	out.Meta = &api.Meta{Operation: job.Meta(ops, row.OperationID)}
	return api.Document[Resource]{Data: out}, nil
}

func recordOf(r query.DNSRecord, saw seen) DNSRecord {
	out := DNSRecord{Name: r.Name, Type: r.Type, Value: r.Value, Zone: r.Zone, State: recordUnknown, Found: []string{}, Sights: []DNSSight{}}
	for _, s := range saw.Records {
		if s.Name != r.Name || s.Type != r.Type || s.Value != r.Value {
			continue
		}
		out.State, out.Found, out.Seen = s.State, append(out.Found, s.Found...), s.shown()
		for _, at := range s.Sights {
			out.Sights = append(out.Sights, DNSSight{at.Server, at.Authoritative, append([]string{}, at.Values...), at.Problem})
		}
	}
	return out
}

func (o *Operations) path(p Path) string { return o.Domains.URL(p.At, p.ID) + "/dns" }

func (o *Operations) plan(ctx context.Context, c api.Call[Path]) (api.Document[PlanResource], error) {
	var none api.Document[PlanResource]
	q := o.DB.Read()
	fields := api.Fields{}
	provider, err := o.providerOf(ctx, q, c, fields)
	if err != nil {
		return none, err
	}
	remove, err := c.Flag("remove")
	if err != nil {
		return none, err
	}
	var named []string
	for _, name := range strings.Split(c.Query("replace"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			named = append(named, name)
		}
	}
	row, items, err := o.items(ctx, c.Parent, fields, StoreDomainDNSRequest{DNSProviderID: provider, Replace: named}, remove)
	if err != nil {
		return none, err
	}
	out := PlanResource{ID: strconv.FormatInt(c.Parent.ID, 10), Links: o.Router.Links(o.path(c.Parent) + "/plan")}
	out.Attributes = DomainDNSPlanAttributes{DNSProviderID: provider, Provider: row.Provider, Possible: len(refused(items)) == 0, Steps: []DNSPlanStep{}}
	for _, i := range items {
		out.Attributes.Steps = append(out.Attributes.Steps, DNSPlanStep{i.Action, i.Name, i.Type, i.Was, i.Value, i.Named, i.Text})
	}
	out.Attributes.Hash, err = Hash(provider, items)
	return api.Document[PlanResource]{Data: out}, err
}

// providerOf returns the provider that a query names, or else the one that keeps the records already.
func (o *Operations) providerOf(ctx context.Context, q *query.Granted, c api.Call[Path], f api.Fields) (int64, error) {
	if text := c.Query("dns_provider_id"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			f.Add("dns_provider_id", "The dns_provider_id must be the id of a DNS provider.")
		}
		return id, f.Err()
	}
	row, err := q.GetDomainDNS(ctx, c.Parent.Row)
	if errors.Is(err, db.ErrNotFound) {
		f.Add("dns_provider_id", "The dns_provider_id field is required.")
		return 0, f.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("read DNS of domain %d: %w", c.Parent.ID, err)
	}
	return row.DNSProviderID, nil
}

// usable adds a failure for a provider that the caller can't use.
func (o *Operations) usable(ctx context.Context, q *query.Granted, p Path, f api.Fields, provider int64) error {
	err := o.Providers.Usable(ctx, q, p.At.Grant, provider)
	if errors.Is(err, access.ErrNotFound) {
		f.Add("dns_provider_id", "The selected DNS provider does not exist.")
		return nil
	}
	return err
}

// items returns the plan of a request. What the provider refuses is a failure of the field that names it.
func (o *Operations) items(ctx context.Context, p Path, f api.Fields, b StoreDomainDNSRequest, remove bool) (row query.DNSProvider, items []Item, err error) {
	q := o.DB.Read()
	if err := o.usable(ctx, q, p, f, b.DNSProviderID); err != nil {
		return row, nil, err
	}
	if err := f.Err(); err != nil {
		return row, nil, err
	}
	at := of(p.At, p.Row)
	if at, err = o.open(ctx, q, at, b.DNSProviderID); err != nil {
		return row, nil, err
	}
	var wants []Want
	if !remove {
		var no string
		if wants, no, err = o.wanted(ctx, q, at.domain, at.server); err != nil {
			return row, nil, err
		}
		if no != "" {
			return row, nil, api.Conflict("%s", no)
		}
	}
	in, err := o.gather(ctx, q, at, wants, b.Replace)
	if dns.KindOf(err) != "" {
		f.Add("dns_provider_id", "%s", err)
		return row, nil, f.Err()
	}
	if err != nil {
		return row, nil, err
	}
	if remove {
		return at.row, Removal(in), nil
	}
	return at.row, Plan(in), nil
}

// checkStore compares the plan of a request with what the provider has now.
func (o *Operations) checkStore(ctx context.Context, c api.Call[Path], b StoreDomainDNSRequest) error {
	for _, name := range b.Replace {
		kind, at, _ := strings.Cut(name, " ")
		if len(c.Fields["replace"]) == 0 && (!slices.Contains([]string{dns.A, dns.AAAA, dns.CNAME}, kind) || at == "" || len(at) > 255) {
			c.Fields.Add("replace", "Each record to replace must be a type and a name, such as A www.example.com.")
		}
	}
	if len(c.Fields["dns_provider_id"]) == 0 {
		if err := o.usable(ctx, o.DB.Read(), c.Parent, c.Fields, b.DNSProviderID); err != nil {
			return err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return err
	}
	row, err := o.DB.Read().GetDomainDNS(ctx, c.Parent.Row)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("read DNS of domain %d: %w", c.Parent.ID, err)
	}
	if err := o.free(row, b.DNSProviderID); err != nil {
		return err
	}
	provider, items, err := o.items(ctx, c.Parent, c.Fields, b, false)
	if err != nil {
		return err
	}
	hash, err := Hash(provider.ID, items)
	if err != nil {
		return err
	}
	if no := refused(items); len(no) > 0 {
		c.Fields.Add("replace", "%s", strings.Join(no, " "))
	} else if hash != b.Plan {
		c.Fields.Add("plan", "The records changed since this plan, or it is the plan of another request. Look at the plan again.")
	}
	return c.Fields.Err()
}

// free returns a conflict where other work or another provider is in the way.
func (o *Operations) free(row query.DomainDNS, provider int64) error {
	switch {
	case row.DomainID == 0:
		return nil
	case row.Status == statusPending, row.Status == statusChanging, row.Status == statusRemoving:
		return api.Conflict("The DNS records of the domain are being changed.")
	case row.DNSProviderID != provider:
		return api.Conflict("The records of the domain are kept at another DNS provider. Remove them there first.")
	}
	return nil
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[Path], b StoreDomainDNSRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	at, row, err := o.locked(ctx, tx, &c)
	if err != nil {
		return none, err
	}
	if err := o.free(row, b.DNSProviderID); err != nil {
		return none, err
	}
	if err := o.usable(ctx, tx.Granted, c.Parent, c.Fields, b.DNSProviderID); err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	wants, no, err := o.wanted(ctx, tx.Granted, at.domain, at.server)
	if err != nil {
		return none, err
	}
	if no != "" {
		return none, api.Conflict("%s", no)
	}
	asked, err := text(wants)
	if err != nil {
		return none, err
	}
	event, err := o.begin(ctx, tx, at, c.Parent.At.Grant, actionMake, request{b.DNSProviderID, b.Plan, b.Replace}, asked)
	if err != nil {
		return none, err
	}
	doc, err := o.document(ctx, tx.Granted, tx.SQL, c.Parent)
	doc.Event = event
	return doc, err
}

// locked locks the server of a domain, and reads the domain and its DNS again; a zero row if there is none.
func (o *Operations) locked(ctx context.Context, tx *db.Tx, c *api.Call[Path]) (subject, query.DomainDNS, error) {
	d, err := o.Domains.Current(ctx, tx, &c.Parent)
	if err != nil {
		return subject{}, query.DomainDNS{}, err
	}
	if d.Status == domain.StatusRemoving {
		return subject{}, query.DomainDNS{}, api.Conflict("The domain is being deleted.")
	}
	row, err := tx.GetDomainDNS(ctx, d)
	if errors.Is(err, db.ErrNotFound) {
		return of(c.Parent.At, d), query.DomainDNS{}, nil
	}
	if err != nil {
		return subject{}, row, fmt.Errorf("read DNS of domain %d: %w", d.ID, err)
	}
	return of(c.Parent.At, d), row, nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	keep, err := c.Flag("keep")
	if err != nil {
		return api.Empty{}, err
	}
	at, row, err := o.locked(ctx, tx, &c)
	if err != nil {
		return api.Empty{}, err
	}
	if row.DomainID == 0 { // there are none
		return api.Empty{}, nil
	}
	if err := o.free(row, row.DNSProviderID); err != nil {
		return api.Empty{}, err
	}
	if !keep {
		event, err := o.begin(ctx, tx, at, c.Parent.At.Grant, actionRemove, request{ProviderID: row.DNSProviderID}, "")
		return api.Empty{Event: event}, err
	}
	records, err := tx.ListDomainDNSRecords(ctx, at.domain)
	if err != nil {
		return api.Empty{}, fmt.Errorf("list DNS records of domain %d: %w", at.domain.ID, err)
	}
	for _, r := range records {
		if err := tx.DeleteDNSRecord(ctx, r.ID); err != nil {
			return api.Empty{}, fmt.Errorf("forget DNS record %d: %w", r.ID, err)
		}
	}
	return api.Empty{}, tx.DeleteDomainDNS(ctx, at.domain.ID)
}

func (o *Operations) check(ctx context.Context, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
	var none api.Document[Resource]
	_, err := o.look(ctx, c.Parent.ID)
	if errors.Is(err, db.ErrNotFound) {
		return none, api.Conflict("Hostler keeps no DNS records for the domain.")
	}
	if err != nil {
		return none, err
	}
	return o.document(ctx, o.DB.Read(), o.DB.Reader(), c.Parent)
}
