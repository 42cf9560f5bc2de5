package loadbalancer

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// LoadBalancingNodeAttributes are the attributes of a node.
type LoadBalancingNodeAttributes struct {
	ServerID any   `json:"server_id"`
	Port     int64 `json:"port"`
	Weight   int64 `json:"weight"`
	Backup   bool  `json:"backup"`
	Down     bool  `json:"down"`
}

// ResourceType returns loadBalancingNodes.
func (LoadBalancingNodeAttributes) ResourceType() string { return "loadBalancingNodes" }

// Columns are what a table shows.
func (LoadBalancingNodeAttributes) Columns() []string {
	return []string{"server_id", "port", "weight", "backup", "down"}
}

// Unlinked marks resources without links.
func (LoadBalancingNodeAttributes) Unlinked() {}

// Resource is a node in a document.
type Resource = api.Resource[LoadBalancingNodeAttributes, api.NoRelationships]

// CreateLoadBalancerSiteRequest asks for a site on a load balancer.
type CreateLoadBalancerSiteRequest struct {
	Domain                          string `json:"domain"`
	AllowWildcardSubdomains         bool   `json:"allow_wildcard_subdomains,omitempty"`
	BalancerMethod                  string `json:"balancer_method,omitempty" enum:"round_robin,least_conn,ip_hash"`
	BalancerKeepaliveMaxConnections int64  `json:"balancer_keepalive_max_connections,omitempty" minimum:"0" maximum:"256"`
	Balancing                       []Node `json:"balancing,omitempty" minItems:"1" nullable:"false"`
}

// UpdateLoadBalancerRequest replaces the nodes of a site.
type UpdateLoadBalancerRequest struct {
	BalancerMethod                  string        `json:"balancer_method" enum:"round_robin,least_conn,ip_hash"`
	BalancerKeepaliveMaxConnections *int64        `json:"balancer_keepalive_max_connections,omitempty" minimum:"0" maximum:"256"`
	Balancing                       []UpdatedNode `json:"balancing" minItems:"1" nullable:"false"`
}

// UpdatedNode is a node of an update.
type UpdatedNode struct {
	ServerID *int64 `json:"server_id" nullable:"false"`
	Port     *int64 `json:"port,omitempty" nullable:"true" minimum:"1" maximum:"65535"`
	Weight   *int64 `json:"weight" nullable:"false" minimum:"1"`
	Backup   bool   `json:"backup,omitempty"`
	Down     bool   `json:"down,omitempty"`
}

