package update

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// panel is a service whose program decides by its contents what it does, and a database that is a file.
type panel struct {
	t        *testing.T
	dir      string
	starts   []string
	noBackup bool
}

func (p *panel) program() string  { return filepath.Join(p.dir, "hostler") }
func (p *panel) database() string { return filepath.Join(p.dir, "hostler.db") }
func (p *panel) Restores() bool   { return true }

func (p *panel) read(path string) string {
	p.t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

func (p *panel) write(path, text string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// Stop ends the program. The late one becomes ready just before that.
func (p *panel) Stop(context.Context) error {
	if p.read(p.program()) == "late" {
		return GateOf(p.dir).Open()
	}
	return nil
}

func (p *panel) Start(context.Context) error {
	version := p.read(p.program())
	p.starts = append(p.starts, version)
	if a, err := GateOf(p.dir).Attempt(); err != nil || a == nil {
		return err
	}
	p.write(p.database(), "migrated")
	if version == "good" {
		return GateOf(p.dir).Open()
	}
	return nil
}

func (p *panel) Failed(context.Context) error {
	if p.read(p.program()) == "bad" {
		return errors.New("it ended")
	}
	return nil
}

func (p *panel) Backup(context.Context) (string, error) {
	if p.noBackup {
		return "", errors.New("no room")
	}
	p.write(filepath.Join(p.dir, "archive"), p.read(p.database()))
	return filepath.Join(p.dir, "archive"), nil
}

func (p *panel) Restore(_ context.Context, archive string) error {
	p.write(p.database(), p.read(archive))
	return nil
}

// Whatever happens, the program that runs at the end has the database that belongs to it.
func TestUpdates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		program, database string
		noBackup          bool
		wrong             error
	}{
		"good":    {program: "good", database: "migrated"},
		"bad":     {program: "old", database: "rows", wrong: ErrWentBack},
		"hanging": {program: "old", database: "rows", wrong: ErrWentBack},
		"late":    {program: "late", database: "migrated"},
		"no room": {program: "old", database: "rows", noBackup: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &panel{t: t, dir: t.TempDir(), noBackup: c.noBackup}
			p.write(p.program(), "old")
			p.write(p.program()+".previous", "older") // of an earlier update
			p.write(p.program()+".new", name)
			p.write(p.database(), "rows")
			u := &Updater{Program: p.program(), Gate: GateOf(p.dir), Service: p, Data: p, Out: &bytes.Buffer{}, Within: 50 * time.Millisecond}
			err := u.Run(t.Context(), p.program()+".new", "v1", "v2")
			if (err == nil) != (c.program == name) || c.wrong != nil && !errors.Is(err, c.wrong) {
				t.Errorf("it ends with %v", err)
			}
			if got := p.read(p.program()); got != c.program {
				t.Errorf("the program is %q", got)
			}
			if got := p.read(p.database()); got != c.database {
				t.Errorf("the database is %q", got)
			}
			if a, err := u.Gate.Attempt(); a != nil || err != nil {
				t.Errorf("the update is undecided: %v, %v", a, err)
			}
			if left, err := filepath.Glob(filepath.Join(p.dir, ".update-*")); err != nil || len(left) > 0 {
				t.Errorf("left are %v, %v", left, err)
			}
			if last := p.starts[len(p.starts)-1]; last != c.program {
				t.Errorf("the programs %v were started", p.starts)
			}
		})
	}
}

// A second command would undo what the first one does.
func TestOneUpdateAtATime(t *testing.T) {
	t.Parallel()
	u := &Updater{Program: filepath.Join(t.TempDir(), "hostler")}
	unlock, err := u.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Lock(); !errors.Is(err, ErrBusy) {
		t.Errorf("a second one: %v", err)
	}
	unlock()
	if unlock, err = u.Lock(); err != nil {
		t.Fatal(err)
	}
	unlock()
}

// The gate is made by root in a directory of another account, which may have put a link there.
func TestGateFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "shadow")
	if err := os.Symlink(other, filepath.Join(dir, "update.pending")); err != nil {
		t.Fatal(err)
	}
	if err := GateOf(dir).close(Attempt{}); err == nil {
		t.Error("the gate was made")
	}
	if _, err := GateOf(dir).Attempt(); err == nil {
		t.Error("the link was read")
	}
	if _, err := os.Lstat(other); err == nil {
		t.Error("the link was followed")
	}
}
