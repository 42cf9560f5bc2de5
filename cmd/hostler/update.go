package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/update"
)

// updating is a command line of hostler update.
type updating struct {
	o                options
	program, service string
	within           time.Duration
	check            bool
	// judge is a version that is compared with what the panel's source has named before.
	judge string
}

func newUpdateCommand() *cobra.Command {
	var u updating
	cmd := &cobra.Command{
		Use: "update", Short: "Update Hostler to the newest release", Args: cobra.NoArgs,
		Long: "Downloads the newest release and verifies it, stops Hostler, backs it up, replaces the program, and starts it. If the new program does not become " +
			"ready, the old one and, unless the database is PostgreSQL, the backup are restored; until it is ready, it answers no request and does no work.\n" +
			"Run it as root. Without systemd, stop Hostler before and start it afterwards.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := u.o.config()
			if err != nil {
				return err
			}
			if u.judge != "" {
				return judge(cmd.Context(), c, u.judge)
			}
			return u.run(cmd.Context(), c, cmd.Flags(), cmd.OutOrStdout())
		},
	}
	u.o.flags(cmd.Flags())
	cmd.Flags().StringVar(&u.program, "program", "", "program to replace (default: this one)")
	cmd.Flags().StringVar(&u.service, "service", "hostler.service", "systemd unit that runs it; empty for none")
	cmd.Flags().DurationVar(&u.within, "within", 10*time.Minute, "how long the new program may take to become ready")
	cmd.Flags().BoolVar(&u.check, "check", false, "only check whether there is a newer release")
	cmd.Flags().StringVar(&u.judge, "judge", "", "only compare a version with those that the source of releases has named before")
	_ = cmd.Flags().MarkHidden("judge") // for ourselves, as the account that reads the database
	return cmd
}

// judge returns an error if the source of releases has named a newer release than this version before.
func judge(ctx context.Context, c app.Config, version string) error {
	s, err := app.OpenStore(ctx, c)
	if err != nil {
		return err
	}
	watch := update.Watch{DB: s.DB}
	return errors.Join(watch.Judge(ctx, version), s.Close())
}

func (u *updating) run(ctx context.Context, c app.Config, flags *pflag.FlagSet, out io.Writer) error {
	releases := c.Releases()
	if !u.check {
		updater, err := u.updater(ctx, c, flags, out)
		if err != nil {
			return err
		}
		unlock, err := updater.Lock()
		if err != nil {
			return err
		}
		defer unlock()
		attempt, err := updater.Gate.Attempt()
		if err != nil {
			return err
		}
		if attempt != nil { // the machine or this command ended in the middle
			if err := updater.GoBack(ctx); err != nil {
				return err
			}
			return errors.New("an earlier update was interrupted, and has been undone; run this again")
		}
		return u.newest(ctx, c, flags, releases, updater, out)
	}
	index, newer, err := releases.Newest(ctx)
	if err != nil {
		return err
	}
	if !newer {
		_, _ = fmt.Fprintf(out, "Hostler %s is up to date.\n", c.Version)
		return nil
	}
	_, _ = fmt.Fprintf(out, "Hostler %s is available, and this is %s. What has changed: %s\n", index.Version, c.Version, index.Changes)
	return nil
}

// newest installs the newest release.
func (u *updating) newest(ctx context.Context, c app.Config, flags *pflag.FlagSet, releases update.Source, updater *update.Updater, out io.Writer) error {
	index, newer, err := releases.Newest(ctx)
	if err != nil {
		return err
	}
	if !newer {
		if index.Version != c.Version {
			return fmt.Errorf("the newest release is %s, and this is %s: %w", index.Version, c.Version, update.ErrOlder)
		}
		_, _ = fmt.Fprintf(out, "Hostler %s is up to date.\n", c.Version)
		return nil
	}
	known := update.Account{Program: updater.Program, DataDir: c.DataDir, Settings: storeSettings(c, flags), Out: out}
	if err := known.Run(ctx, "update", "--judge", index.Version); err != nil {
		return err
	}
	file, err := index.Program()
	if err != nil {
		return err
	}
	path, err := releases.Download(ctx, file, updater.Program)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }() // gone once it is in place
	_, _ = fmt.Fprintf(out, "Downloaded and verified Hostler %s.\n", index.Version)
	account := update.Account{Program: path, DataDir: c.DataDir}
	if got, err := account.Version(ctx); err != nil || got != index.Version {
		return errors.Join(err, fmt.Errorf("the program of the release %s says that it is %q", index.Version, got))
	}
	return updater.Run(ctx, path, c.Version, index.Version)
}

// updater returns what replaces the program of an installation.
func (u *updating) updater(ctx context.Context, c app.Config, flags *pflag.FlagSet, out io.Writer) (*update.Updater, error) {
	program := u.program
	var err error
	if program == "" {
		program, err = os.Executable()
	}
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	if c.DataDir, err = filepath.Abs(c.DataDir); err != nil {
		return nil, fmt.Errorf("find the data directory: %w", err)
	}
	account := update.Account{Program: program, DataDir: c.DataDir, Settings: storeSettings(c, flags), Out: out}
	gate := update.GateOf(c.DataDir)
	service, err := u.serviceOf(ctx, c, account, gate, flags)
	if err != nil {
		return nil, err
	}
	return &update.Updater{
		Program: program, Gate: gate, Service: service, Out: out, Within: u.within,
		Data: database{Account: account, Embedded: c.DatabaseURL == "", Now: time.Now()},
	}, nil
}

// serviceOf returns the unit that runs the program, or, without systemd, what runs it until it is ready.
func (u *updating) serviceOf(ctx context.Context, c app.Config, account update.Account, gate update.Gate, flags *pflag.FlagSet) (update.Service, error) {
	if u.service != "" {
		if _, err := exec.LookPath("systemctl"); err != nil {
			return nil, errors.New("there is no systemd here: stop Hostler, and use --service ''")
		}
		s := &update.Systemd{Unit: u.service}
		if err := s.Runs(ctx, account.Program); err != nil {
			return nil, err
		}
		attempt, err := gate.Attempt()
		if err == nil && attempt == nil && c.DatabaseURL == "" && s.Active(ctx) && !app.Served(c.DataDir) {
			err = fmt.Errorf("the service %s does not serve %s: use its settings", u.service, c.DataDir)
		}
		return s, err
	}
	account.Settings = allSettings(flags)
	return &update.Once{
		Account: account, Served: func() bool { return app.Served(c.DataDir) },
		Undecided: func() bool { a, err := gate.Attempt(); return err == nil && a != nil },
	}, nil
}

// storeSettings are the flags that name an installation to its own commands.
func storeSettings(c app.Config, flags *pflag.FlagSet) []string {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	addStoreFlags(known, &app.Config{})
	return append(changed(flags, func(name string) bool { return known.Lookup(name) != nil && name != "data-dir" }), "--data-dir="+c.DataDir)
}

// allSettings are the flags of all settings.
func allSettings(flags *pflag.FlagSet) []string {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(options).flags(known)
	return changed(flags, func(name string) bool { return known.Lookup(name) != nil })
}

// changed returns flags of this command line for another one. What comes from the environment or the file needs no flag there.
func changed(flags *pflag.FlagSet, wanted func(name string) bool) (out []string) {
	flags.Visit(func(f *pflag.Flag) {
		if f.Annotations[cameFrom] != nil || !wanted(f.Name) {
			return
		}
		value := f.Value.String()
		if several, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(several.GetSlice(), ",")
		}
		out = append(out, "--"+f.Name+"="+value)
	})
	return out
}
