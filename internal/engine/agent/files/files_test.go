package files_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/files"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// bed is a site's directory, with a directory of another site beside it.
type bed struct {
	t           *testing.T
	home, below string
}

func newBed(t *testing.T) bed {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := bed{t, home, filepath.Join(home, "shop")}
	b.mkdir("../other")
	b.write("../other/secret", "theirs")
	b.mkdir("")
	return b
}

func (b bed) at(p string) string { return filepath.Join(b.below, p) }

func (b bed) mkdir(p string) {
	b.t.Helper()
	if err := os.MkdirAll(b.at(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

func (b bed) write(p, content string) {
	b.t.Helper()
	if err := os.WriteFile(b.at(p), []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b bed) link(target, p string) {
	b.t.Helper()
	if err := os.Symlink(target, b.at(p)); err != nil {
		b.t.Fatal(err)
	}
}

func (b bed) do(q wire.FileQuery) wire.FileReply { return files.Do(b.below, passwd.Files{}, q) }

// must does what must succeed.
func (b bed) must(q wire.FileQuery) wire.FileReply {
	b.t.Helper()
	out := b.do(q)
	if out.Problem != "" {
		b.t.Fatalf("%s %q: %s: %s", q.Act, q.Path, out.Problem, out.Message)
	}
	return out
}

func (b bed) wantProblem(q wire.FileQuery, want string) wire.FileReply {
	b.t.Helper()
	out := b.do(q)
	if out.Problem != want {
		b.t.Errorf("%s %q: %q (%s), want %q", q.Act, q.Path, out.Problem, out.Message, want)
	}
	return out
}

func (b bed) wantFile(p, want string) {
	b.t.Helper()
	have, err := os.ReadFile(b.at(p))
	if err != nil || string(have) != want {
		b.t.Errorf("%s is %q (%v), want %q", p, have, err, want)
	}
}

func (b bed) wantNames(dir string, want ...string) {
	b.t.Helper()
	have := []string{}
	entries, err := os.ReadDir(b.at(dir))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if diff := cmp.Diff(append([]string{}, want...), have); diff != "" {
		b.t.Errorf("names in %q (-want +have):\n%s", dir, diff)
	}
}

func list(path string) wire.FileQuery {
	return wire.FileQuery{Act: wire.FileList, Path: []byte(path), Limit: wire.MaxFilePage}
}
func stat(path string) wire.FileQuery {
	return wire.FileQuery{Act: wire.FileStat, Path: []byte(path)}
}

func write(path, content, revision string) wire.FileQuery {
	return wire.FileQuery{Act: wire.FileWrite, Path: []byte(path), Data: []byte(content), Revision: revision}
}

// Any name that Linux has is listed, read, written, renamed and removed. (fman #365, node-file-manager #18 and cyberpanel #83 had names that could be seen
// and not opened.)
func TestNames(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	names := []string{
		"-rf", " leading", "trailing ", "a%62c.txt", "what? #1+2&3.txt", `back\slash`, "new\nline", "caf\xe9", "\u202egpj.exe", `"quoted"`,
		"$(id)", strings.Repeat("n", 255),
		"日本語.txt", ".hidden", "~", "*",
	}
	for _, name := range names {
		b.must(write(name, "content of "+strings.ToValidUTF8(name[:1], "?"), ""))
		read := b.must(stat(name))
		if string(read.Content) != "content of "+strings.ToValidUTF8(name[:1], "?") || !read.Text {
			t.Errorf("%q has %q", name, read.Content)
		}
		b.must(write(name, "changed", read.Revision))
		b.wantFile(name, "changed")
	}
	var have []string
	for _, e := range b.must(list("")).Entries {
		have = append(have, string(e.Name))
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, have); diff != "" {
		t.Error(diff)
	}
	b.mkdir("to")
	for _, name := range names {
		b.must(wire.FileQuery{Act: wire.FileMove, Path: []byte(name), To: []byte("to/" + name)})
	}
	if out := b.must(wire.FileQuery{Act: wire.FileCount, Path: []byte("to")}); out.Count != int64(len(names))+1 {
		t.Errorf("%d entries", out.Count)
	}
	b.must(wire.FileQuery{Act: wire.FileRemove, Path: []byte("to"), Count: int64(len(names)) + 1})
	b.wantNames("")
	b.wantProblem(write(strings.Repeat("n", 256), "", ""), wire.FileWrong)
}

// A file keeps its mode, its attributes and its links, and its content is what was sent: no line ending, mark or byte is changed.
// (cyberpanel #514, cockpit-navigator #29, wfm #54)
func TestWriteKeeps(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"crlf": "a\r\nb\r\n", "mixed": "a\r\nb\nc\rd", "mark": "\ufeff<?php", "empty": "", "no end": "a", "latin": "caf\xe9",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write("file", "old")
			if err := os.Chmod(b.at("file"), 0o440); err != nil {
				t.Fatal(err)
			}
			tagged := unix.Setxattr(b.at("file"), "user.tag", []byte("kept"), 0) == nil
			b.link("file", "link")
			read := b.must(stat("link"))
			if out := b.must(write("link", content, read.Revision)); out.InPlace || string(out.Path) != "file" {
				t.Errorf("in place %v, at %q", out.InPlace, out.Path)
			}
			b.wantFile("file", content)
			st, err := os.Lstat(b.at("file"))
			if err != nil || st.Mode() != 0o440 {
				t.Errorf("mode %v, %v", st.Mode(), err)
			}
			if to, err := os.Readlink(b.at("link")); to != "file" {
				t.Errorf("the link is %q, %v", to, err)
			}
			tag := make([]byte, 10)
			if n, _ := unix.Getxattr(b.at("file"), "user.tag", tag); tagged && string(tag[:n]) != "kept" {
				t.Errorf("the attribute is %q", tag[:n])
			}
			if again := b.must(stat("file")); string(again.Content) != content && again.Text {
				t.Errorf("read as %q", again.Content)
			}
			b.wantNames("", "file", "link")
		})
	}
}

// A file with several names is written over, so that all of them have the new content.
func TestWriteHardLink(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("a", "a long old content")
	if err := os.Link(b.at("a"), b.at("b")); err != nil {
		t.Fatal(err)
	}
	if out := b.must(write("a", "new", b.must(stat("a")).Revision)); !out.InPlace {
		t.Error("it was replaced")
	}
	b.wantFile("b", "new")
	b.wantProblem(wire.FileQuery{Act: wire.FileBegin, Path: []byte("a"), Replace: true}, wire.FileWrong)
}

// A change is refused if the file is not what its writer saw.
func TestWriteChanged(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("file", "one")
	seen := b.must(stat("file")).Revision
	b.write("file", "two")
	b.wantProblem(write("file", "mine", seen), wire.FileChanged)
	b.wantProblem(write("file", "mine", ""), wire.FileExists)
	b.wantFile("file", "two")
	if err := os.Remove(b.at("file")); err != nil {
		t.Fatal(err)
	}
	b.wantProblem(write("file", "mine", seen), wire.FileChanged)
	b.wantProblem(write("gone/file", "mine", ""), wire.FileMissing)
	b.must(write("file", "mine", ""))
	b.must(write("file", "mine", "")) // delivered twice
	b.wantNames("", "file")
}

// Links lead no further than the site's directory, whatever is done with them. (GHSA-239w-m3h6-ch8v, GHSA-8wc8-hf36-mjh9, GHSA-fmm7-x4gx-8jhr)
func TestLinksOut(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.link("../other", "dir")
	b.link("../other/secret", "file")
	b.link("../other/new", "dangling")
	b.link("/etc/passwd", "absolute")
	b.link(b.below+"-evil/x", "prefix")
	b.link(b.below+"/../other/secret", "through")
	b.link("/proc/self/root/etc/passwd", "magic")
	b.link("loop", "loop")
	b.mkdir("sub")
	b.link("../../other/secret", "sub/deep")
	for _, path := range []string{
		"..", "../other/secret", "sub/../../other/secret", "dir", "dir/secret", "file", "dangling", "absolute", "prefix", "through", "magic", "sub/deep",
	} {
		b.wantProblem(stat(path), wire.FileOutside)
		b.wantProblem(write(path, "mine", ""), wire.FileOutside)
		b.wantProblem(wire.FileQuery{Act: wire.FileRead, Path: []byte(path), Size: 10}, wire.FileOutside)
		b.wantProblem(wire.FileQuery{Act: wire.FileBegin, Path: []byte(path), Replace: true}, wire.FileOutside)
		b.wantProblem(list(path), wire.FileOutside)
	}
	b.wantProblem(stat("loop"), wire.FileWrong)
	b.wantProblem(wire.FileQuery{Act: wire.FileMake, Path: []byte("dir/made")}, wire.FileOutside)
	b.wantProblem(wire.FileQuery{Act: wire.FileMove, Path: []byte("sub"), To: []byte("dir/sub")}, wire.FileOutside)
	b.wantProblem(wire.FileQuery{Act: wire.FileMove, Path: []byte("dir/secret"), To: []byte("mine")}, wire.FileOutside)
	b.wantProblem(wire.FileQuery{Act: wire.FileRemove, Path: []byte("dir/secret"), Count: 1}, wire.FileOutside)
	// A link itself can be renamed and removed, alone or with its directory.
	b.must(wire.FileQuery{Act: wire.FileMove, Path: []byte("dir"), To: []byte("sub/dir")})
	if n := b.must(wire.FileQuery{Act: wire.FileCount, Path: []byte("sub")}).Count; n != 3 {
		t.Errorf("%d entries", n)
	}
	b.must(wire.FileQuery{Act: wire.FileRemove, Path: []byte("sub"), Count: 3})
	b.wantNames("../other", "secret")
	leads := map[string]string{}
	for _, e := range b.must(list("")).Entries { // links out are shown (filebrowser #5998)
		leads[string(e.Name)] = e.Leads
	}
	want := map[string]string{
		"file": "outside", "dangling": "outside", "absolute": "outside", "prefix": "outside", "through": "outside", "magic": "outside", "loop": "missing",
	}
	if diff := cmp.Diff(want, leads); diff != "" {
		t.Error(diff)
	}
}

// Links inside of the directory are followed, also absolute ones, and shown as what they lead to. (filebrowser #416)
func TestLinksInside(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.mkdir("releases/1/public")
	b.mkdir("storage/app")
	b.write("releases/1/public/index.php", "<?php")
	b.link("releases/1", "current")
	b.link(b.at("storage/app"), "releases/1/public/storage")
	if out := b.must(stat("current/public/index.php")); string(out.Path) != "releases/1/public/index.php" {
		t.Errorf("at %q", out.Path)
	}
	b.must(write("current/public/storage/new", "x", ""))
	b.wantFile("storage/app/new", "x")
	out := b.must(list("current/public/storage/.."))
	if string(out.Path) != "storage" || len(out.Entries) != 1 {
		t.Errorf("%q has %d entries", out.Path, len(out.Entries))
	}
	if e := b.must(list("")).Entries[2]; string(e.Name) != "current" || e.Leads != wire.FileKindDirectory || string(e.Target) != "releases/1" {
		t.Errorf("current is %+v", e)
	}
}

// What is not a file is neither opened nor waited for.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if err := syscall.Mkfifo(b.at("pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := os.Chdir(b.below); err != nil { // the path of a socket is short
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "socket"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "socket"} {
		if out := b.must(stat(name)); out.File.Kind != wire.FileKindOther || out.Revision != "" {
			t.Errorf("%s is %+v", name, out.File)
		}
		b.wantProblem(wire.FileQuery{Act: wire.FileRead, Path: []byte(name), Size: 1}, wire.FileWrong)
		b.wantProblem(write(name, "x", "y"), wire.FileWrong)
		b.wantProblem(wire.FileQuery{Act: wire.FileBegin, Path: []byte(name), Replace: true}, wire.FileWrong)
		b.must(wire.FileQuery{Act: wire.FileRemove, Path: []byte(name), Count: 1})
	}
	b.mkdir("dir")
	b.wantProblem(write("dir", "x", "y"), wire.FileWrong)
	b.wantProblem(list("dir/missing"), wire.FileMissing)
	b.write("file", "")
	b.wantProblem(list("file"), wire.FileWrong)
	b.wantProblem(stat("file/below"), wire.FileMissing)
	b.wantProblem(wire.FileQuery{Act: wire.FileMake, Path: []byte("file")}, wire.FileExists)
	b.wantProblem(wire.FileQuery{Act: wire.FileMove, Path: []byte("dir"), To: []byte("dir/in")}, wire.FileWrong)
	b.wantProblem(wire.FileQuery{Act: wire.FileMove, Path: []byte("dir"), To: []byte("file")}, wire.FileExists)
	b.wantProblem(wire.FileQuery{Act: wire.FileRemove, Path: []byte(""), Count: 4}, wire.FileWrong)
	b.wantProblem(wire.FileQuery{Act: wire.FileRemove, Path: []byte("dir/.."), Count: 4}, wire.FileWrong)
}

