package runtimes

import (
	"archive/zip"
	"bytes"
	"crypto/rand"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/sumdb/note"
)

const goVersion = "1.25.3"

func goTop(version string) string {
	return "golang.org/toolchain@v0.0.1-go" + version + ".linux-" + runtime.GOARCH
}

// toolchain is the archive of a Go that tells a version, with more files.
func toolchain(t *testing.T, version string, more ...string) []byte {
	t.Helper()
	top := goTop(goVersion) + "/"
	content := map[string]string{
		top + "VERSION": "go" + version, top + "bin/go": "#!/bin/sh\necho go version go" + version + " linux/" + runtime.GOARCH + "\n",
		top + "bin/gofmt": "#!/bin/sh\n", top + "pkg/tool/linux/compile": "#!/bin/sh\n",
		top + "src/_go.mod": "module std\n", top + "src/cmd/_go.mod": "module cmd\n",
	}
	names := []string{"VERSION", "bin/go", "bin/gofmt", "pkg/tool/linux/compile", "src/_go.mod", "src/cmd/_go.mod"}
	for i := range names {
		names[i] = top + names[i]
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range append(names, more...) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func h1(t *testing.T, archive []byte) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(at, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := dirhash.HashZip(at, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// logKey is the key of a checksum database made for a test.
type logKey struct{ private, public string }

func newLogKey(t *testing.T) logKey {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, "sum.example.com")
	if err != nil {
		t.Fatal(err)
	}
	return logKey{private, public}
}

// swap answers in place of a proxy, which passes on a database, and reports whether it did.
type swap func(w http.ResponseWriter, r *http.Request, database http.Handler) bool

// proxy is a module proxy with the archive of one toolchain, and a checksum database that a key signs. change may answer in its place.
func proxy(t *testing.T, k logKey, sums func(path, version string) ([]byte, error), archive []byte, change swap) string {
	t.Helper()
	const log = "/dist/sumdb/sum.example.com"
	database := http.StripPrefix(log, sumdb.NewServer(sumdb.NewTestServer(k.private, sums)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case change != nil && change(w, r, database):
		case strings.HasPrefix(r.URL.Path, log):
			database.ServeHTTP(w, r)
		case r.URL.Path == "/dist/"+strings.Replace(goTop(goVersion), "@", "/@v/", 1)+".zip" && archive != nil:
			_, _ = w.Write(archive)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/dist"
}

// sumsOf are the lines of a go.sum file with one checksum for every module.
func sumsOf(sum string) func(path, version string) ([]byte, error) {
	return func(path, version string) ([]byte, error) {
		return fmt.Appendf(nil, "%s %s %s\n%[1]s %[2]s/go.mod %[3]s\n", path, version, sum), nil
	}
}

func TestInstallGo(t *testing.T) {
	t.Parallel()
	k, other, h := newLogKey(t), newLogKey(t), newHost(t)
	good := toolchain(t, goVersion)
	sums := sumsOf(h1(t, good))
	if err := h.Install(t.Context(), "go", goVersion, proxy(t, k, sums, good, nil), []byte(k.public)); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(h.directory(), "go", goVersion)
	out, err := exec.Command(filepath.Join(at, "bin/go"), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "go version go"+goVersion) {
		t.Errorf("it says %q: %v", out, err)
	}
	for name, mode := range map[string]fs.FileMode{
		"bin/gofmt": 0o555, "pkg/tool/linux/compile": 0o555, "src/go.mod": 0o444, "src/cmd/go.mod": 0o444, "VERSION": 0o444,
	} {
		if info, err := os.Stat(filepath.Join(at, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}

	older := toolchain(t, "1.25.2")
	cut := func(end string) swap {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
			if !strings.HasSuffix(r.URL.Path, end) {
				return false
			}
			w.Header().Set("Content-Length", strconv.Itoa(len(good)))
			_, _ = w.Write(good[:50])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	replaced := func(in, old, new string) swap {
		return func(w http.ResponseWriter, r *http.Request, database http.Handler) bool {
			if !strings.Contains(r.URL.Path, in) {
				return false
			}
			rec := httptest.NewRecorder()
			database.ServeHTTP(rec, r)
			_, _ = w.Write(bytes.Replace(rec.Body.Bytes(), []byte(old), []byte(new), 1))
			return true
		}
	}
	others := func(string, string) ([]byte, error) { return []byte("example.com/other v1.0.0 h1:x\n"), nil }
	missing := func(string, string) ([]byte, error) { return nil, os.ErrNotExist }
	for name, c := range map[string]struct {
		sums    func(path, version string) ([]byte, error)
		archive []byte
		change  swap
		keys    string
		want    string
	}{
		"wrong key":              {sums: sums, archive: good, keys: other.public, want: "no verifiable signatures"},
		"no key":                 {sums: sums, archive: good, keys: " ", want: "malformed"},
		"an older version":       {sums: sums, archive: older, want: "is not the one in the checksum database"},
		"an older one, recorded": {sums: sumsOf(h1(t, older)), archive: older, want: `it says that it is "go version go1.25.2`},
		"swapped sum": {sums: sums, archive: older, change: replaced("/lookup/", h1(t, good), h1(t, older)),
			want: "cannot authenticate record"},
		"swapped tree": {sums: sums, archive: good, change: replaced("/lookup/", "go.sum database tree\n1\n", "go.sum database tree\n2\n"),
			want: "signature"},
		"not in the database":  {sums: missing, archive: good, want: "its checksum in the database sum.example.com"},
		"no sum in the record": {sums: others, archive: good, want: "has no checksum"},
		"no archive":           {sums: sums, want: "answers 404"},
		"not an archive":       {sums: sums, archive: []byte("hello"), want: "read the archive"},
		"outside":              {archive: toolchain(t, goVersion, "/etc/cron.d/x"), want: "is not a file of"},
		"above":                {archive: toolchain(t, goVersion, goTop(goVersion)+"/../x"), want: "is not a file of"},
		"a directory":          {archive: toolchain(t, goVersion, goTop(goVersion)+"/x/"), want: "is not a file of"},
		"one name, two files":  {archive: toolchain(t, goVersion, goTop(goVersion)+"/src/go.mod"), want: "exists"},
		"another toolchain":    {archive: bytes.ReplaceAll(good, []byte("1.25.3.linux"), []byte("1.25.4.linux")), want: "is not a file of"},
		"a cut archive":        {sums: sums, change: cut(".zip"), want: "it ended after 50 bytes"},
		"a cut log":            {sums: sums, archive: good, change: cut("/lookup/" + goTop(goVersion)), want: "its checksum in the database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			if c.sums == nil {
				c.sums = sumsOf(h1(t, c.archive))
			}
			if c.keys == "" {
				c.keys = k.public
			}
			err := h.Install(t.Context(), "go", goVersion, proxy(t, k, c.sums, c.archive, c.change), []byte(c.keys))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if got := strings.Join(h.has(t), " "); got != ".lock" {
				t.Errorf("the directory has %s", got)
			}
		})
	}
}
