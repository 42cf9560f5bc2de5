package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

// spanFlag adds the flag of how far back metrics go.
func spanFlag(c *cobra.Command) *string {
	return c.Flags().String("range", "24h", "1h, 24h, 7d or 30d")
}

func newServersMetrics(g *globals) *cobra.Command {
	var span *string
	c := command(g, &cobra.Command{
		Example: "  hostler servers metrics web-1 --range 7d",
		Use:     "metrics [SERVER]", Short: "Show the metrics of a server or of all servers: CPU, load, memory, disk and network", Args: cobra.MaximumNArgs(1),
	}, func(ctx context.Context, s *session, args []string) error {
		of, err := s.path("/servers")
		if len(args) > 0 {
			_, of, err = s.server(ctx, args[0])
		}
		if err != nil {
			return err
		}
		return s.metrics(ctx, of, *span, show.ServerMetrics)
	})
	span = spanFlag(c)
	return c
}

func newSitesMetrics(g *globals) *cobra.Command {
	var span *string
	c := command(g, &cobra.Command{
		Example: "  hostler sites metrics shop.example.com --range 1h",
		Use:     "metrics SITE", Short: "Show a site's requests and errors, and what it uses of its limits", Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, s *session, args []string) error {
		_, _, of, err := s.site(ctx, args[0])
		if err != nil {
			return err
		}
		return s.metrics(ctx, of, *span, show.SiteMetrics)
	})
	span = spanFlag(c)
	return c
}

// metrics prints the metrics below a path.
func (s *session) metrics(ctx context.Context, of, span string, lists []show.Metric) error {
	r, err := s.client.One(ctx, http.MethodGet, of+"/metrics?range="+url.QueryEscape(span), nil)
	if err != nil {
		return err
	}
	if s.AsSent() {
		return s.JSON(r)
	}
	var all map[string]json.RawMessage
	var rest struct {
		Marks   []struct{ Kind, At, Description string } // of one server, or of a site
		Servers []struct {                               // of all
			Name string
			CPU  []*float64
		}
	}
	if err := errors.Join(json.Unmarshal(r.Attributes, &all), json.Unmarshal(r.Attributes, &rest)); err != nil {
		return fmt.Errorf("read metrics: %w", err)
	}
	w := tabwriter.NewWriter(s.Out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "METRIC\tLATEST\tAVERAGE\tHIGHEST\tCOURSE")
	for _, row := range lists {
		var values []*float64
		if len(all[row.Name]) == 0 {
			continue // of an older panel
		}
		if err := json.Unmarshal(all[row.Name], &values); err != nil {
			return fmt.Errorf("read metrics: %w", err)
		}
		latest, average, highest := show.Summary(values, row.Text)
		if row.Rare && latest == "-" {
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", row.Title, latest, average, highest, show.Bars(values))
	}
	if len(rest.Servers) > 0 {
		_, _ = fmt.Fprintln(w, "\nSERVER\tCPU\tAVERAGE\tHIGHEST\tCOURSE")
	}
	for _, one := range rest.Servers {
		latest, average, highest := show.Summary(one.CPU, show.Percent)
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", text.VisibleLine(one.Name), latest, average, highest, show.Bars(one.CPU))
	}
	if len(rest.Marks) > 0 {
		_, _ = fmt.Fprintln(w, "\nAT\tWHAT\tDESCRIPTION")
	}
	for _, m := range rest.Marks {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", text.VisibleLine(m.At), text.VisibleLine(m.Kind), text.VisibleLine(m.Description))
	}
	return w.Flush()
}
