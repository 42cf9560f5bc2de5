package agent

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A dump of JSON or a progress bar leaves one line of many megabytes: what is around it is read as quickly as without it.
func TestLogWithALineOfManyMegabytes(t *testing.T) {
	t.Parallel()
	for _, megabytes := range []int{1, 8, 32, 63, 64, 100} {
		t.Run(fmt.Sprintf("%d MB", megabytes), func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			const path = "/var/log/app.log"
			long := bytes.Repeat([]byte("0123456789abcdef"), megabytes<<16)
			copy(long[len(long)/3:], "Needle")
			b.write(path, "first\n"+string(long)+"\nlast\n")
			files := &wire.LogFiles{Paths: []string{path}}

			began := time.Now()
			page := b.logPage(wire.LogQuery{Files: files, Lines: 100})
			if took := time.Since(began); took > 15*time.Second { // 15 s for 16 MB, when it was quadratic
				t.Errorf("reading took %s", took)
			}
			got := string(page.Content)
			if !strings.HasSuffix(got, "89abcdef\nlast\n") || len(got) > wire.MaxLog {
				t.Errorf("%d bytes were read, ending %q", len(got), got[max(0, len(got)-40):])
			}
			if whole := megabytes < 80; whole != (strings.HasPrefix(got, "first\n0123") && strings.Contains(got, " bytes of this line are not shown] ") && !page.More) {
				t.Errorf("the line and what is before it are not shown: %q, more %t", got[:min(len(got), 40)], page.More)
			}
			for before := page.Start; page.More; before = page.Start { // the way back ends
				if page = b.logPage(wire.LogQuery{Files: files, Lines: 100, Before: before}); page.Start >= before {
					t.Fatalf("before %d the page begins at %d", before, page.Start)
				}
				got = string(page.Content) + got
			}
			if !strings.HasPrefix(got, "first\n") {
				t.Errorf("the log begins %q", got[:min(len(got), 40)])
			}
			if megabytes == 32 {
				for search, found := range map[string]bool{"needle": true, "f0123456789": true, "nowhere": false} {
					page := b.logPage(wire.LogQuery{Files: files, Lines: 100, Search: search})
					if got := len(page.Content) > 0; got != found {
						t.Errorf("%s is found: %t", search, got)
					}
				}
			}

			at := wire.LogPage{}
			for range 2000 { // followed from its beginning
				if at = b.logPage(wire.LogQuery{Files: files, Follow: true, After: at.End, File: at.File}); bytes.HasSuffix(at.Content, []byte("last\n")) {
					break
				}
			}
			if !bytes.HasSuffix(at.Content, []byte("last\n")) {
				t.Errorf("followed to %q", at.Content[max(0, len(at.Content)-20):])
			}
		})
	}
}

func TestLogWithTenMillionLines(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const path = "/var/log/app.log"
	b.write(path, strings.Repeat("x\n", 10_000_000)+"last\n")
	files := &wire.LogFiles{Paths: []string{path}}
	began := time.Now()
	wantContent(t, b.logPage(wire.LogQuery{Files: files, Lines: 2}), "x\nlast\n")
	if page := b.logPage(wire.LogQuery{Files: files, Lines: 10, Search: "Nothing"}); len(page.Content) > 0 || page.More {
		t.Errorf("found %q, more %t", page.Content, page.More)
	}
	if took := time.Since(began); took > 60*time.Second {
		t.Errorf("reading took %s", took)
	}
}

// A log without lines, and one that grows by a byte at a time.
func TestLogThatGrowsByTheByte(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const path = "/var/log/app.log"
	b.write(path, "")
	files := &wire.LogFiles{Paths: []string{path}}
	wantContent(t, b.logPage(wire.LogQuery{Files: files, Lines: 10}), "")
	f, err := os.OpenFile(b.path(path), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var at wire.LogPage
	var got string
	for _, c := range "ab\n\ncd" {
		if _, err := f.WriteString(string(c)); err != nil {
			t.Fatal(err)
		}
		at = b.logPage(wire.LogQuery{Files: files, Follow: true, After: at.End, File: at.File})
		got += string(at.Content)
	}
	if got != "ab\n\n" {
		t.Errorf("followed %q", got)
	}
	wantContent(t, b.logPage(wire.LogQuery{Files: files, Lines: 10}), "ab\n\ncd")
}
