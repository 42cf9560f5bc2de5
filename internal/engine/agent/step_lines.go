package agent

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// linesLimit is the largest file whose lines are edited.
const linesLimit = 1 << 20

var errTooLarge = errors.New("is too large to be edited")

func (x *execution) lines(i int, l *wire.Lines) (bool, error) {
	changed, err := x.editLines(i, l)
	if err != nil && l.Yield && !errors.Is(err, unix.ENOSPC) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lines of %s: %w", l.Path, err)
	}
	return changed, nil
}

func (x *execution) editLines(i int, l *wire.Lines) (bool, error) {
	fd, name, err := x.a.root.OpenParent(l.Path)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	text, is, err := x.a.readLinesOf(fd, name, l.Owner)
	if errors.Is(err, unix.ENOENT) && len(l.Add) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	want := edited(text, l)
	if want == text {
		return false, nil
	}
	temp, err := x.snapshot(i, l.Path, fd, name, is)
	if err != nil {
		return false, err
	}
	return true, object.Replace(fd, name, temp, strings.NewReader(want), is.Mode, is.UID, is.GID)
}

// readLinesOf reads a file whose lines are edited. Its owner is checked on the opened file.
func (a *Agent) readLinesOf(fd int, name, owner string) (string, object.State, error) {
	is, err := object.Look(fd, name)
	if err != nil {
		return "", is, err
	}
	if is.Kind == object.Absent {
		return "", is, unix.ENOENT
	}
	f, err := a.openOwned(fd, name, ownerName(owner), unix.O_RDONLY)
	if err != nil {
		return "", is, err
	}
	defer f.Close()
	raw, err := object.InTime(object.ReadWithin, func() ([]byte, error) { return io.ReadAll(io.LimitReader(f, linesLimit+1)) })
	if err != nil {
		return "", is, fmt.Errorf("read: %w", err)
	}
	if len(raw) > linesLimit {
		return "", is, errTooLarge
	}
	return string(raw), is, nil
}

func ownerName(owner string) string {
	if owner == "" {
		return "root"
	}
	return owner
}

// edited returns a text with lines removed and added.
func edited(text string, l *wire.Lines) string {
	var b strings.Builder
	have := map[string]bool{}
	for line := range strings.Lines(text) {
		bare := strings.TrimSuffix(line, "\n")
		if l.Drop != "" && strings.HasSuffix(bare, l.Drop) && !slices.ContainsFunc(l.Keep, func(part string) bool { return strings.Contains(bare, part) }) {
			continue
		}
		if slices.ContainsFunc(l.Without, func(part string) bool { return strings.Contains(bare, part) }) && !slices.Contains(l.Add, bare) {
			continue
		}
		have[bare] = true
		b.WriteString(line)
	}
	for _, line := range l.Add {
		if have[line] {
			continue
		}
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
