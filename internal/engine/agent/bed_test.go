package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// bed is an agent in a temporary root.
type bed struct {
	t    *testing.T
	root string
	bin  string
	a    *Agent
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{t: t, root: tempDir(t)}
	b.bin = filepath.Join(b.root, "bin")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	b.write("/etc/passwd", fmt.Sprintf("root:x:0:0::/root:/bin/sh\nme:x:%s:%s::/home/me:/bin/sh\nweb:x:4001:4001::/home/web:/bin/sh\n", me.Uid, me.Gid))
	b.write("/etc/group", "root:x:0:\nme:x:"+me.Gid+":\nweb:x:4001:\nwww-data:x:33:\nextra:x:4002:other\n")
	b.mkdir("/usr/sbin")
	b.mkdir("/bin")
	b.mkdir("/home/me")
	b.a = b.agent(nil)
	return b
}

// agent returns another process's agent on the same host.
func (b *bed) agent(crash func(string)) *Agent {
	b.t.Helper()
	a, err := New(Config{Root: b.root, Path: b.bin + ":" + program.SearchPath, Crash: crash})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return a
}

func (b *bed) path(p string) string { return filepath.Join(b.root, p) }

func (b *bed) mkdir(p string) {
	b.t.Helper()
	if err := os.MkdirAll(b.path(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) write(p, content string) {
	b.t.Helper()
	b.mkdir(filepath.Dir(p))
	if err := os.WriteFile(b.path(p), []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) program(name, script string) {
	b.t.Helper()
	b.write("/bin/"+name, "#!/bin/sh\nroot='"+b.root+"'\n"+script+"\n")
	if err := os.Chmod(b.path("/bin/"+name), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) wantFile(p, content string) {
	b.t.Helper()
	have, err := os.ReadFile(b.path(p))
	if err != nil {
		b.t.Fatal(err)
	}
	if string(have) != content {
		b.t.Fatalf("%s = %q, want %q", p, have, content)
	}
}

func (b *bed) wantNone(p string) {
	b.t.Helper()
	if _, err := os.Lstat(b.path(p)); !errors.Is(err, fs.ErrNotExist) {
		b.t.Fatalf("%s is there (%v)", p, err)
	}
}

func changeRun(id string, steps ...wire.Step) wire.Run {
	return wire.Run{ID: id, Lane: "host", Fence: 1, Deadline: time.Now().Add(time.Minute), Change: &wire.Change{Steps: steps}}
}

func script(id, content string) wire.Run {
	return wire.Run{
		ID: id, Lane: "site-1", Fence: 1, Deadline: time.Now().Add(time.Minute),
		Script: &wire.Script{User: "root", Dir: "/", Content: content},
	}
}

// talk is a session that shows fn the frames of one request.
type talk struct {
	fn func(wire.Frame)
}

func (w *talk) Write(p []byte) (int, error) {
	var f wire.Frame
	if err := json.Unmarshal(p, &f); err != nil {
		return 0, err
	}
	w.fn(f)
	return len(p), nil
}

// ask makes one request.
func (b *bed) ask(a *Agent, op wire.Op, body any, fn func(wire.Frame)) (any, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	if fn == nil {
		fn = func(wire.Frame) {}
	}
	s := &session{a: a, out: &talk{fn: fn}, fail: func() {}}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return s.do(ctx, wire.Request{ID: 1, Op: op, Body: raw})
}

// run starts a run and returns its result and its events.
func (b *bed) run(r wire.Run, on ...func(wire.Event)) (wire.Result, []wire.Event) {
	b.t.Helper()
	var events []wire.Event
	res, err := b.ask(b.a, wire.OpRunStart, r, func(f wire.Frame) {
		if f.Event != nil {
			events = append(events, *f.Event)
			for _, fn := range on {
				fn(*f.Event)
			}
		}
	})
	if err != nil {
		b.t.Fatalf("run %s: %v", r.ID, err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			b.t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
	return res.(wire.Result), events
}

func (b *bed) mustRun(r wire.Run) (wire.Result, []wire.Event) {
	b.t.Helper()
	res, events := b.run(r)
	if res.State != wire.StateSucceeded {
		b.t.Fatalf("run %s: %s %s: %s %s", r.ID, res.State, res.FailedStep, res.Reason, res.Output)
	}
	return res, events
}

func (b *bed) attach(a *Agent, id string, after int64, fn func(wire.Frame)) wire.Result {
	b.t.Helper()
	res, err := b.ask(a, wire.OpAttach, wire.Attach{ID: id, After: after}, fn)
	if err != nil {
		b.t.Fatalf("attach to %s: %v", id, err)
	}
	return res.(wire.Result)
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var refused *wire.Error
	if !errors.As(err, &refused) || refused.Code != code {
		t.Fatalf("error = %v, want %s", err, code)
	}
}

func wantState(t *testing.T, res wire.Result, state wire.State) {
	t.Helper()
	if res.State != state {
		t.Fatalf("state = %s (%s), want %s", res.State, res.Reason, state)
	}
}

// states returns how the steps ended.
func states(events []wire.Event) string {
	var out []string
	for _, e := range events {
		if e.Kind == wire.EventStep && e.State != stepStarted {
			out = append(out, e.State)
		}
	}
	return strings.Join(out, " ")
}

func outputOf(events []wire.Event) string {
	var out strings.Builder
	for _, e := range events {
		if e.Kind == wire.EventOutput {
			out.WriteString(e.Text)
		}
	}
	return out.String()
}

// tree returns everything on the host except the agent's own state, byte for byte.
func (b *bed) tree() map[string]string {
	b.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(b.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(p, b.root)
		if rel == stateDir || rel == "/log" || rel == "/var" || rel == "/var/lib" {
			if rel == stateDir {
				return fs.SkipDir
			}
			return nil
		}
		st, err := os.Lstat(p)
		if err != nil {
			return err
		}
		sys := st.Sys().(*syscall.Stat_t)
		is := fmt.Sprintf("%s %d:%d", st.Mode(), sys.Uid, sys.Gid)
		switch {
		case st.Mode()&os.ModeSymlink != 0:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			is += " -> " + to
		case st.Mode().IsRegular():
			raw, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			is += " " + object.Hash(raw)
		}
		out[rel] = is
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *bed) wantTree(want map[string]string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.tree()); diff != "" {
		b.t.Fatalf("the host is not as before (-want +have):\n%s", diff)
	}
}

func (b *bed) log() string {
	raw, _ := os.ReadFile(b.path("/log"))
	return string(bytes.TrimSpace(raw))
}

func mkfifo(p string) error { return syscall.Mkfifo(p, 0o600) }

// tempDir returns a directory in memory if possible: a killed process loses no page cache, so fsync does not matter here.
func tempDir(t *testing.T) string {
	t.Helper()
	var st unix.Statfs_t
	if unix.Statfs("/dev/shm", &st) != nil || st.Type != unix.TMPFS_MAGIC || st.Flags&unix.ST_NOEXEC != 0 || st.Bavail*uint64(st.Bsize) < 256<<20 {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "hostler-agent-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func closeFD(fd int) { _ = unix.Close(fd) }
