package runtimes

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb"
	"golang.org/x/mod/sumdb/dirhash"
)

// goModule is a release in a module proxy. Its checksum is in the log of a checksum database, whose head is signed; the
// proxy passes that on (go.dev/ref/mod).
type goModule struct{ path, version string }

// fetch fetches and verifies the module, and returns the path of its archive.
func (m goModule) fetch(ctx context.Context, s source) (string, error) {
	want, err := m.sum(ctx, s)
	if err != nil {
		return "", err
	}
	at, err := s.archive(ctx, m.path+"/@v/"+m.version+".zip", io.Discard)
	if err != nil {
		return "", err
	}
	if err := bounded(at); err != nil {
		return "", err
	}
	got, err := dirhash.HashZip(at, dirhash.Hash1)
	if err != nil {
		return "", fmt.Errorf("the module from %s is not an archive: %w", s.mirror, err)
	}
	if got != want {
		return "", fmt.Errorf("the module from %s is not the one in the checksum database: its checksum is %s, and not %s", s.mirror, got, want)
	}
	return at, nil
}

// bounded refuses an archive that would be too large to read: its checksum is of the files in it.
func bounded(archive string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	defer z.Close()
	left := uint64(maxUnpacked)
	for _, f := range z.File {
		if f.UncompressedSize64 > left {
			return fmt.Errorf("it is larger than %d bytes", int64(maxUnpacked))
		}
		left -= f.UncompressedSize64
	}
	if len(z.File) > maxFiles {
		return fmt.Errorf("it has more than %d files", maxFiles)
	}
	return nil
}

// sum returns the checksum that the database has of the module.
func (m goModule) sum(ctx context.Context, s source) (string, error) {
	name, _, _ := strings.Cut(string(s.keys), "+")
	log := &database{ctx: ctx, source: s, name: name}
	lines, err := sumdb.NewClient(log).Lookup(m.path, m.version)
	if log.refused != "" {
		return "", fmt.Errorf("the checksum database %s from %s contradicts itself: %s", name, s.mirror, log.refused)
	}
	if err != nil {
		return "", fmt.Errorf("its checksum in the database %s from %s: %w", name, s.mirror, err)
	}
	prefix := m.path + " " + m.version + " "
	if at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, prefix+"h1:") }); at >= 0 {
		return strings.TrimPrefix(lines[at], prefix), nil
	}
	return "", fmt.Errorf("the checksum database %s has no checksum of it", name)
}

// database is the checksum database as a proxy passes it on. It is read once for each release, and no answer is kept.
type database struct {
	ctx     context.Context
	source  source
	name    string
	mu      sync.Mutex
	latest  []byte
	refused string
}

// maxTile is the longest answer of a database, in bytes: a tile of its log has 256 records.
const maxTile = 1 << 20

// ReadRemote returns a file of the database.
func (d *database) ReadRemote(path string) ([]byte, error) {
	return d.source.get(d.ctx, "sumdb/"+d.name+path, maxTile)
}

// ReadConfig returns the key of the database, and the head of its log as it was seen last.
func (d *database) ReadConfig(file string) ([]byte, error) {
	if file == "key" {
		return d.source.keys, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.latest, nil
}

// WriteConfig replaces the head of the log.
func (d *database) WriteConfig(_ string, before, after []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if string(before) != string(d.latest) {
		return sumdb.ErrWriteConflict
	}
	d.latest = after
	return nil
}

// ReadCache returns nothing: no answer is kept.
func (d *database) ReadCache(string) ([]byte, error) { return nil, errors.New("nothing is kept") }

// WriteCache keeps nothing.
func (d *database) WriteCache(string, []byte) {}

// Log drops what the client says of its work.
func (d *database) Log(string) {}

// SecurityError keeps why the database can't be believed.
func (d *database) SecurityError(message string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused, _, _ = strings.Cut(message, "\n")
}
