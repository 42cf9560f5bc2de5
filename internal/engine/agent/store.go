package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// writeDurable replaces a file of the state directory so that after a power cut it has either the old or the new content.
func writeDurable(path string, content []byte) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return writeDurable(path, raw)
}

func readJSON(path string, v any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	return nil
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// appendDurable appends a line to a file. A line that a crash cut off is ended first, so that it does not corrupt the new one.
func appendDurable(path string, lines ...any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return fmt.Errorf("encode line of %s: %w", path, err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if st.Size() > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, st.Size()-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			b2 := append([]byte{'\n'}, b.Bytes()...)
			b = *bytes.NewBuffer(b2)
		}
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	if err := unix.Fdatasync(int(f.Fd())); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	if st.Size() == 0 {
		return syncDir(filepath.Dir(path))
	}
	return nil
}

// readLines calls fn for each whole line of JSON; lines that a crash cut off are skipped.
func readLines[T any](path string, fn func(T)) error {
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for len(raw) > 0 {
		line, rest, whole := bytes.Cut(raw, []byte("\n"))
		raw = rest
		var v T
		if !whole || json.Unmarshal(line, &v) != nil {
			continue
		}
		fn(v)
	}
	return nil
}

// tail returns the end of a text, at most n bytes.
func tail(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}

// reserveSize is the space that is reserved so that a run can end on a full disk.
const reserveSize = 256 << 10

// reserve reserves space, if there is any.
func (a *Agent) reserve() {
	path := filepath.Join(a.state, "reserve")
	if st, err := os.Stat(path); err == nil && st.Size() == reserveSize {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if unix.Fallocate(int(f.Fd()), 0, 0, reserveSize) != nil {
		_ = os.Remove(path)
	}
}

// spend frees the reserved space after an error that may be due to a full disk.
func (a *Agent) spend() { _ = os.Remove(filepath.Join(a.state, "reserve")) }
