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
	"strings"
)

// release is a version of a runtime as its project publishes it for this host.
type release struct {
	// title names it for people.
	title, version string
	// directory is where a mirror has its files, and archive the file of this host. All that is in it is below a directory of its name.
	directory, archive string
	// program is what tells its version, as it says it.
	program, says string
	// sums returns its list of checksums, of which signed is known: whoever signed it has one of the keys.
	sums   func(get getter, signed checker) ([]byte, error)
	unpack func(archive, to string) error
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
			title: "Node " + version, version: version, directory: "v" + version, archive: top + ".tar.gz", program: "node", says: "v" + version,
			sums: detached, unpack: func(archive, to string) error { return unpackTar(archive, to, top) },
		}, nil
	case "bun":
		// The other archive needs instructions that processors of before 2013 do not have.
		top := "bun-linux-" + architecture("x64-baseline", "aarch64")
		return release{
			title: "Bun " + version, version: version, directory: "bun-v" + version, archive: top + ".zip", program: "bun", says: version,
			sums: clearsigned, unpack: func(archive, to string) error { return unpackBun(archive, to, top+"/bun") },
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

// fetch fetches and verifies an archive, and returns its path.
func (r release) fetch(ctx context.Context, work, mirror string, keys []byte) (string, error) {
	from := strings.TrimRight(mirror, "/") + "/" + r.directory + "/"
	client := client()
	defer client.CloseIdleConnections()
	sums, err := r.sums(func(name string, most int64) ([]byte, error) {
		var b bytes.Buffer
		err := fetch(ctx, client, from+name, &b, most)
		return b.Bytes(), err
	}, func(text, signature []byte) ([]byte, error) {
		signed, err := verify(ctx, work, text, signature, keys)
		if err != nil {
			return nil, fmt.Errorf("its checksums from %s: %w", mirror, err)
		}
		return signed, nil
	})
	if err != nil {
		return "", err
	}
	want, err := sumOf(string(sums), r.archive)
	if err != nil {
		return "", err
	}
	return r.archived(ctx, client, filepath.Join(work, "archive"), from, want)
}

func (r release) archived(ctx context.Context, client *http.Client, at, from, want string) (string, error) {
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	if err := errors.Join(fetch(ctx, client, from+r.archive, io.MultiWriter(f, hash), maxArchive), f.Close()); err != nil {
		return "", err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return "", fmt.Errorf("%s from %s is not the file that was signed: its SHA-256 is %s, and not %s", r.archive,
			strings.TrimSuffix(from, "/"), got, want)
	}
	return at, nil
}
