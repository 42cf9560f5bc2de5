package agent

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// numbered returns a log of lines "line 1" to "line n".
func numbered(from, to int) string {
	var s strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&s, "line %d\n", i)
	}
	return s.String()
}

func (b *bed) logPage(q wire.LogQuery) wire.LogPage {
	b.t.Helper()
	page, err := b.a.Log(b.t.Context(), q)
	if err != nil {
		b.t.Fatal(err)
	}
	return page
}

func (b *bed) own(p string, uid int) { b.t.Helper(); b.check(os.Chown(b.path(p), uid, uid)) }

func wantContent(t *testing.T, page wire.LogPage, want string) {
	t.Helper()
	if string(page.Content) != want {
		t.Errorf("read %q, want %q", page.Content, want)
	}
}

// TestLogPages reads the end of a log, the pages before it, and what comes after it.
func TestLogPages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const path = "/var/log/app.log"
	all := numbered(1, 30_000) // several blocks
	b.write(path, all)
	files := &wire.LogFiles{Paths: []string{path}}

	page := b.logPage(wire.LogQuery{Files: files, Lines: 3})
	wantContent(t, page, numbered(29_998, 30_000))
	if !page.More || page.Path != path || page.End != int64(len(all)) {
		t.Errorf("the page is %+v", page)
	}
	wantContent(t, b.logPage(wire.LogQuery{Files: files, Lines: 2, Before: page.Start}), numbered(29_996, 29_997))

	var back []string // all of it, page by page
	for before := int64(len(all)); before > 0; {
		p := b.logPage(wire.LogQuery{Files: files, Lines: 4999, Before: before})
		back = append(back, string(p.Content))
		if p.More == (p.Start == 0) || p.Start >= before {
			t.Fatalf("before %d the page is from %d, more %t", before, p.Start, p.More)
		}
		before = p.Start
	}
	var whole string
	for _, part := range back {
		whole = part + whole
	}
	if whole != all {
		t.Errorf("the pages are not the log: %d bytes of %d", len(whole), len(all))
	}

	found := b.logPage(wire.LogQuery{Files: files, Lines: 11, Search: "LINE 2999"})
	wantContent(t, found, "line 2999\n"+numbered(29_990, 29_999))
	if found := b.logPage(wire.LogQuery{Files: files, Lines: 10, Search: "line 7\n"}); len(found.Content) > 0 &&
		!strings.Contains(string(found.Content), "line 7\n") {
		t.Errorf("found %q", found.Content)
	}
	wantContent(t, b.logPage(wire.LogQuery{Files: &wire.LogFiles{Paths: []string{"/var/log/none.log"}}, Lines: 10}), "")
}

// TestLogFollowed checks that additions are returned once, in whole lines, and that a log that was emptied or replaced starts over.
func TestLogFollowed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const path = "/var/log/app.log"
	b.write(path, "one\n")
	files := &wire.LogFiles{Paths: []string{path}}
	at := b.logPage(wire.LogQuery{Files: files, Lines: 10})
	next := func(want string) {
		t.Helper()
		at = b.logPage(wire.LogQuery{Files: files, Follow: true, After: at.End, File: at.File})
		wantContent(t, at, want)
	}
	next("")
	b.write(path, "one\ntwo\nthr")
	next("two\n")
	b.write(path, "one\ntwo\nthree\n")
	next("three\n")
	if res, _ := b.run(changeRun("empty", wire.Step{Name: "empty", Clear: files})); res.State != wire.StateSucceeded || !res.Changed {
		t.Fatalf("emptying: %+v", res)
	}
	b.wantFile(path, "")
	next("")
	b.write(path, "four\n")
	next("four\n")
	b.write("/var/log/other", "five\n")
	b.check(os.Rename(b.path("/var/log/other"), b.path(path)))
	next("five\n")
}

