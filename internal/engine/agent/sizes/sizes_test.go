package sizes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// disk is a host whose file system has no quotas.
type disk struct {
	Host
	t    *testing.T
	root string
	said []string
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	root := t.TempDir()
	fd, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return &disk{t: t, root: root, Host: Host{
		Root: object.Root{FD: fd, UID: os.Geteuid()}, Asked: filepath.Join(root, wire.SizesDirectory), Memory: filepath.Join(root, "memory"),
	}}
}

func (d *disk) check(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// write makes a file of some megabytes on the host.
func (d *disk) write(path string, megabytes int) {
	d.t.Helper()
	at := filepath.Join(d.root, path)
	d.check(os.MkdirAll(filepath.Dir(at), 0o755))
	d.check(os.WriteFile(at, []byte(strings.Repeat("x", megabytes<<20)), 0o644))
}

// ask asks for the limit of a site, 0 for none, and has the limits hold.
func (d *disk) ask(site, megabytes int64, directory string) error {
	d.t.Helper()
	at := filepath.Join(d.Asked, strconv.FormatInt(site, 10))
	d.check(os.MkdirAll(d.Asked, 0o755))
	if megabytes == 0 {
		d.check(os.Remove(at))
	} else {
		raw, err := json.Marshal(wire.SizeLimit{Directory: directory, Megabytes: megabytes})
		d.check(err)
		d.check(os.WriteFile(at, raw, 0o644))
	}
	d.said = nil
	return d.Apply(func(line string) { d.said = append(d.said, line) })
}

// full measures, and compares which sites are full.
func (d *disk) full(want ...int64) {
	d.t.Helper()
	d.check(d.Measure())
	all, due, err := d.Full(time.Now())
	d.check(err)
	var got []int64
	for _, f := range all {
		got = append(got, f.Site)
	}
	if slices.Sort(got); !slices.Equal(got, want) || due {
		d.t.Errorf("full are %v, not %v; to be measured: %v", got, want, due)
	}
}

func TestDirectoriesAreMeasured(t *testing.T) {
	d := newDisk(t)
	d.write("home/forge/shop/index.html", 1)
	d.write("home/forge/blog/index.html", 1)
	d.write("elsewhere", 30)
	d.check(os.Symlink(filepath.Join(d.root, "elsewhere"), filepath.Join(d.root, "home/forge/shop/link")))
	d.check(d.ask(12, 10, "/home/forge/shop"))
	if len(d.said) != 1 || !strings.Contains(d.said[0], "each hour it is measured") {
		t.Errorf("it says %q", d.said)
	}
	if _, due, err := d.Full(time.Now()); err != nil || !due {
		t.Errorf("a new limit is to be measured: %v, %v", due, err)
	}
	d.check(d.ask(13, 10, "/home/forge/blog"))
	d.full()
	if _, due, err := d.Full(time.Now().Add(time.Hour)); err != nil || !due {
		t.Errorf("an hour later it is to be measured: %v, %v", due, err)
	}

	d.write("home/forge/shop/a/b/upload", 10)
	d.full(12)
	d.check(os.Remove(filepath.Join(d.root, "home/forge/shop/a/b/upload")))
	d.write("home/forge/shop/six", 6)
	for _, name := range []string{"again", "a/again"} { // a file with three names is there once
		d.check(os.Link(filepath.Join(d.root, "home/forge/shop/six"), filepath.Join(d.root, "home/forge/shop", name)))
	}
	d.full()
	d.write("home/forge/shop/four", 4)
	d.full(12)
	d.check(d.ask(12, 0, ""))
	d.full()
	d.check(os.RemoveAll(filepath.Join(d.root, "home/forge/blog")))
	d.full()
	d.check(d.ask(13, 0, ""))
}

// A limit below what is there is refused, and another one, or none, can follow.
func TestLimitBelowWhatIsThere(t *testing.T) {
	d := newDisk(t)
	d.write("home/forge/shop/index.html", 12)
	err := d.ask(12, 10, "/home/forge/shop")
	if err == nil || !strings.Contains(err.Error(), "/home/forge/shop holds 12 MB, more than disk_max, 10 MB") {
		t.Fatalf("the limit is accepted: %v", err)
	}
	d.full()
	d.check(d.ask(12, 0, "")) // the change is rolled back
	d.check(d.ask(12, 13, "/home/forge/shop"))
	d.full()
	if err := d.ask(12, 11, "/home/forge/shop"); err == nil {
		t.Error("a lower limit is accepted")
	}
	d.check(d.ask(12, 13, "/home/forge/shop"))
	d.write("home/forge/shop/more", 2)
	d.full(12)
	d.check(os.WriteFile(filepath.Join(d.Asked, "12~"), nil, 0o644))
	d.check(d.ask(14, 20, "/home/forge/shop"))
}
