package agent

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const webUID, neighbourUID = 4001, 4003

// newSiteBed is a bed with a site of the account web, root's files, and a neighbour's.
func newSiteBed(t *testing.T) *bed {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("gives files to another account")
	}
	b := newBed(t)
	b.write("/etc/shadow", "root:secret\n")
	b.write("/root/secret", "roots\n")
	b.write("/home/bob/.env", "bobs\n")
	b.write("/srv/site/kept", "kept\n")
	b.mkdir("/srv/site/up")
	for p, c := range map[string]struct {
		owner int
		mode  os.FileMode
	}{
		"": {0, 0o755}, "/etc/shadow": {0, 0o640}, "/root": {0, 0o700}, "/home/bob": {neighbourUID, 0o710}, "/home/bob/.env": {neighbourUID, 0o644},
		"/srv/site": {webUID, 0o755}, "/srv/site/kept": {webUID, 0o644}, "/srv/site/up": {webUID, 0o755},
	} {
		mustDo(b, os.Chown(b.path(p), c.owner, c.owner))
		mustDo(b, os.Chmod(b.path(p), c.mode))
	}
	return b
}

// outside is everything that does not belong to the site.
func (b *bed) outside() (all []string) {
	b.t.Helper()
	for _, dir := range []string{"/etc", "/root", "/home", "/usr", "/srv"} {
		mustDo(b, filepath.WalkDir(b.path(dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == b.path("/srv/site") {
				return filepath.SkipDir
			}
			info, err := os.Lstat(path)
			if err != nil {
				return err
			}
			is := info.Sys().(*syscall.Stat_t)
			line := fmt.Sprintf("%s %v %d %d %d", strings.TrimPrefix(path, b.root), info.Mode(), is.Uid, is.Gid, is.Nlink)
			if info.Mode().IsRegular() {
				content, _ := os.ReadFile(path)
				line += fmt.Sprintf(" %x", sha256.Sum256(content))
			}
			all = append(all, line)
			return nil
		}))
	}
	return all
}

// unpack restores an archive into the site.
func (b *bed) unpack(archive string, within time.Duration) wire.Result {
	b.t.Helper()
	run := restoring(b.t, "r"+randomHex(4), archive)
	run.Deadline = time.Now().Add(within)
	run.Restore.Store, run.Restore.Over, run.Restore.Scratch = wire.Store{Engine: wire.EngineFiles, User: "web", Dir: "/srv/site", Paths: []string{"."}}, false, ""
	res, _ := b.run(run)
	return res
}

func member(kind byte, name, link string) tar.Header {
	return tar.Header{Typeflag: kind, Name: name, Linkname: link, Mode: 0o644}
}

