package app

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// An archive of the panel itself is a tar (zstd) of manifest.json, the database and the database's checksum, in this order. Secrets in the
// database are sealed; the master key is not in the archive, only the ids and fingerprints of the keys that open it, so these have to be kept elsewhere.
const (
	archiveManifest = "manifest.json"
	archiveDatabase = "database"
	archiveChecksum = "database.sha256"
	archiveVersion  = 2
	maxManifest     = 64 << 10
)

// Manifest describes an archive of the panel; it is read first.
type Manifest struct {
	Version int    `json:"version"`
	Dialect string `json:"dialect"`
	// Keys are those that the archive needs.
	Keys      []secret.Key `json:"master_keys,omitempty"`
	CreatedAt time.Time    `json:"created_at"`
	Size      int64        `json:"size"`
	// Rows are the numbers of rows by table, which a proof compares.
	Rows map[string]int64 `json:"rows,omitempty"`
}

// KeyNames names what opens the archive.
func (m Manifest) KeyNames() string { return keysText(m.Keys) }

// Errors of archives.
var (
	ErrArchive  = errors.New("this is not a complete archive of hostler backup")
	ErrNotEmpty = errors.New("there is already a database")
)

// Backup writes an archive of the installation to a new file, while it serves or not.
func Backup(ctx context.Context, c Config, file string) (Manifest, error) {
	m := Manifest{Version: archiveVersion, Dialect: string(db.SQLite), CreatedAt: time.Now().UTC()}
	box, err := secret.OpenBox(c.KeyFile(), false)
	if err != nil {
		return m, err
	}
	d, err := db.Connect(ctx, db.Config{URL: c.DatabaseURL, Dir: c.DataDir})
	if err != nil {
		return m, err
	}
	defer func() { _ = d.Close() }()
	m.Dialect = string(d.Dialect)
	known, err := knownKeys(ctx, d)
	if err != nil {
		return m, err
	}
	if len(known) == 0 {
		return m, errors.New("the database is empty; run: hostler migrate")
	}
	if err := known.in(box, c.KeyFile()); err != nil {
		return m, fmt.Errorf("an archive could not be restored: %w", err)
	}
	m.Keys = known
	dir, err := os.MkdirTemp(filepath.Dir(file), ".hostler-backup-")
	if err != nil {
		return m, fmt.Errorf("make a directory beside the archive: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	made := filepath.Join(dir, "archive")
	snapshot, rows, err := copyDatabase(ctx, d, c, dir)
	if err != nil {
		return m, fmt.Errorf("copy the database: %w", err)
	}
	m.Rows = rows
	if err := writeArchive(made, snapshot, &m); err != nil {
		return m, err
	}
	if err := os.Link(made, file); err != nil { // never replaces another file
		return m, fmt.Errorf("save the archive: %w", err)
	}
	return m, syncPath(filepath.Dir(file))
}

// copyDatabase writes a copy of the database into a directory, and counts the rows of the copy.
func copyDatabase(ctx context.Context, d *db.DB, c Config, dir string) (snapshot string, rows map[string]int64, err error) {
	// A copy may be sound whose source is not: VACUUM INTO builds new indexes, and pg_dump reads none.
	if err := d.Verify(ctx); err != nil {
		return "", nil, err
	}
	if d.Dialect == db.PostgreSQL {
		snapshot = filepath.Join(dir, archiveDatabase)
		rows, err = d.Snapshot(ctx, func(name string) error {
			return postgresTool(ctx, c.DatabaseURL, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--snapshot="+name, "--file="+snapshot)
		})
		return snapshot, rows, err
	}
	snapshot = filepath.Join(dir, "hostler.db")
	if _, err := d.SQLDB().ExecContext(ctx, `VACUUM INTO ?`, snapshot); err != nil {
		return "", nil, err
	}
	copied, err := db.Connect(ctx, db.Config{Dir: dir})
	if err != nil {
		return "", nil, err
	}
	rows, err = copied.Rows(ctx)
	return snapshot, rows, errors.Join(err, copied.Close())
}

func writeArchive(to, snapshot string, m *Manifest) error {
	in, err := os.Open(snapshot)
	if err != nil {
		return fmt.Errorf("read the copy: %w", err)
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("read the copy: %w", err)
	}
	m.Size = info.Size()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	defer func() { _ = out.Close() }()
	z, err := zstd.NewWriter(out)
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	t := tar.NewWriter(z)
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	sum := sha256.New()
	add := func(name string, size int64, from io.Reader) error {
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: m.CreatedAt}); err != nil {
			return err
		}
		_, err := io.Copy(t, from)
		return err
	}
	err = add(archiveManifest, int64(len(raw)), bytes.NewReader(raw))
	if err == nil {
		err = add(archiveDatabase, m.Size, io.TeeReader(in, sum))
	}
	if err == nil {
		text := hex.EncodeToString(sum.Sum(nil))
		err = add(archiveChecksum, int64(len(text)), bytes.NewReader([]byte(text)))
	}
	if err = errors.Join(err, t.Close(), z.Close(), out.Sync()); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

// Restore makes an installation of an archive. The master key file must be in its place already and hold the keys that the archive names: they are
// compared before anything is touched, and a database that is there is never replaced.
func Restore(ctx context.Context, c Config, file string) (Manifest, error) {
	in, err := os.Open(file)
	if err != nil {
		return Manifest{}, fmt.Errorf("read the archive: %w", err)
	}
	defer func() { _ = in.Close() }()
	plain, err := unseal(in, c.KeyFile())
	if err != nil {
		return Manifest{}, err
	}
	z, err := zstd.NewReader(plain)
	if err != nil {
		return Manifest{}, ErrArchive
	}
	defer z.Close()
	t := tar.NewReader(z)
	m, err := readManifest(t)
	if err != nil {
		return m, err
	}
	box, err := secret.OpenBox(c.KeyFile(), false)
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%w: %s does not exist; put the key file there that holds the key %s", ErrMasterKey, c.KeyFile(), m.KeyNames())
	}
	if err != nil {
		return m, err
	}
	if err := keys(m.Keys).in(box, c.KeyFile()); err != nil {
		return m, err
	}
	if (c.DatabaseURL == "") != (m.Dialect == string(db.SQLite)) {
		return m, fmt.Errorf("the archive is of %s; restore it there", m.Dialect)
	}
	if err := mustBeEmpty(ctx, c); err != nil {
		return m, err
	}
	if err := openDataDir(c.DataDir); err != nil {
		return m, err
	}
	dir, err := os.MkdirTemp(c.DataDir, ".restore-")
	if err != nil {
		return m, fmt.Errorf("make a directory for the database: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	copied := filepath.Join(dir, archiveDatabase)
	if err := unpackDatabase(t, m, copied); err != nil {
		return m, err
	}
	return m, putDatabase(ctx, c, m, copied)
}

func readManifest(t *tar.Reader) (Manifest, error) {
	var m Manifest
	h, err := t.Next()
	if err != nil || h.Name != archiveManifest || h.Size > maxManifest {
		return m, ErrArchive
	}
	raw, err := io.ReadAll(t)
	if err != nil || json.Unmarshal(raw, &m) != nil {
		return m, ErrArchive
	}
	if m.Version != archiveVersion {
		return m, fmt.Errorf("the archive has version %d, this program reads version %d", m.Version, archiveVersion)
	}
	if m.KeyNames() == "" {
		return m, ErrArchive
	}
	return m, nil
}

func mustBeEmpty(ctx context.Context, c Config) error {
	if c.DatabaseURL == "" {
		if _, err := os.Lstat(filepath.Join(c.DataDir, "hostler.db")); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w in %s: move it away first", ErrNotEmpty, c.DataDir)
		}
		return nil
	}
	d, err := db.Connect(ctx, db.Config{URL: c.DatabaseURL, Dir: c.DataDir})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	var tables int
	if err := d.SQLDB().QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&tables); err != nil {
		return fmt.Errorf("look into the database: %w", err)
	}
	if tables > 0 {
		return fmt.Errorf("%w: it has %d tables", ErrNotEmpty, tables)
	}
	return nil
}

func unpackDatabase(t *tar.Reader, m Manifest, to string) error {
	h, err := t.Next()
	if err != nil || h.Name != archiveDatabase || h.Size != m.Size {
		return ErrArchive
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the database: %w", err)
	}
	defer func() { _ = out.Close() }()
	var sum hash.Hash = sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, sum), t); err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if h, err = t.Next(); err != nil || h.Name != archiveChecksum || h.Size != 2*sha256.Size {
		return ErrArchive
	}
	want, err := io.ReadAll(t)
	if err != nil || string(want) != hex.EncodeToString(sum.Sum(nil)) {
		return fmt.Errorf("%w: its checksum differs", ErrArchive)
	}
	return out.Sync()
}

