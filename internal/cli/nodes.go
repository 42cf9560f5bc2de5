package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var nodeColumns = []column{
	columnID, attribute("SERVER", "server_id"), attribute("PORT", "port"),
	attribute("WEIGHT", "weight"), attribute("BACKUP", "backup"), attribute("DOWN", "down"),
}

const nodeForm = "SERVER[:PORT][,weight=N][,backup][,down]"

// balancing is how a site on a load balancer distributes requests.
type balancing struct {
	Method    string
	Keepalive *int
	Nodes     []node

	keepalive int
	texts     []string
}

func (b *balancing) flags(c *cobra.Command, method string) {
	c.Flags().StringVar(&b.Method, "method", method, "round_robin, least_conn or ip_hash")
	c.Flags().IntVar(&b.keepalive, "keepalive", 0, "idle connections to each node, 0 to 256")
	c.Flags().StringArrayVar(&b.texts, "node", nil, "a node: "+nodeForm+" (repeatable)")
	_ = c.RegisterFlagCompletionFunc("method", cobra.FixedCompletions([]string{"round_robin", "least_conn", "ip_hash"}, cobra.ShellCompDirectiveNoFileComp))
}

// parse reads the nodes.
func (b *balancing) parse(c *cobra.Command) (err error) {
	if c.Flags().Changed("keepalive") {
		b.Keepalive = &b.keepalive
	}
	b.Nodes, err = parseNodes(b.texts)
	return err
}

// node is one --node.
type node struct {
	Server       string
	Port, Weight int // 0 for the default
	Backup, Down bool
}

func parseNodes(texts []string) ([]node, error) {
	var out []node
	for _, text := range texts {
		n, err := parseNode(text)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func parseNode(text string) (node, error) {
	bad := usage("invalid node %[2]q: expected %[1]s", nodeForm, text)
	parts := strings.Split(text, ",")
	name, port, hasPort := strings.Cut(parts[0], ":")
	n := node{Server: name}
	if name == "" {
		return n, bad
	}
	var err error
	if hasPort {
		if n.Port, err = strconv.Atoi(port); err != nil || n.Port < 1 {
			return n, bad
		}
	}
	for _, option := range parts[1:] {
		key, value, hasValue := strings.Cut(option, "=")
		switch {
		case key == "backup" && !hasValue:
			n.Backup = true
		case key == "down" && !hasValue:
			n.Down = true
		case key == "weight":
			if n.Weight, err = strconv.Atoi(value); err != nil || n.Weight < 1 {
				return n, bad
			}
		default:
			return n, bad
		}
	}
	return n, nil
}

// bodies returns the API's form of nodes, with the ids of their servers.
func (s *session) bodies(ctx context.Context, nodes []node) ([]map[string]any, error) {
	out := []map[string]any{}
	for _, n := range nodes {
		r, _, err := s.server(ctx, n.Server)
		if err != nil {
			return nil, err
		}
		id, err := strconv.ParseInt(r.ID, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read ID of server %s: %w", n.Server, err)
		}
		body := map[string]any{"server_id": id, "weight": max(n.Weight, 1)}
		if n.Port != 0 {
			body["port"] = n.Port
		}
		if n.Backup {
			body["backup"] = true
		}
		if n.Down {
			body["down"] = true
		}
		out = append(out, body)
	}
	return out, nil
}

type sitesAddBalancerOptions struct {
	changeOptions
	onServer
	balancing
	Domain   string
	Wildcard bool
}

func newSitesAddBalancer(g *globals, run func(context.Context, *session, sitesAddBalancerOptions) error) *cobra.Command {
	if run == nil {
		run = sitesAddBalancer
	}
	var o sitesAddBalancerOptions
	c := &cobra.Command{
		Use: "add-balancer DOMAIN --server BALANCER --node " + nodeForm, Short: "Create a load-balanced site", Args: cobra.ExactArgs(1),
		Long: "Without nodes, the site responds with 503.",
	}
	var bad error
	command(g, c, &o, func(args []string) { o.Domain, bad = args[0], o.parse(c) }, func(ctx context.Context, s *session, o sitesAddBalancerOptions) error {
		if bad != nil {
			return bad
		}
		return run(ctx, s, o)
	})
	o.flag(c, "load balancer")
	o.balancing.flags(c, "round_robin")
	c.Flags().BoolVar(&o.Wildcard, "wildcard", false, "include all subdomains")
	o.flagsWithPlan(c)
	_ = c.MarkFlagRequired("server")
	return c
}

func sitesAddBalancer(ctx context.Context, s *session, o sitesAddBalancerOptions) error {
	_, server, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"domain": o.Domain, "balancer_method": o.Method}
	if o.Keepalive != nil {
		body["balancer_keepalive_max_connections"] = *o.Keepalive
	}
	if o.Wildcard {
		body["allow_wildcard_subdomains"] = true
	}
	if len(o.Nodes) > 0 {
		if body["balancing"], err = s.bodies(ctx, o.Nodes); err != nil {
			return err
		}
	}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: server + "/sites/balancer", body: body, server: server, columns: siteDetails})
}

