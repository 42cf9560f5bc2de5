package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostlerhq/hostler/internal/practice"
)

// newPracticeCommand returns "hostler practice": real Debian servers on this machine, to try Hostler on.
func newPracticeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "practice",
		Short: "Run practice servers on this machine",
		Long: "Brings up real Debian servers on this Linux machine (needs root), each with its own systemd, sshd, firewall, address\n" +
			"and disk. Breaks them on purpose, and removes them again.",
	}
	bed := c.PersistentFlags().IntP("bed", "b", 0, "set of hosts, 0 to 99; each has its own network")
	c.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if *bed < 0 || *bed > practice.MaxBed {
			return fmt.Errorf("no bed %d: beds are 0 to %d", *bed, practice.MaxBed)
		}
		return nil
	}
	c.AddCommand(
		newPracticeUp(bed), newPracticeDown(bed), newPracticeList(),
		newPracticePass(bed, "exec HOST COMMAND...", "Run a program in a host as root, without the network"),
		newPracticePass(bed, "ssh HOST [COMMAND...]", "Log in over SSH as root, with the practice key"),
		newPracticeVerb(bed, "stop HOST...", "Shut hosts down cleanly", (*practice.Bed).Stop),
		newPracticeVerb(bed, "start HOST...", "Boot hosts with their existing disks", (*practice.Bed).Start),
		newPracticeVerb(bed, "reboot HOST...", "Shut hosts down cleanly and boot them", (*practice.Bed).Reboot),
		newPracticeReset(bed), newPracticeFault(bed), newPracticeImage(), newPracticePurge(),
	)
	return c
}

func newPracticeUp(bed *int) *cobra.Command {
	var o practice.Options
	var output string
	c := &cobra.Command{
		Use:   "up [N]",
		Short: "Bring up hosts 1 to N (default 1); existing ones stay",
		Example: "  hostler practice up 3\n  hostler practice up 2 --image base,base13     # Debian 12 and Debian 13\n" +
			"  hostler practice up --disk 200M               # a small disk that can be filled",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n := 1
			if len(args) > 0 {
				var err error
				if n, err = strconv.Atoi(args[0]); err != nil || n < 1 {
					return fmt.Errorf("not a number of hosts: %q", args[0])
				}
			}
			if *bed >= practice.FirstTestBed {
				return fmt.Errorf("beds from %d on belong to the tests, which clean them; choose a lower one", practice.FirstTestBed)
			}
			ctx, stop := interruptible(cmd)
			defer stop()
			o.Bed, o.Log = *bed, cmd.ErrOrStderr()
			b, err := practice.Up(ctx, n, o)
			if err != nil {
				return shown(err)
			}
			return printBeds(cmd.OutOrStdout(), output, []*practice.Bed{b})
		},
	}
	c.Flags().StringSliceVar(&o.Images, "image", nil,
		"images for new hosts, in turn: base (Debian 12), base13 (Debian 13), web, full, web13, full13, or your own (default base)")
	c.Flags().StringVar(&o.Disk, "disk", "", "give new hosts their own disk: 200M (memory) or loop:1G (ext4)")
	c.Flags().IntSliceVar(&o.Virtual, "virtual", nil,
		"memory in MB of new hosts, in turn, that are virtual machines with a kernel of their own; 0 for the others")
	c.Flags().StringVar(&o.Wait, "wait", "ssh", "wait for ssh, running (everything has started) or none")
	addOutputFlag(c, &output)
	return c
}

func newPracticeDown(bed *int) *cobra.Command {
	return &cobra.Command{
		Use:   "down [HOST...]",
		Short: "Destroy hosts with their disks; without a name, the whole bed",
		RunE: func(cmd *cobra.Command, args []string) error {
			hosts, err := hostNumbers(args)
			if err != nil {
				return err
			}
			b, err := practice.Open(cmd.Context(), *bed)
			if err != nil {
				return err
			}
			return b.Down(cmd.Context(), hosts...)
		},
	}
}