// archived is a tar archive; contents are "taken".
func archived(t *testing.T, entries ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		if h.Typeflag == tar.TypeReg {
			h.Size = 6
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatalf("%q: %v", h.Name, err)
		}
		if h.Typeflag == tar.TypeReg {
			_, _ = w.Write([]byte("taken\n"))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever an archive names, restoring it does what the site's account could do anyway.
func TestArchiveLeadsOutOfTheSite(t *testing.T) {
	t.Parallel()
	reg, link, hard := byte(tar.TypeReg), byte(tar.TypeSymlink), byte(tar.TypeLink)
	for name, entries := range map[string]func(b *bed) []tar.Header{
		"climbs": func(*bed) []tar.Header {
			return []tar.Header{member(reg, "../../etc/cron", ""), member(reg, "up/../../../root/x", ""), member(reg, "..", "")}
		},
		"absolute": func(b *bed) []tar.Header {
			return []tar.Header{member(reg, b.path("/etc/cron"), ""), member(reg, "//etc/passwd", "")}
		},
		"through a link": func(b *bed) []tar.Header {
			return []tar.Header{member(link, "l", b.path("/root")), member(reg, "l/x", ""), member(reg, "l/secret", "")}
		},
		"through climbing": func(*bed) []tar.Header {
			return []tar.Header{member(link, "l", "../../home/bob"), member(reg, "l/.env", "")}
		},
		"through two links": func(*bed) []tar.Header {
			return []tar.Header{member(link, "a", ".."), member(link, "b", "a/../etc"), member(reg, "b/shadow", "")}
		},
		"a link for a directory": func(b *bed) []tar.Header {
			return []tar.Header{member(link, "up", b.path("/home/bob")), member(reg, "up/.env", ""), member(tar.TypeDir, "up/", "")}
		},
		"a link for itself": func(b *bed) []tar.Header {
			return []tar.Header{member(link, ".", b.path("/root")), member(reg, "x", "")}
		},
		"a link over a file": func(b *bed) []tar.Header {
			return []tar.Header{member(link, "kept", b.path("/etc/shadow")), member(reg, "kept", "")}
		},
		"a hard link to shadow": func(b *bed) []tar.Header {
			return []tar.Header{member(hard, "h", b.path("/etc/shadow")), member(reg, "h", "")}
		},
		"a hard link that climbs": func(*bed) []tar.Header {
			return []tar.Header{member(hard, "h", "../../etc/shadow"), member(reg, "h", "")}
		},
		"a hard link to .env": func(*bed) []tar.Header { return []tar.Header{member(hard, "h", "../../home/bob/.env")} },
		"a hard link over a link": func(b *bed) []tar.Header {
			return []tar.Header{member(link, "l", b.path("/etc/shadow")), member(hard, "h", "l"), member(reg, "h", "")}
		},
		"a hard link and a chmod": func(b *bed) []tar.Header { h := member(hard, "h", "kept"); h.Mode = 0o6777; return []tar.Header{h} },
		"a device": func(*bed) []tar.Header {
			h := member(tar.TypeBlock, "sda", "")
			h.Devmajor = 8
			return []tar.Header{h, {Typeflag: tar.TypeChar, Name: "mem", Mode: 0o666, Devmajor: 1, Devminor: 1}}
		},
		"a pipe": func(*bed) []tar.Header {
			return []tar.Header{member(tar.TypeFifo, "pipe", ""), member(reg, "pipe", "")}
		},
		"a file of root with bits": func(*bed) []tar.Header {
			return []tar.Header{{Typeflag: reg, Name: "sh", Mode: 0o6755, Uname: "root", Gname: "root"}}
		},
		"a file of bob's": func(*bed) []tar.Header {
			return []tar.Header{{Typeflag: reg, Name: "x", Mode: 0o600, Uid: neighbourUID, Gid: neighbourUID, Uname: "bob"}}
		},
		"a directory of root's": func(*bed) []tar.Header {
			return []tar.Header{
				{Typeflag: tar.TypeDir, Name: "up/", Mode: 0o7777},
				{Typeflag: tar.TypeDir, Name: "../", Mode: 0o777},
				{Typeflag: tar.TypeDir, Name: "./", Mode: 0o777},
			}
		},
		"a closed directory": func(*bed) []tar.Header {
			return []tar.Header{{Typeflag: tar.TypeDir, Name: "shut/"}, member(reg, "shut/x", "")}
		},
		"attributes": func(*bed) []tar.Header {
			return []tar.Header{{Typeflag: reg, Name: "x", Mode: 0o755, Format: tar.FormatPAX, PAXRecords: map[string]string{
				"SCHILY.xattr.security.capability": "\x01\x00\x00\x02\xff\xff\xff\xff", "SCHILY.xattr.trusted.x": "x", "SCHILY.acl.access": "user:4003:rwx",
				"RHT.security.selinux": "x",
			}}}
		},
		"a path in a record": func(b *bed) []tar.Header {
			return []tar.Header{{Typeflag: reg, Name: b.path("/etc/") + strings.Repeat("long/", 50) + "x", Mode: 0o644, Format: tar.FormatPAX}}
		},
		"names of other bytes": func(*bed) []tar.Header {
			return []tar.Header{{Typeflag: reg, Name: "a\nb", Mode: 0o644}, {
				Typeflag: reg, Name: "\xff\xfe\x1b[2J", Mode: 0o644,
				Format: tar.FormatGNU,
			}, {Typeflag: reg, Name: "-rf", Mode: 0o644}, {Typeflag: reg, Name: "--checkpoint-action=exec=sh", Mode: 0o644}}
		},
		"a thousand directories": func(*bed) []tar.Header {
			return []tar.Header{member(reg, strings.Repeat("d/", 1000)+"x", ""), member(reg, strings.Repeat("d/", 4000)+"y", "")}
		},
		"a long name": func(*bed) []tar.Header { return []tar.Header{member(reg, strings.Repeat("n", 5000), "")} },
		"twenty thousand files": func(*bed) (all []tar.Header) {
			for i := range 20_000 {
				all = append(all, member(tar.TypeDir, fmt.Sprintf("many/%d/", i), ""))
			}
			return all
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSiteBed(t)
			before := b.outside()
			res := b.unpack(archived(t, entries(b)...), time.Minute)
			t.Logf("%s: %s", res.State, res.Reason)
			if diff := cmp.Diff(before, b.outside()); diff != "" {
				t.Errorf("outside of the site changed:\n%s", diff)
			}
			if strings.ContainsAny(res.Reason, "\n\x1b\xff") {
				t.Errorf("the reason is %q", res.Reason)
			}
			mustDo(b, filepath.WalkDir(b.path("/srv/site"), func(path string, d fs.DirEntry, err error) error {
				if err != nil { // a path that is longer than root can name
					return filepath.SkipDir
				}
				info, err := os.Lstat(path)
				if err != nil {
					return filepath.SkipDir
				}
				if is := info.Sys().(*syscall.Stat_t); is.Uid != webUID || is.Gid != webUID || info.Mode()&fs.ModeDevice != 0 {
					t.Errorf("%s is %v of %d:%d", path, info.Mode(), is.Uid, is.Gid)
				}
				if n, err := syscall.Getxattr(path, "security.capability", nil); err == nil && n > 0 {
					t.Errorf("%s has capabilities", path)
				}
				return nil
			}))
		})
	}
}

// An archive that is none, is cut off, says another size or checksum, or wants another volume fails, and is not waited for.
func TestArchiveIsNoArchive(t *testing.T) {
	t.Parallel()
	good := archived(t, member(tar.TypeReg, "x", ""))
	giant := []byte(good)
	copy(giant[124:136], "\x80\x00\x00\x00\x3f\xff\xff\xff\xff\xff\xff\xff")
	sum := 0
	copy(giant[148:156], "        ")
	for _, c := range giant[:512] {
		sum += int(c)
	}
	copy(giant[148:156], fmt.Sprintf("%06o\x00 ", sum))
	for name, c := range map[string]struct {
		archive string
		fails   bool
	}{
		"text":                  {"this is no archive" + strings.Repeat(".", 2000), true},
		"cut in a file":         {good[:515], true},
		"an exabyte":            {string(giant), true},
		"another checksum":      {good[:148] + "000000\x00 " + good[156:], true},
		"compressed":            {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + strings.Repeat("x", 600), true},
		"a second volume":       {volume(good, 'M'), true},
		"a volume's name":       {volume(good, 'V'), false},
		"a list of a directory": {volume(good, 'D'), false},
		"an unknown kind":       {volume(good, 'Z'), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSiteBed(t)
			before := b.outside()
			began := time.Now()
			res := b.unpack(c.archive, 30*time.Second)
			if failed := res.State == wire.StateFailed; failed != c.fails && (c.fails || res.State != wire.StateSucceeded) {
				t.Errorf("it is %s: %s", res.State, res.Reason)
			}
			if took := time.Since(began); took > 25*time.Second {
				t.Errorf("it took %v", took)
			}
			if diff := cmp.Diff(before, b.outside()); diff != "" {
				t.Errorf("outside of the site changed:\n%s", diff)
			}
			b.wantFile("/srv/site/kept", "kept\n")
		})
	}
}

