package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// logBlock is how much of a file is read at once, logScan how much of it is searched at most.
	logBlock = 64 << 10
	logScan  = 80 << 20
	// maxLogLines is the maximum number of lines of an answer, maxLogNames of names read from a directory.
	maxLogLines = 5000
	maxLogNames = 10_000
	// beneathTries is the number of tries of openat2: if a directory on the path is moved meanwhile, the kernel asks for another try.
	beneathTries = 8
)

var errForeign = errors.New("belongs to another account, or has several names")

// Log reads a part of a log.
func (a *Agent) Log(ctx context.Context, q wire.LogQuery) (wire.LogPage, error) {
	if err := checkLogQuery(q); err != nil {
		return wire.LogPage{}, refuse(wire.ErrBadRequest, "%s", err)
	}
	if q.Lines <= 0 || q.Lines > maxLogLines {
		q.Lines = maxLogLines
	}
	if q.Files == nil {
		return a.journal(ctx, q)
	}
	f, p, err := a.openLog(q.Files, unix.O_RDONLY)
	if err != nil || f == nil {
		return wire.LogPage{}, err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return wire.LogPage{}, fmt.Errorf("read %s: %w", p, err)
	}
	page := wire.LogPage{Path: p, File: fmt.Sprintf("%d-%d", st.Dev, st.Ino)}
	if q.Follow {
		return page, followLog(f, st.Size, q, &page)
	}
	end := st.Size
	if q.Before > 0 {
		end = min(end, q.Before)
	}
	return page, tailLog(f, end, q, &page)
}

func checkLogQuery(q wire.LogQuery) error {
	switch {
	case (q.Files == nil) == (q.Unit == ""):
		return errors.New("a log is either files or a unit")
	case q.Files != nil:
		return checkLogFiles(q.Files)
	case q.Unit != "*" && !unitPattern.MatchString(q.Unit):
		return fmt.Errorf("%q is not the name of a unit", q.Unit)
	}
	return nil
}

func checkLogFiles(l *wire.LogFiles) error {
	if len(l.Paths) == 0 {
		return errors.New("a log has no path")
	}
	for _, p := range l.Paths {
		if err := object.CheckPath(p); err != nil {
			return err
		}
		if strings.ContainsAny(path.Dir(p), "*?[\\") || strings.ContainsAny(path.Base(p), "?[\\") {
			return fmt.Errorf("path %q has a pattern that is not allowed for a log", p)
		}
		if l.Below != "" && !strings.HasPrefix(p, l.Below+"/") {
			return fmt.Errorf("path %q is not below %s", p, l.Below)
		}
	}
	if l.Below != "" {
		if err := object.CheckPath(l.Below); err != nil {
			return err
		}
	}
	if l.Owner != "" && !passwd.IsName(l.Owner) {
		return fmt.Errorf("%q is not the name of an account", l.Owner)
	}
	return nil
}

// openLog opens the most recently changed matching file; nil if there is none.
func (a *Agent) openLog(l *wire.LogFiles, flags int) (*os.File, string, error) {
	var newest *os.File
	var at string
	var changed unix.Timespec
	for _, p := range l.Paths {
		f, name, err := a.openNewest(p, l, flags)
		if err != nil {
			if newest != nil {
				newest.Close()
			}
			return nil, "", fmt.Errorf("log %s: %w", p, err)
		}
		if f == nil {
			continue
		}
		var st unix.Stat_t
		if err := unix.Fstat(int(f.Fd()), &st); err != nil {
			f.Close()
			continue
		}
		if newest != nil && !later(st.Mtim, changed) {
			f.Close()
			continue
		}
		if newest != nil {
			newest.Close()
		}
		newest, at, changed = f, path.Join(path.Dir(p), name), st.Mtim
	}
	return newest, at, nil
}

func later(a, b unix.Timespec) bool { return a.Sec > b.Sec || a.Sec == b.Sec && a.Nsec > b.Nsec }

