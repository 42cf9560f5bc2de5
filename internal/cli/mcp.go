package cli

import (
	"context"
	"errors"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/mcp/bridge"
)

func newMCP(g *globals) *cobra.Command {
	return command(g, &cobra.Command{
		Use: "mcp", Short: "Serve an assistant on the standard input and output",
		Long: "Serves an assistant that runs on this machine: the Model Context Protocol, one JSON-RPC message a line. The tools are those of the panel's /mcp, " +
			"with the rights of the token of the selected profile; --org selects the organization that tools work in. An assistant starts this command by itself.",
		Example: "  claude mcp add hostler -- hostler mcp --org acme",
	}, assist)
}

func assist(ctx context.Context, s *session, _ []string) error {
	path := "/mcp"
	if s.org != "" {
		path += "?organization=" + url.QueryEscape(s.org)
	}
	err := bridge.Serve(ctx, s.client, path, s.in, s.Out)
	if errors.Is(err, bridge.ErrTooLong) {
		return usage("%s", err)
	}
	return err
}
