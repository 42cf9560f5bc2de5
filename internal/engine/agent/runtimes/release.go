package runtimes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
)

// release is a version of a runtime as its project publishes it for this host.
type release struct {
	// title names it for people.
	title, version string
	// program is the command line in its directory of programs that tells its version, and says what it answers.
	program []string
	says    string
	// fetch returns the path of its archive, of which is known that its publisher signed it.
	fetch  func(ctx context.Context, s source) (string, error)
	unpack func(archive, to string) error
}

// source is a mirror, with the keys of those who may have signed what it has, in the form of the runtime's kind, and a
// directory to work in.
type source struct {
	client       *http.Client
	mirror, work string
	keys         []byte
}

// sums is a release that has a list of checksums. All is below directory of the mirror.
type sums struct {
	directory, archive string
	// list returns the checksums, of which signed is known: whoever signed them has one of the keys.
	list func(get getter, signed checker) ([]byte, error)
}

// getter fetches a file beside the archive, checker returns what a signature is for (verify).
type (
	getter  func(name string, most int64) ([]byte, error)
	checker func(text, signature []byte) ([]byte, error)
)

func releaseOf(name, version string) (release, error) {
	switch name {
	case "node":
		top := "node-v" + version + "-linux-" + architecture("x64", "arm64")
		return release{
			title: "Node " + version, version: version, program: []string{"node", "--version"}, says: "v" + version,
			fetch:  sums{directory: "v" + version, archive: top + ".tar.gz", list: detached}.fetch,
			unpack: func(archive, to string) error { return unpackTar(archive, to, top) },
		}, nil
	case "bun":
		// The other archive needs instructions that processors of before 2013 do not have.
		top := "bun-linux-" + architecture("x64-baseline", "aarch64")
		return release{
			title: "Bun " + version, version: version, program: []string{"bun", "--version"}, says: version,
			fetch:  sums{directory: "bun-v" + version, archive: top + ".zip", list: clearsigned}.fetch,
			unpack: func(archive, to string) error { return unpackBun(archive, to, top+"/bun") },
		}, nil
	case "deno":
		p := npmPackage{name: "@deno/linux-" + architecture("x64", "arm64") + "-glibc", version: version}
		return release{
			title: "Deno " + version, version: version, program: []string{"deno", "-V"}, says: "deno " + version,
			fetch: p.fetch, unpack: func(archive, to string) error { return unpackDeno(archive, to, "package/deno") },
		}, nil
	case "go":
		m := goModule{path: "golang.org/toolchain", version: "v0.0.1-go" + version + ".linux-" + runtime.GOARCH}
		return release{
			title: "Go " + version, version: version, program: []string{"go", "version"},
			says:  "go version go" + version + " linux/" + runtime.GOARCH,
			fetch: m.fetch, unpack: func(archive, to string) error { return unpackGo(archive, to, m.path+"@"+m.version) },
		}, nil
	}
	return release{}, fmt.Errorf("runtime %s is not known", name)
}

// architecture is this host's in the names of archives. The agent is built for its host.
func architecture(amd64, arm64 string) string {
	if runtime.GOARCH == "amd64" {
		return amd64
	}
	return arm64
}

// detached reads a list of checksums that has its signature beside it, as Node's have.
func detached(get getter, signed checker) ([]byte, error) {
	text, err := get("SHASUMS256.txt", maxSums)
	if err != nil {
		return nil, err
	}
	signature, err := get("SHASUMS256.txt.sig", maxSignature)
	if err != nil {
		return nil, err
	}
	return signed(text, signature)
}

// clearsigned reads a list of checksums that has its signature in it, as Bun's have.
func clearsigned(get getter, signed checker) ([]byte, error) {
	text, err := get("SHASUMS256.txt.asc", maxSums)
	if err != nil {
		return nil, err
	}
	return signed(nil, text)
}

// get returns a file of the mirror.
func (s source) get(ctx context.Context, name string, most int64) ([]byte, error) {
	var b bytes.Buffer
	err := fetch(ctx, s.client, s.mirror+"/"+name, &b, most)
	return b.Bytes(), err
}

// archive fetches a file of the mirror, which hash gets to read too, and returns its path.
func (s source) archive(ctx context.Context, name string, hash io.Writer) (string, error) {
	at := filepath.Join(s.work, "archive")
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	return at, errors.Join(fetch(ctx, s.client, s.mirror+"/"+name, io.MultiWriter(f, hash), maxArchive), f.Close())
}

// fetch fetches and verifies an archive, and returns its path.
func (r sums) fetch(ctx context.Context, s source) (string, error) {
	list, err := r.list(func(name string, most int64) ([]byte, error) {
		return s.get(ctx, r.directory+"/"+name, most)
	}, func(text, signature []byte) ([]byte, error) {
		signed, err := verify(ctx, s.work, text, signature, s.keys)
		if err != nil {
			return nil, fmt.Errorf("its checksums from %s: %w", s.mirror, err)
		}
		return signed, nil
	})
	if err != nil {
		return "", err
	}
	want, err := sumOf(string(list), r.archive)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	at, err := s.archive(ctx, r.directory+"/"+r.archive, hash)
	if err != nil {
		return "", err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return "", fmt.Errorf("%s from %s is not the file that was signed: its SHA-256 is %s, and not %s", r.archive,
			s.mirror+"/"+r.directory, got, want)
	}
	return at, nil
}
