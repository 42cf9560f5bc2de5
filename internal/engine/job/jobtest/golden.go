// Package jobtest renders plans as text, so that the whole effect of a feature on a host can be read and compared in golden files.
package jobtest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Golden compares stages with the golden file testdata/name.txt; -update rewrites it.
func Golden(t *testing.T, name string, stages []job.Stage) {
	t.Helper()
	got := Text(stages)
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// Text returns stages as readable text: a line per step, with the content of files indented below.
func Text(stages []job.Stage) string {
	var b strings.Builder
	for _, s := range stages {
		fmt.Fprintf(&b, "== %s", s.Name)
		if s.Detach {
			b.WriteString(", in a unit of its own")
		}
		if s.Change.ConfirmWithin > 0 {
			fmt.Fprintf(&b, ", confirmed within %s by %s", s.Change.ConfirmWithin, []string{"a connection", "a login"}[s.Confirm])
		}
		if s.After != nil {
			b.WriteString(", then work in the control plane")
		}
		b.WriteByte('\n')
		for _, step := range s.Change.Steps {
			writeStep(&b, step)
		}
		if s.Backup != nil {
			writeBackup(&b, *s.Backup)
		}
		if s.Restore != nil {
			writeRestore(&b, *s.Restore)
		}
		if s.Script != nil {
			writeScript(&b, *s.Script)
		}
	}
	return b.String()
}

// writeScript is a script with what surrounds it. If a variable has two names, only the one with the HOSTLER_ prefix is shown.
func writeScript(b *strings.Builder, s wire.Script) {
	fmt.Fprintf(b, "- script: as %s in %s, files %q, programs %q\n", s.User, s.Dir, slices.Sorted(maps.Keys(s.Files)), s.Programs)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		value := s.Env[name]
		if rest, ok := strings.CutPrefix(name, "FORGE_"); ok && s.Env["HOSTLER_"+rest] == value {
			continue
		}
		if slices.Contains(s.Redact, value) {
			value = "[redacted]"
		}
		fmt.Fprintf(b, "    %s=%q\n", name, value)
	}
	for _, part := range []struct {
		name string
		argv []string
	}{{"before", s.Before}, {"verify", s.Verify}, {"after", s.After}, {"back", s.Back}} {
		if len(part.argv) > 0 {
			fmt.Fprintf(b, "    %s %q\n", part.name, part.argv)
		}
	}
	for line := range strings.Lines(s.Content) {
		fmt.Fprintf(b, "    $ %s\n", strings.TrimSuffix(line, "\n"))
	}
	if s.Service != nil {
		for _, slot := range s.Service.Slots {
			fmt.Fprintf(b, "    service %s at port %d, asked for %s, with %q\n", slot.Unit, slot.Port, s.Service.Health.Path, slot.Env)
			for line := range strings.Lines(slot.Text) {
				fmt.Fprintf(b, "        | %s\n", strings.TrimSuffix(line, "\n"))
			}
		}
	}
	for _, probe := range s.Check {
		writeStep(b, wire.Step{Name: "check", Probe: &probe})
	}
}

// writeBackup is a stream of dumps. Addresses are secrets, and other ones in each plan: their number is written.
func writeBackup(b *strings.Builder, backup wire.Backup) {
	for _, item := range backup.Items {
		if backup.Measure {
			fmt.Fprintf(b, "- measure item %d: %s\n", item.ID, storeText(item.Store))
			continue
		}
		fmt.Fprintf(b, "- dump item %d: %s, to %d parts of %d bytes\n", item.ID, storeText(item.Store), len(item.Parts), item.PartSize)
	}
}

// writeRestore is a stream into a store.
func writeRestore(b *strings.Builder, r wire.Restore) {
	how := flags(map[string]bool{" over": r.Over, " proof": r.Proof})
	fmt.Fprintf(b, "- restore item %d (%s, %d bytes, %s): %s%s", r.ID, r.Name, r.Size, r.Checksum, storeText(r.Store), how)
	if r.Scratch != "" {
		fmt.Fprintf(b, " by way of %s", r.Scratch)
	}
	b.WriteByte('\n')
}

func storeText(s wire.Store) string {
	if s.Engine == wire.EngineFiles {
		return fmt.Sprintf("files %q below %s of %s", s.Paths, s.Dir, s.User)
	}
	return s.Engine + " " + s.Database
}

