// Command hostler manages servers: it serves the API and the dashboard, administers the installation, and is the CLI for any installation.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client/login"
	"github.com/hostlerhq/hostler/internal/cli"
)

// version is set by the build, and releaseKey by that of a release: the public key of minisign that releases are signed with.
var (
	version    = "dev"
	releaseKey = ""
)

// releaseIndex is where the newest release is described.
const releaseIndex = "https://github.com/hostlerhq/hostler/releases/latest/download/index.json"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	login.Keys = login.SystemKeys()
	root := newRootCommand(os.Args[1:])
	err := root.ExecuteContext(ctx)
	var coded *exitError
	if errors.As(err, &coded) {
		err = &cli.ExitError{Code: coded.code, Message: coded.message}
	}
	os.Exit(cli.ExitCode(err, os.Stderr))
}

// exitError ends the program with an exit code for scripts.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

// newRootCommand returns the program's commands; words are its command line, nil for all commands (see cli.Commands).
func newRootCommand(words []string) *cobra.Command {
	root := &cobra.Command{
		Use: "hostler", Short: "Manage servers, sites, databases and deployments", Version: version, SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return settingsOf(cmd) },
	}
	root.AddGroup(&cobra.Group{ID: "operator", Title: "Run and administer an installation:"})
	operator := []*cobra.Command{
		newServeCommand(), newConfigCommand(), newMigrateCommand(), newUserCommand(), newOrgCommand(),
		newTokenCommand(), newRegistrationCommand(), newAuditCommand(), newDoctorCommand(), newRevokeCommand(), newUpdateCommand(), newBackupCommand(),
		newRestoreCommand(), newMasterKeyCommand(), newOpenAPICommand(), newDemoCommand(), newPracticeCommand(),
	}
	for _, c := range operator {
		c.GroupID = "operator"
		root.AddCommand(c)
	}
	root.AddGroup(&cobra.Group{ID: "client", Title: "Work with an installation (hostler login first):"})
	if len(words) == 0 || !slices.ContainsFunc(operator, func(c *cobra.Command) bool { return c.Name() == words[0] }) { // whoever serves needs none of the others
		for _, c := range cli.Commands(words) {
			c.GroupID = "client"
			root.AddCommand(c)
		}
	}
	cli.Usage(root)
	return root
}
