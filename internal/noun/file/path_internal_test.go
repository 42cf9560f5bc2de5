package file

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// Every name that Linux has is written as text that can be seen, and read back.
func TestPathsAreReadBack(t *testing.T) {
	t.Parallel()
	names := []string{
		"a", "-rf", " a ", "a%62c", "what? #1+2&3", `back\slash`, `\x41`, "new\nline", "caf\xe9", "\u202egpj.exe", "\ufffd", "\xff\xfe", "日本語", "😀", "\u200d", "...",
	}
	var all []byte
	for b := 1; b < 256; b++ {
		if b != '/' {
			all = append(all, byte(b))
		}
	}
	names = append(names, string(all))
	for _, name := range names {
		text := shown([]byte(name))
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\n\x1b\u202e\u200d") {
			t.Errorf("%q is written as %q", name, text)
		}
		if back, err := read("path", text); err != nil || !bytes.Equal(back, []byte(name)) {
			t.Errorf("%q is read as %q, %v", text, back, err)
		}
	}
}

func TestPathsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"..", "/a/../b", "a/..", `\x2e\x2e/a`, `a\`, `\q`, `\x0`, `\xzz`, `\x00`, `a\x2fb`, strings.Repeat("a/", 2100)} {
		if raw, err := read("path", path); err == nil {
			t.Errorf("%q is read as %q", path, raw)
		}
	}
	for path, want := range map[string]string{"": "", "/": "", "//a//b/": "a/b", "./a/.": "a", "a..": "a..", "..a": "..a"} {
		if raw, err := read("path", path); err != nil || string(raw) != want {
			t.Errorf("%q is read as %q, %v", path, raw, err)
		}
	}
}

// A file on a server is read as any other file, and one that became shorter is an error instead of a shorter file.
func TestRemoteFile(t *testing.T) {
	t.Parallel()
	content := []byte(strings.Repeat("0123456789", 100))
	open := func(have []byte) *remote {
		return &remote{size: int64(len(content)), piece: func(offset int64) ([]byte, error) {
			if offset >= int64(len(have)) {
				return nil, nil
			}
			return have[offset:min(offset+64, int64(len(have)))], nil
		}}
	}
	if err := iotest.TestReader(open(content), content); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(open(content[:500])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that became shorter: %v", err)
	}
	longer := append(bytes.Clone(content), "more"...)
	if got, err := io.ReadAll(io.LimitReader(open(longer), 5000)); err != nil || len(got) < len(content) {
		t.Errorf("a file that grew has %d bytes, %v", len(got), err)
	}
}
