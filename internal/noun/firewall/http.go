package firewall

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// RuleAttributes are the attributes of a firewall rule.
type RuleAttributes struct {
	Name      string   `json:"name"`
	Port      *string  `json:"port"`
	Type      string   `json:"type"`
	IPAddress *string  `json:"ip_address"`
	Status    *string  `json:"status"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns rules.
func (RuleAttributes) ResourceType() string { return "rules" }

// Resource is a rule in a document.
type Resource = api.Resource[RuleAttributes, api.NoRelationships]

// CreateFirewallRuleRequest asks for a rule.
type CreateFirewallRuleRequest struct {
	Name      string             `json:"name" maxLength:"50"`
	Port      *string            `json:"port,omitempty" nullable:"true" doc:"A port or a range such as 8000:8010. Empty for all ports."`
	IPAddress api.NullTextOrList `json:"ip_address,omitempty" doc:"IPv4 and IPv6 addresses and subnets, separated by commas; omit it for any address."`
	Type      string             `json:"type" enum:"allow,deny"`
}

// UpdateFirewallRuleRequest changes a rule. What it leaves out stays.
type UpdateFirewallRuleRequest struct {
	Name      string             `json:"name,omitempty" maxLength:"50"`
	Port      *string            `json:"port,omitempty" nullable:"true" doc:"A port or a range such as 8000:8010; null for all ports."`
	IPAddress api.NullTextOrList `json:"ip_address,omitempty" doc:"IPv4 and IPv6 addresses and subnets, separated by commas; null for any address."`
	Type      string             `json:"type,omitempty" enum:"allow,deny"`
}

// Path is a rule that the caller can see.
type Path = server.Part[server.Path, query.FirewallRule]

// Operations are the operations on firewall rules.
type Operations struct {
	server.Parts[server.Path, query.FirewallRule, Specification, RuleAttributes]
}

// NewOperations makes them.
func NewOperations(d *db.DB, servers *server.Store, l *ledger.Ledger, r *api.Router) *Operations {
	return &Operations{server.Parts[server.Path, query.FirewallRule, Specification, RuleAttributes]{
		DB: d, Router: r, Noun: Rules,
		Acceptor: server.Acceptor{Ledger: l, Name: Aspect, Within: Deadline},
		Load:     servers.InPath, Collection: "firewall-rules", Param: "rule", Table: "firewall_rules", Get: (*query.Queries).GetFirewallRule, Attributes: shown,
	}}
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/servers/{server}/firewall-rules", "/orgs/{organization}/servers/{server}/firewall-rules/{rule}"
	network := []access.Permission{access.ServerManageNetwork}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.firewall-rules.index", Method: http.MethodGet, Path: many, Tag: "Firewall Rules", Mode: api.Sync, Permissions: network,
		Noun: "firewall", Summary: "List firewall rules",
		Filters: []api.Filter{{Name: "name", Text: true}, {Name: "status"}, {Name: "ip_address", Text: true}, {Name: "type"}, {Name: "port"}},
		Sorts:   []string{"created_at", "updated_at"},
	}, o.Load, o.Index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.firewall-rules.store", Method: http.MethodPost, Path: many, Tag: "Firewall Rules", Mode: api.Async, Permissions: network,
		Status: http.StatusAccepted, BodyOptional: true, ChangesHost: true, Removable: true, Noun: "firewall", Summary: "Create a firewall rule",
		Description: "Deny rules come before allow rules, newest first. A rule that would lock Hostler out is rejected.",
		Example:     map[string]any{"port": "8080"},
	}, o.Load, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.firewall-rules.show", Method: http.MethodGet, Path: single, Tag: "Firewall Rules", Mode: api.Sync, Permissions: network,
		Noun: "firewall", Summary: "Get a firewall rule",
	}, o.InPath, o.Single)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.firewall-rules.update", Method: http.MethodPut, Path: single, Tag: "Firewall Rules", Mode: api.Async, Permissions: network,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Extension: true, Noun: "firewall", Summary: "Update a firewall rule",
		Description: "Omitted fields are unchanged. A change that would lock Hostler out is rejected.",
		Example:     map[string]any{"port": "8080"},
	}, o.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.firewall-rules.destroy", Method: http.MethodDelete, Path: single, Tag: "Firewall Rules", Mode: api.Async, Permissions: network,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Noun: "firewall", Summary: "Delete a firewall rule",
		Description: "The status of the rule is removing until the server confirms; then the rule is gone. An unreachable server is retried until the deadline in " +
			"meta.operation.",
	}, o.InPath, o.destroy)
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateFirewallRuleRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	in := check(c.Fields, b)
	rules, err := tx.ListFirewallRules(ctx, c.Parent.Server)
	if err != nil {
		return none, fmt.Errorf("list firewall rules: %w", err)
	}
	if len(c.Fields) == 0 {
		refuseLockout(c.Fields, c.Parent.Server, in)
		if len(rules) >= maxRules {
			c.Fields.Add("name", "A server can have at most %d firewall rules.", maxRules)
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	id, err := insert(ctx, tx, c.Parent.Server.ID, in)
	if err != nil {
		return none, err
	}
	return o.Create(ctx, tx, c.Parent, id, in, "Installing firewall rule "+in.Name)
}

const maxRules = 500

func check(f api.Fields, b CreateFirewallRuleRequest) Specification {
	in := Specification{Name: f.Line("name", b.Name, 0), Type: b.Type}
	var err error
	if b.Port != nil {
		if in.Port, err = value.ParsePortSpec(*b.Port); err != nil {
			f.Add("port", "%s", err)
		}
	}
	if in.IPAddress, err = value.ParseIPSet(lines.Replace(strings.TrimSpace(b.IPAddress.String()))); err != nil {
		f.Add("ip_address", "%s", err)
	}
	for _, p := range in.IPAddress.Prefixes() {
		if p.IsSingleIP() && p.Addr().IsUnspecified() { // no computer sends from it (RFC 1122, section 3.2.1.3): the rule would match nothing
			f.Add("ip_address", "The IP address %s is no address of a computer. Write %s/0 for all of them.", p.Addr(), p.Addr())
		}
	}
	return in
}

// lines makes a list of one that has an address on each line.
var lines = strings.NewReplacer("\r\n", ",", "\n", ",")

// refuseLockout refuses a deny that would close the SSH port to all addresses while Hostler's own address is not known yet.
func refuseLockout(f api.Fields, s query.Server, in Specification) {
	if in.Type != Deny || s.ControlAddresses != "" || !everybody(in.IPAddress) {
		return
	}
	if covers(in.Port, s.SSHPort) {
		f.Add("port", "This rule would close the SSH port and lock Hostler out.")
	}
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateFirewallRuleRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := o.Editable(ctx, tx, &c.Parent, "rule")
	if err != nil {
		return none, err
	}
	b = api.Over(c, UpdateFirewallRuleRequest{
		Name: row.Name, Port: api.NullText(row.Port), IPAddress: api.NullTextOrList{TextOrList: api.TextOrList{row.IPAddress.String()}}, Type: row.Type,
	})
	in, srv := check(c.Fields, CreateFirewallRuleRequest(b)), c.Parent.At.Server
	if len(c.Fields) == 0 {
		refuseLockout(c.Fields, srv, in)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if in.Type != Allow || !covers(in.Port, srv.SSHPort) {
		if err := keepsSSH(ctx, tx, srv, row.ID); err != nil {
			return none, err
		}
	}
	return o.Change(ctx, tx, c.Parent.At, row.ID, in, "update", "Changing firewall rule "+in.Name)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.Remove(ctx, tx, c.Parent, "Removing firewall rule "+c.Parent.Row.Name, nil)
}

// keepsSSH returns a conflict for the last rule that opens the SSH port.
func keepsSSH(ctx context.Context, tx *db.Tx, s query.Server, id int64) error {
	if s.ControlAddresses != "" {
		return nil
	}
	rules, err := tx.ListFirewallRules(ctx, s)
	if err != nil {
		return fmt.Errorf("list firewall rules: %w", err)
	}
	i := slices.IndexFunc(rules, func(r query.FirewallRule) bool { return r.ID == id })
	if i < 0 || rules[i].Type != Allow || !covers(rules[i].Port, s.SSHPort) {
		return nil
	}
	rest := slices.DeleteFunc(rules, func(r query.FirewallRule) bool { return r.ID == id || r.Status == server.PartRemoving })
	if closesSSH(rest, s.SSHPort) {
		return api.Conflict("This is the last rule that opens the SSH port; without it Hostler would be locked out.")
	}
	return nil
}

func shown(r query.FirewallRule) (id int64, operation *int64, a RuleAttributes) {
	return r.ID, r.OperationID, RuleAttributes{
		Name: r.Name, Port: api.NullText(r.Port), Type: r.Type, IPAddress: api.NullText(r.IPAddress), Status: &r.Status,
		CreatedAt: api.TimeOf(r.CreatedAt), UpdatedAt: api.TimeOf(r.UpdatedAt),
	}
}