// A directory with many names is shown in pages, of which each has what follows the last one, also while names come and go.
func TestPages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const many = 1200
	want := make([]string, 0, many)
	for i := range many {
		name := fmt.Sprintf("f%05d", i)
		b.write(name, "")
		want = append(want, name)
	}
	b.mkdir("z")
	want = append([]string{"z"}, want...)
	var have []string
	for after, pages := []byte(nil), 0; pages == 0 || after != nil; pages++ {
		out := b.must(wire.FileQuery{Act: wire.FileList, After: after, Limit: 500})
		for _, e := range out.Entries {
			have = append(have, string(e.Name))
		}
		if pages == 0 && out.Count != many+1 {
			t.Errorf("%d entries", out.Count)
		}
		if pages == 1 { // what the cursor names is gone
			if err := os.Remove(b.at(have[len(have)-1])); err != nil {
				t.Fatal(err)
			}
		}
		after = out.Next
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("binary", "a\x00b")
	b.write("latin", "caf\xe9")
	b.write("most", strings.Repeat("x", wire.MaxText))
	b.write("large", strings.Repeat("x", wire.MaxText+1))
	for name, want := range map[string]bool{"binary": false, "latin": false, "most": true, "large": false} {
		if out := b.must(stat(name)); out.Text != want || (len(out.Content) > 0) != want {
			t.Errorf("%s: text %v with %d bytes", name, out.Text, len(out.Content))
		}
	}
	out := b.must(wire.FileQuery{Act: wire.FileRead, Path: []byte("large"), Offset: wire.MaxText - 1, Size: wire.MaxPiece})
	if string(out.Content) != "xx" {
		t.Errorf("the end is %q", out.Content)
	}
	if err := os.Rename(b.at("most"), b.at("large")); err != nil {
		t.Fatal(err)
	}
	b.wantProblem(wire.FileQuery{Act: wire.FileRead, Path: []byte("large"), Size: 1, Same: out.Same}, wire.FileChanged)
}

