package update

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"aead.dev/minisign"
)

const system = runtime.GOOS + "/" + runtime.GOARCH

// released is an index of one program, signed by a key.
func released(p *published, key minisign.PrivateKey, version, name string) {
	sum := sha256.Sum256(p.program)
	p.key = key
	p.sign(Index{Version: version, Expires: time.Now().Add(time.Hour), Programs: map[string]File{
		system: {Name: name, Size: int64(len(p.program)), SHA256: hex.EncodeToString(sum[:])},
	}})
}

// Whoever answers for the source of releases names files elsewhere, sends others of the publisher's, answers halfway or leads to other hosts: what is
// installed is the program of the index, beside the old one, and nothing else is written or read.
func TestSourceOfReleasesLeadsElsewhere(t *testing.T) {
	t.Parallel()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		// attack changes what is published, and answer how a path of it is answered; it returns false for the rest.
		attack func(p *published)
		answer func(p *published, w http.ResponseWriter, r *http.Request) bool
		// wrong is in the error, "" for a program that is the one of the index.
		wrong string
	}{
		"a name that climbs out":        {attack: func(p *published) { released(p, private, "v1.2.0", "../../../../program") }},
		"a name that is encoded":        {attack: func(p *published) { released(p, private, "v1.2.0", "%2e%2e/%2e%2e/etc/cron.d/x") }, wrong: "404"},
		"a file of this machine":        {attack: func(p *published) { released(p, private, "v1.2.0", "file:///etc/passwd") }, wrong: "unsupported protocol"},
		"a name with a line break":      {attack: func(p *published) { released(p, private, "v1.2.0", "program\r\nX: y") }, wrong: "names the file"},
		"an absolute path":              {attack: func(p *published) { released(p, private, "v1.2.0", "/etc/passwd") }, wrong: "404"},
		"no name":                       {attack: func(p *published) { released(p, private, "v1.2.0", "") }, wrong: "not the one"},
		"a version with a path":         {attack: func(p *published) { released(p, private, "v1.2.0/../../x", "program") }, wrong: "version"},
		"a version in other letters":    {attack: func(p *published) { released(p, private, "V1.2.0", "program") }, wrong: "version"},
		"a version that only adds text": {attack: func(p *published) { released(p, private, "v1.1.0+evil", "program") }, wrong: "not newer"},
		"another file of the publisher's": {attack: func(p *published) {
			p.index = []byte(`{"bomFormat":"CycloneDX","specVersion":"1.6","version":1,"components":[]}`)
			p.signature = minisign.Sign(private, p.index)
		}, wrong: "read the index"},
		"a list of checksums": {attack: func(p *published) {
			p.index = []byte("0123456789  hostler-linux-amd64\n")
			p.signature = minisign.Sign(private, p.index)
		}, wrong: "read the index"},
		"two versions in one index": {attack: func(p *published) {
			p.index = []byte(`{"version":"v1.2.0","version":"v1.0.0","expires":"2999-01-01T00:00:00Z","programs":{}}`)
			p.signature = minisign.Sign(private, p.index)
		}, wrong: "not newer"},
		"the signature of the release before": {attack: func(p *published) {
			before := *p
			released(&before, private, "v1.1.0", "program")
			p.signature = before.signature
		}, wrong: "signature"},
		"a comment changed in the signature": {attack: func(p *published) {
			p.signature = bytes.Replace(p.signature, []byte("\ntrusted comment: "), []byte("\ntrusted comment: v9 "), 1)
		}, wrong: "signature"},
		"the program of the release before": {attack: func(p *published) { p.program = []byte("#!/bin/sh\nolder\n") }, wrong: "not the one"},
		"a download that ends halfway": {answer: func(p *published, w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/program" {
				return false
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(p.program)))
			_, _ = w.Write(p.program[:5])
			panic(http.ErrAbortHandler)
		}, wrong: "EOF"},
		"a download that says it is short": {answer: func(p *published, w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/program" {
				_, _ = w.Write(p.program[:5])
			}
			return r.URL.Path == "/program"
		}, wrong: "not the one"},
		"a download without an end": {answer: func(p *published, w http.ResponseWriter, r *http.Request) bool {
			for r.URL.Path == "/program" && r.Context().Err() == nil {
				if _, err := w.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
					return true
				}
			}
			return false
		}, wrong: "not the one"},
		"an answer that is an error with the program": {answer: func(p *published, w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/program" {
				w.WriteHeader(http.StatusPartialContent)
				_, _ = w.Write(p.program)
			}
			return r.URL.Path == "/program"
		}, wrong: "206"},
		"a redirect to another host's program": {answer: func(_ *published, w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/program" {
				http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+"/evil", http.StatusFound)
			}
			if r.URL.Path == "/evil" {
				_, _ = w.Write([]byte("#!/bin/sh\nevil\n"))
			}
			return r.URL.Path == "/program" || r.URL.Path == "/evil"
		}, wrong: "not the one"},
		"a redirect to a file": {answer: func(_ *published, w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/program" {
				w.Header().Set("Location", "file:///etc/passwd")
				w.WriteHeader(http.StatusFound)
			}
			return r.URL.Path == "/program"
		}, wrong: "unsupported protocol"},
		"redirects without an end": {answer: func(_ *published, w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
			return true
		}, wrong: "stopped after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &published{program: []byte("#!/bin/sh\ngood\n")}
			released(p, private, "v1.2.0", "program")
			if c.attack != nil {
				c.attack(p)
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.answer != nil && c.answer(p, w, r) {
					return
				}
				body, ok := map[string][]byte{"/index.json": p.index, "/index.json.minisig": p.signature, "/program": p.program}[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write(body)
			}))
			defer server.Close()
			dir := t.TempDir()
			s := Source{URL: server.URL + "/index.json", Key: public.String(), Version: "v1.1.0"}
			index, newer, err := s.Newest(t.Context())
			if err == nil && !newer {
				err = errors.New("not newer")
			}
			var f File
			if err == nil {
				f, err = index.Program()
			}
			path := ""
			if err == nil {
				path, err = s.Download(t.Context(), f, filepath.Join(dir, "hostler"))
			}
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("it ends with %v, want %q", err, c.wrong)
			}
			left, _ := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil && len(left) > 0 || err == nil && (len(left) != 1 || left[0] != path) {
				t.Errorf("left is %v", left)
			}
		})
	}
}

