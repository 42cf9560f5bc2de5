package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

var eventColumns = []column{columnID, attribute("WHEN", "created_at"), attribute("WHAT", "description"), attribute("AS", "ran_as"), columnWork}

func (s *Session) events() *cobra.Command {
	var on string
	var follow bool
	c := &cobra.Command{Use: "events", Short: "What happened on servers; --follow shows output as it comes", Args: cobra.NoArgs, RunE: s.run(func(ctx context.Context, _ []string) error {
		if follow {
			return s.client.Follow(ctx, s.Org, "", func(p client.Piece) {
				if s.Output == "json" {
					_ = s.json(p)
					return
				}
				_, _ = fmt.Fprintf(s.out, "[%s] %s", p.EventID, plain(p.Content))
			})
		}
		list, err := s.path("/events")
		if err == nil && on != "" {
			_, list, err = s.server(ctx, on)
			list += "/events"
		}
		if err != nil {
			return err
		}
		rows, err := s.client.All(ctx, list+"?sort=created_at")
		if err != nil {
			return err
		}
		return s.show(rows, eventColumns...)
	})}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "show output as it comes, until interrupted")
	c.PersistentFlags().StringVar(&on, "server", "", "of this server only")
	one := func(verb, short string, f func(ctx context.Context, path string) error) *cobra.Command {
		return &cobra.Command{Use: verb + " EVENT --server SERVER", Short: short, Args: cobra.ExactArgs(1), RunE: s.run(func(ctx context.Context, args []string) error {
			if on == "" {
				return &ExitError{CodeUsage, "of which server? give --server"}
			}
			_, path, err := s.server(ctx, on)
			if err != nil {
				return err
			}
			return f(ctx, path+"/events/"+args[0])
		})}
	}
	act := func(verb string) func(ctx context.Context, path string) error {
		return func(ctx context.Context, path string) error {
			return s.change(ctx, http.MethodPost, path+"/"+verb, nil, "", path, eventColumns...)
		}
	}
	c.AddCommand(one("output", "Show what an event printed", func(ctx context.Context, path string) error {
		r, err := s.client.One(ctx, http.MethodGet, path+"/output", nil)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprint(s.out, plain(r.Attribute("output")))
		return nil
	}), s.changing(one("retry", "Try the work of an event again", act("retry")), false), s.changing(one("cancel", "Cancel the work of an event", act("cancel")), false))
	return c
}
