package runtimes

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	askWithin = 15 * time.Second
	// maxSums is the longest list that is read, in bytes. Node's are 4 kB, and npm's of Deno 70 kB.
	maxSums = 2 << 20
	// fresh is how long an answer of the mirror is believed.
	fresh = 10 * time.Minute
)

// ErrNone is returned for a version that the mirror does not have.
var ErrNone = errors.New("the mirror does not have it")

// errNoLinux is for a list that has other things.
var errNoLinux = errors.New("names no release for Linux")

// Mirror is where releases of a runtime come from. Hosts fetch and verify them; the panel only asks which is the newest of a release line.
type Mirror struct {
	// URL is the address that has a directory for each release, without a slash at its end.
	URL string
	// Keys are those that may have signed a release, in the form that hosts get: OpenPGP keys as gpgv reads them, keys of an npm registry,
	// or that of a checksum database.
	Keys []byte
	// Kind is what is published there.
	Kind *Kind

	client *http.Client
	mu     sync.Mutex
	known  map[string]answer
}

// answer is the exact version that the mirror offers for one that was asked for.
type answer struct {
	version string
	until   time.Time
}

// NewMirror returns a mirror of a runtime at an address, "" for that of its project, with the keys of a file, nil for those of its project.
func NewMirror(kind *Kind, address string, keys []byte, transport http.RoundTripper) (*Mirror, error) {
	if address == "" {
		address = kind.DefaultMirror
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(address, " \t\n") {
		return nil, fmt.Errorf("the mirror of %s, %q, is not an http or https URL", kind.Title, address)
	}
	if keys == nil {
		keys = kind.keys
	}
	read, err := kind.read(keys)
	if err != nil {
		return nil, fmt.Errorf("read the keys for %s: %w", kind.Title, err)
	}
	return &Mirror{
		URL: strings.TrimRight(address, "/"), Keys: read, Kind: kind, known: map[string]answer{},
		client: &http.Client{Transport: transport, Timeout: askWithin},
	}, nil
}

// Resolve asks the mirror for the exact version that a requested one stands for, and remembers it for Resolved.
func (m *Mirror) Resolve(ctx context.Context, version string) error {
	if _, ok := m.Resolved(version); ok {
		return nil
	}
	found, err := m.ask(ctx, m.URL+"/"+m.Kind.list(version), version)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[version] = answer{version: found, until: time.Now().Add(fresh)}
	return nil
}

// Resolved returns what Resolve found within the last minutes.
func (m *Mirror) Resolved(version string) (exact string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.known[version]
	return known.version, ok && time.Now().Before(known.until)
}

func (m *Mirror) ask(ctx context.Context, address, version string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", fmt.Errorf("ask for %s %s: %w", m.Kind.Title, version, err)
	}
	if m.Kind.accept != "" {
		req.Header.Set("Accept", m.Kind.accept)
	}
	res, err := m.client.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return "", fmt.Errorf("ask %s for %s %s: %w", m.URL, m.Kind.Title, version, err)
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusGone:
		return "", ErrNone
	case res.StatusCode != http.StatusOK:
		return "", fmt.Errorf("%s answers %d for %s %s", m.URL, res.StatusCode, m.Kind.Title, version)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxSums+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("ask %s for %s %s: %w", m.URL, m.Kind.Title, version, err)
	case len(text) > maxSums:
		return "", fmt.Errorf("the list of %s %s at %s is too long", m.Kind.Title, version, m.URL)
	}
	exact, err := m.Kind.find(string(text), version)
	switch {
	case errors.Is(err, ErrNone):
		return "", err
	case err != nil:
		return "", fmt.Errorf("the list of %s %s at %s %w", m.Kind.Title, version, m.URL, err)
	}
	if m.Kind.check(exact) != nil || !Exact(exact) || exact != version && (Exact(version) || m.Kind.Line(exact) != version) {
		return "", fmt.Errorf("%s offers %s %s for %s", m.URL, m.Kind.Title, exact, version)
	}
	return exact, nil
}

// dearmor returns keys as gpgv reads them, of text in ASCII armor (RFC 9580 section 6.2) or of what is binary already.
func dearmor(keys []byte) ([]byte, error) {
	const begin, end = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
	if len(keys) > 0 && keys[0]&0x80 != 0 { // an OpenPGP packet begins with this bit
		return keys, nil
	}
	var out []byte
	for rest := string(bytes.ReplaceAll(keys, []byte("\r"), nil)); ; {
		_, block, ok := strings.Cut(rest, begin)
		if !ok {
			break
		}
		if block, rest, ok = strings.Cut(block, end); !ok {
			return nil, errors.New("a key has no end")
		}
		_, block, ok = strings.Cut(block, "\n\n") // headers end with an empty line
		if !ok {
			return nil, errors.New("a key has no empty line after its headers")
		}
		if at := strings.LastIndex(block, "\n="); at >= 0 { // its checksum
			block = block[:at]
		}
		raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(block), ""))
		if err != nil {
			return nil, fmt.Errorf("a key is not base64: %w", err)
		}
		out = append(out, raw...)
	}
	if len(out) == 0 {
		return nil, errors.New("there is no OpenPGP public key in it")
	}
	return out, nil
}

// Mirrors are those of all runtimes, by name.
type Mirrors map[string]*Mirror

// NewMirrors returns the mirrors at addresses by name of a runtime, with keys by name of a runtime; what neither has is as its
// project has it.
func NewMirrors(addresses map[string]string, keys map[string][]byte, transport http.RoundTripper) (Mirrors, error) {
	for _, name := range slices.Concat(slices.Collect(maps.Keys(addresses)), slices.Collect(maps.Keys(keys))) {
		if Named(name) == nil {
			return nil, fmt.Errorf("there is no runtime %q with versions", name)
		}
	}
	out := Mirrors{}
	for _, kind := range Kinds() {
		m, err := NewMirror(kind, addresses[kind.Name], keys[kind.Name], transport)
		if err != nil {
			return nil, err
		}
		out[kind.Name] = m
	}
	return out, nil
}

// Resolve asks the mirror of a runtime, as Mirror.Resolve does.
func (m Mirrors) Resolve(ctx context.Context, name, version string) error {
	return m[name].Resolve(ctx, version)
}

// Resolved returns what Resolve found within the last minutes.
func (m Mirrors) Resolved(name, version string) (exact string, ok bool) {
	return m[name].Resolved(version)
}
