package runtimes

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// key is an OpenPGP key made for a test.
type key struct {
	home   string
	public []byte
}

func newKey(t *testing.T, expires string) key {
	t.Helper()
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("gpg is not installed")
	}
	if _, err := exec.LookPath("gpgv"); err != nil {
		t.Skip("gpgv is not installed")
	}
	home, err := os.MkdirTemp("/tmp", "gpg") // the agent's socket has a short path
	if err != nil {
		t.Fatal(err)
	}
	k := key{home: home}
	t.Cleanup(func() {
		_ = exec.Command("gpgconf", "--homedir", home, "--kill", "all").Run()
		_ = os.RemoveAll(home)
	})
	past := "--no-batch"
	args := []string{"--batch", "--passphrase", "", "--quick-generate-key", "Releaser <r@example.com>", "ed25519", "sign", expires}
	if expires != "never" {
		past = "--faked-system-time=20200101T000000"
		args = append([]string{past}, args...)
	}
	k.gpg(t, nil, args...)
	k.public = k.gpg(t, nil, "--export")
	return k
}

func (k key) gpg(t *testing.T, in []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("gpg", append([]string{"--homedir", k.home, "--quiet", "--no-tty"}, args...)...)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gpg %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return out
}

func (k key) sign(t *testing.T, text []byte, more ...string) []byte {
	t.Helper()
	return k.gpg(t, text, append(more, "--batch", "--pinentry-mode", "loopback", "--passphrase", "", "--detach-sign")...)
}

const version = "22.11.0"

func top() string { return "node-v" + version + "-linux-" + architecture("x64", "arm64") }

// member is a member of an archive.
type member struct {
	name, link, content string
	kind                byte
	mode                int64
}

// node is the archive of a Node that tells its version.
func node(more ...member) []byte {
	return pack(append([]member{
		{name: top() + "/", kind: tar.TypeDir, mode: 0o755},
		{name: top() + "/bin/", kind: tar.TypeDir, mode: 0o777},
		{name: top() + "/bin/node", kind: tar.TypeReg, mode: 0o4777, content: "#!/bin/sh\necho v" + version + "\n"},
		{name: top() + "/bin/npm", kind: tar.TypeSymlink, link: "../lib/npm.js"},
		{name: top() + "/lib/npm.js", kind: tar.TypeReg, mode: 0o666, content: "npm"},
	}, more...)...)
}