// The place of the new program was taken before: what lies there, or where it leads, is not written.
func TestPlaceOfTheProgramIsTaken(t *testing.T) {
	t.Parallel()
	program := []byte("#!/bin/sh\ngood\n")
	sum := sha256.Sum256(program)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(program) }))
	t.Cleanup(server.Close)
	for name, take := range map[string]func(victim, at string) error{
		"a link":           os.Symlink,
		"a second name":    os.Link,
		"a link to itself": func(_, at string) error { return os.Symlink(at, at) },
		"a pipe":           func(_, at string) error { return syscall.Mkfifo(at, 0o600) },
		"a directory":      func(_, at string) error { return os.Mkdir(at, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			victim := filepath.Join(dir, "victim")
			if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := take(victim, filepath.Join(dir, "hostler.new")); err != nil {
				t.Fatal(err)
			}
			path, err := Source{URL: server.URL}.Download(t.Context(), File{Name: "x", Size: int64(len(program)), SHA256: hex.EncodeToString(sum[:])},
				filepath.Join(dir, "hostler"))
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
				t.Errorf("the program is %v, %v", info, err)
			}
			info, err := os.Stat(victim)
			raw, _ := os.ReadFile(victim)
			if err != nil || string(raw) != "precious" || info.Mode().Perm() != 0o600 {
				t.Errorf("the victim is %q %v, %v", raw, info.Mode(), err)
			}
		})
	}
}

// The gate lies in a directory of the panel's account. Whoever became it can write there, but neither hold up what root does nor lead it away; and without a
// gate, or with one that names nothing to go back to, the program of an earlier update, with its known holes, does not return.
func TestPanelsAccountWritesTheGate(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(at string) error{
		"a pipe":      func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"a directory": func(at string) error { return os.Mkdir(at, 0o700) },
		"a link":      func(at string) error { return os.Symlink("/etc/passwd", at) },
		"a device":    func(at string) error { return os.Symlink("/dev/zero", at) },
		"text":        func(at string) error { return os.WriteFile(at, []byte("v1"), 0o600) },
		"no version":  func(at string) error { return os.WriteFile(at, []byte(`{}`), 0o600) },
		"a version that is a terminal's": func(at string) error {
			return os.WriteFile(at, []byte(`{"from":"v1.0.0\u001b]0;x\u0007","to":"v1.1.0","archive":"/x"}`), 0o600)
		},
		"a large file": func(at string) error {
			f, err := os.Create(at)
			return errors.Join(err, f.Truncate(1<<40), f.Close())
		},
		"a large text": func(at string) error { return os.WriteFile(at, bytes.Repeat([]byte(" "), 1<<20), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &panel{t: t, dir: t.TempDir()}
			p.write(p.program(), "new")
			p.write(p.program()+".previous", "older")
			p.write(p.database(), "rows")
			if err := write(GateOf(p.dir).path()); err != nil {
				t.Fatal(err)
			}
			u := &Updater{Program: p.program(), Gate: GateOf(p.dir), Service: p, Data: p, Out: &bytes.Buffer{}, Within: 50 * time.Millisecond}
			ended := make(chan error, 1)
			go func() { ended <- u.GoBack(context.Background()) }()
			select {
			case err := <-ended:
				if err == nil {
					t.Error("it went back")
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it waits for ever")
			}
			if got := p.read(p.program()); got != "new" || len(p.starts) > 0 {
				t.Errorf("the program is %q, started were %v", got, p.starts)
			}
		})
	}
	p := &panel{t: t, dir: t.TempDir()}
	p.write(p.program(), "new")
	p.write(p.program()+".previous", "older")
	u := &Updater{Program: p.program(), Gate: GateOf(p.dir), Service: p, Data: p, Out: &bytes.Buffer{}}
	if err := u.GoBack(t.Context()); err == nil || p.read(p.program()) != "new" {
		t.Errorf("without an update it went back: %v", err)
	}
}

// A source that begins to answer and stalls holds nothing up for longer than the index may take.
func TestSourceOfReleasesStalls(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("{"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	public, _, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, _, err := (Source{URL: server.URL + "/index.json", Key: public.String(), Version: "v1.1.0"}).Newest(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a source that stalls: %v", err)
	}
	if asked.Load() != 1 {
		t.Errorf("it was asked %d times", asked.Load())
	}
}
