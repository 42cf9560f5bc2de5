package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"
)

var ruleColumns = []column{columnID, attribute("NAME", "name"), attribute("TYPE", "type"), attribute("PORT", "port"), attribute("FROM", "ip_address"), attribute("STATUS", "status"), columnWork}

func (s *Session) firewall() *cobra.Command {
	c := &cobra.Command{Use: "firewall", Short: "Firewall rules of servers"}
	var port, from, kind string
	add := &cobra.Command{Use: "add SERVER NAME", Short: "Add a rule", Args: cobra.ExactArgs(2), RunE: s.run(func(ctx context.Context, args []string) error {
		_, path, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		body := map[string]any{"name": args[1], "type": kind}
		if port != "" {
			body["port"] = port
		}
		if from != "" {
			body["ip_address"] = from
		}
		list := path + "/firewall-rules"
		return s.change(ctx, http.MethodPost, list, body, list, "", ruleColumns...)
	})}
	add.Flags().StringVar(&port, "port", "", "port or range (8000:8010), default all")
	add.Flags().StringVar(&from, "from", "", "addresses and subnets, separated by commas, default everybody")
	add.Flags().StringVar(&kind, "type", "allow", "allow or deny")
	remove := &cobra.Command{Use: "delete SERVER RULE", Short: "Delete a rule", Args: cobra.ExactArgs(2), RunE: s.run(func(ctx context.Context, args []string) error {
		_, path, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		r, err := s.find(ctx, path+"/firewall-rules", "rule", args[1])
		if err != nil {
			return err
		}
		if err := s.confirm("rule", r.Attribute("name"), "What it opens is closed, also for connections that stand."); err != nil {
			return err
		}
		read := path + "/firewall-rules/" + r.ID
		return s.change(ctx, http.MethodDelete, read, nil, "", read)
	})}
	c.AddCommand(&cobra.Command{Use: "list SERVER", Short: "List rules", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		_, path, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		rows, err := s.client.All(ctx, path+"/firewall-rules")
		if err != nil {
			return err
		}
		return s.show(rows, ruleColumns...)
	})}, s.changing(add, true), s.changing(s.destructive(remove), true))
	return c
}