func pack(members ...member) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Linkname: m.link, Typeflag: m.kind, Mode: m.mode, Size: int64(len(m.content)), Uid: 1000, Gid: 1000}
		if err := w.WriteHeader(h); err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(m.content)); err != nil {
			panic(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// files are what a mirror has, by path, for an archive that a key signed.
func files(t *testing.T, k key, archive []byte) map[string][]byte {
	t.Helper()
	sum := sha256.Sum256(archive)
	sums := []byte(strings.Repeat("0", 64) + "  node-v" + version + ".pkg\n" + hex.EncodeToString(sum[:]) + "  " + top() + ".tar.gz\n")
	at := "/dist/v" + version + "/"
	return map[string][]byte{at + "SHASUMS256.txt": sums, at + "SHASUMS256.txt.sig": k.sign(t, sums), at + top() + ".tar.gz": archive}
}

func mirror(t *testing.T, has map[string][]byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := has[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/dist"
}

func newHost(t *testing.T) Host {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // programs are tried as another account
		t.Fatal(err)
	}
	return Host{Root: dir}
}

func (h Host) has(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(h.directory())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestInstall(t *testing.T) {
	t.Parallel()
	k := newKey(t, "never")
	h := newHost(t)
	if err := h.Install(t.Context(), "node", version, mirror(t, files(t, k, node())), k.public); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(h.directory(), "node", version)
	if out, err := exec.Command(filepath.Join(at, "bin/node")).Output(); err != nil || string(out) != "v"+version+"\n" {
		t.Errorf("it says %q: %v", out, err)
	}
	if content, err := os.ReadFile(filepath.Join(at, "bin/npm")); err != nil || string(content) != "npm" {
		t.Errorf("npm is %q: %v", content, err)
	}
	// Nobody can write to it, whatever the archive says.
	err := filepath.WalkDir(filepath.Join(h.directory(), "node", version), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || d.Type() == fs.ModeSymlink {
			return err
		}
		if info.Mode()&(0o222|fs.ModeSetuid|fs.ModeSetgid) != 0 || info.Mode()&0o444 != 0o444 {
			t.Errorf("%s is %s", p, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// It is not fetched again.
	if err := h.Install(t.Context(), "node", version, "http://127.0.0.1:1", k.public); err != nil {
		t.Error(err)
	}
	if got := strings.Join(h.has(t), " "); got != ".lock node" {
		t.Errorf("the directory has %s", got)
	}
}

// What a mirror must not be believed, and what is refused of it.
func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	k, other, expired := newKey(t, "never"), newKey(t, "never"), newKey(t, "2020-06-01")
	good := files(t, k, node())
	at := "/dist/v" + version + "/"
	with := func(name string, content []byte) map[string][]byte {
		has := maps.Clone(good)
		has[at+name] = content
		if content == nil {
			delete(has, at+name)
		}
		return has
	}
	sums := string(good[at+"SHASUMS256.txt"])
	archive := top() + ".tar.gz"
	old := []byte(strings.ReplaceAll(sums, version, "22.10.0"))
	replayed := with("SHASUMS256.txt", old)
	replayed[at+"SHASUMS256.txt.sig"] = k.sign(t, old)
	expiredSig := with("SHASUMS256.txt.sig", expired.sign(t, good[at+"SHASUMS256.txt"], "--faked-system-time=20200201T000000"))
	for name, c := range map[string]struct {
		has  map[string][]byte
		keys []byte
		want string
	}{
		"wrong key":         {good, other.public, "which is not trusted"},
		"no keys":           {good, nil, "which is not trusted"},
		"expired key":       {expiredSig, expired.public, "has expired"},
		"swapped sums":      {with("SHASUMS256.txt", []byte(strings.Replace(sums, "0000", "1111", 1))), k.public, "not what"},
		"no signature":      {with("SHASUMS256.txt.sig", nil), k.public, "answers 404"},
		"signature is text": {with("SHASUMS256.txt.sig", []byte("<html>")), k.public, "no valid signature"},
		"empty signature":   {with("SHASUMS256.txt.sig", []byte{}), k.public, "no valid signature"},
		"swapped file": {with(archive, node(member{name: top() + "/x", kind: tar.TypeReg, mode: 0o644, content: "x"})), k.public,
			"not the file that was signed"},
		"cut file":           {with(archive, good[at+archive][:100]), k.public, "not the file that was signed"},
		"empty file":         {with(archive, []byte{}), k.public, "not the file that was signed"},
		"no file":            {with(archive, nil), k.public, "answers 404"},
		"older version":      {replayed, k.public, "the signed list has no"},
		"no such version":    {map[string][]byte{}, k.public, "answers 404"},
		"long sums":          {with("SHASUMS256.txt", make([]byte, maxSums+1)), k.public, "longer than"},
		"not an archive":     {files(t, k, []byte("hello")), k.public, "unpack it"},
		"above itself":       {files(t, k, node(member{name: top() + "/../../etc/cron.d/x", kind: tar.TypeReg, content: "x"})), k.public, "outside of"},
		"elsewhere":          {files(t, k, node(member{name: "/etc/cron.d/x", kind: tar.TypeReg, content: "x"})), k.public, "outside of"},
		"link out":           {files(t, k, node(member{name: top() + "/bin/sh", kind: tar.TypeSymlink, link: "../../../../../bin/sh"})), k.public, "leads out"},
		"absolute link":      {files(t, k, node(member{name: top() + "/bin/sh", kind: tar.TypeSymlink, link: "/bin/sh"})), k.public, "leads out"},
		"device":             {files(t, k, node(member{name: top() + "/bin/null", kind: tar.TypeChar})), k.public, "neither a file"},
		"hard link":          {files(t, k, node(member{name: top() + "/bin/passwd", kind: tar.TypeLink, link: "/etc/passwd"})), k.public, "neither a file"},
		"one name two files": {files(t, k, node(member{name: top() + "/bin/node", kind: tar.TypeReg, mode: 0o755, content: "x"})), k.public, "exists"},
		"another version": {files(t, k, pack(member{name: top() + "/bin/node", kind: tar.TypeReg, mode: 0o755, content: "#!/bin/sh\necho v20.0.0\n"})),
			k.public, `it says that it is "v20.0.0"`},
		"does not run": {files(t, k, pack(member{name: top() + "/bin/node", kind: tar.TypeReg, mode: 0o755,
			content: "#!/bin/sh\necho GLIBC_2.99 not found >&2; exit 1\n"})),
			k.public, "does not run on this system: exit status 1: GLIBC_2.99 not found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			if err := h.Install(t.Context(), "node", version, mirror(t, c.has), c.keys); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if got := strings.Join(h.has(t), " "); got != ".lock" {
				t.Errorf("the directory has %s", got)
			}
		})
	}
	h := newHost(t)
	for _, v := range []string{"../22", "22/../..", "$(id)", "22 11", "", "v22.11.0", "22.11.0\n", "22"} {
		if err := h.Install(t.Context(), "node", v, mirror(t, good), k.public); err == nil || !strings.Contains(err.Error(), "is not a version") {
			t.Errorf("version %q: %v", v, err)
		}
	}
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content := good[r.URL.Path]
		if path.Base(r.URL.Path) == archive { // the connection breaks
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
			_, _ = w.Write(content[:50])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(content)
	}))
	defer cut.Close()
	if err := h.Install(t.Context(), "node", version, cut.URL+"/dist", k.public); err == nil || !strings.Contains(err.Error(), "it ended after 50 bytes") {
		t.Errorf("a mirror that breaks off: %v", err)
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	h := Host{Root: t.TempDir(), Processes: t.TempDir()}
	for _, dir := range []string{"node/22.11.0", "node/24.1.0", "node/20.0.0", "node/20.1.0", "node/mine", ".new-123"} {
		if err := os.MkdirAll(filepath.Join(h.directory(), dir, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for pid, exe := range map[string]string{"7": "/bin/sh", "8": filepath.Join(h.directory(), "node/20.0.0/bin/node")} {
		if err := errors.Join(os.Mkdir(filepath.Join(h.Processes, pid), 0o755), os.Symlink(exe, filepath.Join(h.Processes, pid, "exe"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(h.Processes, "2"), 0o755); err != nil { // the kernel's have no program
		t.Fatal(err)
	}
	keep := func(after time.Duration, names ...string) string {
		if err := h.Keep(names, time.Now().Add(after)); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(h.directory(), "*", "[^.]*"))
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, p := range found {
			left = append(left, filepath.Base(p))
		}
		return strings.Join(left, " ")
	}
	const all = "20.0.0 20.1.0 22.11.0 24.1.0 mine"
	if got := keep(0, "node/24.1.0"); got != all {
		t.Errorf("at once, left are %s", got)
	}
	if got := keep(23*time.Hour, "node/24.1.0"); got != all {
		t.Errorf("before a day, left are %s", got)
	}
	if got := keep(23*time.Hour, "node/24.1.0", "node/20.1.0"); got != all { // it is used again
		t.Errorf("left are %s", got)
	}
	if got := keep(25*time.Hour, "node/24.1.0"); got != "20.0.0 20.1.0 24.1.0 mine" {
		t.Errorf("after a day, left are %s", got)
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after string
		want          string
	}{
		"well":         {"ActiveState=active\nNRestarts=3\nActiveEnterTimestampMonotonic=1000000\n", "ActiveState=active\nNRestarts=0\n", ""},
		"ends":         {"ActiveState=active\nNRestarts=0\nActiveEnterTimestampMonotonic=1000000\n", "ActiveState=activating\nNRestarts=1\n", "a.service ran before"},
		"ended before": {"ActiveState=activating\nNRestarts=7\nActiveEnterTimestampMonotonic=1000000\n", "ActiveState=activating\nNRestarts=8\n", ""},
		"just began":   {"ActiveState=active\nNRestarts=7\nActiveEnterTimestampMonotonic=99000000\n", "ActiveState=activating\nNRestarts=8\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			restarted := false
			u := Units{
				Up: func() (int64, error) { return 100_000_000, nil }, Wait: func(context.Context, time.Duration) error { return nil },
				Systemctl: func(_ context.Context, argv ...string) (string, error) {
					if argv[0] == "restart" {
						restarted = true
						return "", nil
					}
					if restarted {
						return c.after, nil
					}
					return c.before, nil
				},
			}
			err := u.Renew(t.Context(), []string{"a.service"})
			if !restarted || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("restarted %t: %v", restarted, err)
			}
		})
	}
}