func writeStep(b *strings.Builder, s wire.Step) {
	fmt.Fprintf(b, "- %s: ", s.Name)
	if s.Part != "" && s.Part != s.Name {
		fmt.Fprintf(b, "part %q, ", s.Part)
	}
	if s.User != nil && s.User.Own {
		b.WriteString("own ")
	}
	if s.User != nil && s.User.Fresh {
		b.WriteString("fresh ")
	}
	switch {
	case s.File != nil && s.File.Absent:
		fmt.Fprintf(b, "no file %s\n", s.File.Path)
	case s.File != nil:
		how := flags(map[string]bool{" once": s.File.Once, " keep": s.File.Keep, " secret": s.File.Secret})
		fmt.Fprintf(b, "file %s %04o %s:%s%s\n", s.File.Path, s.File.Mode, s.File.Owner, s.File.Group, how)
		for line := range strings.Lines(string(s.File.Content)) {
			fmt.Fprintf(b, "    | %s\n", strings.TrimSuffix(line, "\n"))
		}
	case s.Dir != nil && s.Dir.Absent:
		fmt.Fprintf(b, "no directory %s\n", s.Dir.Path)
	case s.Dir != nil:
		fmt.Fprintf(b, "directory %s %04o %s:%s%s\n", s.Dir.Path, s.Dir.Mode, s.Dir.Owner, s.Dir.Group, flags(map[string]bool{" data": s.Dir.Data}))
	case s.Link != nil && s.Link.Absent:
		fmt.Fprintf(b, "no link %s\n", s.Link.Path)
	case s.Link != nil:
		fmt.Fprintf(b, "link %s -> %s\n", s.Link.Path, s.Link.Target)
	case s.Packages != nil:
		fmt.Fprintf(b, "%spackages %s\n", map[bool]string{true: "upgrade "}[s.Packages.Upgrade]+map[bool]string{true: "remove "}[s.Packages.Remove],
			s.Packages.Pending+strings.Join(s.Packages.Names, " "))
	case s.User != nil:
		fmt.Fprintf(b, "account %s %s %s without %q\n", s.User.Name, s.User.Home, s.User.Shell, s.User.Without)
	case s.Validate != nil:
		fmt.Fprintf(b, "check %q refuse %q\n", s.Validate.Argv, s.Validate.Refuse)
	case s.Action != nil:
		fmt.Fprintf(b, "act %q undo %q%s\n", s.Action.Argv, s.Action.Undo, flags(map[string]bool{" always": s.Action.Always}))
	case s.Units != nil:
		b.WriteString("units")
		for _, p := range s.Units.Parts {
			fmt.Fprintf(b, "; of %q run %q stop %q", p.Part, p.Run, p.Stop)
		}
		b.WriteByte('\n')
	case s.Exec != nil:
		fmt.Fprintf(b, "run %q unless %q\n", s.Exec.Argv, s.Exec.Unless)
		for line := range strings.Lines(string(s.Exec.Stdin)) {
			fmt.Fprintf(b, "    < %s\n", strings.TrimRight(line, "\n"))
		}
		for line := range strings.Lines(string(s.Exec.Undo)) {
			fmt.Fprintf(b, "    undo < %s\n", strings.TrimRight(line, "\n"))
		}
	case s.Clear != nil:
		fmt.Fprintf(b, "empty %q below %s of %s\n", s.Clear.Paths, s.Clear.Below, s.Clear.Owner)
	case s.Retire != nil:
		fmt.Fprintf(b, "retire account %s%s\n", s.Retire.Name, flags(map[string]bool{" keep home": s.Retire.KeepHome}))
	case s.Login != nil:
		fmt.Fprintf(b, "login %s of %s until %q%s\n", s.Login.Name, s.Login.Account, s.Login.Until, flags(map[string]bool{" absent": s.Login.Absent}))
	case s.Jail != nil:
		fmt.Fprintf(b, "jail of %s: %s of %s%s, settings %q\n", s.Jail.Login, s.Jail.Directory, s.Jail.Account,
			flags(map[string]bool{" absent": s.Jail.Absent, " close": s.Jail.Close}), s.Jail.Settings)
	case s.Sessions != nil:
		fmt.Fprintf(b, "close sessions of %s opened with %s\n", s.Sessions.User, s.Sessions.Fingerprint)
	case s.Lines != nil:
		fmt.Fprintf(b, "lines of %s (%s) add %q drop %q keep %q without %q\n", s.Lines.Path, s.Lines.Owner, s.Lines.Add, s.Lines.Drop, s.Lines.Keep, s.Lines.Without)
	case s.Probe != nil && s.Probe.HTTP != nil:
		note := ""
		if s.Probe.HTTP.NotWorse {
			note = " not worse than before"
		}
		fmt.Fprintf(b, "probe http://%s:%d%s%s\n", s.Probe.HTTP.Host, s.Probe.HTTP.Port, s.Probe.HTTP.Path, note)
	case s.Probe != nil && s.Probe.Drained != "":
		fmt.Fprintf(b, "probe drained %s\n", s.Probe.Drained)
	case s.Probe != nil:
		fmt.Fprintf(b, "probe %s%s%s\n", s.Probe.Unit, s.Probe.TCP, s.Probe.Socket)
	}
}

func flags(set map[string]bool) string {
	out := ""
	for _, name := range []string{" once", " keep", " secret", " always", " data", " over", " proof", " absent", " close"} {
		if set[name] {
			out += name
		}
	}
	return out
}