func newPracticeList() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "list",
		Short: "Show the hosts of all beds",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			beds, err := practice.List(cmd.Context())
			if err != nil {
				return err
			}
			return printBeds(cmd.OutOrStdout(), output, beds)
		},
	}
	addOutputFlag(c, &output)
	return c
}

// newPracticePass passes the terminal to a program in a host.
func newPracticePass(bed *int, use, short string) *cobra.Command {
	verb, _, _ := strings.Cut(use, " ")
	c := &cobra.Command{
		Use: use, Short: short,
		Args: cobra.MinimumNArgs(1 + strings.Count(use, " COMMAND...")),
		RunE: func(cmd *cobra.Command, args []string) error {
			hosts, err := hostNumbers(args[:1])
			if err != nil {
				return err
			}
			command, err := ownFlags(cmd.Flags(), args[1:])
			if err != nil {
				return err
			}
			args = append([]string{strconv.Itoa(hosts[0])}, command...)
			run, err := practice.Command(cmd.Context(), *bed, append([]string{verb}, args...)...)
			if err != nil {
				return err
			}
			run.Stdin, run.Stdout, run.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			err = run.Run()
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				os.Exit(exit.ExitCode()) // the program's exit status is the result
			}
			return err
		},
	}
	c.Flags().SetInterspersed(false) // the flags after HOST belong to the program
	return c
}

// ownFlags parses the flags between HOST and the program, and returns the program with its arguments: "ssh 1 --bed 6 uptime" uses
// bed 6, and what follows "--" is never a flag.
func ownFlags(flags *pflag.FlagSet, args []string) (command []string, err error) {
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return flags.Args(), nil
}

func newPracticeVerb(bed *int, use, short string, do func(*practice.Bed, context.Context, ...int) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			hosts, err := hostNumbers(args)
			if err != nil {
				return err
			}
			b, err := practice.Open(cmd.Context(), *bed)
			if err != nil {
				return err
			}
			return do(b, cmd.Context(), hosts...)
		},
	}
}

func newPracticeReset(bed *int) *cobra.Command {
	return newPracticeVerb(bed, "reset HOST...", "Discard the disk and boot with new host keys", (*practice.Bed).Reset)
}

func newPracticeFault(bed *int) *cobra.Command {
	c := &cobra.Command{Use: "fault", Short: "Simulate failures"}
	one := func(use, short string, nargs cobra.PositionalArgs, do func(cmd *cobra.Command, b *practice.Bed, i int, args []string) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: nargs, RunE: func(cmd *cobra.Command, args []string) error {
			hosts, err := hostNumbers(args[:1])
			if err != nil {
				return err
			}
			b, err := practice.Open(cmd.Context(), *bed)
			if err != nil {
				return err
			}
			return do(cmd, b, hosts[0], args[1:])
		}}
	}
	var carrier bool
	cut := one("cut HOST", "Cut a host off from the network: packets are dropped in both directions", cobra.ExactArgs(1),
		func(cmd *cobra.Command, b *practice.Bed, i int, _ []string) error {
			if carrier {
				return b.CutCarrier(cmd.Context(), i)
			}
			return b.Cut(cmd.Context(), i)
		})
	cut.Flags().BoolVar(&carrier, "carrier", false, "the host sees its link go down as well")
	var line practice.Line
	slow := one("slow HOST", "Slow down a host's network, equally in both directions", cobra.ExactArgs(1),
		func(cmd *cobra.Command, b *practice.Bed, i int, _ []string) error {
			if line == (practice.Line{}) {
				return errors.New("nothing to slow: use --delay, --jitter, --loss or --rate")
			}
			return b.Slow(cmd.Context(), i, line)
		})
	slow.Flags().DurationVar(&line.Delay, "delay", 0, "delay each way, such as 80ms")
	slow.Flags().DurationVar(&line.Jitter, "jitter", 0, "how much the delay varies")
	slow.Flags().Float64Var(&line.Loss, "loss", 0, "packet loss in percent")
	slow.Flags().IntVar(&line.KBitSec, "rate", 0, "kilobits a second")
	fill := one("fill HOST [FREE_KB]", "Fill a host's disk (needs up --disk), except for FREE_KB (default 0)", cobra.RangeArgs(1, 2),
		func(cmd *cobra.Command, b *practice.Bed, i int, args []string) error {
			free := 0
			if len(args) > 0 {
				var err error
				if free, err = strconv.Atoi(args[0]); err != nil || free < 0 {
					return fmt.Errorf("not a number of kilobytes: %q", args[0])
				}
			}
			return b.Fill(cmd.Context(), i, free)
		})
	c.AddCommand(cut, slow, fill,
		newPracticeVerb(bed, "kill HOST...", "Cut the power; \"practice start\" boots the host again", (*practice.Bed).Kill),
		newPracticeVerb(bed, "freeze HOST...", "Freeze a host: connections stay open but get no response", (*practice.Bed).Freeze),
		newPracticeVerb(bed, "thaw HOST...", "End a freeze", (*practice.Bed).Thaw),
		newPracticeVerb(bed, "heal HOST...", "Undo cut, slow, freeze and fill", (*practice.Bed).Heal),
	)
	return c
}

