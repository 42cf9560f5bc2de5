package app

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// mapped is how much of files this process has in memory, in kB.
func mapped(t *testing.T) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(raw, []byte("RssFile:"))
	n := 0
	if _, err := fmt.Sscan(string(rest), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// What only starting needed is not in memory afterwards, and the program runs on.
func TestPagesOfTheStartAreReleased(t *testing.T) {
	before := mapped(t)
	releasePages()
	if after := mapped(t); after > before/2 {
		t.Errorf("of %d kB of the program %d kB are in memory afterwards", before, after)
	}
	if _, err := db.Connect(t.Context(), db.Config{Dir: t.TempDir()}); err != nil {
		t.Error(err)
	}
}

// Of the description only its text stays in memory.
func TestDescriptionKeepsOnlyItsText(t *testing.T) {
	used := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	r := described(t)
	before := used()
	raw, err := r.Description()
	if err != nil {
		t.Fatal(err)
	}
	if more := used() - before - int64(cap(raw)); more > 2<<20 {
		t.Errorf("beside %d bytes of text the description keeps %d bytes", len(raw), more)
	}
	runtime.KeepAlive(r)
}

// described is a Router with all operations.
func described(t *testing.T) *api.Router {
	t.Helper()
	d, err := db.Connect(t.Context(), db.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	a, err := unserved(d, "http://hostler.example.com")
	if err != nil {
		t.Fatal(err)
	}
	return a.Router
}
