// Package durable reads and writes the files that an agent remembers by: after a power cut each has its old content or its new one.
package durable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Write replaces a file of the state directory so that after a power cut it has either the old or the new content.
func Write(path string, content []byte) error {
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
		err = SyncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// WriteJSON is Write for the JSON of a value.
func WriteJSON(path string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return Write(path, raw)
}

// ReadJSON reads a file into what v points to. A missing file is the error of os.ReadFile.
func ReadJSON(path string, v any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	return nil
}

// SyncDir makes the names in a directory durable.
func SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Append appends a line to a file. A line that a crash cut off is ended first, so that it does not corrupt the new one.
func Append(path string, lines ...any) error {
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
		return SyncDir(filepath.Dir(path))
	}
	return nil
}

// ReadLines calls fn for each whole line of JSON; lines that a crash cut off are skipped.
func ReadLines[T any](path string, fn func(T)) error {
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
