// Package sizes limits how much the directories of sites may hold, and finds those that are full: by the kernel, where the file system
// can, or else by measuring them each hour.
package sizes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/quota"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// checkWithin is how long it may take to look at a directory before its limit holds, and measureWithin how long all of them may take.
	checkWithin, measureWithin = 90 * time.Second, 20 * time.Minute
	// every is how long what was measured is good for.
	every    = time.Hour
	megabyte = 1 << 20
	// project is that of the site 0: far from the numbers that people choose (projid(5)).
	project = 1 << 30
	// nearly is the part of a limit that is full: programs that write more than the rest have failed.
	nearly = 0.99
)

// Host is a host with limits of the size of directories.
type Host struct {
	Root object.Root
	// Asked is wire.SizesDirectory, and Memory the directory where it is remembered what holds.
	Asked, Memory string
}

// held is a limit that holds. Megabytes is -1 while that is not known, since it is being changed.
type held struct {
	wire.SizeLimit
	Enforced bool `json:"enforced"`
}

// measured is how much a directory held. Bytes is -1 for one that could not be measured.
type measured struct {
	Bytes int64 `json:"bytes"`
	At    int64 `json:"at"` // seconds since 1970
}

// Full is a site whose directory holds as much as it may, or more.
type Full struct {
	Site, Bytes int64
}

func (h Host) held() string     { return filepath.Join(h.Memory, "sizes") }
func (h Host) measured() string { return filepath.Join(h.Memory, "sizes-measured") }

// read reads a file that may not be there.
func read[V any](path string) (map[int64]V, error) {
	all := map[int64]V{}
	err := durable.ReadJSON(path, &all)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return all, err
}

// asked reads the limits that there should be.
func (h Host) asked() (map[int64]wire.SizeLimit, error) {
	all := map[int64]wire.SizeLimit{}
	files, err := os.ReadDir(h.Asked)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		id, err := strconv.ParseInt(f.Name(), 10, 64)
		if err != nil || id <= 0 || id >= project {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(h.Asked, f.Name()))
		if err != nil {
			return nil, err
		}
		var l wire.SizeLimit
		if err := json.Unmarshal(raw, &l); err != nil {
			return nil, fmt.Errorf("read the limit of site %d: %w", id, err)
		}
		all[id] = l
	}
	return all, nil
}

// Apply has the limits hold that there should be, and no others. It can be repeated.
func (h Host) Apply(out func(string)) error {
	want, err := h.asked()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(h.Memory, 0o700); err != nil {
		return err
	}
	has, err := read[held](h.held())
	if err != nil {
		return err
	}
	for id, was := range has {
		if _, stays := want[id]; !stays {
			if err := h.lift(id, was); err != nil {
				return err
			}
			delete(has, id)
		}
	}
	for id, l := range want {
		if has[id].SizeLimit == l {
			continue
		}
		doubt := l
		doubt.Megabytes = -1
		has[id] = held{SizeLimit: doubt, Enforced: has[id].Enforced}
		if err := durable.WriteJSON(h.held(), has); err != nil {
			return err
		}
		now, err := h.hold(id, l, out)
		if err != nil {
			return err
		}
		has[id] = held{SizeLimit: l, Enforced: now}
	}
	return durable.WriteJSON(h.held(), has)
}

// hold has a limit hold, and reports whether the kernel enforces it.
func (h Host) hold(id int64, l wire.SizeLimit, out func(string)) (enforced bool, err error) {
	dir, err := h.open(l.Directory)
	if err != nil {
		return false, err
	}
	defer unix.Close(dir)
	until := time.Now().Add(checkWithin)
	most := uint64(l.Megabytes) * megabyte //nolint:gosec // the panel has checked it
	bytes, err := quota.Size(dir, until)
	if err != nil && !errors.Is(err, quota.ErrLate) {
		return false, fmt.Errorf("measure %s: %w", l.Directory, err)
	}
	if bytes > most {
		return false, fmt.Errorf("%s holds %d MB, more than disk_max, %d MB", l.Directory, bytes/megabyte, l.Megabytes)
	}
	if !quota.Enforced(dir) {
		out(fmt.Sprintf("the file system of %s has no quotas of projects: each hour it is measured whether there is more than %d MB",
			l.Directory, l.Megabytes))
		return false, nil
	}
	if err := quota.Mark(dir, number(id), until); err != nil {
		return true, fmt.Errorf("limit %s: %w", l.Directory, err)
	}
	if err := quota.Limit(dir, number(id), most); err != nil {
		return true, err
	}
	out(fmt.Sprintf("the file system of %s lets no more than %d MB be written there", l.Directory, l.Megabytes))
	return true, nil
}

// lift takes a limit away. A directory that is gone has none.
func (h Host) lift(id int64, was held) error {
	dir, err := h.open(was.Directory)
	if errors.Is(err, unix.ENOENT) || err == nil && !quota.Enforced(dir) {
		if err == nil {
			unix.Close(dir)
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return quota.Limit(dir, number(id), 0)
}

// open opens a directory to be read.
func (h Host) open(path string) (int, error) {
	at, err := h.Root.OpenDir(path)
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	dir, err := unix.Openat(at, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open directory %s: %w", path, err)
	}
	return dir, nil
}

func number(site int64) uint32 { return uint32(project + site) } //nolint:gosec // asked takes no others

// Full returns the sites whose directories are full, as is known now, and whether directories should be measured.
func (h Host) Full(at time.Time) (full []Full, due bool, err error) {
	has, err := read[held](h.held())
	if err != nil || len(has) == 0 {
		return nil, false, err
	}
	sizes, err := read[measured](h.measured())
	if err != nil {
		return nil, false, err
	}
	for id, l := range has {
		most := l.Megabytes * megabyte
		if most <= 0 {
			continue
		}
		if l.Enforced {
			dir, err := h.open(l.Directory)
			if err != nil {
				continue
			}
			used, err := quota.Used(dir, number(id))
			unix.Close(dir)
			if err == nil && float64(used) >= nearly*float64(most) {
				full = append(full, Full{id, int64(used)}) //nolint:gosec // of a disk
			}
			continue
		}
		size, known := sizes[id]
		if known && size.Bytes > most {
			full = append(full, Full{id, size.Bytes})
		}
		due = due || !known || at.Sub(time.Unix(size.At, 0)) >= every || at.Before(time.Unix(size.At, 0))
	}
	return full, due, nil
}

// Measure measures the directories that the kernel does not limit.
func (h Host) Measure() error {
	has, err := read[held](h.held())
	if err != nil {
		return err
	}
	sizes, until := map[int64]measured{}, time.Now().Add(measureWithin)
	for id, l := range has {
		if l.Enforced {
			continue
		}
		size := measured{Bytes: -1, At: time.Now().Unix()}
		if dir, err := h.open(l.Directory); err == nil {
			bytes, err := quota.Size(dir, until)
			unix.Close(dir)
			if err == nil {
				size.Bytes = int64(bytes) //nolint:gosec // of a disk
			}
		}
		sizes[id] = size
	}
	return durable.WriteJSON(h.measured(), sizes)
}