// volume changes the kind of the first entry.
func volume(archive string, kind byte) string {
	raw := []byte(archive)
	raw[156] = kind
	copy(raw[148:156], "        ")
	sum := 0
	for _, c := range raw[:512] {
		sum += int(c)
	}
	copy(raw[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return string(raw)
}

// The directory of a site is its account's: it can become a link to root's or a neighbour's at any moment of a restore.
func TestSiteIsSwappedDuringARestore(t *testing.T) {
	t.Parallel()
	b := newSiteBed(t)
	before := b.outside()
	var entries []tar.Header
	for i := range 3000 {
		entries = append(entries, member(tar.TypeReg, fmt.Sprintf("up/%d", i), ""), member(tar.TypeReg, "up/.env", ""), member(tar.TypeReg, "up/secret", ""))
	}
	archive := archived(t, entries...)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		up, was := b.path("/srv/site/up"), b.path("/srv/site/was")
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(up, was)
			_ = os.Symlink([]string{b.path("/root"), b.path("/home/bob"), b.path("/etc")}[i%3], up)
			_ = os.Remove(up)
			_ = os.Rename(was, up)
		}
	}()
	for range 3 {
		b.unpack(archive, time.Minute)
	}
	close(stop)
	<-stopped
	if diff := cmp.Diff(before, b.outside()); diff != "" {
		t.Errorf("outside of the site changed:\n%s", diff)
	}
	mustDo(b, os.Rename(b.path("/srv/site"), b.path("/srv/away"))) // and the directory itself
	mustDo(b, os.Symlink(b.path("/root"), b.path("/srv/site")))
	if res := b.unpack(archived(t, member(tar.TypeReg, "secret", "")), time.Minute); res.State != wire.StateFailed {
		t.Errorf("restored into root's directory: %s", res.State)
	}
	b.wantFile("/root/secret", "roots\n")
}

