package cli

import (
	"context"
	"io"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// AuditCommands read the audit log of an organization through the API. They are below the operator's command, which prints that of the installation.
func AuditCommands() []*cobra.Command {
	g := newGlobals()
	commands := []*cobra.Command{newAuditList(g, nil), newAuditExport(g, nil)}
	for _, c := range commands {
		g.flags(c)
	}
	return commands
}

// auditOptions are the filters of lines.
type auditOptions struct{ Operation, User, Status, Type, ID, Address, Caller string }

func (o *auditOptions) flagsOf(c *cobra.Command) {
	c.Flags().StringVar(&o.Operation, "operation", "", "operation id: organizations.servers.destroy")
	c.Flags().StringVar(&o.User, "user", "", "id of a user")
	c.Flags().StringVar(&o.Status, "status", "", "status of the answer: 403 for refusals")
	c.Flags().StringVar(&o.Type, "type", "", "type of the resource: servers")
	c.Flags().StringVar(&o.ID, "id", "", "id of the resource")
	c.Flags().StringVar(&o.Address, "address", "", "address of the caller")
	c.Flags().StringVar(&o.Caller, "caller", "", "credential of the caller: token:7, oauth:7 or user:7")
}

func (o auditOptions) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		"operation":     o.Operation,
		"user_id":       o.User,
		"status":        o.Status,
		"resource_type": o.Type,
		"resource_id":   o.ID,
		"address":       o.Address,
		"caller":        o.Caller,
	} {
		if value != "" {
			q.Set("filter["+name+"]", value)
		}
	}
	return q
}

type auditListOptions struct {
	auditOptions
	Last int
}

func newAuditList(g *globals, run func(context.Context, *session, auditListOptions) error) *cobra.Command {
	if run == nil {
		run = auditList
	}
	var o auditListOptions
	c := command(g, &cobra.Command{Use: "list", Short: "List the newest changes and refusals of the organization"}, &o, nil, run)
	o.flagsOf(c)
	c.Flags().IntVar(&o.Last, "last", 50, "how many")
	return c
}

func auditList(ctx context.Context, s *session, o auditListOptions) error {
	path, err := s.path("/audit")
	if err != nil {
		return err
	}
	q := o.query()
	q.Set("sort", "-created_at")
	var rows []client.Resource
	err = s.client.Each(ctx, path+"?"+q.Encode(), func(r client.Resource) bool {
		if len(rows) < o.Last {
			rows = append(rows, r)
		}
		return len(rows) < o.Last
	})
	if err != nil {
		return err
	}
	return s.list(rows, attribute("TIME", "created_at"), attribute("CALLER", "caller"), attribute("ADDRESS", "address"),
		attribute("STATUS", "status"), attribute("OPERATION", "operation"),
		column{"RESOURCE", func(r client.Resource) string {
			if r.Attribute("resource_type") == "" {
				return r.Attribute("message")
			}
			return r.Attribute("resource_type") + " " + r.Attribute("resource_id")
		}})
}

func newAuditExport(g *globals, run func(context.Context, *session, auditOptions) error) *cobra.Command {
	if run == nil {
		run = auditExport
	}
	var o auditOptions
	c := command(g, &cobra.Command{Use: "export", Short: "Print the audit log of the organization as JSON lines, oldest first"}, &o, nil, run)
	o.flagsOf(c)
	return c
}

func auditExport(ctx context.Context, s *session, o auditOptions) error {
	path, err := s.path("/audit/export")
	if err != nil {
		return err
	}
	lines, err := s.client.Open(ctx, path+"?"+o.query().Encode())
	if err != nil {
		return err
	}
	defer func() { _ = lines.Close() }()
	_, err = io.Copy(s.out, lines)
	return err
}
