package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// stored is a panel that backs itself up to a storage on its own disk.
type stored struct {
	*testing.T
	own   *app.SelfBackup
	c     app.Config
	store *app.Store
	url   func() string // of another empty database
}

func newStored(t *testing.T, dialect db.Dialect) *stored {
	t.Helper()
	s := &stored{T: t, url: func() string { return "" }}
	if dialect == db.PostgreSQL {
		s.url = func() string { return pgtest.Database(t, "empty", func(context.Context, string) error { return nil }) }
	}
	s.c = app.Config{
		DataDir: t.TempDir(), DatabaseURL: s.url(), LocalStorage: t.TempDir(), BackupStorage: 1, BackupEvery: 24 * time.Hour,
		BackupKeep: 30 * 24 * time.Hour, BaseURL: "http://127.0.0.1:1", Listen: "127.0.0.1:0",
		Agents: host.Binaries{"amd64": {Sum: "none", Open: func() ([]byte, error) { return nil, nil }}},
	}
	var err error
	if s.store, err = app.OpenStore(t.Context(), s.c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.store.Close() })
	s.own = &app.SelfBackup{Config: s.c, Store: s.store, Log: slog.New(slog.DiscardHandler)}
	sealed, err := s.store.Box.Seal(secret.Place{Table: "storage_providers", Row: "1", Column: "secret"}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	err = s.store.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "Unmistakable", "unmistakable", 1, 1)
		if err != nil {
			return err
		}
		_, err = tx.InsertStorageProvider(ctx, query.InsertStorageProviderParams{
			OrganizationID: org.ID, Name: "Disk", Provider: "custom",
			Bucket: new("archive"), Endpoint: new("file:///"), Secret: sealed, CreatedAt: 1,
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// files returns what is in the storage.
func (s *stored) files() (out []string) {
	s.Helper()
	err := filepath.WalkDir(s.c.LocalStorage, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return out
}

func (s *stored) run() string {
	s.Helper()
	name, err := s.own.Run(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return filepath.Join(s.c.LocalStorage, "org-1", "archive", name)
}

// told returns what attention and the doctor say about backups of the panel.
func (s *stored) told() string {
	s.Helper()
	var doctor string
	for _, f := range app.Doctor(s.Context(), s.c) {
		if f.Check == "the panel is backed up" && f.Err != nil {
			doctor = f.Err.Error()
		}
	}
	var listed string
	s.Run("attention", func(t *testing.T) {
		for line := range strings.Lines(concerns(t, run(t, s.c))) {
			if text, ok := strings.CutPrefix(line, "panel-backup: "); ok {
				listed = strings.TrimSpace(text)
			}
		}
	})
	if doctor != listed {
		s.Errorf("the doctor says %q, and attention %q", doctor, listed)
	}
	return listed
}

// The panel backs itself up once a day to a storage, restores each archive to a scratch place, and says so if it can't.
func TestPanelBacksItselfUp(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			s := newStored(t, dialect)
			if err := s.own.Due(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.own.Due(t.Context()); err != nil {
				t.Fatal(err)
			}
			files := s.files()
			if len(files) != 1 || !strings.Contains(files[0], "/org-1/archive/panel/hostler-panel-") {
				t.Fatalf("on one day the storage gets %v", files)
			}
			raw, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(raw, []byte("nmistakable")) || !bytes.HasPrefix(raw, []byte("hostler sealed archive")) {
				t.Errorf("the archive is not sealed: %q", raw[:40])
			}
			s.restores(files[0])
			s.prunes()
			s.fails()
			if left, err := filepath.Glob(filepath.Join(s.c.DataDir, ".*")); err != nil || len(left) > 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

// restores makes another installation of an archive, with its key only.
func (s *stored) restores(file string) {
	s.Helper()
	is := app.Config{DataDir: s.TempDir(), DatabaseURL: s.url()}
	if _, err := app.Restore(s.Context(), is, file); !errors.Is(err, app.ErrMasterKey) {
		s.Errorf("without a key: %v", err)
	}
	key, err := secret.NewKey()
	if err != nil {
		s.Fatal(err)
	}
	write(s.T, is.KeyFile(), string(key), 0o600)
	if _, err := app.Restore(s.Context(), is, file); !errors.Is(err, app.ErrMasterKey) {
		s.Errorf("with another key: %v", err)
	}
	if key, err = os.ReadFile(s.c.KeyFile()); err != nil {
		s.Fatal(err)
	}
	write(s.T, is.KeyFile(), string(key), 0o600)
	if _, err := app.Restore(s.Context(), is, file); err != nil {
		s.Fatal(err)
	}
	again, err := app.OpenStore(s.Context(), is)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	names, err := db.Column[string](s.Context(), again.DB.Reader(), "SELECT name FROM organizations")
	if err != nil || len(names) != 1 || names[0] != "Unmistakable" {
		s.Errorf("restored are %v, %v", names, err)
	}
}

// prunes deletes old archives, and nothing else.
func (s *stored) prunes() {
	s.Helper()
	dir := filepath.Dir(s.files()[0])
	old := write(s.T, filepath.Join(dir, "hostler-panel-20200101T000000Z.archive"), "x", 0o600)
	other := write(s.T, filepath.Join(dir, "hostler-panel-notes.txt"), "x", 0o600)
	before := len(s.files())
	s.run()
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		s.Errorf("an archive of 2020 is still there: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		s.Errorf("a file of somebody's is gone: %v", err)
	}
	if now := len(s.files()); now < before-1 {
		s.Errorf("%d files, there were %d", now, before)
	}
	if got := s.told(); got != "" {
		s.Errorf("though the backup was proven it is said that %q", got)
	}
}

// fails damages an archive, and then what is archived.
func (s *stored) fails() {
	s.Helper()
	file := s.run()
	raw, err := os.ReadFile(file)
	if err != nil {
		s.Fatal(err)
	}
	name := strings.TrimPrefix(file, filepath.Join(s.c.LocalStorage, "org-1", "archive")+"/")
	for what, at := range map[string]int{"in the middle": len(raw) / 2, "in its key": 60, "at its end": len(raw) - 3} {
		damaged := bytes.Clone(raw)
		damaged[at] ^= 1
		write(s.T, file, string(damaged), 0o600)
		if err := s.own.Prove(s.Context(), name); err == nil {
			s.Errorf("an archive that is damaged %s was proven", what)
		}
	}
	write(s.T, file, string(raw), 0o600)
	if err := s.own.Prove(s.Context(), name); err != nil {
		s.Errorf("the archive as it was: %v", err)
	}

	// A value that its own key does not open.
	err = s.store.DB.Tx(s.Context(), func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, `INSERT INTO shared_acme_accounts (directory, private_key, location, created_at)
			SELECT 'd', secret, '', 1 FROM storage_providers`)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	if _, err := s.own.Run(s.Context()); err == nil {
		s.Error("an archive with a value that can't be opened was proven")
	}
	const want = "The last backup of the panel failed. The archive can't be restored. The log of the panel says why. The last proven archive is from 20"
	if got := s.told(); !strings.HasPrefix(got, want) {
		s.Errorf("it is said that %q", got)
	}
	own := *s.own
	own.Config.LocalStorage = filepath.Join(s.c.LocalStorage, "none")
	if _, err := own.Run(s.Context()); err == nil {
		s.Error("a storage that is away takes an archive")
	}
	text, err := s.store.DB.Setting(s.Context(), "panel:backup")
	var known struct{ Problem string }
	if err == nil {
		err = json.Unmarshal([]byte(text), &known)
	}
	if err != nil || known.Problem == "" {
		s.Errorf("of a storage that is away it is remembered: %q, %v", text, err)
	}
}

// How a backup ended is recorded although its context has ended too, and another one doesn't begin beside it.
func TestPanelBackupIsInterrupted(t *testing.T) {
	t.Parallel()
	s := newStored(t, db.SQLite)
	setting := func() string {
		text, err := s.store.DB.Setting(t.Context(), "panel:backup")
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			t.Error(err)
		}
		return text
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for !strings.Contains(setting(), `"running":true`) && t.Context().Err() == nil {
		}
		if err := s.own.Due(t.Context()); err != nil {
			t.Error(err)
		}
		cancel()
	}()
	if _, err := s.own.Run(ctx); err == nil {
		t.Fatal("the backup was not interrupted")
	}
	if got := setting(); strings.Contains(got, "running") || !strings.Contains(got, "Hostler was stopped before it was complete.") {
		t.Errorf("recorded is %s", got)
	}
	if files := s.files(); len(files) > 0 {
		t.Errorf("the storage has %v", files)
	}
}
