package chaos_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/e2e/panel"
)

const durableRoot = "HOSTLER_DURABLE_ROOT"

// files of one change: after it all have its number, before it the one before.
var durableFiles = []string{"/etc/a", "/etc/b", "/etc/c", "/etc/deep/er/d"}

// content returns the content of a file after a change: its number, in some files followed by more than a journal stores.
func content(path string, n int) []byte {
	text := strconv.Itoa(n)
	if path == "/etc/b" || path == "/etc/deep/er/d" {
		text += strings.Repeat("\n"+text, 20000)
	}
	return []byte(text)
}

// TestDurable cuts the power of a disk: an ext4 file system in a file, whose every bit outside of what was synced may be missing. The file is
// copied at random moments while an agent changes files; of each copy, recovery must make the tree of before or of after a change, and
// never of before one whose end was reported. Its mount options disable what ext4 does for programs that do not sync.
//
// That it can fail was shown by taking out, one at a time (HOSTLER_CHAOS=full, 80 cuts): the Sync of
// a file's new content broke 66 of the copies, that of a snapshot 21, that of a request or a result (writeDurable) 59, the Fdatasync of a journal 24.
// Not caught is the sync of a directory in writeDurable: on ext4 the next synced file commits it as well.
func TestDurable(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("skipped TestDurable: it mounts disks, which needs Linux and root")
	}
	cuts := 8
	if full() {
		cuts = 80
	}
	random := seeded(t)
	disk, root := newDisk(t)
	for _, f := range durableFiles {
		if err := os.MkdirAll(filepath.Dir(root+f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(root+f, content(f, 0), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	syscall.Sync()
	worker := exec.Command(os.Args[0])
	worker.Env = append(os.Environ(), durableRoot+"="+root)
	worker.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	worker.Stderr = os.Stderr
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	told := make(chan int, 1<<20)
	go func() {
		defer close(told)
		for s := bufio.NewScanner(out); s.Scan(); {
			n, _ := strconv.Atoi(s.Text())
			told <- n
		}
	}()
	defer func() { _ = worker.Process.Kill(); _ = worker.Wait() }()

	last, broken := <-told, 0
	for i := range cuts {
		time.Sleep(time.Duration(20+random.IntN(150)) * time.Millisecond)
		stop(t, worker.Process)
		for more := true; more; { // what was confirmed before the cut has to be there
			select {
			case n, ok := <-told:
				if !ok {
					t.Fatal("the worker ended")
				}
				last = n
			case <-time.After(20 * time.Millisecond):
				more = false
			}
		}
		image := copyStill(t, disk)
		if err := worker.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := checkCopy(t, image, last); err != nil {
			broken++
			t.Errorf("copy %d: %v", i, err)
		}
		_ = os.Remove(image)
	}
	t.Logf("%d changes, %d power cuts, %d of them broken", last, cuts, broken)
}

// durableWorker is the other process: it makes changes without end and reports which are done.
func durableWorker(root string) error {
	a, err := agent.New(agent.Config{Root: root})
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 1)
	var previous string
	for n := 1; ; n++ {
		c := &wire.Change{}
		for _, f := range durableFiles {
			c.Steps = append(c.Steps, wire.Step{Name: f, File: &wire.File{Path: f, Mode: 0o644, Content: content(f, n)}})
		}
		id := "durable-" + strconv.Itoa(n)
		if err := a.Start(wire.Run{ID: id, Lane: "host", Fence: 1, Deadline: time.Now().Add(time.Minute), Change: c}); err != nil {
			return err
		}
		result := filepath.Join(root, "var/lib/hostler/runs", id, "result.json")
		for {
			raw, err := os.ReadFile(result)
			if err == nil && bytes.Contains(raw, []byte(`"succeeded"`)) {
				break
			}
			if err == nil {
				return fmt.Errorf("run %s: %s", id, raw)
			}
			time.Sleep(time.Millisecond)
		}
		fmt.Fprintln(out, n)
		if err := out.Flush(); err != nil {
			return err
		}
		if previous != "" {
			if err := a.Forget(previous); err != nil {
				return err
			}
		}
		previous = id
	}
}

// newDisk makes a small disk and mounts it.
func newDisk(t *testing.T) (image, root string) {
	t.Helper()
	dir := t.TempDir()
	image, root = filepath.Join(dir, "disk"), filepath.Join(dir, "root")
	run(t, "truncate", "-s", "32M", image)
	run(t, "mkfs.ext4", "-q", "-F", "-O", "^metadata_csum", image)
	mount(t, image, root)
	return image, root
}

func mount(t *testing.T, image, root string) (unmount func()) {
	t.Helper()
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, "mount", "-o", "loop,data=writeback,noauto_da_alloc,commit=300", image, root)
	done := false
	unmount = func() {
		if !done {
			done = true
			_ = exec.Command("umount", "-l", root).Run()
		}
	}
	t.Cleanup(unmount)
	return unmount
}

func run(t *testing.T, argv ...string) {
	t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
}

// stop halts a process and waits until all its threads stand.
func stop(t *testing.T, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		raw, _ := os.ReadFile("/proc/" + strconv.Itoa(p.Pid) + "/stat")
		if i := bytes.LastIndexByte(raw, ')'); i > 0 && len(raw) > i+2 && raw[i+2] == 'T' {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the worker does not stop")
}

// copyStill copies a disk at one moment: it copies until two copies are the same, since the kernel may write in between.
func copyStill(t *testing.T, disk string) string {
	t.Helper()
	var before []byte
	for range 20 {
		now, err := os.ReadFile(disk)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(before, now) {
			image := disk + ".copy"
			if err := os.WriteFile(image, now, 0o600); err != nil {
				t.Fatal(err)
			}
			return image
		}
		before = now
	}
	t.Fatal("the disk never stood still")
	return ""
}

// checkCopy recovers a copy and returns what is wrong with it.
func checkCopy(t *testing.T, image string, told int) error {
	t.Helper()
	root := filepath.Join(t.TempDir(), "copy")
	defer mount(t, image, root)()
	if out, err := exec.Command(panel.Program(t, "hostler-agent"), "--root", root, "recover").CombinedOutput(); err != nil {
		return fmt.Errorf("recover: %w: %s", err, out)
	}
	var seen []string
	for _, f := range durableFiles {
		raw, err := os.ReadFile(root + f)
		if err != nil {
			return fmt.Errorf("read %s: %w", f, err)
		}
		number, _, _ := strings.Cut(string(raw), "\n")
		if n, err := strconv.Atoi(number); err == nil && !bytes.Equal(raw, content(f, n)) {
			number += " torn"
		}
		seen = append(seen, number)
	}
	for _, s := range seen {
		if s != seen[0] {
			return fmt.Errorf("files of two changes: %q", seen)
		}
	}
	if n, err := strconv.Atoi(seen[0]); err != nil || n < told || n > told+1 {
		return fmt.Errorf("the files have %q, and change %d was told to be done", seen[0], told)
	}
	return nil
}
