// Command hostler is the program: control plane, administration and command line.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "hostler", Short: "Manage servers", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(newPracticeCommand())
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "hostler:", err)
		os.Exit(1)
	}
}
