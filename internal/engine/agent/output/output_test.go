package output

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func TestRedactAcrossChunks(t *testing.T) {
	t.Parallel()
	mask := []string{"hunter2", "hunter2-long", "", "ab", "abab!", "zz"}
	const text = "a hunter2-long b hunter2 hunter abab! ab abab zzz hunt\nhunter2"
	want := "a [redacted] b [redacted] hunter [redacted] [redacted] [redacted][redacted] [redacted]z hunt\n[redacted]"
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var got strings.Builder
		var mu sync.Mutex
		o := New(func(s string) {
			mu.Lock()
			defer mu.Unlock()
			got.WriteString(s)
		}, mask, nil)
		for rest := text; rest != ""; {
			n := 1 + r.IntN(min(len(rest), 9))
			if _, err := o.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		end, _ := o.Finish()
		if got.String() != want || end != want {
			t.Fatalf("%q, want %q", got.String(), want)
		}
	}
}

func TestRefuseAcrossChunks(t *testing.T) {
	t.Parallel()
	o := New(nil, nil, []string{"conflicting server name"})
	for _, c := range "nginx: [warn] conflicting server name \"a\"" {
		if _, err := o.Write([]byte(string(c))); err != nil {
			t.Fatal(err)
		}
	}
	if _, refused := o.Finish(); refused == "" {
		t.Fatal("not seen")
	}
}

func TestEventsAreText(t *testing.T) {
	t.Parallel()
	l, err := Open(filepath.Join(t.TempDir(), "events"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := New(l.Output(0, ""), nil, nil)
	for range 20_000 {
		if _, err := o.Write([]byte("ä€𝄞")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.Write([]byte{0xff, 0xe2}); err != nil {
		t.Fatal(err)
	}
	o.Finish()
	var got strings.Builder
	r := &Reader{Path: l.f.Name()}
	defer r.Close()
	if err := r.Read(func(e wire.Event) error {
		if !utf8.ValidString(e.Text) {
			t.Error("not UTF-8")
		}
		got.WriteString(e.Text)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("ä€𝄞", 20_000) + "\uFFFD"; got.String() != want && got.String() != want+"\uFFFD" {
		t.Fatal("the text is another")
	}
}

func TestEventsAfterACrash(t *testing.T) {
	t.Parallel()
	p := filepath.Join(t.TempDir(), "events")
	l, err := Open(p)
	if err != nil {
		t.Fatal(err)
	}
	l.Emit(wire.Event{Kind: wire.EventStep, Step: "one"})
	l.Close()
	f, err := os.OpenFile(p, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"seq":2,"kind":"st`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	r := &Reader{Path: p}
	defer r.Close()
	var got []string
	read := func() {
		t.Helper()
		if err := r.Read(func(e wire.Event) error { got = append(got, e.Step); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if l, err = Open(p); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.Emit(wire.Event{Kind: wire.EventStep, Step: "two"})
	read()
	if strings.Join(got, " ") != "one two" {
		t.Fatal(got)
	}
}
