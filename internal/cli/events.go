package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

func newEvents(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "events", Short: "Events on servers and their output", Args: unknownCommand, RunE: showHelp}
	var only string
	follow := command(g, &cobra.Command{
		Example: "  hostler events follow 12\n  hostler events follow --server web-1",
		Use:     "follow [EVENT]", Short: "Show the output of an event until it ends, or of all events until interrupted", Args: cobra.MaximumNArgs(1),
		Long: "Shows all of an event's output until it ends; the exit status is 5 if it failed. Without an event, it shows what all print from now on.",
	}, func(ctx context.Context, s *session, args []string) error {
		if len(args) > 0 {
			_, path, err := s.event(ctx, args[0])
			if err != nil {
				return err
			}
			return s.followEvent(ctx, args[0], path)
		}
		var server client.Resource
		if only != "" {
			var err error
			if server, _, err = s.server(ctx, only); err != nil {
				return err
			}
		}
		return s.client.Follow(ctx, s.org, "", func(p client.Piece) bool {
			if server.ID == "" || p.ServerID != nil && fmt.Sprint(*p.ServerID) == server.ID {
				s.piece(p, true)
			}
			return true
		})
	})
	follow.Flags().StringVar(&only, "server", "", "only events on this server")
	c.AddCommand(follow)
	return c
}

// piece prints a piece of output: a JSON object per line, or the text with its event.
func (s *session) piece(p client.Piece, named bool) {
	if s.AsSent() {
		_ = s.JSONLine(p)
		return
	}
	for line := range strings.Lines(p.Content) {
		if named {
			line = "[" + p.EventID + "] " + line
		}
		_, _ = fmt.Fprint(s.Out, text.Visible(strings.TrimRight(line, "\n"))+"\n")
	}
}

// followEvent prints all of an event's output until its end. It polls, since the stream covers the organization and begins now.
func (s *session) followEvent(ctx context.Context, id, path string) error {
	for shown := 0; ; {
		r, err := s.client.One(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		ended := r.Meta.Operation.Ended() // read before the output, which is then complete
		out, err := s.client.One(ctx, http.MethodGet, path+"/output", nil)
		if err != nil {
			return err
		}
		text := out.Attribute("output")
		if !ended { // a partial line waits for its end
			text = text[:strings.LastIndexByte(text, '\n')+1]
		}
		if len(text) > shown {
			s.piece(client.Piece{EventID: id, Kind: "output", Content: text[shown:]}, false)
			shown = len(text)
		}
		if ended {
			if op := r.Meta.Operation; op != nil && op.State != "succeeded" {
				return exit(CodeFailed, "%s", strings.TrimSuffix(op.State+": "+op.Reason, ": "))
			}
			return nil
		}
		if err := pause(ctx, pollLater); err != nil {
			return err
		}
	}
}
