package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// updatesOf returns the pending updates of a server in words; "" if they are not known.
func updatesOf(r client.Resource) string {
	u := r.Meta.Updates
	if u == nil {
		return ""
	}
	text := fmt.Sprintf("%d (%d for security)", u.Pending, u.Security)
	if u.RebootNeeded {
		text += ", reboot required"
	}
	return text
}

type upgradeOptions struct {
	changeOptions
	Server           string
	Security, Reboot bool
}

func newServersUpgrade(g *globals, run func(context.Context, *session, upgradeOptions) error) *cobra.Command {
	if run == nil {
		run = serversUpgrade
	}
	var o upgradeOptions
	c := command(g, &cobra.Command{Use: "upgrade SERVER", Short: "Upgrade a server's packages", Args: cobra.ExactArgs(1)}, &o,
		func(args []string) { o.Server = args[0] }, run)
	c.Flags().BoolVar(&o.Security, "security", false, "install only security updates")
	c.Flags().BoolVar(&o.Reboot, "reboot", false, "reboot the server afterwards if updates require it")
	o.flagsWithPlan(c)
	return c
}

func serversUpgrade(ctx context.Context, s *session, o upgradeOptions) error {
	_, path, err := s.server(ctx, o.Server)
	if err != nil {
		return err
	}
	body := map[string]any{"security_only": o.Security, "reboot": o.Reboot}
	return s.change(ctx, o.changeOptions, change{method: http.MethodPost, path: path + "/upgrades", body: body, server: path, read: path, columns: serverDetails})
}
