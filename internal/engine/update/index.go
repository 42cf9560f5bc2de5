// Package update replaces the panel's program by a newer release: it finds and verifies releases, swaps the program, and goes back if the new one does not
// become ready.
package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"time"

	"aead.dev/minisign"
	"golang.org/x/mod/semver"
)

// Index describes the newest release. It is signed as a whole.
type Index struct {
	Version string `json:"version"`
	// Changes is the URL of a page that says what changed.
	Changes string `json:"changes"`
	// Expires is when the index has to be replaced by a newer one, with a release or without: whoever can withhold newer releases would otherwise do it for ever.
	Expires time.Time `json:"expires"`
	// Programs are files by system, such as linux/amd64.
	Programs map[string]File `json:"programs"`
}

// File is a program of a release.
type File struct {
	// Name is relative to the index.
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Errors of releases.
var (
	// ErrNoKey is returned by programs that were built without the key of releases.
	ErrNoKey = errors.New("this program was not built as a release: it has no key to verify releases with; install a release by hand")
	// ErrSignature is returned for an index that is not signed with the key of releases.
	ErrSignature = errors.New("the signature of the index is not valid: it was not signed with the key of releases")
	// ErrChecksum is returned for a program that is not the one of the index.
	ErrChecksum = errors.New("the program that was downloaded is not the one of the signed index")
	// ErrExpired is returned for an index that should have been replaced: newer releases may be withheld.
	ErrExpired = errors.New("the index of releases has expired, so newer releases may be withheld; compare with the list of releases, and ask their publisher")
	// ErrWithheld is returned for a release that is older than one that the source has named before.
	ErrWithheld = errors.New("the source of releases withholds a newer release")
	// ErrOlder is returned for a release that is older than this program.
	ErrOlder = errors.New("an older version is never installed")
)

const (
	mostIndex     = 1 << 20
	mostSignature = 4 << 10
	mostProgram   = 1 << 30
	indexWithin   = 30 * time.Second
)

// Source is where releases come from.
type Source struct {
	// URL is the index's; its signature is at the same URL with .minisig.
	URL string
	// Key is the public key of releases, as minisign prints it.
	Key string
	// Version is that of this program.
	Version string
	// HTTP is used for requests, default http.DefaultClient.
	HTTP *http.Client
	// Now returns the time, default time.Now.
	Now func() time.Time
}

// Newest returns the verified index, and whether its release is newer than this program.
func (s Source) Newest(ctx context.Context) (index Index, newer bool, err error) {
	if s.Key == "" {
		return index, false, ErrNoKey
	}
	if !semver.IsValid(s.Version) {
		return index, false, fmt.Errorf("this program has the version %q, which can't be compared with releases", s.Version)
	}
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte(s.Key)); err != nil {
		return index, false, fmt.Errorf("read the key of releases: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, indexWithin)
	defer cancel()
	raw, err := s.get(ctx, s.URL, mostIndex)
	if err != nil {
		return index, false, err
	}
	signature, err := s.get(ctx, s.URL+".minisig", mostSignature)
	if err != nil {
		return index, false, err
	}
	if !minisign.Verify(key, raw, signature) {
		return index, false, ErrSignature
	}
	if err := json.Unmarshal(raw, &index); err != nil {
		return index, false, fmt.Errorf("read the index of releases: %w", err)
	}
	if !semver.IsValid(index.Version) {
		return index, false, fmt.Errorf("the index has the version %q", index.Version)
	}
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	if !now().Before(index.Expires) {
		return index, false, fmt.Errorf("%w (%s)", ErrExpired, index.Expires.UTC().Format(time.DateOnly))
	}
	return index, semver.Compare(index.Version, s.Version) > 0, nil
}

// open begins a request for a file.
func (s Source) open(ctx context.Context, at string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("update-url %q: %w", at, err)
	}
	client := s.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch a release: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, fmt.Errorf("fetch %s: %s", at, res.Status)
	}
	return res.Body, nil
}

func (s Source) get(ctx context.Context, at string, most int64) ([]byte, error) {
	body, err := s.open(ctx, at)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(body, most+1))
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", at, err)
	}
	if int64(len(raw)) > most {
		return nil, fmt.Errorf("fetch %s: it has more than %d bytes", at, most)
	}
	return raw, nil
}

// Program returns the file for this machine.
func (i Index) Program() (File, error) {
	system := runtime.GOOS + "/" + runtime.GOARCH
	f, ok := i.Programs[system]
	if !ok {
		return f, fmt.Errorf("the release %s has no program for %s", i.Version, system)
	}
	if f.Size <= 0 || f.Size > mostProgram || len(f.SHA256) != 2*sha256.Size {
		return f, fmt.Errorf("the index describes the program for %s wrongly", system)
	}
	return f, nil
}

// Download writes a program to a new file beside another one, and returns its path once its checksum is right.
func (s Source) Download(ctx context.Context, f File, beside string) (_ string, err error) {
	base, err := url.Parse(s.URL)
	if err != nil {
		return "", fmt.Errorf("update-url %q: %w", s.URL, err)
	}
	at, err := base.Parse(f.Name)
	if err != nil {
		return "", fmt.Errorf("the index names the file %q: %w", f.Name, err)
	}
	body, err := s.open(ctx, at.String())
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }()
	path := beside + ".new"
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("make room for the new program: %w", err)
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700) //nolint:gosec // a program; opened to others once it is verified
	if err != nil {
		return "", fmt.Errorf("write the new program: %w", err)
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			_ = os.Remove(path)
		}
	}()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(body, f.Size+1))
	if err != nil {
		return "", fmt.Errorf("download %s: %w", at, err)
	}
	if n != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return "", ErrChecksum
	}
	return path, errors.Join(out.Chmod(0o755), out.Sync()) //nolint:gosec // a program that everyone may run
}
