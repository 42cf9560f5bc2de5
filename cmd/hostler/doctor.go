package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/app"
)

func newDoctorCommand() *cobra.Command {
	var o options
	var fix, security bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the installation", Args: cobra.NoArgs, Annotations: map[string]string{readsSettings: ""},
		Long: "Checks settings, files, the master key and the database, and explains how to fix problems. It changes nothing without --fix.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			mistakes := readSettings(cmd.Flags(), os.LookupEnv)
			c, err := o.config()
			if mistakes == nil {
				mistakes = err
			}
			doctor := app.Doctor
			if security {
				doctor = app.DoctorSecurity
			}
			findings := append([]app.Finding{{Check: "the settings are usable", Err: mistakes, Mend: "correct them; hostler config shows where each comes from"}},
				doctor(cmd.Context(), c, o.secretFiles(cmd.Flags())...)...)
			if failed := report(cmd.Context(), cmd.OutOrStdout(), findings, fix); failed > 0 {
				return &exitError{code: 1}
			}
			return nil
		},
	}
	o.flags(cmd.Flags())
	cmd.Flags().BoolVar(&security, "security", false, "check what is open to others instead: exposure, tokens, second factors, keys, updates, ports")
	cmd.Flags().BoolVar(&fix, "fix", false, "fix what can be fixed automatically")
	return cmd
}

// report prints findings, after fixing them if requested, and returns how many are left.
func report(ctx context.Context, out io.Writer, findings []app.Finding, fix bool) (left int) {
	for _, f := range findings {
		if f.Err == nil {
			_, _ = fmt.Fprintf(out, "ok    %s\n", f.Check)
			continue
		}
		hint := f.Mend
		if f.Fixable() {
			hint += " (or: hostler doctor --fix)"
			if fix {
				err := f.Fix(ctx)
				if err == nil {
					_, _ = fmt.Fprintf(out, "FIXED %s: %v\n", f.Check, f.Err)
					continue
				}
				hint = fmt.Sprintf("%s; --fix failed: %v", f.Mend, err)
			}
		}
		left++
		_, _ = fmt.Fprintf(out, "FAIL  %s: %v\n      %s\n", f.Check, f.Err, hint)
	}
	return left
}