func putDatabase(ctx context.Context, c Config, m Manifest, copied string) error {
	if m.Dialect != string(db.SQLite) {
		return postgresTool(ctx, c.DatabaseURL, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", copied)
	}
	// A link fails if the file exists, so a database that appeared meanwhile is not replaced.
	if err := os.Link(copied, filepath.Join(c.DataDir, "hostler.db")); err != nil {
		return fmt.Errorf("put the database in place: %w", err)
	}
	return syncPath(c.DataDir)
}

func syncPath(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// postgresTool runs pg_dump or pg_restore on a database. Its password is passed in the environment, which only its owner can read.
func postgresTool(ctx context.Context, at, name string, args ...string) error {
	at, password, err := withoutPassword(at)
	if err != nil {
		return err
	}
	env := os.Environ()
	if password != "" {
		env = append(env, "PGPASSWORD="+password)
	}
	cmd := exec.CommandContext(ctx, name, append([]string{"--dbname=" + at}, args...)...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is not installed; it comes with PostgreSQL's client programs", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return nil
}

// withoutPassword takes the password out of a database's URL, where it is that of the user or a parameter; the parameter counts if there are both.
// A command line can't have it: every account of the machine can read that. The passphrase of a client key has no variable to be passed in
// (libpq, "Environment Variables"), so it is refused.
func withoutPassword(at string) (without, password string, err error) {
	u, err := url.Parse(at)
	if err != nil {
		return "", "", errors.New("read the database URL: it is not a URL") // the error would quote it
	}
	params := u.Query()
	if params.Has("sslpassword") {
		return "", "", errors.New("the database URL has an sslpassword, which pg_dump and pg_restore take only on the command line: use a client key " +
			"without a passphrase")
	}
	if password, _ = u.User.Password(); u.User != nil {
		u.User = url.User(u.User.Username())
	}
	if params.Has("password") {
		password = params.Get("password")
	}
	for name := range params {
		if name == "password" || strings.HasPrefix(name, "pool_") { // libpq refuses what it does not know
			params.Del(name)
			u.RawQuery = params.Encode()
		}
	}
	return u.String(), password, nil
}