// openNewest opens the newest file of one pattern. A missing file is nil; one that can't be trusted is an error, unless there are others.
func (a *Agent) openNewest(p string, l *wire.LogFiles, flags int) (*os.File, string, error) {
	dir, err := a.openBeneath(path.Dir(p), l.Below)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	defer unix.Close(dir)
	pattern := path.Base(p)
	if !strings.Contains(pattern, "*") {
		f, err := a.openOwned(dir, pattern, l.Owner, flags)
		if errors.Is(err, unix.ENOENT) {
			return nil, "", nil
		}
		return f, pattern, err
	}
	names, err := namesIn(dir, pattern, maxLogNames)
	if err != nil {
		return nil, "", err
	}
	newest, changed := "", unix.Timespec{}
	for _, name := range names {
		var st unix.Stat_t
		if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		if newest == "" || later(st.Mtim, changed) {
			newest, changed = name, st.Mtim
		}
	}
	if newest == "" {
		return nil, "", nil
	}
	f, err := a.openOwned(dir, newest, l.Owner, flags)
	if errors.Is(err, unix.ENOENT) {
		return nil, "", nil
	}
	return f, newest, err
}

// namesIn returns the names in a directory that match a pattern, of the first most names in it.
func namesIn(dir int, pattern string, most int) ([]string, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	d := os.NewFile(uintptr(fd), ".")
	defer d.Close()
	all, err := d.Readdirnames(most)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("list directory: %w", err)
	}
	var out []string
	for _, name := range all {
		if ok, _ := path.Match(pattern, name); ok {
			out = append(out, name)
		}
	}
	return out, nil
}

// openOwned opens a regular file of one account. The check is made on the opened file, so that it can't be replaced in between. A
// file with several names may be one that its account can't read, linked to a place where it can.
func (a *Agent) openOwned(dir int, name, owner string, flags int) (*os.File, error) {
	fd, err := unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, object.ErrKind
	}
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	switch {
	case err != nil:
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = object.ErrKind
	case st.Nlink != 1:
		err = errForeign
	case owner != "":
		var uid int
		if uid, _, err = a.owner(owner, ""); err == nil && int(st.Uid) != uid {
			err = errForeign
		}
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// openBeneath opens a directory. With below, links are followed as long as they stay below that directory, which an account owns;
// the path to it has none.
func (a *Agent) openBeneath(p, below string) (int, error) {
	if below == "" {
		return a.root.OpenDir(p)
	}
	base, err := a.root.OpenDir(below)
	if err != nil {
		return -1, err
	}
	defer unix.Close(base)
	rel := strings.TrimPrefix(strings.TrimPrefix(p, below), "/")
	if rel == "" {
		rel = "."
	}
	for range beneathTries {
		var fd int
		fd, err = unix.Openat2(base, rel, &unix.OpenHow{
			Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
		})
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, unix.EAGAIN) {
			break
		}
	}
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // an old kernel: then without links
		return a.root.OpenDir(p)
	case errors.Is(err, unix.EXDEV), errors.Is(err, unix.ELOOP):
		return -1, fmt.Errorf("open directory %s: a link leads out of %s", p, below)
	}
	return -1, fmt.Errorf("open directory %s: %w", p, err)
}

// clearLog empties a log. Programs that have it open continue to write to it.
func (a *Agent) clearLog(l *wire.LogFiles) (bool, error) {
	if err := checkLogFiles(l); err != nil {
		return false, err
	}
	f, p, err := a.openLog(l, unix.O_WRONLY)
	if err != nil || f == nil {
		return false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return false, err
	}
	if err := f.Truncate(0); err != nil {
		return false, fmt.Errorf("empty %s: %w", p, err)
	}
	return true, nil
}

// read reads a small file of an account; one that is missing or can't be trusted is not found.
func (a *Agent) read(q wire.ReadQuery) (wire.ReadFile, error) {
	l := &wire.LogFiles{Paths: []string{q.Path}, Below: q.Below, Owner: q.Owner}
	if err := checkLogFiles(l); err != nil || q.Below == "" || q.Owner == "" || strings.Contains(q.Path, "*") || q.Limit <= 0 ||
		q.Limit > wire.MaxLog && len(q.Packages) == 0 || q.Limit > wire.MaxLock {
		return wire.ReadFile{}, refuse(wire.ErrBadRequest, "%s can't be read so: %v", q.Path, err)
	}
	f, _, err := a.openLog(l, unix.O_RDONLY)
	if err != nil || f == nil {
		return wire.ReadFile{}, nil // whose file it is, and why not, is the account's own affair
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, q.Limit+1))
	if err != nil {
		return wire.ReadFile{}, fmt.Errorf("read %s: %w", q.Path, err)
	}
	if int64(len(raw)) > q.Limit {
		st, err := f.Stat()
		if err != nil {
			return wire.ReadFile{}, fmt.Errorf("read %s: %w", q.Path, err)
		}
		return wire.ReadFile{Size: st.Size()}, nil
	}
	if len(q.Packages) > 0 {
		return wire.ReadFile{Found: true, Size: int64(len(raw)), Versions: locked(raw, q.Packages)}, nil
	}
	return wire.ReadFile{Found: true, Size: int64(len(raw)), Content: raw}, nil
}

