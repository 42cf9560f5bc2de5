package hosts

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// The beds of this test process that outlive a test. They go down when the process ends.
var pool struct {
	sync.Mutex
	beds []*Bed
}

// Shared returns n hosts that tests of this package share, which saves their start. What a test leaves
// on them the next one finds; faults are healed and hosts that are off are started when a bed is
// handed to a test while no other uses it. With Fresh, the bed is the test's alone and its disks are new.
func Shared(t testing.TB, n int, opts ...Option) *Bed {
	t.Helper()
	o := collect(t, opts)
	key := fmt.Sprintf("%s %s %v %s %s", strings.Join(o.Images, ","), o.Disk, o.Virtual, o.Wait, o.apart)

	pool.Lock()
	defer pool.Unlock()
	b := pick(key, n, o.fresh)
	if b == nil {
		b = up(t, n, o)
		b.key = key
		pool.beds = append(pool.beds, b)
	} else if b.users == 0 {
		if err := b.renew(n, o); err != nil {
			t.Fatalf("make bed %d ready for another test: %v", b.Number, err)
		}
	}
	b.users++
	b.alone = o.fresh
	t.Cleanup(func() {
		pool.Lock()
		defer pool.Unlock()
		b.users--
		b.alone = false
	})
	return b
}

func pick(key string, n int, fresh bool) *Bed {
	for _, b := range pool.beds {
		switch {
		case b.key != key || b.alone:
		case b.users == 0:
			return b
		case !fresh && len(b.hosts) >= n:
			return b
		}
	}
	return nil
}

// renew repairs an unused bed: no faults, n running hosts, new disks if requested.
func (b *Bed) renew(n int, o *options) error {
	ctx, cancel := opContext()
	defer cancel()
	o.Bed = b.Number
	all := make([]int, 0, len(b.hosts))
	for _, h := range b.hosts {
		all = append(all, h.Index)
	}
	if o.fresh {
		if err := b.Bed.Reset(ctx, all...); err != nil {
			return err
		}
	} else if err := b.Bed.Heal(ctx, all...); err != nil {
		return err
	}
	return b.raise(max(n, len(all)), o)
}
