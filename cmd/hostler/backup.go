package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
)

func newBackupCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "backup [FILE]", Short: "Back up Hostler itself", Args: cobra.MaximumNArgs(1),
		Long: "Back up Hostler's database to a new file or, without one, to the storage of backup-storage; that backup is encrypted, " +
			"and restored to a scratch location to verify it. " +
			"Hostler can be running. Restoring requires the master key, which is NOT in the backup: store a copy of the key file separately.",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := o.config()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return backupToStorage(cmd, c)
			}
			m, err := app.Backup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Backed up to %s. Restoring it requires the master key %s (%s), which it does not contain.\n",
				args[0], m.KeyNames(), c.KeyFile())
			return nil
		},
	}
	o.flags(cmd.Flags())
	return cmd
}

// backupToStorage does what the panel does on its schedule.
func backupToStorage(cmd *cobra.Command, c app.Config) error {
	if c.BackupStorage == 0 {
		return errors.New("name a file, or set backup-storage")
	}
	store, err := app.OpenStore(cmd.Context(), c)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	name, err := (&app.SelfBackup{Config: c, Store: store, Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))}).Run(cmd.Context())
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Backed up to %s, and restored it to a scratch location to verify it. Restoring requires the master key (%s).\n",
		name, c.KeyFile())
	return nil
}

func newRestoreCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Restore Hostler from a backup", Args: cobra.ExactArgs(1),
		Long: "Restore Hostler's database from a backup of hostler backup. The master key file must be in place " +
			"and contain the backup's keys; this is checked before anything is changed.",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := app.Restore(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Restored the backup of %s. Start Hostler with: hostler serve\n", m.CreatedAt.Format("2006-01-02 15:04 MST"))
			return nil
		},
	}
	storeFlags(cmd, &c)
	return cmd
}
