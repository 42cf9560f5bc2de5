package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"
	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// diffLimit is the maximum size of a file that is compared by lines, and of the diff.
	diffLimit   = 256 << 10
	diffContext = 3
)

// drift collects the differences between the host and a Change.
type drift struct {
	a   *Agent
	out wire.Drift
	now string // the step's name
	// last is the file of the step before.
	last string
	// same are own files that are as planned, by path, and lost the directories of data that are missing.
	same map[string]string
	lost []string
	// planned are the contents of files, and compared the ones whose rules were compared with those in force.
	planned  map[string][]byte
	compared map[string]bool
	crons    []cronLine
}

func (d *drift) add(path, what, diff string) {
	d.out.Differences = append(d.out.Differences, wire.Difference{Step: d.now, Path: path, What: what, Diff: diff})
}

// Drift compares the host with a Change and changes nothing on it. Programs of the plan are not run: what they would do is not known. Own files that are as
// planned are looked after from then on.
func (a *Agent) Drift(ctx context.Context, c wire.Change) (wire.Drift, error) {
	if err := a.prepare(); err != nil {
		return wire.Drift{}, err
	}
	d := &drift{a: a, out: wire.Drift{Differences: []wire.Difference{}}, same: map[string]string{}, planned: map[string][]byte{}, compared: map[string]bool{}}
	for _, s := range c.Steps {
		if err := checkStep(s); err != nil {
			return wire.Drift{}, refuse(wire.ErrBadRequest, "step %q: %s", s.Name, err)
		}
		d.now = s.Name
		if p := pathOf(s); slices.ContainsFunc(d.lost, func(dir string) bool { return below(p, dir) }) {
			continue
		}
		if err := d.step(ctx, s); err != nil {
			return wire.Drift{}, fmt.Errorf("compare step %q: %w", s.Name, err)
		}
	}
	d.units(ctx, c.Steps)
	d.cron(ctx)
	d.sshd(ctx, c.Steps)
	d.php(ctx)
	d.once()
	return d.out, a.recordOwn(d.same)
}

// once keeps the first of each difference: what many sites or processes share is in the steps of each.
func (d *drift) once() {
	seen := map[[3]string]bool{}
	d.out.Differences = slices.DeleteFunc(d.out.Differences, func(f wire.Difference) bool {
		is := [3]string{f.Path, f.What, f.Diff}
		was := seen[is]
		seen[is] = true
		return was
	})
}

func (d *drift) step(ctx context.Context, s wire.Step) error {
	switch {
	case s.File != nil:
		d.planned[s.File.Path] = s.File.Content
		d.last = s.File.Path
		return d.at(s.File.Path, s.File.Absent, func(fd int, name string, is object.State) error { return d.file(s.File, fd, name, is) })
	case s.Dir != nil && s.Dir.Data && !s.Dir.Absent:
		is, err := d.a.lookPath(s.Dir.Path)
		if err != nil || is.Kind != object.Absent {
			return errors.Join(err, d.dir(s.Dir))
		}
		d.lost = append(d.lost, s.Dir.Path)
		d.out.Differences = append(d.out.Differences, wire.Difference{Step: d.now, Path: s.Dir.Path, What: "missing", Kept: true})
	case s.Dir != nil && s.Dir.Yield, s.Link != nil && s.Link.Yield: // the account may have anything there
	case s.Dir != nil:
		return d.dir(s.Dir)
	case s.Link != nil:
		return d.at(s.Link.Path, s.Link.Absent, func(_ int, _ string, is object.State) error {
			if is.Kind != object.Link || is.Target != s.Link.Target {
				if !s.Link.Once {
					d.add(s.Link.Path, "target", "")
				}
				return nil
			}
			return d.owner(s.Link.Path, is, is.Mode, s.Link.Owner, s.Link.Group)
		})
	case s.Packages != nil && (s.Packages.Upgrade || s.Packages.Remove || s.Packages.Pending != ""): // what apt would do is not known
	case s.Packages != nil:
		missing, err := d.a.missing(ctx, s.Packages.Names)
		for _, p := range missing {
			d.add(p, "package", "")
		}
		return err
	case s.User != nil:
		return d.user(s.User)
	case s.Lines != nil:
		return d.lines(s.Lines)
	case s.Login != nil:
		return d.login(s.Login)
	case s.Jail != nil:
		return d.jail(ctx, s.Jail)
	case s.Probe != nil && s.Probe.Cron != "":
		d.crons = append(d.crons, cronLine{step: d.now, path: d.last, expression: s.Probe.Cron})
	case s.Action != nil && loadsRules(s.Action) != "":
		d.rules(ctx, loadsRules(s.Action))
	}
	return nil
}

func (d *drift) dir(w *wire.Dir) error {
	return d.at(w.Path, w.Absent, func(_ int, _ string, is object.State) error {
		if is.Kind != object.Dir {
			d.add(w.Path, "missing", "")
			return nil
		}
		return d.owner(w.Path, is, mode(w.Mode, 0o755), w.Owner, w.Group)
	})
}