// locked returns the versions of packages in a Composer lock file, or nothing if it is not one.
func locked(raw []byte, names []string) map[string]string {
	var lock struct {
		Packages []struct{ Name, Version string } `json:"packages"`
	}
	out := map[string]string{}
	if json.Unmarshal(raw, &lock) != nil {
		return out
	}
	for _, p := range lock.Packages {
		if slices.Contains(names, p.Name) && len(p.Version) < 100 {
			out[p.Name] = p.Version
		}
	}
	return out
}

// followLog reads on from an offset, whole lines only.
func followLog(f io.ReaderAt, size int64, q wire.LogQuery, page *wire.LogPage) error {
	from := q.After
	if from < 0 || from > size || q.File != "" && q.File != page.File {
		from = 0
	}
	page.Start, page.End, page.More = from, from, from > 0
	n := min(size-from, wire.MaxLog)
	if n == 0 {
		return nil
	}
	block := make([]byte, n)
	read, err := f.ReadAt(block, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", page.Path, err)
	}
	block = block[:read]
	end := bytes.LastIndexByte(block, '\n') + 1
	if end == 0 && len(block) == wire.MaxLog { // one line as long as that
		end = len(block)
	}
	block = block[:end]
	page.End += int64(end)
	want := newSearch(q.Search)
	for line := range bytes.Lines(block) {
		if want.in(line) {
			page.Content = append(page.Content, line...)
		}
	}
	return nil
}

// journal reads the end of the journal of a unit.
func (a *Agent) journal(ctx context.Context, q wire.LogQuery) (wire.LogPage, error) {
	argv := []string{"journalctl", "--no-pager", "--quiet", "--output=short-iso", "--lines=" + strconv.Itoa(q.Lines)}
	if q.Unit != "*" {
		argv = append(argv, "--unit="+q.Unit)
	}
	out := output.New(nil, nil, nil)
	err := a.programs.Run(ctx, program.Program{Argv: argv, Timeout: systemdTime, Out: out})
	text, _ := out.Finish()
	var exit *program.ExitError
	if err != nil && !errors.As(err, &exit) {
		return wire.LogPage{}, err
	}
	page := wire.LogPage{Path: "journal of " + q.Unit}
	want := newSearch(q.Search)
	for line := range strings.Lines(text) {
		if want.in([]byte(line)) {
			page.Content = append(page.Content, line...)
		}
	}
	return page, nil
}

// units queries the state of systemd units.
func (a *Agent) units(ctx context.Context, patterns []string) ([]wire.UnitState, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	argv := []string{"systemctl", "show", "--property=Id,ActiveState,SubState,Result", "--"}
	for _, p := range patterns {
		if !unitPattern.MatchString(strings.ReplaceAll(p, "*", "x")) {
			return nil, refuse(wire.ErrBadRequest, "%q is not the name of a unit", p)
		}
		argv = append(argv, p)
	}
	var out bytes.Buffer
	if err := a.programs.Run(ctx, program.Program{Argv: argv, Timeout: systemdTime, Out: &out}); err != nil {
		return nil, err
	}
	var all []wire.UnitState
	for block := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n\n") {
		var u wire.UnitState
		for line := range strings.Lines(block) {
			key, v, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch key {
			case "Id":
				u.Name = v
			case "ActiveState":
				u.Active = v
			case "SubState":
				u.Sub = v
			case "Result":
				u.Result = v
			}
		}
		if u.Name != "" {
			all = append(all, u)
		}
	}
	return all, nil
}
