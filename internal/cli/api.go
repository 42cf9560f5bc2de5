package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

type apiOptions struct {
	Method, Path, Body string
	Fields             []string
	Paginate           bool
}

func newAPI(g *globals) *cobra.Command {
	var o apiOptions
	c := command(g, &cobra.Command{
		Use: "api METHOD PATH", Short: "Make any request of the API", Args: cobra.ExactArgs(2),
		Long: "Makes a request below /api and prints the answer. {org} in the path is the selected organization.",
		Example: "  hostler api GET '/orgs/{org}/servers?filter[name]=web' --paginate\n" +
			"  hostler api POST /orgs/{org}/recipes --field name=hello --field user=root --field script='uptime'",
	}, func(ctx context.Context, s *session, args []string) error {
		o.Method, o.Path = strings.ToUpper(args[0]), args[1]
		return callAPI(ctx, s, o)
	})
	c.Flags().StringArrayVarP(&o.Fields, "field", "f", nil, "field of the body as NAME=VALUE; a value that is JSON keeps its type")
	c.Flags().StringVar(&o.Body, "body", "", "JSON `file` that is the body, - for the standard input")
	c.Flags().BoolVar(&o.Paginate, "paginate", false, "read every page of a list, and print the resources")
	return c
}

func callAPI(ctx context.Context, s *session, o apiOptions) error {
	path := "/" + strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(o.Path, "/"), "api/"), "/")
	if strings.Contains(path, "{org}") {
		above, err := s.path("")
		if err != nil {
			return err
		}
		path = strings.ReplaceAll(path, "/orgs/{org}", above)
	}
	if o.Paginate {
		if o.Method != http.MethodGet {
			return usage("--paginate is for GET")
		}
		rows, err := s.client.All(ctx, path)
		if err != nil {
			return err
		}
		return s.JSON(append([]client.Resource{}, rows...))
	}
	body, err := s.bodyOf(o)
	if err != nil {
		return err
	}
	answer, err := s.client.Call(ctx, o.Method, path, body)
	if err != nil {
		return err
	}
	if ignored := answer.Header.Get("X-Hostler-Ignored"); ignored != "" {
		_, _ = fmt.Fprintln(s.err, "Warning: the operation does not know "+text.Visible(ignored)+": ignored.")
	}
	if len(answer.Body) == 0 {
		return nil
	}
	document, err := show.Decode(answer.Body)
	if err != nil {
		_, err = fmt.Fprint(s.Out, text.Visible(string(answer.Body)))
		return err
	}
	return s.JSON(document)
}

// bodyOf returns the body of a request: what the file has, then the fields.
func (s *session) bodyOf(o apiOptions) (any, error) {
	if o.Body == "" && len(o.Fields) == 0 {
		return nil, nil
	}
	out, err := s.bodyFile(o.Body)
	if err != nil {
		return nil, err
	}
	for _, field := range o.Fields {
		name, text, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return nil, usage("--field must be NAME=VALUE, not %q", field)
		}
		var v any = text
		_ = json.Unmarshal([]byte(text), &v) // what is no JSON is a text
		description.Put(out, name, v)
	}
	return out, nil
}