func newPracticeImage() *cobra.Command {
	c := &cobra.Command{Use: "image", Short: "Build, save and load the images of hosts"}
	var parent string
	build := &cobra.Command{
		Use: "build NAME [PACKAGE...]", Short: "Build a predefined image, or your own from Debian packages",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			return shown(practice.BuildImage(ctx, cmd.ErrOrStderr(), args[0], parent, args[1:]...))
		},
	}
	build.Flags().StringVar(&parent, "from", "", "image to start from (default base)")
	c.AddCommand(build,
		&cobra.Command{Use: "list", Short: "Show the built images", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			names, err := practice.Images(cmd.Context())
			for _, name := range names {
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
			return err
		}},
		&cobra.Command{
			Use: "save FILE.tar.zst", Short: "Write all images into one file", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				return practice.Save(cmd.Context(), nil, args[0])
			},
		},
		&cobra.Command{Use: "load FILE.tar.zst", Short: "Load saved images", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			return practice.Load(cmd.Context(), nil, args[0])
		}},
	)
	return c
}

func newPracticePurge() *cobra.Command {
	return &cobra.Command{
		Use: "purge", Short: "Take everything down and remove images, caches and the key", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return practice.Purge(cmd.Context(), nil) },
	}
}

// hostNumbers accepts 1 and h1.
func hostNumbers(args []string) ([]int, error) {
	var hosts []int
	for _, a := range args {
		i, err := strconv.Atoi(strings.TrimPrefix(a, "h"))
		if err != nil || i < 1 {
			return nil, fmt.Errorf("not a host: %q (1, 2 … or h1, h2 …)", a)
		}
		hosts = append(hosts, i)
	}
	return hosts, nil
}

// interruptible lets Ctrl-C end a long command in an orderly way.
func interruptible(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(cmd.Context(), os.Interrupt)
}

// shown removes the lines that were already streamed to the terminal from an error.
func shown(err error) error {
	if exit := (*practice.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("practice %s failed", exit.Args[0])
	}
	return err
}

func addOutputFlag(c *cobra.Command, output *string) {
	c.Flags().StringVarP(output, "output", "o", "table", "table or json")
}

func printBeds(w io.Writer, output string, beds []*practice.Bed) error {
	switch output {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"beds": append([]*practice.Bed{}, beds...)})
	case "table":
	default:
		return fmt.Errorf("--output table or json, not %q", output)
	}
	if len(beds) == 0 {
		_, err := fmt.Fprintln(w, "No practice servers are up. Start some with: hostler practice up 3")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "BED\tHOST\tADDRESS\tSTATE\tFAULTS\tIMAGE\tDISK")
	for _, b := range beds {
		for _, h := range b.Hosts {
			fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", b.Number, h.Name, h.IP, h.State, or(strings.Join(h.Faults, ","), "-"), h.Image, or(h.Disk, "shared"))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "Log in as %s with the key %s\n", beds[0].User, beds[0].Key)
	return err
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
