package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
)

func newBackupCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "backup FILE", Short: "Back up Hostler itself", Args: cobra.ExactArgs(1),
		Long: "Back up Hostler's database to a new file. Hostler can be running. " +
			"Secrets stay encrypted with the master key, which is NOT in the backup: store a copy of the key file separately.",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := app.Backup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Backed up to %s. Restoring it requires the master key %s (%s), which it does not contain.\n", args[0], m.KeyNames(), c.KeyFile())
			return nil
		}}
	storeFlags(cmd, &c)
	return cmd
}

func newRestoreCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "restore FILE", Short: "Restore Hostler from a backup", Args: cobra.ExactArgs(1),
		Long: "Restore Hostler's database from a backup of hostler backup. The master key file must be in place " +
			"and contain the backup's keys; this is checked before anything is changed.",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := app.Restore(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Restored the backup of %s. Start Hostler with: hostler serve\n", m.CreatedAt.Format("2006-01-02 15:04 MST"))
			return nil
		}}
	storeFlags(cmd, &c)
	return cmd
}
