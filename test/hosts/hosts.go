// Package hosts gives tests real Debian servers (see docs/practice.md). A test that needs them is skipped, with the reason, where
// they can't run; HOSTLER_REQUIRE_HOSTS=1 makes it fail instead.
package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
)

// opTimeout bounds one operation on a bed; building an image for the first time takes the longest.
const opTimeout = 10 * time.Minute

// virtualTimeout bounds the boot of virtual hosts: emulated on a busy machine, one takes minutes.
const virtualTimeout = 30 * time.Minute

// An Option changes what Up and Shared give.
type Option func(*options)

type options struct {
	practice.Options
	fresh bool
	apart string
}

// Image returns host 1 the first image, host 2 the second and so on, from the first again when there
// are more hosts. Default "base", which is Debian 12; "base13" is Debian 13.
func Image(names ...string) Option { return func(o *options) { o.Images = names } }

// Disk gives each host a separate disk: "200M" (memory) or "loop:1G" (ext4 in a file).
func Disk(size string) Option { return func(o *options) { o.Disk = size } }

// Virtual makes hosts virtual machines with so many megabytes of memory, in turn; 0 is one like the others.
func Virtual(megabytes ...int) Option { return func(o *options) { o.Virtual = megabytes } }

// WaitRunning waits until systemd has started everything, not for sshd only.
func WaitRunning() Option { return func(o *options) { o.Wait = "running" } }

// Fresh makes Shared give a bed that no other test uses meanwhile, with disks thrown away first.
func Fresh() Option { return func(o *options) { o.fresh = true } }

// Apart gives the bed to tests only that ask for the same name: what they keep on it is not thrown away by others.
func Apart(name string) Option { return func(o *options) { o.apart = name } }

// A Bed is a set of hosts on a network of their own.
type Bed struct {
	*practice.Bed
	hosts []*Host
	lock  *lock
	key   string // of the pool
	users int    // of the pool
	alone bool   // a Fresh user has it
}

// Up brings n hosts up in a free bed, and takes them down when the test ends.
func Up(t testing.TB, n int, opts ...Option) *Bed {
	t.Helper()
	o := collect(t, opts)
	b := up(t, n, o)
	t.Cleanup(func() { b.end(t) })
	return b
}

// Host returns host i; the first is 1.
func (b *Bed) Host(i int) *Host {
	if i < 1 || i > len(b.hosts) {
		panic(fmt.Sprintf("hosts: the bed has hosts 1 to %d, not %d", len(b.hosts), i))
	}
	return b.hosts[i-1]
}

// All returns the hosts of the bed, in order.
func (b *Bed) All() []*Host { return slices.Clone(b.hosts) }

// Require skips the test, or fails it under HOSTLER_REQUIRE_HOSTS=1, where hosts can't run.
func Require(t testing.TB) {
	t.Helper()
	required := os.Getenv("HOSTLER_REQUIRE_HOSTS") == "1"
	err := practice.Check()
	switch {
	case required && err != nil:
		t.Fatalf("HOSTLER_REQUIRE_HOSTS=1, but %v", err)
	case err != nil:
		t.Skipf("skipped %s: %v", t.Name(), err)
	case testing.Short() && !required:
		t.Skipf("skipped %s: practice servers are not started under -short", t.Name())
	}
}

// virtual skips the test, or fails it under HOSTLER_REQUIRE_HOSTS=1, where virtual hosts can't run or do not boot.
func virtual(t testing.TB, err error) {
	t.Helper()
	switch {
	case err != nil && os.Getenv("HOSTLER_REQUIRE_HOSTS") == "1":
		t.Fatalf("HOSTLER_REQUIRE_HOSTS=1, but %v", err)
	case err != nil:
		t.Skipf("skipped %s: %v", t.Name(), err)
	}
}

func collect(t testing.TB, opts []Option) *options {
	t.Helper()
	Require(t)
	o := new(options)
	for _, opt := range opts {
		opt(o)
	}
	o.Log = logWriter{t}
	if len(o.Virtual) > 0 {
		virtual(t, practice.CheckVirtual())
	}
	return o
}

func up(t testing.TB, n int, o *options) *Bed {
	t.Helper()
	for tried := map[int]bool{}; ; {
		l, err := acquire(tried)
		if err != nil {
			t.Fatalf("take a bed: %v", err)
		}
		o.Bed = l.bed
		b := &Bed{lock: l}
		err = b.raise(n, o)
		if err == nil {
			return b
		}
		b.end(t)
		// Another practice home or a network of this machine has the bed's addresses.
		if !errors.Is(err, practice.ErrBedInUse) {
			if len(o.Virtual) > 0 {
				virtual(t, err)
			}
			t.Fatalf("bring up %d hosts in bed %d: %v", n, l.bed, err)
		}
		tried[l.bed] = true
	}
}

func (b *Bed) raise(n int, o *options) error {
	within := opTimeout
	if len(o.Virtual) > 0 {
		within = virtualTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	p, err := practice.Up(ctx, n, o.Options)
	if err != nil {
		return err
	}
	b.Bed = p
	b.hosts = b.hosts[:0:0]
	for _, h := range p.Hosts {
		b.hosts = append(b.hosts, &Host{Host: h, bed: b})
	}
	return nil
}

// end takes the bed down, unless someone wants to look at it.
func (b *Bed) end(t testing.TB) {
	if os.Getenv("HOSTLER_KEEP_HOSTS") == "1" {
		t.Logf("bed %d is kept until the next test run; log in: hostler practice ssh --bed %d 1", b.lock.bed, b.lock.bed)
		b.lock.abandon()
		return
	}
	if err := b.lock.down(); err != nil {
		t.Errorf("take down bed %d: %v", b.lock.bed, err)
	}
	b.lock.release()
}

func opContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), opTimeout)
}

// logWriter passes the script's progress on to the test's log.
type logWriter struct{ t testing.TB }

func (w logWriter) Write(p []byte) (int, error) {
	w.t.Helper()
	w.t.Log(strings.TrimRight(string(p), "\n"))
	return len(p), nil
}
