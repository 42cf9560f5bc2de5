package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
)

func newBackupCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "backup FILE", Short: "Archive the panel itself", Args: cobra.ExactArgs(1),
		Long: "Archive the panel's database into a new file, while it serves or not. Secrets in it are sealed under the master key, which is NOT in the archive: keep a copy of the key file elsewhere.",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := app.Backup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Archived to %s. It opens with the master key %s (%s), which is not in it.\n", args[0], m.Fingerprint, c.KeyFile())
			return nil
		}}
	storeFlags(cmd, &c)
	return cmd
}

func newRestoreCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "restore FILE", Short: "Restore the panel from an archive", Args: cobra.ExactArgs(1),
		Long: "Restore the panel's database from an archive of hostler backup. The master key file must be in its place; its fingerprint is compared before anything is touched.",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := app.Restore(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Restored the archive of %s. Start it with: hostler serve\n", m.CreatedAt.Format("2006-01-02 15:04 MST"))
			return nil
		}}
	storeFlags(cmd, &c)
	return cmd
}
