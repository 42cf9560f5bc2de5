package cli

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var siteColumns = []column{columnID, attribute("NAME", "name"), attribute("TYPE", "app_type"), attribute("STATUS", "status"), attribute("USER", "user"), columnWork}

// site finds a site in the organization; read is where it is seen, below is where its parts are.
func (s *Session) site(ctx context.Context, what string) (r client.Resource, read, below string, err error) {
	list, err := s.path("/sites")
	if err != nil {
		return r, "", "", err
	}
	if r, err = s.find(ctx, list, "site", what); err != nil {
		return r, "", "", err
	}
	server, err := s.serverOf(ctx, r.ID)
	if err != nil {
		return r, "", "", err
	}
	below, err = s.path("/servers/%s/sites/%s", server, r.ID)
	return r, list + "/" + r.ID, below, err
}

func (s *Session) serverOf(ctx context.Context, site string) (string, error) {
	path, err := s.path("/sites/%s", site)
	if err != nil {
		return "", err
	}
	var doc struct {
		Data struct {
			Relationships struct {
				Server struct {
					Data struct {
						ID string `json:"id"`
					} `json:"data"`
				} `json:"server"`
			} `json:"relationships"`
		} `json:"data"`
	}
	err = s.client.Do(ctx, http.MethodGet, path, nil, &doc)
	return doc.Data.Relationships.Server.Data.ID, err
}

func (s *Session) sites() *cobra.Command {
	c := &cobra.Command{Use: "sites", Short: "Sites, and what balancers spread over"}
	c.AddCommand(&cobra.Command{Use: "list", Short: "List sites", Args: cobra.NoArgs, RunE: s.run(func(ctx context.Context, _ []string) error {
		list, err := s.path("/sites")
		if err != nil {
			return err
		}
		rows, err := s.client.All(ctx, list)
		if err != nil {
			return err
		}
		return s.show(rows, siteColumns...)
	})}, &cobra.Command{Use: "show SITE", Short: "Show a site", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		r, _, _, err := s.site(ctx, args[0])
		if err != nil {
			return err
		}
		return s.show([]client.Resource{r}, siteColumns...)
	})}, s.sitesAdd(), s.sitesAddBalancer(), s.sitesDelete(), s.nodes())
	return c
}

func (s *Session) sitesAdd() *cobra.Command {
	var on, kind, directory string
	c := &cobra.Command{Use: "add DOMAIN --server SERVER", Short: "Add a site", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		_, path, err := s.server(ctx, on)
		if err != nil {
			return err
		}
		body := map[string]any{"type": kind, "name": args[0]}
		if directory != "" {
			body["web_directory"] = directory
		}
		list, err := s.path("/sites")
		if err != nil {
			return err
		}
		return s.change(ctx, http.MethodPost, path+"/sites", body, list, "", siteColumns...)
	})}
	c.Flags().StringVar(&on, "server", "", "server that serves it")
	c.Flags().StringVar(&kind, "type", "php", "php, static-html or other")
	c.Flags().StringVar(&directory, "web-directory", "", "directory that is served, below the site's")
	_ = c.MarkFlagRequired("server")
	return s.changing(c, true)
}

func (s *Session) sitesAddBalancer() *cobra.Command {
	var on, method string
	var nodes []string
	var keepalive int
	var wildcard bool
	c := &cobra.Command{Use: "add-balancer DOMAIN --server BALANCER --node SERVER[:PORT][,weight=N][,backup][,down]", Short: "Add a site on a load balancer", Args: cobra.ExactArgs(1),
		RunE: s.run(func(ctx context.Context, args []string) error {
			_, path, err := s.server(ctx, on)
			if err != nil {
				return err
			}
			body := map[string]any{"domain": args[0], "balancer_method": method, "balancer_keepalive_max_connections": keepalive, "allow_wildcard_subdomains": wildcard}
			if len(nodes) > 0 {
				if body["balancing"], err = s.parseNodes(ctx, nodes); err != nil {
					return err
				}
			}
			list, err := s.path("/sites")
			if err != nil {
				return err
			}
			return s.change(ctx, http.MethodPost, path+"/sites/balancer", body, list, "", siteColumns...)
		})}
	c.Flags().StringVar(&on, "server", "", "load balancer")
	c.Flags().StringVar(&method, "method", "round_robin", "round_robin, least_conn or ip_hash")
	c.Flags().IntVar(&keepalive, "keepalive", 0, "connections kept to nodes, 0 to 256")
	c.Flags().BoolVar(&wildcard, "wildcard", false, "answer for all subdomains too")
	c.Flags().StringArrayVar(&nodes, "node", nil, "a node; can be given again")
	_ = c.MarkFlagRequired("server")
	return s.changing(c, true)
}

