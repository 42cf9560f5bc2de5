package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
)

// Flags between a host and the program are Hostler's, and those after the program are the program's.
func TestFlagsAfterHost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args, command []string
		bed           int
	}{
		"none":                           {[]string{"1", "uptime"}, []string{"uptime"}, 0},
		"before the host":                {[]string{"--bed", "6", "1", "uptime"}, []string{"uptime"}, 6},
		"after the host":                 {[]string{"1", "--bed", "6", "uptime", "-p"}, []string{"uptime", "-p"}, 6},
		"after the host, short":          {[]string{"1", "-b6", "ls", "-b"}, []string{"ls", "-b"}, 6},
		"after the host, and no program": {[]string{"1", "--bed", "6"}, []string{}, 6},
		"of the program":                 {[]string{"1", "tool", "--bed", "6"}, []string{"tool", "--bed", "6"}, 0},
		"behind dashes":                  {[]string{"1", "--", "--bed", "6"}, []string{"--bed", "6"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, verb := range []string{"ssh", "exec"} {
				practice := newPracticeCommand()
				c, _, err := practice.Find([]string{verb})
				if err != nil {
					t.Fatal(err)
				}
				c.RunE = func(c *cobra.Command, args []string) error {
					command, err := ownFlags(c.Flags(), args[1:])
					if err != nil {
						return err
					}
					bed, err := c.Flags().GetInt("bed")
					if err != nil || bed != test.bed || args[0] != "1" || !slices.Equal(command, test.command) {
						t.Errorf("%s %q is %q on host %s of bed %d, %v; want %q of bed %d", verb, test.args, command, args[0], bed, err, test.command, test.bed)
					}
					return nil
				}
				c.Args = nil
				practice.SetArgs(append([]string{verb}, test.args...))
				if err := practice.Execute(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