// A file system that is full ends a restore with that reason, and only the archive's files are incomplete.
func TestDiskIsFullDuringARestore(t *testing.T) {
	t.Parallel()
	b := newSiteBed(t)
	if err := syscall.Mount("tmpfs", b.path("/srv/site"), "tmpfs", 0, "size=64k,uid=4001,gid=4001,mode=755"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(b.path("/srv/site"), 0) })
	b.write("/srv/site/kept", "kept\n")
	mustDo(b, os.Chown(b.path("/srv/site/kept"), webUID, webUID))
	var entries []tar.Header
	for i := range 200 {
		entries = append(entries, member(tar.TypeReg, fmt.Sprintf("f%d", i), ""))
	}
	if res := b.unpack(archived(t, entries...), time.Minute); res.State != wire.StateFailed {
		t.Errorf("it is %s", res.State)
	}
	b.wantFile("/srv/site/kept", "kept\n")
}

// An archive may name more than there is room for: holes of any size, segments that overlap or have no end, and entries without number. What a file is called
// to hold is not what it takes, and the restore ends in time.
func TestArchiveClaimsMoreThanThereIs(t *testing.T) {
	t.Parallel()
	const segments, extended, real = 386, 482, 483 // of an old GNU header (tar(5))
	sparse := func(change func(raw []byte)) string {
		raw := []byte(archived(t, member(tar.TypeReg, "holes", "")))
		change(raw)
		return volume(string(raw), 'S')
	}
	number := func(at []byte, n int64) {
		if n < 1<<33 {
			copy(at, fmt.Sprintf("%011o\x00", n))
			return
		}
		at[0] = 0x80
		for i := 11; i > 0; i-- {
			at[i] = byte(n)
			n >>= 8
		}
	}
	hole := func(size int64) string {
		return sparse(func(raw []byte) {
			copy(raw[257:265], "ustar  \x00")
			clear(raw[345:500])
			number(raw[124:136], 0)
			number(raw[segments:], size)
			number(raw[segments+12:], 0)
			number(raw[real:], size)
		})
	}
	many := make([]tar.Header, 60_000)
	for i := range many {
		many[i] = member(tar.TypeReg, "same", "")
	}
	for name, archive := range map[string]string{
		"a hole of a gigabyte": hole(1 << 30), "a hole of eight terabytes": hole(1 << 43), "a hole of an exabyte": hole(1 << 60),
		"a hole of the largest size": hole(1<<63 - 1),
		"overlapping segments": sparse(func(raw []byte) {
			copy(raw[257:265], "ustar  \x00")
			clear(raw[345:500])
			for i := range 4 {
				number(raw[segments+24*i:], 100)
				number(raw[segments+24*i+12:], 1<<32)
			}
			number(raw[real:], 1<<32)
		}),
		"segments backwards": sparse(func(raw []byte) {
			copy(raw[257:265], "ustar  \x00")
			clear(raw[345:500])
			number(raw[segments:], 1<<32)
			number(raw[segments+24:], 1)
			number(raw[real:], 1)
		}),
		"segments without end": sparse(func(raw []byte) {
			copy(raw[257:265], "ustar  \x00")
			clear(raw[345:500])
			raw[extended] = 1
			number(raw[real:], 1<<40)
		}),
		"a size below zero": sparse(func(raw []byte) {
			copy(raw[257:265], "ustar  \x00")
			clear(raw[345:500])
			copy(raw[real:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
		}),
		"one name many times": archived(t, many...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSiteBed(t)
			before := b.outside()
			res := b.unpack(archive, time.Minute)
			t.Logf("%s: %s", res.State, res.Reason)
			if res.State != wire.StateSucceeded && res.State != wire.StateFailed || strings.Contains(res.Reason, "time") {
				t.Errorf("it is %s: %s", res.State, res.Reason)
			}
			if diff := cmp.Diff(before, b.outside()); diff != "" {
				t.Errorf("outside of the site changed:\n%s", diff)
			}
			b.wantFile("/srv/site/kept", "kept\n")
			var blocks int64
			mustDo(b, filepath.WalkDir(b.path("/srv/site"), func(_ string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := d.Info()
				if err == nil {
					blocks += info.Sys().(*syscall.Stat_t).Blocks
				}
				return err
			}))
			if blocks > 2048 {
				t.Errorf("it takes %d blocks", blocks)
			}
		})
	}
}

// A file system with room for some files only, as with a quota, ends a restore with that reason, and the files that were there stay.
func TestFilesRunOutDuringARestore(t *testing.T) {
	t.Parallel()
	b := newSiteBed(t)
	if err := syscall.Mount("tmpfs", b.path("/srv/site"), "tmpfs", 0, "nr_inodes=40,uid=4001,gid=4001,mode=755"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(b.path("/srv/site"), 0) })
	b.write("/srv/site/kept", "kept\n")
	mustDo(b, os.Chown(b.path("/srv/site/kept"), webUID, webUID))
	var entries []tar.Header
	for i := range 200 {
		entries = append(entries, member(tar.TypeReg, fmt.Sprintf("f%d", i), ""))
	}
	if res := b.unpack(archived(t, entries...), time.Minute); res.State != wire.StateFailed || !strings.Contains(res.Reason, "space") {
		t.Errorf("it is %s: %s", res.State, res.Reason)
	}
	b.wantFile("/srv/site/kept", "kept\n")
}