// node is one --node.
type node struct {
	server string
	body   map[string]any
}

func parseNode(text string) (node, error) {
	bad := &ExitError{CodeUsage, fmt.Sprintf("a node looks like SERVER[:PORT][,weight=N][,backup][,down], not %q", text)}
	parts := strings.Split(text, ",")
	name, port, hasPort := strings.Cut(parts[0], ":")
	n := node{server: name, body: map[string]any{"weight": 1}}
	if name == "" {
		return n, bad
	}
	if hasPort {
		p, err := strconv.Atoi(port)
		if err != nil {
			return n, bad
		}
		n.body["port"] = p
	}
	for _, option := range parts[1:] {
		key, value, _ := strings.Cut(option, "=")
		switch {
		case key == "backup" || key == "down":
			n.body[key] = true
		case key == "weight":
			w, err := strconv.Atoi(value)
			if err != nil {
				return n, bad
			}
			n.body["weight"] = w
		default:
			return n, bad
		}
	}
	return n, nil
}

func (s *Session) parseNodes(ctx context.Context, texts []string) ([]map[string]any, error) {
	var out []map[string]any
	for _, text := range texts {
		n, err := parseNode(text)
		if err != nil {
			return nil, err
		}
		r, _, err := s.server(ctx, n.server)
		if err != nil {
			return nil, err
		}
		if n.body["server_id"], err = strconv.ParseInt(r.ID, 10, 64); err != nil {
			return nil, fmt.Errorf("id of server %s: %w", n.server, err)
		}
		out = append(out, n.body)
	}
	return out, nil
}

func (s *Session) sitesDelete() *cobra.Command {
	return s.changing(s.destructive(&cobra.Command{Use: "delete SITE", Short: "Delete a site", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		r, read, below, err := s.site(ctx, args[0])
		if err != nil {
			return err
		}
		if err := s.confirm("site", r.Attribute("name"), "It is no longer served; its files stay on the server."); err != nil {
			return err
		}
		return s.change(ctx, http.MethodDelete, below, nil, "", read)
	})}), true)
}

func (s *Session) nodes() *cobra.Command {
	c := &cobra.Command{Use: "nodes", Short: "The nodes of a site on a load balancer"}
	var method string
	var nodes []string
	set := &cobra.Command{Use: "set SITE --node SERVER[:PORT][,weight=N][,backup][,down]", Short: "Replace the nodes", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		_, read, below, err := s.site(ctx, args[0])
		if err != nil {
			return err
		}
		balancing, err := s.parseNodes(ctx, nodes)
		if err != nil {
			return err
		}
		return s.change(ctx, http.MethodPut, below+"/load-balancing-nodes", map[string]any{"balancer_method": method, "balancing": balancing}, "", read, siteColumns...)
	})}
	set.Flags().StringVar(&method, "method", "round_robin", "round_robin, least_conn or ip_hash")
	set.Flags().StringArrayVar(&nodes, "node", nil, "a node; can be given again")
	_ = set.MarkFlagRequired("node")
	c.AddCommand(&cobra.Command{Use: "list SITE", Short: "List the nodes", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		_, _, below, err := s.site(ctx, args[0])
		if err != nil {
			return err
		}
		rows, err := s.client.All(ctx, below+"/load-balancing-nodes")
		if err != nil {
			return err
		}
		return s.show(rows, columnID, attribute("SERVER", "server_id"), attribute("PORT", "port"), attribute("WEIGHT", "weight"), attribute("BACKUP", "backup"), attribute("DOWN", "down"))
	})}, s.changing(set, true))
	return c
}
