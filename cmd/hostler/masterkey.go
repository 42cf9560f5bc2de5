package main

import (
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
)

func newMasterKeyCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "master-key", Short: "List and rotate the keys that secrets are sealed with",
		Long: "The master key file holds one or more keys. New values are sealed with the primary one; the others open what was sealed with them."}
	cmd.AddCommand(newMasterKeyListCommand(), newMasterKeyRotateCommand(), newMasterKeyRemoveCommand())
	return cmd
}

func newMasterKeyListCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "list", Short: "List the keys and how many values are sealed with each", Args: cobra.NoArgs,
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
		}}
	storeFlags(cmd, &c)
	return cmd
}

func newMasterKeyRotateCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "rotate", Short: "Make a new key and seal everything again with it", Args: cobra.NoArgs,
		Long: "Add a new key to the master key file and seal everything again with it. Stop the panel first. The older keys stay in the file, since archives of the panel may need them, until master-key remove. " +
			"A rotation that was interrupted is finished by running it again; until then the panel works with both keys.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			values := 0
			key, err := app.RotateMasterKey(cmd.Context(), c, func(n int) { values = n })
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%d values were sealed again. The key is %s, in %s: copy the file to where you keep it.\n", values, key, c.KeyFile())
			return nil
		}}
	storeFlags(cmd, &c)
	return cmd
}

func newMasterKeyRemoveCommand() *cobra.Command {
	var c app.Config
	cmd := &cobra.Command{Use: "remove ID", Short: "Remove a key that nothing is sealed with", Args: cobra.ExactArgs(1),
		Long: "Remove a key from the master key file. Stop the panel first. A key that values are sealed with is not removed. Archives of the panel that name the key can only be restored with a copy of the older file.",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseUint(args[0], 10, 32)
			if err != nil {
				return fmt.Errorf("%q is no id of a key; see: hostler master-key list", args[0])
			}
			if err := app.RemoveMasterKey(cmd.Context(), c, uint32(id)); err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "The key %d is removed from %s.\n", id, c.KeyFile())
			return nil
		}}
	storeFlags(cmd, &c)
	return cmd
}