// The report of a backup does not say which of root's files exist behind a link of the tenant's.
func TestBackupLooksForRootsFiles(t *testing.T) {
	t.Parallel()
	b := newSiteBed(t)
	mustDo(b, os.Symlink(b.path("/root"), b.path("/srv/site/l")))
	mustDo(b, os.Symlink(b.path("/home/bob"), b.path("/srv/site/n")))
	log, err := output.Open(filepath.Join(t.TempDir(), "events"))
	if err != nil {
		t.Fatal(err)
	}
	x := &execution{a: b.a, run: wire.Run{ID: "dump", Deadline: time.Now().Add(time.Minute)}, dir: t.TempDir(), log: log}
	var out bytes.Buffer
	paths := []string{"kept", "l/secret", "l/none", "n/.env", "n/none", "gone"}
	facts, err := x.dump(t.Context(), wire.Store{Engine: wire.EngineFiles, User: "web", Dir: "/srv/site", Paths: paths}, nil, &out)
	if err != nil {
		t.Fatal(err)
	}
	var want []wire.ReportLeft
	for _, p := range paths[1:] {
		want = append(want, wire.ReportLeft{Kind: "file", Name: p, Reason: "it does not exist"})
	}
	if diff := cmp.Diff(want, facts.left); diff != "" {
		t.Errorf("the report says:\n%s", diff)
	}
	if !bytes.Contains(out.Bytes(), []byte("kept\n")) || bytes.Contains(out.Bytes(), []byte("roots")) || bytes.Contains(out.Bytes(), []byte("bobs")) {
		t.Errorf("the backup has %q", out.String())
	}
}

// A dump program that works without an end on what a tenant has is ended, and the backups of others begin.
func TestDumpProgramNeverEnds(t *testing.T) {
	t.Parallel()
	b := newSiteBed(t)
	b.program("tar", "printf begun; exec sleep 1000")
	a, err := New(Config{Root: b.root, Path: b.bin + ":" + program.SearchPath, SilentFor: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	log, err := output.Open(filepath.Join(t.TempDir(), "events"))
	if err != nil {
		t.Fatal(err)
	}
	x := &execution{a: a, run: wire.Run{ID: "dump", Deadline: time.Now().Add(time.Minute)}, until: time.Now().Add(time.Minute), dir: t.TempDir(), log: log}
	began := time.Now()
	var out bytes.Buffer
	_, err = x.dump(t.Context(), wire.Store{Engine: wire.EngineFiles, User: "web", Dir: "/srv/site", Paths: []string{"."}}, nil, &out)
	if err == nil || !strings.Contains(err.Error(), "wrote nothing") || time.Since(began) > 20*time.Second || out.String() != "begun" {
		t.Errorf("after %v: %v, %q", time.Since(began), err, out.String())
	}
}
