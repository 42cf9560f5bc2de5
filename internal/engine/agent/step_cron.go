package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The two lines by which a check of crontab(1) is recognized.
const (
	cronGood = "* * * * *"
	cronBad  = "61 * * * *"
)

// askCron has the host's own cron read an expression. crontab(1) checks a file without installing it as -T, in Debian 12 as -n; one that can do neither
// is believed.
func (c *change) askCron(ctx context.Context, expression string) error {
	for _, flag := range []string{"-T", "-n"} {
		good, _, err := c.crontab(ctx, flag, cronGood)
		if err != nil {
			return err
		}
		bad, _, err := c.crontab(ctx, flag, cronBad)
		if err != nil {
			return err
		}
		if !good || bad {
			continue
		}
		reads, said, err := c.crontab(ctx, flag, expression)
		if err != nil {
			return err
		}
		if reads {
			c.x.checked(wire.CheckSchedule, "cron reads "+expression)
			return nil
		}
		return fmt.Errorf("the server's cron does not read %s: %s", expression, said)
	}
	return nil
}

// crontab reports whether crontab(1) accepts a file with an expression, and what it says.
func (c *change) crontab(ctx context.Context, flag, expression string) (ok bool, said string, err error) {
	if err := os.MkdirAll(c.x.a.host(stateDir), 0o700); err != nil {
		return false, "", err
	}
	f, err := os.CreateTemp(c.x.a.host(stateDir), "crontab")
	if err != nil {
		return false, "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(expression + " true\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return false, "", err
	}
	out := output.New(nil, nil, nil)
	err = c.x.a.programs.Run(ctx, program.Program{Argv: []string{"crontab", flag, f.Name()}, Timeout: probeOnce, Out: out, Run: c.x.mark()})
	said, _ = out.Finish()
	var exit *program.ExitError
	switch {
	case errors.As(err, &exit):
		said, _, _ = strings.Cut(strings.ReplaceAll(said, f.Name(), filepath.Base(f.Name())), "\n")
		return false, said, nil
	case err != nil:
		return false, "", fmt.Errorf("ask cron: %w", err)
	}
	return true, said, nil
}

// cronLine is an expression of a plan, and the file of cron that it is in.
type cronLine struct{ step, path, expression string }

// cron has the host's cron read the expressions of the plan, all at once: only if it refuses them, one by one. It ignores a whole file with one that it does
// not read, such as after another cron was installed. A repair can't change that.
func (d *drift) cron(ctx context.Context) {
	if len(d.crons) == 0 {
		return
	}
	c := &change{x: &execution{a: d.a}}
	var all []string
	for _, l := range d.crons {
		all = append(all, l.expression)
	}
	if c.askCron(ctx, strings.Join(all, " true\n")) == nil {
		return
	}
	for _, l := range d.crons {
		if err := c.askCron(ctx, l.expression); err != nil && !d.told(l.path) {
			d.out.Differences = append(d.out.Differences, wire.Difference{Step: l.step, Path: l.path, What: "refused", Diff: err.Error() + "\n", Kept: true})
		}
	}
}