// at examines a path; it reports what should be absent, and what is missing.
func (d *drift) at(p string, gone bool, fn func(fd int, name string, is object.State) error) error {
	fd, name, err := d.a.root.OpenParent(p)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		if !gone {
			d.add(p, "missing", "")
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	is, err := object.Look(fd, name)
	switch {
	case err != nil:
		return err
	case gone && is.Kind != object.Absent:
		d.add(p, "present", "")
	case gone:
	case is.Kind == object.Absent:
		d.add(p, "missing", "")
	default:
		return fn(fd, name, is)
	}
	return nil
}

func (d *drift) file(f *wire.File, fd int, name string, is object.State) error {
	if f.Once {
		return nil
	}
	if is.Kind != object.Regular {
		d.add(f.Path, "content", "")
		return nil
	}
	same, err := object.Same(fd, name, is, f.Content)
	if err != nil {
		return err
	}
	if same && f.Own() {
		d.same[f.Path] = object.Hash(f.Content)
	}
	if !same {
		diff := ""
		// A file with other names may be a hard link to a secret, and one that only its owner can read may be a secret.
		if !f.Secret && is.Links == 1 {
			if diff, err = d.diff(f, fd, name); err != nil {
				return err
			}
		}
		kept, err := d.kept(f, fd, name)
		if err != nil {
			return err
		}
		d.out.Differences = append(d.out.Differences, wire.Difference{Step: d.now, Path: f.Path, What: "content", Diff: diff, Kept: kept})
	}
	return d.owner(f.Path, is, mode(f.Mode, 0o644), f.Owner, f.Group)
}

// kept reports whether others changed a file that is kept as they made it.
func (d *drift) kept(f *wire.File, fd int, name string) (bool, error) {
	if !f.Keep {
		return false, nil
	}
	hash, err := hashAt(fd, name)
	if err != nil {
		return false, err
	}
	known, ours := false, false
	err = durable.ReadLines(d.a.writtenPath(), func(w writing) {
		known, ours = known || w.Path == f.Path, ours || w == writing{f.Path, hash}
	})
	return known && !ours, err
}

func (d *drift) diff(f *wire.File, fd int, name string) (string, error) {
	have, err := object.InTime(object.ReadWithin, func() ([]byte, error) { return headOf(fd, name, diffLimit+1) })
	if err != nil {
		return "", err
	}
	if len(have) > diffLimit || len(f.Content) > diffLimit || !utf8.Valid(have) || !utf8.Valid(f.Content) ||
		slices.Contains(have, 0) || slices.Contains(f.Content, 0) {
		return "", nil
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines(have), B: lines(f.Content),
		FromFile: f.Path + " (host)", ToFile: f.Path + " (planned)", Context: diffContext,
	})
	if err != nil {
		return "", fmt.Errorf("compare: %w", err)
	}
	if len(text) > diffLimit {
		n := output.Cut([]byte(text), diffLimit)
		text = text[:n] + wire.Missing(int64(len(text)-n))
	}
	return text, nil
}

// headOf returns the beginning of a file.
func headOf(fd int, name string, limit int64) ([]byte, error) {
	f, err := object.Open(fd, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return raw, nil
}

// lines splits a text into lines with their ends.
func lines(text []byte) []string {
	var out []string
	for l := range strings.Lines(string(text)) {
		if !strings.HasSuffix(l, "\n") {
			l += "\n\\ No newline at end of file\n"
		}
		out = append(out, l)
	}
	return out
}

func (d *drift) owner(p string, is object.State, mode uint32, user, group string) error {
	if is.Mode != mode {
		d.add(p, "mode", "")
	}
	uid, gid, err := d.a.owner(user, group)
	if err != nil || is.UID != uid || is.GID != gid {
		d.add(p, "owner", "") // a missing account does not stop the comparison
	}
	return nil
}

func (d *drift) lines(l *wire.Lines) error {
	fd, name, err := d.a.root.OpenParent(l.Path)
	if err == nil {
		defer unix.Close(fd)
		var text string
		if text, _, err = d.a.readLinesOf(fd, name, l.Owner); err == nil && edited(text, l) == text {
			return nil
		}
	}
	missing := errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)
	switch {
	case missing && len(l.Add) == 0:
	case missing:
		d.add(l.Path, "missing", "")
	default: // one that can't be read, or is not the account's own, differs too
		d.add(l.Path, "lines", "")
	}
	return nil
}

func (d *drift) user(u *wire.User) error {
	argv, err := d.a.userArgv(u)
	leave, wrong := d.a.groupsToLeave(u)
	if err != nil || wrong != nil || argv != nil || len(leave) > 0 {
		d.add(u.Name, "user", "")
	}
	return nil
}
