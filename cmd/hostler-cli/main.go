// Command hostler-cli is the command line alone, for machines that run no panel: macOS and Windows. It is released under the name hostler; on Linux the whole
// program contains it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client/login"
	"github.com/hostlerhq/hostler/internal/cli"
)

// version is set by the build.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	login.Keys = keys()
	root := &cobra.Command{Use: "hostler", Short: "Manage servers, sites, databases and deployments", Version: version, SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(cli.Commands(os.Args[1:])...)
	audit := &cobra.Command{Use: "audit", Short: "Read the audit log of an organization"}
	audit.AddCommand(cli.AuditCommands()...)
	root.AddCommand(audit)
	cli.Usage(root)
	os.Exit(cli.ExitCode(root.ExecuteContext(ctx), os.Stderr))
}