// TestNewestLog checks that the most recently changed file of a pattern is read, and emptied.
func TestNewestLog(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/home/me/site/storage/logs/app-1.log", "old\n")
	b.write("/home/me/site/storage/logs/app-2.log", "new\n")
	b.write("/home/me/site/storage/logs/other.txt", "another\n")
	b.check(os.Chtimes(b.path("/home/me/site/storage/logs/app-1.log"), time.Time{}, time.Now().Add(-time.Hour)))
	b.check(os.Symlink("storage", b.path("/home/me/site/current"))) // a link of theirs that stays below
	for _, dir := range []string{"/home/me/site/storage/logs", "/home/me/site/current/logs"} {
		files := &wire.LogFiles{Paths: []string{dir + "/none-*.log", dir + "/*.log"}, Below: "/home/me/site", Owner: "me"}
		wantContent(t, b.logPage(wire.LogQuery{Files: files, Lines: 10}), "new\n")
	}
	res, _ := b.run(changeRun("empty", wire.Step{
		Name:  "empty",
		Clear: &wire.LogFiles{Paths: []string{"/home/me/site/storage/logs/*.log"}, Below: "/home/me/site", Owner: "me"},
	}))
	if res.State != wire.StateSucceeded {
		t.Fatalf("emptying: %+v", res)
	}
	b.wantFile("/home/me/site/storage/logs/app-2.log", "")
	b.wantFile("/home/me/site/storage/logs/app-1.log", "old\n")
}

// TestLogsOfOthers checks that a log of an account never shows, and never empties, what is not that account's own.
func TestLogsOfOthers(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("makes files of another account")
	}
	const site, logs = 4001, "/home/web/site/storage/logs"
	for name, setup := range map[string]func(b *bed){
		"the file is a link": func(b *bed) { b.link("/etc/victim", logs+"/app.log", site) },
		"an absolute link":   func(b *bed) { b.link(b.root+"/etc/victim", logs+"/app.log", site) },
		"a hard link":        func(b *bed) { b.check(os.Link(b.path("/etc/victim"), b.path(logs+"/app.log"))) },
		"a hard link to their own": func(b *bed) {
			b.write("/home/web/x", "secret")
			b.own("/home/web/x", site)
			b.check(os.Link(b.path("/home/web/x"), b.path(logs+"/app.log")))
		},
		"a file of root's": func(b *bed) { b.write(logs+"/app.log", "secret") },
		"a FIFO":           func(b *bed) { b.check(mkfifo(b.path(logs + "/app.log"))) },
		"a directory":      func(b *bed) { b.mkdir(logs + "/app.log") },
		"the directory is a link out": func(b *bed) {
			b.check(os.Remove(b.path(logs)))
			b.link("../../../../etc", logs, site)
			b.write("/etc/app.log", "secret")
		},
		"one above is a link out": func(b *bed) {
			b.check(os.RemoveAll(b.path("/home/web/site/storage")))
			b.link(b.root+"/etc", "/home/web/site/storage", site)
			b.write("/etc/logs/app.log", "secret")
		},
		"the site's directory is one": func(b *bed) {
			b.check(os.RemoveAll(b.path("/home/web/site")))
			b.link("/other", "/home/web/site", site)
			b.write("/other/storage/logs/app.log", "secret")
			b.own("/other/storage/logs/app.log", site)
		},
		"the link names a proc handle": func(b *bed) { b.link("/proc/self/root/etc/victim", logs+"/app.log", site) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write("/etc/victim", "secret")
			b.mkdir(logs)
			for _, d := range []string{"/home/web", "/home/web/site", "/home/web/site/storage", logs} {
				b.own(d, site)
			}
			setup(b)
			before := b.tree()
			for i, pattern := range []string{"/app.log", "/*.log"} {
				files := &wire.LogFiles{Paths: []string{logs + pattern}, Below: "/home/web/site", Owner: "web"}
				page, err := b.a.Log(t.Context(), wire.LogQuery{Files: files, Lines: 10})
				if strings.Contains(string(page.Content), "secret") {
					t.Errorf("%s shows %q (%v)", pattern, page.Content, err)
				}
				_, _ = b.run(changeRun(fmt.Sprintf("empty-%d", i), wire.Step{Name: "empty", Clear: files}))
				if file, err := b.a.read(wire.ReadQuery{Path: logs + "/app.log", Below: "/home/web/site", Owner: "web", Limit: 1000}); err != nil || file.Found {
					t.Errorf("reads %q, %v", file.Content, err)
				}
				b.wantFile("/etc/victim", "secret")
			}
			b.wantTree(before)
		})
	}
}