// Operations are the operations on sites of load balancers.
type Operations struct {
	site.Installer
	DB      *db.DB
	Servers *server.Store
	Sites   *site.Store
	Router  *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const nodes = "/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes"
	project := []access.Permission{access.SiteManageProject}
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.storeOnBalancer", Method: http.MethodPost, Path: "/orgs/{organization}/servers/{server}/sites/balancer",
		Tag: "Sites", Mode: api.Async,
		Permissions: []access.Permission{access.SiteCreate}, Status: http.StatusAccepted, ChangesHost: true,
		Located: true, Verb: "create-balancer", Summary: "Create a site on a load balancer", Included: o.Printer.Included(),
		Description: "Defaults: balancer_method round_robin, port 80, weight 1, backup and down false. Without balancing, the site responds with 503 until nodes " +
			"are set. A node receives traffic once its server is set up.",
		Formerly: "sites add-balancer",
		Defaults: map[string]string{"balancer_method": "round_robin", "balancing.weight": "1"},
	}, o.Servers.InPath, o.store)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.load-balancing-nodes.index", Method: http.MethodGet, Path: nodes, Tag: "Sites", Mode: api.Sync, Permissions: project,
		Noun: "nodes", Summary: "List the nodes of a site on a load balancer", Sorts: []string{"id"},
		Formerly: "sites nodes list",
	}, o.Sites.InPath, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.load-balancing-nodes.update", Method: http.MethodPut, Path: nodes, Tag: "Sites", Mode: api.Async, Permissions: project,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Noun: "nodes", Summary: "Replace the nodes of a site on a load balancer",
		Description: "No request is dropped. A node receives traffic once its server is set up. Returns the site.",
		Formerly:    "sites nodes set",
		Defaults:    map[string]string{"balancing.weight": "1"},
		Example: map[string]any{
			"balancing": []any{map[string]any{"server_id": "$OTHER_SERVER", "weight": 1}},
		},
	}, o.Sites.InPath, o.update)
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateLoadBalancerSiteRequest) (api.Document[site.Resource], error) {
	var none api.Document[site.Resource]
	method := b.BalancerMethod
	if method == "" {
		method = defaultMethod
	}
	domain, err := value.ParseDomain(b.Domain)
	if err != nil && len(c.Fields["domain"]) == 0 {
		c.Fields.Add("domain", "%s", err)
	}
	if c.Parent.Server.Type != server.TypeLoadBalancer {
		c.Fields.State("The server is not a load balancer.")
	}
	known, err := o.lock(ctx, tx, &c.Parent, access.SiteCreate, b.Balancing)
	if err != nil {
		return none, err
	}
	checkNodes(c.Fields, c.Parent.Server, method, b.Balancing, known)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertSite(ctx, query.InsertSiteParams{
		OrganizationID: c.Parent.OrganizationID, ServerID: c.Parent.Server.ID, Name: domain.String(), Type: sitetype.Balancer,
		Status: site.StatusInstalling, Wildcards: b.AllowWildcardSubdomains, WWWRedirectType: "none", BalancerMethod: &method,
		BalancerKeepalive: &b.BalancerKeepaliveMaxConnections,
		CreatedAt:         tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create site: %w", err)
	}
	if err := site.Claim(ctx, tx, c.Fields, "domain", row, site.Names(domain, "none", b.AllowWildcardSubdomains)); err != nil {
		return none, err
	}
	asks := site.Specification{Name: row.Name, Type: row.Type, Balancer: &site.Balancer{Method: method, Keepalive: b.BalancerKeepaliveMaxConnections}}
	if asks.Balancer.Nodes, err = resolve(c.Parent.Server, b.Balancing, known); err != nil {
		return none, err
	}
	first, err := o.Domains.Insert(ctx, tx, row)
	if err != nil {
		return none, err
	}
	doc, err := o.Install(ctx, tx, c.Parent, row, first, asks)
	if err != nil {
		return none, err
	}
	return doc, behind(ctx, tx, o.Ledger, c.Parent.Grant, row, known)
}

// lock locks a balancer and the servers that nodes name, reads the balancer again, and returns those on which the caller has p, as they are now: one of them
// that becomes ready, or gets another address, during the request either waits for it or is seen by it.
func (o *Operations) lock(ctx context.Context, tx *db.Tx, balancer *server.Path, p access.Permission, nodes []Node) (map[int64]query.Server, error) {
	named, err := o.Servers.Find(ctx, tx, balancer.Grant, p, serverIDs(nodes))
	if err != nil {
		return nil, err
	}
	if err := tx.LockServers(ctx, append(slices.Collect(maps.Keys(named)), balancer.Server.ID)...); err != nil {
		return nil, err
	}
	if *balancer, err = balancer.Current(ctx, tx); err != nil {
		return nil, err
	}
	return o.Servers.Find(ctx, tx, balancer.Grant, p, serverIDs(nodes))
}

// resolve says where a balancer reaches the nodes that a request names.
func resolve(balancer query.Server, nodes []Node, known map[int64]query.Server) ([]site.Node, error) {
	var out []site.Node
	for _, n := range nodes {
		at, err := address(balancer, known[*n.ServerID])
		if err != nil {
			return nil, err
		}
		out = append(out, site.Node{
			ServerID: *n.ServerID, Address: at, Waits: !known[*n.ServerID].IsReady, Port: orDefault(n.Port, defaultPort),
			Weight: orDefault(n.Weight, defaultWeight), Backup: n.Backup, Down: n.Down,
		})
	}
	return out, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.DB.Reader(), c.List.Of("load_balancing_nodes", db.Equal("site_id", c.Parent.Site.ID)),
		api.Each(func(n query.LoadBalancingNode) Resource {
			return Resource{
				ID:         strconv.FormatInt(n.ID, 10),
				Attributes: LoadBalancingNodeAttributes{ServerID: n.ServerID, Port: n.Port, Weight: n.Weight, Backup: n.Backup, Down: n.Down},
			}
		}))
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b UpdateLoadBalancerRequest) (api.Document[site.Resource], error) {
	var none api.Document[site.Resource]
	nodes := make([]Node, len(b.Balancing))
	for i, n := range b.Balancing {
		nodes[i] = Node(n)
	}
	known, err := o.lock(ctx, tx, &c.Parent.Path, access.SiteManageProject, nodes)
	if err != nil {
		return none, err
	}
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	row := c.Parent.Site
	if row.Type != sitetype.Balancer {
		c.Fields.State("The site is not on a load balancer.")
	}
	checkNodes(c.Fields, c.Parent.Server, b.BalancerMethod, nodes, known)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	now, err := site.Sites.Row(ctx, tx.Granted, row.ID)
	if err != nil {
		return none, fmt.Errorf("update nodes: %w", err)
	}
	next := now.Specification
	next.Balancer = &site.Balancer{Method: b.BalancerMethod}
	switch had := now.Specification.Balancer; {
	case b.BalancerKeepaliveMaxConnections != nil:
		next.Balancer.Keepalive = *b.BalancerKeepaliveMaxConnections
	case had != nil:
		next.Balancer.Keepalive = had.Keepalive
	}
	if next.Balancer.Nodes, err = resolve(c.Parent.Server, nodes, known); err != nil {
		return none, err
	}
	accepted, err := site.AcceptSite(ctx, tx, o.Ledger, c.Parent.Path, row.ID, next, "update", "Updating the nodes of "+row.Name)
	if err != nil {
		return none, err
	}
	if err := behind(ctx, tx, o.Ledger, c.Parent.Grant, row, known); err != nil {
		return none, err
	}
	if row, err = tx.GetSite(ctx, row); err != nil {
		return none, fmt.Errorf("update nodes: %w", err)
	}
	doc, err := o.Printer.Document(ctx, tx.SQL, c.List, c.Parent.Slug, row)
	doc.Event = accepted.EventID
	return doc, err
}