func newNodes(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "nodes", Short: "Manage the nodes of a load-balanced site"}
	c.AddCommand(newNodesList(g, nil), newNodesSet(g, nil))
	return c
}

func newNodesList(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = nodesList
	}
	var o named
	return command(g, &cobra.Command{Use: "list SITE", Short: "List nodes", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func nodesList(ctx context.Context, s *session, o named) error {
	_, _, path, err := s.site(ctx, o.What)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path+"/load-balancing-nodes")
	if err != nil {
		return err
	}
	if s.json {
		return s.list(rows)
	}
	names := map[string]string{}
	list, err := s.path("/servers")
	if err != nil {
		return err
	}
	servers, err := s.client.All(ctx, list)
	if err != nil {
		return err
	}
	for _, r := range servers {
		names[r.ID] = r.Attribute("name")
	}
	columns := append([]column{}, nodeColumns...)
	columns[1].of = func(r client.Resource) string {
		return cmp.Or(names[r.Attribute("server_id")], r.Attribute("server_id"))
	}
	return s.list(rows, columns...)
}

type nodesSetOptions struct {
	changeOptions
	balancing
	Site string
}

func newNodesSet(g *globals, run func(context.Context, *session, nodesSetOptions) error) *cobra.Command {
	if run == nil {
		run = nodesSet
	}
	var o nodesSetOptions
	c := &cobra.Command{
		Use: "set SITE --node " + nodeForm, Short: "Replace all nodes", Args: cobra.ExactArgs(1),
		Long: "Replaces all nodes without dropping requests. The method and keepalive change only if set.",
	}
	var bad error
	command(g, c, &o, func(args []string) { o.Site, bad = args[0], o.parse(c) }, func(ctx context.Context, s *session, o nodesSetOptions) error {
		if bad != nil {
			return bad
		}
		return run(ctx, s, o)
	})
	o.balancing.flags(c, "")
	o.flagsWithPlan(c)
	_ = c.MarkFlagRequired("node")
	return c
}

func nodesSet(ctx context.Context, s *session, o nodesSetOptions) error {
	r, server, path, err := s.site(ctx, o.Site)
	if err != nil {
		return err
	}
	if o.Method == "" && r.Meta.Balancer != nil {
		o.Method = r.Meta.Balancer.Method
	}
	body := map[string]any{"balancer_method": cmp.Or(o.Method, "round_robin")}
	if o.Keepalive != nil {
		body["balancer_keepalive_max_connections"] = *o.Keepalive
	}
	if body["balancing"], err = s.bodies(ctx, o.Nodes); err != nil {
		return err
	}
	return s.changeSite(ctx, o.changeOptions, r, change{method: http.MethodPut, path: path + "/load-balancing-nodes", body: body, server: server})
}
