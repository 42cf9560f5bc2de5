package agent

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

var (
	// packagePattern is Debian Policy 5.6.1, with an architecture.
	packagePattern    = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+(:[a-z0-9]+)?$`)
	scriptFilePattern = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)
	servicePattern    = regexp.MustCompile(`^hostler-site-[0-9]+-[0-9]+\.service$`)
	unitPattern       = regexp.MustCompile(`^[A-Za-z0-9:_.][A-Za-z0-9:_.@\\-]{0,254}$`)
)

// checkRun refuses a run that our control plane would never create.
func checkRun(r *wire.Run) error {
	if err := checkName("run id", r.ID); err != nil {
		return err
	}
	if err := checkName("lane", r.Lane); err != nil {
		return err
	}
	if r.Deadline.IsZero() || r.Left < 0 {
		return errors.New("run has no deadline")
	}
	if r.Kinds() != 1 {
		return errors.New("run has to have a change, a script, a backup or a restore")
	}
	switch {
	case r.Backup != nil:
		return checkBackup(r.Backup)
	case r.Restore != nil:
		return checkRestore(r.Restore)
	}
	if r.Change != nil {
		for i, s := range r.Change.Steps {
			if err := checkStep(s); err != nil {
				return fmt.Errorf("step %d %q: %w", i, s.Name, err)
			}
		}
		return nil
	}
	return checkScript(r.Script)
}

func checkScript(s *wire.Script) error {
	if s.User != "root" && !passwd.IsName(s.User) {
		return fmt.Errorf("user %q is not the name of an account", s.User)
	}
	if err := checkDotenv(s.Variables); err != nil {
		return err
	}
	if err := object.CheckPath(s.Dir); err != nil && s.Dir != "/" {
		return err
	}
	for k, v := range s.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return fmt.Errorf("variable %q is not allowed in an environment", k)
		}
	}
	for name := range s.Files {
		if !scriptFilePattern.MatchString(name) || slices.Contains([]string{"script", binName, wire.ReportFile}, name) {
			return fmt.Errorf("%q is not the name of a script's file", name)
		}
	}
	for name, target := range s.Programs {
		if !scriptFilePattern.MatchString(name) {
			return fmt.Errorf("%q is not the name of a program", name)
		}
		if err := object.CheckPath(target); err != nil {
			return err
		}
	}
	for i := range s.Check {
		if err := checkProbe(&s.Check[i]); err != nil {
			return err
		}
	}
	if s.Service != nil {
		if err := checkService(s.Service); err != nil {
			return err
		}
	}
	for _, argv := range [][]string{s.Before, s.After, s.Back} {
		if len(argv) == 0 {
			continue
		}
		if err := program.CheckArgv(argv); err != nil {
			return err
		}
	}
	return nil
}

// checkService refuses a service whose files are outside of their directories.
func checkService(s *wire.Service) error {
	if err := object.CheckPath(s.Upstream); err != nil {
		return err
	}
	if err := checkDotenv(s.Dotenv()); err != nil {
		return err
	}
	for _, slot := range s.Slots {
		if !servicePattern.MatchString(slot.Unit) {
			return fmt.Errorf("%q is not the name of a service's unit", slot.Unit)
		}
		if err := object.CheckPath(slot.EnvFile); err != nil || path.Dir(slot.EnvFile) != wire.ServiceDir {
			return fmt.Errorf("%q is not a file of a service", slot.EnvFile)
		}
		if slot.Text == "" || slot.Upstream == "" {
			return errors.New("service has an empty file")
		}
		health := s.Health
		health.Port = slot.Port
		if err := checkProbe(&wire.Probe{HTTP: &health}); err != nil {
			return err
		}
	}
	if a, b := s.Slots[0], s.Slots[1]; a.Unit == b.Unit || a.Port == b.Port || a.Upstream == b.Upstream || a.EnvFile == b.EnvFile {
		return errors.New("service has the same slot twice")
	}
	return nil
}

// checkStep refuses a step that is not exactly one kind, or that has a value that could be misinterpreted.
func checkStep(s wire.Step) error {
	kinds := 0
	var errs []error
	is := func(set bool, err func() error) {
		if set {
			kinds++
			errs = append(errs, err())
		}
	}
	is(s.File != nil, func() error { return object.CheckPath(s.File.Path) })
	is(s.Dir != nil, func() error { return object.CheckPath(s.Dir.Path) })
	is(s.Link != nil, func() error { return checkLink(s.Link) })
	is(s.Packages != nil, func() error { return checkPackages(s.Packages) })
	is(s.User != nil, func() error { return checkUser(s.User) })
	is(s.Validate != nil, func() error { return checkExec(s.Validate) })
	is(s.Exec != nil, func() error { return checkExec(s.Exec) })
	is(s.Action != nil, func() error {
		for _, unit := range []string{s.Action.Workers, s.Action.Listener} {
			if unit != "" && !unitPattern.MatchString(unit) {
				return fmt.Errorf("%q is not the name of a unit", unit)
			}
		}
		if s.Action.Log != "" && !path.IsAbs(s.Action.Log) {
			return fmt.Errorf("%q is not the absolute path of a log", s.Action.Log)
		}
		if len(s.Action.Undo) > 0 {
			if err := program.CheckArgv(s.Action.Undo); err != nil {
				return err
			}
		}
		return program.CheckArgv(s.Action.Argv)
	})
	is(s.Probe != nil, func() error { return checkProbe(s.Probe) })
	is(s.Clear != nil, func() error { return checkLogFiles(s.Clear) })
	is(s.Lines != nil, func() error { return checkLines(s.Lines) })
	is(s.Sessions != nil, func() error { return checkSessions(s.Sessions) })
	is(s.Retire != nil, func() error { return checkRetire(s.Retire) })
	is(s.Units != nil, func() error { return checkUnits(s.Units) })
	is(s.Login != nil, func() error { return checkLogin(s.Login) })
	is(s.Jail != nil, func() error { return checkJail(s.Jail) })
	if kinds != 1 {
		return fmt.Errorf("step has %d kinds", kinds)
	}
	return errors.Join(errs...)
}

func checkLink(l *wire.Link) error {
	if !l.Absent && (l.Target == "" || strings.ContainsRune(l.Target, 0) || len(l.Target) > 4000) {
		return fmt.Errorf("target %q is not valid for a link", l.Target)
	}
	return object.CheckPath(l.Path)
}

func checkUnits(u *wire.Units) error {
	for _, p := range u.Parts {
		for _, unit := range slices.Concat(p.Run, p.Stop) {
			if !unitPattern.MatchString(strings.NewReplacer("*", "x", "[", "", "]", "").Replace(unit)) {
				return fmt.Errorf("%q is not the name of a unit", unit)
			}
		}
	}
	return nil
}

func checkExec(e *wire.Exec) error {
	if len(e.Unless) > 0 {
		if err := program.CheckArgv(e.Unless); err != nil {
			return err
		}
	}
	return program.CheckArgv(e.Argv)
}

func checkLines(l *wire.Lines) error {
	if l.Owner != "" && !passwd.IsName(l.Owner) {
		return fmt.Errorf("%q is not the name of an account", l.Owner)
	}
	for _, line := range slices.Concat(l.Add, l.Keep, l.Without) {
		if line == "" || strings.ContainsAny(line, "\n\r\x00") {
			return errors.New("what is added, kept or removed must be single lines")
		}
	}
	return object.CheckPath(l.Path)
}

func checkPackages(p *wire.Packages) error {
	if p.Upgrade && p.Remove {
		return errors.New("packages are upgraded or removed")
	}
	if p.Pending != "" && (p.Pending != wire.PendingAll && p.Pending != wire.PendingSecurity || p.Upgrade || p.Remove || len(p.Names) > 0) {
		return errors.New("pending updates are all or those for security, and have no names")
	}
	for _, n := range p.Names {
		if rest, all := strings.CutSuffix(n, "-*"); all && (p.Upgrade || p.Remove) {
			n = rest
		}
		if !packagePattern.MatchString(n) || strings.HasSuffix(n, "-") {
			// apt takes a trailing "-" as a request to remove.
			return fmt.Errorf("%q is not the name of a package", n)
		}
	}
	return nil
}

func checkUser(u *wire.User) error {
	if !passwd.IsName(u.Name) {
		return fmt.Errorf("%q is not the name of an account", u.Name)
	}
	for _, g := range slices.Concat(u.Groups, u.Without) {
		if !passwd.IsName(g) {
			return fmt.Errorf("%q is not the name of a group", g)
		}
	}
	for _, p := range []string{u.Home, u.Shell} {
		if p == "" {
			continue
		}
		if err := object.CheckPath(p); err != nil {
			return err
		}
		if strings.Contains(p, ":") {
			return fmt.Errorf("path %q is not allowed in passwd", p)
		}
	}
	return nil
}

func checkProbe(p *wire.Probe) error {
	if p.Unit == "" && p.TCP == "" && p.Socket == "" && p.HTTP == nil && p.Drained == "" && p.Cron == "" {
		return errors.New("the probe is empty")
	}
	if p.Socket != "" && !path.IsAbs(p.Socket) {
		return fmt.Errorf("%q is not the absolute path of a socket", p.Socket)
	}
	for _, unit := range []string{p.Unit, p.Drained} {
		if unit != "" && !unitPattern.MatchString(unit) {
			return fmt.Errorf("%q is not the name of a unit", unit)
		}
	}
	if strings.ContainsAny(p.Cron, "\r\n\x00#%") {
		return errors.New("the probe's cron expression is not valid")
	}
	if h := p.HTTP; h != nil {
		if h.Port < 1 || h.Port > 65535 || !strings.HasPrefix(h.Path, "/") || strings.ContainsAny(h.Host+h.Path+h.Scheme, " \r\n\x00") {
			return errors.New("the probe's address is not valid")
		}
		if h.Down != nil {
			if err := checkLogFiles(h.Down); err != nil {
				return err
			}
		}
		if h.Pass != "" && !path.IsAbs(h.Pass) {
			return fmt.Errorf("%q is not the absolute path of a file", h.Pass)
		}
	}
	return nil
}
