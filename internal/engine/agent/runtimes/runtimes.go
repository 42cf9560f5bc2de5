// Package runtimes keeps the versions of runtimes that sites chose on a host: each in a directory of root's that no other account can write to, made of an
// archive whose checksum was signed by its publisher.
package runtimes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/deadline"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Host is a host that has runtimes.
type Host struct {
	// Root is the directory that contains all paths, "" for the host itself. Processes is where its processes are, "" for /proc.
	Root, Processes string
}

// Limits of what is fetched, in bytes, and how long the other side may be silent.
const (
	maxSums      = 256 << 10
	maxSignature = 64 << 10
	maxArchive   = 400 << 20
	silent       = 30 * time.Second
	verifyWithin = 30 * time.Second
)

var (
	namePattern    = regexp.MustCompile(`^[a-z]{1,16}$`)
	versionPattern = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,4}){1,3}$`)
)

func (h Host) directory() string { return filepath.Join("/", h.Root, wire.RuntimeDirectory) }

// path returns the directory of a version.
func (h Host) path(name, version string) (string, error) {
	if !namePattern.MatchString(name) || !versionPattern.MatchString(version) {
		return "", fmt.Errorf("%q %q is not a version of a runtime", name, version)
	}
	return filepath.Join(h.directory(), name, version), nil
}

// Install makes a version be there. keys are those that may have signed it, as gpgv reads them.
func (h Host) Install(ctx context.Context, name, version, mirror string, keys []byte) (err error) {
	to, err := h.path(name, version)
	if err != nil {
		return err
	}
	if name != "node" {
		return fmt.Errorf("runtime %s is not known", name)
	}
	lock, err := h.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := os.Lstat(filepath.Join(to, wire.RuntimeComplete)); err == nil {
		return nil
	}
	work, err := os.MkdirTemp(h.directory(), ".new-") // on the same file system
	if err != nil {
		return fmt.Errorf("make a directory for Node %s: %w", version, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := os.Chmod(work, 0o755); err != nil { // it is tried as another account
		return fmt.Errorf("make a directory for Node %s: %w", version, err)
	}
	archive, err := fetchNode(ctx, work, version, mirror, keys)
	if err != nil {
		return err
	}
	made := filepath.Join(work, "made")
	if err := unpack(archive, made, "node-v"+version+"-linux-"+architecture()); err != nil {
		return fmt.Errorf("unpack Node %s: %w", version, err)
	}
	if err := runs(ctx, filepath.Join(made, "bin", "node"), "v"+version); err != nil {
		return fmt.Errorf("Node %s does not run on this system: %w", version, err)
	}
	if err := seal(made, version); err != nil {
		return fmt.Errorf("keep Node %s: %w", version, err)
	}
	syscall.Sync() // complete after a power cut, or not there
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("keep Node %s: %w", version, err)
	}
	if err := os.RemoveAll(to); err != nil { // a part of it, of before this file was written last
		return fmt.Errorf("keep Node %s: %w", version, err)
	}
	if err := os.Rename(made, to); err != nil {
		return fmt.Errorf("keep Node %s: %w", version, err)
	}
	return nil
}

// seal says in a directory that it is whole. It may be written to for that moment only.
func seal(dir, version string) error {
	return errors.Join(os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, wire.RuntimeComplete), []byte(version+"\n"), 0o444), os.Chmod(dir, 0o555))
}

// lock waits until no other program changes what is there.
func (h Host) lock() (*os.File, error) {
	if err := os.MkdirAll(h.directory(), 0o755); err != nil {
		return nil, fmt.Errorf("make the directory of runtimes: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(h.directory(), ".lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the runtimes: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the runtimes: %w", err), f.Close())
	}
	return f, nil
}

// architecture is this host's in the names of Node's archives. The agent is built for its host.
func architecture() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

// fetchNode fetches and verifies an archive, and returns its path.
func fetchNode(ctx context.Context, work, version, mirror string, keys []byte) (string, error) {
	from := strings.TrimRight(mirror, "/") + "/v" + version + "/"
	client := client()
	defer client.CloseIdleConnections()
	var sums, signature bytes.Buffer
	if err := fetch(ctx, client, from+"SHASUMS256.txt", &sums, maxSums); err != nil {
		return "", err
	}
	if err := fetch(ctx, client, from+"SHASUMS256.txt.sig", &signature, maxSignature); err != nil {
		return "", err
	}
	if err := verify(ctx, work, sums.Bytes(), signature.Bytes(), keys); err != nil {
		return "", fmt.Errorf("the checksums of Node %s from %s: %w", version, mirror, err)
	}
	name := "node-v" + version + "-linux-" + architecture() + ".tar.gz"
	want, err := sumOf(sums.String(), name)
	if err != nil {
		return "", err
	}
	at := filepath.Join(work, "archive")
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("fetch Node %s: %w", version, err)
	}
	hash := sha256.New()
	if err := errors.Join(fetch(ctx, client, from+name, io.MultiWriter(f, hash), maxArchive), f.Close()); err != nil {
		return "", err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return "", fmt.Errorf("%s from %s is not the file that was signed: its SHA-256 is %s, and not %s", name, mirror, got, want)
	}
	return at, nil
}

// client follows redirects: what it fetches is verified.
func client() *http.Client {
	dial := &net.Dialer{Timeout: silent}
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: silent, ResponseHeaderTimeout: silent,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &deadline.Conn{Conn: conn, ReadWithin: silent, WriteWithin: silent}, nil
		},
	}}
}

func fetch(ctx context.Context, client *http.Client, address string, into io.Writer, most int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", address, err)
	}
	res, err := client.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("fetch %s: %w", address, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("fetch %s: the mirror answers %d", address, res.StatusCode)
	}
	n, err := io.Copy(into, io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return fmt.Errorf("fetch %s: it ended after %d bytes: %w", address, n, err)
	case n > most:
		return fmt.Errorf("fetch %s: it is longer than %d bytes", address, most)
	}
	return nil
}

// verify checks a signature with the host's gpgv, which knows only these keys. A key that has expired or was revoked is refused.
func verify(ctx context.Context, work string, text, signature, keys []byte) error {
	for name, content := range map[string][]byte{"keys.gpg": keys, "signed": text, "signature": signature} {
		if err := os.WriteFile(filepath.Join(work, name), content, 0o600); err != nil {
			return fmt.Errorf("verify them: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gpgv", "--homedir", work, "--status-fd", "1", "--keyring", filepath.Join(work, "keys.gpg"),
		filepath.Join(work, "signature"), filepath.Join(work, "signed"))
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	var said bytes.Buffer
	cmd.Stdout = &said
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("gpgv is not installed, which verifies them")
	}
	good := false
	for line := range strings.Lines(said.String()) {
		words := strings.Fields(strings.TrimPrefix(line, "[GNUPG:] "))
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "GOODSIG":
			good = true
		case "EXPKEYSIG":
			return fmt.Errorf("the key %s that signed them has expired", words[1])
		case "REVKEYSIG":
			return fmt.Errorf("the key %s that signed them was revoked", words[1])
		case "EXPSIG":
			return fmt.Errorf("the signature by %s has expired", words[1])
		case "BADSIG":
			return fmt.Errorf("they are not what %s signed", words[1])
		case "NO_PUBKEY":
			return fmt.Errorf("they are signed by the key %s, which is not trusted", words[1])
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("they have no valid signature: gpgv: %w", err)
	case !good:
		return errors.New("they have no valid signature")
	}
	return nil
}

// sumOf returns the checksum that a list has of a file.
func sumOf(sums, name string) (string, error) {
	for line := range strings.Lines(sums) {
		if words := strings.Fields(line); len(words) == 2 && words[1] == name && len(words[0]) == hex.EncodedLen(sha256.Size) {
			return words[0], nil
		}
	}
	return "", fmt.Errorf("the signed list has no %s", name)
}

// runs has a program tell its version, as an account without rights.
func runs(ctx context.Context, program, want string) error {
	ctx, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.Env, cmd.Dir = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}, "/"
	if os.Getuid() == 0 {
		const nobody = 65534 // of that name in Debian
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	said := strings.TrimSpace(string(out))
	if len(said) > 500 {
		said = said[:500]
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s", err, said)
	case said != want:
		return fmt.Errorf("it says that it is %q", said)
	}
	return nil
}
