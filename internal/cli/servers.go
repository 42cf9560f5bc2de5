package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var serverColumns = []column{columnID, attribute("NAME", "name"), attribute("TYPE", "type"), attribute("ADDRESS", "ip_address"), attribute("CONNECTION", "connection_status"),
	{"STATE", func(r client.Resource) string { return r.Meta.Provisioning }}, columnWork}

func (s *Session) server(ctx context.Context, what string) (client.Resource, string, error) {
	list, err := s.path("/servers")
	if err != nil {
		return client.Resource{}, "", err
	}
	r, err := s.find(ctx, list, "server", what)
	return r, list + "/" + r.ID, err
}

func (s *Session) servers() *cobra.Command {
	c := &cobra.Command{Use: "servers", Short: "Servers"}
	c.AddCommand(&cobra.Command{Use: "list", Short: "List servers", Args: cobra.NoArgs, RunE: s.run(func(ctx context.Context, _ []string) error {
		list, err := s.path("/servers")
		if err != nil {
			return err
		}
		rows, err := s.client.All(ctx, list)
		if err != nil {
			return err
		}
		return s.show(rows, serverColumns...)
	})}, &cobra.Command{Use: "show SERVER", Short: "Show a server", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		r, _, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		return s.show([]client.Resource{r}, serverColumns...)
	})}, s.serversAdd(), s.serversDelete(), s.serversDrift())
	return c
}

func (s *Session) serversAdd() *cobra.Command {
	var kind, address, private, php, database string
	var port int
	var via sshBootstrap
	c := &cobra.Command{Use: "add NAME", Short: "Add a server of your own", Args: cobra.ExactArgs(1),
		Long: "Prints the one line to run on the server as root; with --ssh it is run from here.",
		RunE: s.run(func(ctx context.Context, args []string) error {
			list, err := s.path("/servers")
			if err != nil {
				return err
			}
			if via.target != "" {
				if err := via.dial(s); err != nil {
					return err
				}
				defer via.close()
				if address == "" {
					address = via.host
				}
			}
			custom := map[string]any{"ip_address": address}
			if private != "" {
				custom["private_ip_address"] = private
			}
			if port != 0 {
				custom["ssh_port"] = port
			}
			body := map[string]any{"name": args[0], "provider": "custom", "type": kind, "custom": custom}
			if php != "" {
				body["php_version"] = php
			}
			if database != "" {
				body["database_type"] = database
			}
			r, err := s.client.One(ctx, http.MethodPost, list, body)
			if err != nil {
				return err
			}
			line := r.Meta.Bootstrap.Command
			switch {
			case via.target != "":
				if err := via.run(s, line); err != nil {
					return fmt.Errorf("server %s was made, but the line did not run on it: %w", r.ID, err)
				}
			case s.Output == "json":
				return s.json(map[string]any{"id": r.ID, "bootstrap": line})
			default:
				_, _ = fmt.Fprintf(s.out, "Server %s waits for this line, to be run on it as root:\n\n%s\n\n", r.ID, line)
				if w := r.Meta.Bootstrap.Warning; w != "" {
					_, _ = fmt.Fprintln(s.err, w)
				}
			}
			if !s.Wait {
				return nil
			}
			if r, err = s.await(ctx, list+"/"+r.ID); err != nil {
				return err
			}
			return s.show([]client.Resource{r}, serverColumns...)
		})}
	c.Flags().StringVar(&kind, "type", "app", "app, web, loadbalancer, database, cache or worker")
	c.Flags().StringVar(&address, "address", "", "IP address, default the one of --ssh")
	c.Flags().StringVar(&private, "private-address", "", "address in a private network")
	c.Flags().IntVar(&port, "ssh-port", 0, "port of sshd, default 22")
	c.Flags().StringVar(&php, "php", "", "version of PHP (php84), default the newest that the server's sources have")
	c.Flags().StringVar(&database, "database", "", "database engine (mariadb1011, postgres15)")
	via.flags(c)
	return s.changing(c, false)
}

func (s *Session) serversDelete() *cobra.Command {
	return s.changing(s.destructive(&cobra.Command{Use: "delete SERVER", Short: "Delete a server", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		r, path, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		if err := s.confirm("server", r.Attribute("name"), "Hostler's keys and agent are removed from it; its sites and their data stay on it."); err != nil {
			return err
		}
		return s.change(ctx, http.MethodDelete, path, nil, "", path)
	})}), false)
}

func (s *Session) serversDrift() *cobra.Command {
	return &cobra.Command{Use: "drift SERVER", Short: "Compare a server with what it should be", Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
		_, path, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		r, err := s.client.One(ctx, http.MethodGet, path+"/drift", nil)
		if err != nil {
			return err
		}
		if s.Output == "json" {
			return s.json(r)
		}
		differences, _ := raw(r, "differences").([]any)
		if len(differences) == 0 {
			_, _ = fmt.Fprintln(s.out, "The server is as it should be.")
			return nil
		}
		for _, d := range differences {
			m, _ := d.(map[string]any)
			_, _ = fmt.Fprintf(s.out, "%v: %v %v\n%v", plain(fmt.Sprint(m["step"])), plain(fmt.Sprint(m["path"])), m["what"], plain(fmt.Sprint(m["diff"])))
		}
		return &ExitError{Code: CodeFailed, Message: fmt.Sprintf("%d differences", len(differences))}
	})}
}
