package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
)

func newRevokeCommand() *cobra.Command {
	var c app.Config
	var leak app.Leak
	var yes bool
	cmd := &cobra.Command{
		Use: "revoke", Short: "After a leak, revoke everything of a person, a server or the installation", Args: cobra.NoArgs,
		Long: "Lists tokens, programs, sessions, SSH keys, deploy hooks and addresses that others may know, and revokes them with --yes. It reads the " +
			"database of this installation: " +
			"the panel may run, and removes the SSH keys from servers. What it can't revoke, such as passwords and credentials of other services, is listed as well.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := app.OpenStore(cmd.Context(), c)
			if err != nil {
				return err
			}
			defer func() { _ = store.Close() }()
			found, err := store.Revoke(cmd.Context(), leak, yes)
			if err != nil {
				return err
			}
			printRevocable(cmd.OutOrStdout(), found, yes)
			return nil
		},
	}
	storeFlags(cmd, &c)
	cmd.Flags().StringVar(&leak.Person, "person", "", "email address of the person whose credentials others may know")
	cmd.Flags().Int64Var(&leak.ServerID, "server", 0, "ID of the server whose content others may know")
	cmd.Flags().BoolVar(&leak.All, "all", false, "everything of the installation")
	cmd.Flags().BoolVar(&yes, "yes", false, "revoke it, and do not only list it")
	cmd.MarkFlagsOneRequired("person", "server", "all")
	cmd.MarkFlagsMutuallyExclusive("person", "server", "all")
	return cmd
}

// printRevocable prints what a leak concerns: first what is revoked, then what people do.
func printRevocable(out io.Writer, found []app.Revocable, done bool) {
	verb, revoked := "Would revoke", 0
	if done {
		verb = "Revoked"
	}
	list := func(verb string, byHand bool) {
		for _, f := range found {
			if f.ByHand != byHand {
				continue
			}
			_, _ = fmt.Fprintf(out, "%s %s: %d\n", verb, f.Kind, len(f.Names))
			for _, name := range f.Names {
				_, _ = fmt.Fprintf(out, "  %s\n", name)
			}
			if f.Then != "" {
				_, _ = fmt.Fprintf(out, "  -> %s\n", f.Then)
			}
			if !byHand {
				revoked++
			}
		}
	}
	list(verb, false)
	list("Replace manually", true)
	switch {
	case revoked == 0:
		_, _ = fmt.Fprintln(out, "There is nothing to revoke.")
	case !done:
		_, _ = fmt.Fprintln(out, "Nothing has been changed. Revoke it with --yes.")
	}
}
