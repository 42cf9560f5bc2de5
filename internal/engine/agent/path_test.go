package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// TestLinksOfOthers checks that root does not follow what an account can redirect.
func TestLinksOfOthers(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("makes files of another account")
	}
	const site = 4001
	for name, tc := range map[string]struct {
		setup func(b *bed)
		path  string
		fails bool
	}{
		"parent is a link of theirs":             {func(b *bed) { b.link("/etc", "/home/web/conf", site) }, "/home/web/conf/x", true},
		"absolute link of theirs":                {func(b *bed) { b.link(b.root+"/etc", "/home/web/conf", site) }, "/home/web/conf/x", true},
		"link of root's in their directory":      {func(b *bed) { b.link("/etc", "/home/web/conf", 0) }, "/home/web/conf/x", true},
		"link in the middle":                     {func(b *bed) { b.link("/", "/home/web/a", site) }, "/home/web/a/etc/x", true},
		"link upwards":                           {func(b *bed) { b.link("../../etc", "/home/web/a", site) }, "/home/web/a/x", true},
		"link of root's in a directory for all":  {func(b *bed) { b.mkdir("/tmp"); b.chmod("/tmp", 0o777); b.link("/etc", "/tmp/a", 0) }, "/tmp/a/x", true},
		"link of root's to a link of theirs":     {func(b *bed) { b.link("/home/web/b", "/srv", 0); b.link("/etc", "/home/web/b", site) }, "/srv/x", true},
		"loop":                                   {func(b *bed) { b.link("/b", "/a", 0); b.link("/a", "/b", 0) }, "/a/x", true},
		"FIFO":                                   {func(b *bed) { b.check(mkfifo(b.path("/home/web/x"))) }, "/home/web/x", true},
		"directory in its place":                 {func(b *bed) { b.mkdir("/home/web/x") }, "/home/web/x", true},
		"link of root's, as for a merged system": {func(b *bed) { b.mkdir("/usr/lib"); b.link("usr/lib", "/lib", 0) }, "/lib/x", false},
		"absolute link of root's":                {func(b *bed) { b.mkdir("/data"); b.link("/data", "/var/www", 0) }, "/var/www/x", false},
		"the file itself is a link":              {func(b *bed) { b.link("/etc/victim", "/home/web/x", site) }, "/home/web/x", false},
		"dangling link":                          {func(b *bed) { b.link("/etc/new", "/home/web/x", site) }, "/home/web/x", false},
		"hard link":                              {func(b *bed) { b.check(os.Link(b.path("/etc/victim"), b.path("/home/web/x"))) }, "/home/web/x", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write("/etc/victim", "secret")
			b.mkdir("/home/web")
			b.check(os.Chown(b.path("/home/web"), site, site))
			tc.setup(b)
			before := b.tree()
			for _, step := range []wire.Step{
				{Name: "file", File: &wire.File{Path: tc.path, Content: []byte("x"), Mode: 0o666, Owner: "web", Group: "web"}},
				{Name: "gone", File: &wire.File{Path: tc.path, Absent: true}},
			} {
				res, _ := b.run(changeRun(step.Name, step))
				if tc.fails != (res.State == wire.StateFailed) {
					t.Fatalf("%s: %s %s", step.Name, res.State, res.Reason)
				}
				if tc.fails {
					b.wantTree(before)
				}
				b.wantFile("/etc/victim", "secret")
				b.wantNone("/etc/new")
				if st, err := os.Stat(b.path("/etc/victim")); err != nil || st.Mode().Perm() != 0o644 {
					t.Fatal(st, err)
				}
			}
			// By hand through the fallback too, as on a kernel without openat2.
			fd, err := b.a.root.Walk(filepath.Dir(tc.path))
			if err == nil {
				closeFD(fd)
			}
			if parent := tc.fails && name != "FIFO" && name != "directory in its place"; parent != (err != nil) {
				t.Fatalf("walk: %v", err)
			}
		})
	}
}

func (b *bed) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) chmod(p string, m os.FileMode) { b.t.Helper(); b.check(os.Chmod(b.path(p), m)) }

func (b *bed) link(to, p string, uid int) {
	b.t.Helper()
	b.mkdir(filepath.Dir(p))
	b.check(os.Symlink(to, b.path(p)))
	b.check(os.Lchown(b.path(p), uid, uid))
}

func TestPathsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, p := range []string{
		"", "/", "etc/x", "/etc/../x", "/etc//x", "/etc/./x", "/etc/x/", "/etc/a\nb", "/etc/a\x00b", "/etc/\x1b[2J",
		"/" + strings.Repeat("a/", 3000) + "x",
	} {
		for _, s := range []wire.Step{{File: &wire.File{Path: p}}, {Dir: &wire.Dir{Path: p}}, {Link: &wire.Link{Path: p, Target: "x"}}} {
			_, err := b.ask(b.a, wire.OpRunStart, changeRun("r1", s), nil)
			wantCode(t, err, wire.ErrBadRequest)
		}
	}
	for _, s := range []wire.Step{
		{},
		{File: &wire.File{Path: "/a"}, Dir: &wire.Dir{Path: "/b"}},
		{Validate: &wire.Exec{}},
		{Exec: &wire.Exec{Argv: []string{"a", "b\x00c"}}},
		{Probe: &wire.Probe{}},
		{Probe: &wire.Probe{Unit: "--help"}},
	} {
		_, err := b.ask(b.a, wire.OpRunStart, changeRun("r1", s), nil)
		wantCode(t, err, wire.ErrBadRequest)
	}
	for _, id := range []string{"", "..", "A", "a/b", "-a", strings.Repeat("a", 65)} {
		_, err := b.ask(b.a, wire.OpRunStart, changeRun(id, validate("true")), nil)
		wantCode(t, err, wire.ErrBadRequest)
		_, err = b.ask(b.a, wire.OpForget, wire.RunID{ID: id}, nil)
		wantCode(t, err, wire.ErrBadRequest)
	}
}
