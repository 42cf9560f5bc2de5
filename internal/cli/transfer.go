package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

type transferOptions struct {
	Server, To         string
	Team               int64
	Force, DryRun, Yes bool
}

func newServersTransfer(g *globals, run func(context.Context, *session, transferOptions) error) *cobra.Command {
	if run == nil {
		run = serversTransfer
	}
	var o transferOptions
	c := command(g, &cobra.Command{
		Use: "transfer SERVER --to ORGANIZATION", Short: "Transfer a server to another organization", Args: cobra.ExactArgs(1),
		Long: "The server and everything on it are transferred to the other organization; its sites are served throughout. What can't be transferred is listed first.",
	}, &o,
		func(args []string) { o.Server = args[0] }, run)
	f := c.Flags()
	f.StringVar(&o.To, "to", "", "slug of the other organization")
	f.Int64Var(&o.Team, "team", 0, "ID of a team of that organization to share the server with")
	f.BoolVar(&o.Force, "force", false, "leave behind what can't be transferred")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would happen without changing anything")
	f.BoolVarP(&o.Yes, "yes", "y", false, "skip the confirmation")
	return c
}

func serversTransfer(ctx context.Context, s *session, o transferOptions) error {
	if o.To == "" {
		return usage("no organization given: use --to")
	}
	r, path, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	seen, err := s.client.One(ctx, http.MethodGet, path+"/transfer?to="+url.QueryEscape(o.To), nil)
	if err != nil {
		return err
	}
	if o.DryRun && s.json {
		return s.printJSON(seen)
	}
	if o.DryRun || !s.json {
		if err := s.foreseen(seen); err != nil || o.DryRun {
			return err
		}
	}
	if err := s.confirmAs(ctx, o.Yes, "gives away", "server", r.Attribute("name"), "It will belong to "+cell(o.To)+"."); err != nil {
		return err
	}
	body := map[string]any{"to": o.To, "force": o.Force}
	if o.Team != 0 {
		body["team_id"] = o.Team
	}
	if r, err = s.client.One(ctx, http.MethodPost, path+"/transfer", body); err != nil {
		return err
	}
	return s.one(r, serverDetails...)
}

// effects are what a transfer does with an item, in words.
var effects = map[string]string{"blocks": "prevents the transfer", "detached": "detached with --force", "left": "left", "reaches": "goes along"}

// foreseen prints what a transfer would do.
func (s *streams) foreseen(r client.Resource) error {
	var a struct {
		Moves []struct {
			Type  string
			Count int64
		}
		Items []struct{ Effect, Type, Name, Text string }
	}
	if err := json.Unmarshal(r.Attributes, &a); err != nil {
		return fmt.Errorf("read transfer: %w", err)
	}
	var moves []string
	for _, m := range a.Moves {
		if m.Count > 0 {
			moves = append(moves, fmt.Sprintf("%d %s", m.Count, cell(m.Type)))
		}
	}
	if len(moves) > 0 {
		_, _ = fmt.Fprintf(s.out, "Goes along: %s.\n", strings.Join(moves, ", "))
	}
	if len(a.Items) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "EFFECT\tTYPE\tNAME\tWHAT")
	for _, i := range a.Items {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", effects[i.Effect], cell(i.Type), cell(i.Name), cell(i.Text))
	}
	return w.Flush()
}
