package main

import (
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
)

func newMasterKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "master-key", Short: "List and rotate the keys that encrypt secrets",
		Long: "The master key file contains one or more keys. New values are encrypted with the primary key; the others decrypt older values.",
	}
	cmd.AddCommand(newMasterKeyListCommand(), newMasterKeyRotateCommand(), newMasterKeyRemoveCommand())
	return cmd
}

func newMasterKeyListCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{
		Use: "list", Short: "List keys and the number of values encrypted with each", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keys, err := app.MasterKeys(cmd.Context(), c)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "ID\tFINGERPRINT\tPRIMARY\tVALUES")
			for _, k := range keys {
				_, _ = fmt.Fprintf(w, "%d\t%s\t%t\t%d\n", k.Key.ID, k.Key.Fingerprint, k.Primary, k.Values)
			}
			return w.Flush()
		},
	}
	storeFlags(cmd, &c)
	return cmd
}

func newMasterKeyRotateCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{
		Use: "rotate", Short: "Create a new key and re-encrypt all values with it", Args: cobra.NoArgs,
		Long: "Add a new key to the master key file and re-encrypt all values with it. Stop Hostler first. Older keys stay in the file for existing backups " +
			"until master-key remove. " +
			"Run it again to finish an interrupted rotation; until then Hostler works with both keys.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			values := 0
			key, err := app.RotateMasterKey(cmd.Context(), c, func(n int) { values = n })
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Re-encrypted %d values. The new key is %s in %s. Update your copy of the file.\n", values, key, c.KeyFile())
			return nil
		},
	}
	storeFlags(cmd, &c)
	return cmd
}

func newMasterKeyRemoveCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{
		Use: "remove ID", Short: "Remove an unused key", Args: cobra.ExactArgs(1),
		Long: "Remove a key from the master key file. Stop Hostler first. A key that is in use is not removed. " +
			"Backups of Hostler that need the key can only be restored with a copy of the older file.",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseUint(args[0], 10, 32)
			if err != nil {
				return fmt.Errorf("%q is not a key ID; see hostler master-key list", args[0])
			}
			if err := app.RemoveMasterKey(cmd.Context(), c, uint32(id)); err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Removed key %d from %s.\n", id, c.KeyFile())
			return nil
		},
	}
	storeFlags(cmd, &c)
	return cmd
}
