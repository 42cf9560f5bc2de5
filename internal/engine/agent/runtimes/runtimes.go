// Package runtimes keeps the versions of runtimes that sites chose on a host: each in a directory of root's that no other account can
// write to, made of an archive whose checksum its publisher signed.
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

// Install makes a version be there. keys are those that may have signed it, in the form of the runtime.
func (h Host) Install(ctx context.Context, name, version, mirror string, keys []byte) (err error) {
	to, err := h.path(name, version)
	if err != nil {
		return err
	}
	r, err := releaseOf(name, version)
	if err != nil {
		return err
	}
	lock, err := h.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := os.Lstat(filepath.Join(to, wire.RuntimeComplete)); err == nil {
		return nil
	}
	if err := h.install(ctx, r, to, mirror, keys); err != nil {
		return fmt.Errorf("%s: %w", r.title, err)
	}
	return nil
}

func (h Host) install(ctx context.Context, r release, to, mirror string, keys []byte) (err error) {
	work, err := os.MkdirTemp(h.directory(), ".new-") // on the same file system
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := os.Chmod(work, 0o755); err != nil { // it is tried as another account
		return err
	}
	client := client()
	defer client.CloseIdleConnections()
	archive, err := r.fetch(ctx, source{client: client, mirror: strings.TrimRight(mirror, "/"), work: work, keys: keys})
	if err != nil {
		return err
	}
	made := filepath.Join(work, "made")
	if err := r.unpack(archive, made); err != nil {
		return fmt.Errorf("unpack it: %w", err)
	}
	if err := runs(ctx, filepath.Join(made, "bin", r.program[0]), r.program[1], r.says); err != nil {
		return fmt.Errorf("it does not run on this system: %w", err)
	}
	if err := seal(made, r.version); err != nil {
		return err
	}
	syscall.Sync() // complete after a power cut, or not there
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil { // a part of it, of before this file was written last
		return err
	}
	return os.Rename(made, to)
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

// verify checks a signature with the host's gpgv, which knows only these keys, and returns what was signed. signature is that of
// text, or, without a text, is text that has its signature in it (RFC 9580 section 7). A key that has expired or was revoked is refused.
func verify(ctx context.Context, work string, text, signature, keys []byte) ([]byte, error) {
	at := func(name string) string { return filepath.Join(work, name) }
	args := []string{"--homedir", work, "--status-fd", "1", "--keyring", at("keys.gpg")}
	files := map[string][]byte{"keys.gpg": keys, "signature": signature}
	if text == nil {
		args = append(args, "--output", at("signed"), at("signature"))
	} else {
		files["signed"] = text
		args = append(args, at("signature"), at("signed"))
	}
	for name, content := range files {
		if err := os.WriteFile(at(name), content, 0o600); err != nil {
			return nil, fmt.Errorf("verify them: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gpgv", args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	var said bytes.Buffer
	cmd.Stdout = &said
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("gpgv is not installed, which verifies them")
	}
	if err := judged(said.String(), err); err != nil {
		return nil, err
	}
	return os.ReadFile(at("signed"))
}

// judged returns why what gpgv said is no valid signature, nil if it is one. failed is how gpgv ended.
func judged(said string, failed error) error {
	good := false
	for line := range strings.Lines(said) {
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
	case failed != nil:
		return fmt.Errorf("they have no valid signature: gpgv: %w", failed)
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
func runs(ctx context.Context, program, argument, want string) error {
	ctx, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, argument)
	cmd.Env, cmd.Dir = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "GOTOOLCHAIN=local", "GOTELEMETRY=off"}, "/"
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
