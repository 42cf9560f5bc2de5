package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

func newKeys(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "keys", Short: "Manage the keys with which Hostler logs in to servers"}
	var timeout time.Duration
	var yes bool
	rotate := command(g, &cobra.Command{
		Example: "  hostler keys rotate\n  hostler keys rotate web-1 web-2 --yes",
		Use:     "rotate [SERVER...]", Short: "Replace the keys of servers (default: all)", Args: cobra.ArbitraryArgs,
		Long: "Replace the key with which Hostler logs in, one server after the other. A login with the new key is tested before the old one is removed. " +
			"Servers that are not connected keep their key; run it again for them. The exit status is 5 if any server still has its old key.",
	}, func(ctx context.Context, s *session, args []string) error {
		return keysRotate(ctx, s, args, yes, timeout)
	})
	rotate.Flags().BoolVarP(&yes, "yes", "y", false, "skip the confirmation")
	rotate.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "maximum time to wait for one server")
	c.AddCommand(rotate)
	return c
}

func keysRotate(ctx context.Context, s *session, names []string, yes bool, within time.Duration) error {
	list, err := s.path("/servers")
	if err != nil {
		return err
	}
	servers, _, err := s.servers(ctx, names)
	if len(names) == 0 {
		servers, err = s.client.All(ctx, list)
	}
	if err != nil {
		return err
	}
	if err := s.confirmAs(ctx, yes, fmt.Sprintf("replaces the keys of %d servers in", len(servers)), "organization", s.org,
		"Each new key is tested before the old one is removed."); err != nil {
		return err
	}
	left := 0
	for _, r := range servers {
		said := "replaced"
		if err := s.rotateKey(ctx, list+"/"+r.ID, r, within); err != nil {
			if ctx.Err() != nil {
				return err
			}
			left++
			said = "not replaced: " + err.Error()
		}
		_, _ = fmt.Fprintf(s.Out, "%s: %s\n", text.VisibleLine(r.Attribute("name")), text.Visible(said))
	}
	if left > 0 {
		return exit(CodeFailed, "%d of %d servers have their old key; run this again for them", left, len(servers))
	}
	return nil
}

// rotateKey replaces the key of one server, and returns when it has been.
func (s *session) rotateKey(ctx context.Context, path string, r client.Resource, within time.Duration) error {
	if state := r.Attribute("connection_status"); state != "connected" {
		return exit(CodeFailed, "the server is %s", cmp.Or(state, "not connected"))
	}
	_, answer, err := s.client.Send(ctx, http.MethodPut, path+"/key", nil)
	if err != nil || answer.Event == "" {
		return err
	}
	return s.await(ctx, path, answer.Event, within)
}