// An upload is there whole or not at all, and an unfinished one is removed in the end. (nextcloud/server #12792)
func TestUpload(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	path := []byte("data.bin")
	send := func(path []byte, replace bool, pieces ...string) wire.FileQuery {
		q := wire.FileQuery{Path: path, Replace: replace, Act: wire.FileBegin, Size: -1}
		q.Upload = b.must(q).Upload
		q.Act, q.Size = wire.FileAppend, 0
		for _, p := range pieces {
			q.Data = []byte(p)
			b.must(q)
			b.must(q) // delivered twice
			q.Offset += int64(len(p))
		}
		q.Act, q.Size, q.Data = wire.FileCommit, q.Offset, nil
		return q
	}
	q := send(path, false, "one", "two")
	short := q
	short.Size++
	b.wantProblem(short, wire.FileChanged)
	b.must(q)
	b.wantFile("data.bin", "onetwo")
	if st, err := os.Stat(b.at("data.bin")); err != nil || st.Mode() != 0o644 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	b.wantProblem(wire.FileQuery{Act: wire.FileBegin, Path: path}, wire.FileExists)
	if err := os.Chmod(b.at("data.bin"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.must(send(path, true, "three"))
	b.wantFile("data.bin", "three")
	if st, err := os.Stat(b.at("data.bin")); err != nil || st.Mode() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	taken := send([]byte("taken"), false, "x")
	b.write("taken", "theirs")
	b.wantProblem(taken, wire.FileExists)
	taken.Act = wire.FileAbort
	b.must(taken)
	b.must(send([]byte("empty"), false))
	b.wantFile("empty", "")

	left := send([]byte("left"), false, "x")
	old := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(b.at(left.Upload), old, old); err != nil {
		t.Fatal(err)
	}
	b.must(send([]byte("last"), false, "y"))
	b.wantNames("", "data.bin", "empty", "last", "taken")
	b.wantProblem(left, wire.FileChanged)
}

// The name of an upload names nothing else.
func TestUploadNames(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("mine", "mine")
	for _, name := range []string{"", "mine", "../other/secret", ".hostler-upload-", ".hostler-upload-../AAAAAAAAAAAAAAAAAAAAAAA"} {
		for _, act := range []wire.FileAct{wire.FileAppend, wire.FileCommit, wire.FileAbort} {
			b.wantProblem(wire.FileQuery{Act: act, Path: []byte("x"), Upload: name, Data: []byte("y")}, wire.FileFailed)
		}
	}
	link := ".hostler-upload-" + strings.Repeat("A", 26)
	b.link("../other/secret", link)
	b.wantProblem(wire.FileQuery{Act: wire.FileAppend, Path: []byte("x"), Upload: link, Data: []byte("y")}, wire.FileChanged)
	b.wantFile("../other/secret", "theirs")
}

func TestRemove(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.mkdir("dir/sub")
	b.write("dir/a", "123")
	b.link("../../other", "dir/sub/link")
	out := b.must(wire.FileQuery{Act: wire.FileCount, Path: []byte("dir")})
	if out.Count != 4 || out.Bytes != 3 {
		t.Errorf("%d entries, %d bytes", out.Count, out.Bytes)
	}
	b.write("dir/b", "45")
	if out := b.wantProblem(wire.FileQuery{Act: wire.FileRemove, Path: []byte("dir"), Count: 4}, wire.FileChanged); out.Count != 5 || out.Bytes != 5 {
		t.Errorf("%d entries, %d bytes", out.Count, out.Bytes)
	}
	b.wantProblem(wire.FileQuery{Act: wire.FileRemove, Path: []byte("dir")}, wire.FileChanged)
	b.must(wire.FileQuery{Act: wire.FileRemove, Path: []byte("dir"), Count: 5})
	b.wantNames("")
	b.wantNames("../other", "secret")
	deep := "deep" + strings.Repeat("/d", 600)
	b.mkdir(deep)
	b.wantProblem(wire.FileQuery{Act: wire.FileCount, Path: []byte("deep")}, wire.FileFailed)
}

// A directory that is replaced by a link out of the site, and back, never lets anything out, and nothing outside is changed.
func TestSwap(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.mkdir("dir")
	b.write("dir/secret", "mine")
	b.write("../other/large", strings.Repeat("theirs", 100))
	b.link("../other", "out")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, b.at("dir"), unix.AT_FDCWD, b.at("out"), unix.RENAME_EXCHANGE)
			}
		}
	})
	for range 300 {
		out := b.do(stat("dir/secret"))
		if out.Problem == "" && string(out.Content) == "theirs" {
			t.Error("a secret was read")
		}
		b.do(write("dir/new", "x", ""))
		b.do(write("dir/secret", "mine", out.Revision))
		b.do(wire.FileQuery{Act: wire.FileRemove, Path: []byte("dir/new"), Count: 1})
		b.do(wire.FileQuery{Act: wire.FileRemove, Path: []byte("dir/large"), Count: 1})
		if out := b.do(list("dir")); bytes.Contains(fmt.Append(nil, out.Entries), []byte("large")) {
			t.Error("names outside were listed")
		}
	}
	close(stop)
	wg.Wait()
	b.wantNames("../other", "large", "secret")
	b.wantFile("../other/secret", "theirs")
}

// The site's directory itself is no link.
func TestBase(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if err := os.Remove(b.below); err != nil {
		t.Fatal(err)
	}
	b.wantProblem(list(""), wire.FileMissing)
	b.link("other", "")
	b.wantProblem(list(""), wire.FileOutside)
}
