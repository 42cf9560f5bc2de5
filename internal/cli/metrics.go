package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// spanFlag adds the flag of how far back metrics go.
func spanFlag(c *cobra.Command) *string {
	return c.Flags().String("range", "24h", "1h, 24h, 7d or 30d")
}

func newServersMetrics(g *globals) *cobra.Command {
	var span *string
	c := command(g, &cobra.Command{
		Use: "metrics [SERVER]", Short: "Show the metrics of a server or of all servers: CPU, load, memory, disk and network", Args: cobra.MaximumNArgs(1),
	}, func(ctx context.Context, s *session, args []string) error {
		of, err := s.path("/servers")
		if len(args) > 0 {
			_, of, err = s.server(ctx, args[0])
		}
		if err != nil {
			return err
		}
		return s.metrics(ctx, of, *span, serverRows)
	})
	span = spanFlag(c)
	return c
}

func newSitesMetrics(g *globals) *cobra.Command {
	var span *string
	c := command(g, &cobra.Command{
		Use: "metrics SITE", Short: "Show a site's requests and errors per minute, from its access log", Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, s *session, args []string) error {
		_, _, of, err := s.site(ctx, args[0])
		if err != nil {
			return err
		}
		return s.metrics(ctx, of, *span, siteRows)
	})
	span = spanFlag(c)
	return c
}

// metricRow is a list of metrics, and how its values are written.
type metricRow struct {
	title, name string
	text        func(float64) string
}

var (
	serverRows = []metricRow{
		{"CPU", "cpu", inPercent},
		{"LOAD PER CPU", "cpu_load", inPercent},
		{"MEMORY", "used_memory", inPercent},
		{"DISK", "disk", inPercent},
		{"RECEIVED", "network_received", perSecond},
		{"SENT", "network_sent", perSecond},
	}
	siteRows = []metricRow{{"REQUESTS", "requests", perMinute}, {"4XX", "client_errors", perMinute}, {"5XX", "server_errors", perMinute}}
)

// metrics prints the metrics below a path.
func (s *session) metrics(ctx context.Context, of, span string, lists []metricRow) error {
	r, err := s.client.One(ctx, http.MethodGet, of+"/metrics?range="+url.QueryEscape(span), nil)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(r)
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
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "METRIC\tLATEST\tAVERAGE\tHIGHEST\tCOURSE")
	for _, row := range lists {
		var values []*float64
		if err := json.Unmarshal(all[row.name], &values); err != nil {
			return fmt.Errorf("read metrics: %w", err)
		}
		latest, average, highest := summary(values, row.text)
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", row.title, latest, average, highest, course(values))
	}
	if len(rest.Servers) > 0 {
		_, _ = fmt.Fprintln(w, "\nSERVER\tCPU\tAVERAGE\tHIGHEST\tCOURSE")
	}
	for _, one := range rest.Servers {
		latest, average, highest := summary(one.CPU, inPercent)
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", cell(one.Name), latest, average, highest, course(one.CPU))
	}
	if len(rest.Marks) > 0 {
		_, _ = fmt.Fprintln(w, "\nAT\tWHAT\tDESCRIPTION")
	}
	for _, m := range rest.Marks {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", cell(m.At), cell(m.Kind), cell(m.Description))
	}
	return w.Flush()
}

// summary returns the newest of the values, their average and the highest; - for each if there are none.
func summary(values []*float64, text func(float64) string) (latest, average, highest string) {
	var known []float64
	for _, v := range values {
		if v != nil {
			known = append(known, *v)
		}
	}
	if len(known) == 0 {
		return "-", "-", "-"
	}
	sum := 0.0
	for _, v := range known {
		sum += v
	}
	return text(known[len(known)-1]), text(sum / float64(len(known))), text(slices.Max(known))
}

// course draws values as bars, at most 40, each as high as the highest of its values is compared with all. A place without values is empty.
func course(values []*float64) string {
	const width = 40
	bars := []rune("▁▂▃▄▅▆▇█")
	highest := 0.0
	for _, v := range values {
		if v != nil {
			highest = max(highest, *v)
		}
	}
	var out []rune
	for part := range slices.Chunk(values, max(1, (len(values)+width-1)/width)) {
		bar, top := ' ', 0.0
		for _, v := range part {
			if v != nil && (bar == ' ' || *v > top) {
				top = *v
				bar = bars[0]
				if highest > 0 {
					bar = bars[int(top/highest*float64(len(bars)-1))]
				}
			}
		}
		out = append(out, bar)
	}
	return string(out)
}

func inPercent(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) + "%" }

func perMinute(f float64) string {
	return strconv.FormatFloat(math.Round(100*f)/100, 'f', -1, 64) + "/min"
}

// perSecond writes bytes a second with a unit of a thousand.
func perSecond(f float64) string {
	units := []string{"B/s", "kB/s", "MB/s", "GB/s"}
	i := 0
	for ; f >= 999.5 && i < len(units)-1; i++ {
		f /= 1000
	}
	return strconv.FormatFloat(f, 'f', map[bool]int{true: 0, false: 1}[i == 0 || f >= 100], 64) + " " + units[i]
}
