// Package backup copies databases and sites' files to a bucket: encrypted before they leave the host, listed after they were
// sent, and regularly restored into a scratch database, so that a backup that is shown as good was proven.
package backup

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

// Aspect is the name of the aspect of backups; each server has a separate lane for them, in parallel to its changes.
const Aspect = "backup"

// Deadlines, including the time that a host is unreachable.
const (
	createWithin = 12 * time.Hour
	removeWithin = 6 * time.Hour
	signedFor    = 24 * time.Hour
)

// The states of a backup and of a restore.
const (
	StatusRunning  = "running"
	StatusFinished = "finished"
	StatusFailed   = "failed"
	StatusRemoving = "removing"
)

// The states of an item: sent means that the storage has its parts, stored that it is listed there as an object.
const (
	itemPending = "pending"
	itemSent    = "sent"
	itemStored  = "stored"
	itemFailed  = "failed"
)

// The kinds of rows that work settles, and the verbs in addition to create and delete.
const (
	resourceBackup  = "backups"
	resourceRestore = "backupRestores"
	actionVerify    = "verify"
)

// The kinds of items.
const (
	kindDatabase = "database"
	kindFiles    = "files"
)

// installed is the only status of a configuration, since it needs nothing on a host, and the good one of a database; installing
// is a database being created or changed.
const (
	installed  = "installed"
	installing = "installing"
)

// Store reads and writes resources of servers that were loaded for the caller.
type Store struct {
	DB      *db.DB
	Box     *secret.Box
	Servers *server.Store
	Storage *storage.Store
}

// Path is a configuration that the caller can see.
type Path struct {
	server.Path
	Configuration query.BackupConfiguration
}

// Lock locks the server, and reads it and the configuration again.
func (p Path) Lock(ctx context.Context, tx *db.Tx) (Path, error) {
	var err error
	if p.Path, err = p.Path.Lock(ctx, tx); err != nil {
		return p, err
	}
	if p.Configuration, err = tx.GetBackupConfiguration(ctx, p.Server, p.Configuration.ID); err != nil {
		return p, fmt.Errorf("read backup configuration: %w", err)
	}
	return p, nil
}

// BackupPath is one run of it.
type BackupPath struct {
	Path
	Backup query.Backup
}

// Lock locks the server, and reads it, the configuration and the backup again.
func (p BackupPath) Lock(ctx context.Context, tx *db.Tx) (BackupPath, error) {
	var err error
	if p.Path, err = p.Path.Lock(ctx, tx); err != nil {
		return p, err
	}
	if p.Backup, err = tx.GetBackup(ctx, p.Configuration, p.Backup.ID); err != nil {
		return p, fmt.Errorf("read backup: %w", err)
	}
	return p, nil
}

// InPath loads the server and the configuration that a path names.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := s.Servers.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("backupConfiguration")
	if err != nil {
		return Path{}, err
	}
	row, err := s.DB.Read().GetBackupConfiguration(ctx, parent.Server, id)
	if err != nil {
		return Path{}, fmt.Errorf("read backup configuration %d: %w", id, err)
	}
	return Path{Path: parent, Configuration: row}, nil
}

// BackupInPath loads the configuration and the backup that a path names.
func (s *Store) BackupInPath(ctx context.Context, actor access.Actor, path api.PathValues) (BackupPath, error) {
	parent, err := s.InPath(ctx, actor, path)
	if err != nil {
		return BackupPath{}, err
	}
	id, err := path.ID("backup")
	if err != nil {
		return BackupPath{}, err
	}
	row, err := s.DB.Read().GetBackup(ctx, parent.Configuration, id)
	if err != nil {
		return BackupPath{}, fmt.Errorf("read backup %d: %w", id, err)
	}
	return BackupPath{Path: parent, Backup: row}, nil
}

// engineOf returns the engine of a server's databases, "" where it has none.
func engineOf(s query.Server) string {
	if s.DatabaseType != nil {
		for _, e := range []string{wire.EngineMariaDB, wire.EngineMySQL, wire.EnginePostgres} {
			if strings.HasPrefix(*s.DatabaseType, e) {
				return e
			}
		}
	}
	return ""
}

// bucketOf returns the bucket of a configuration: its own, or its provider's.
func bucketOf(c query.BackupConfiguration, p query.StorageProvider) string {
	switch {
	case c.Bucket != nil:
		return *c.Bucket
	case p.Bucket != nil:
		return *p.Bucket
	}
	return ""
}

func directoryOf(c query.BackupConfiguration, p query.StorageProvider) string {
	switch {
	case c.Directory != nil:
		return *c.Directory
	case p.Directory != nil:
		return *p.Directory
	}
	return ""
}

// baseOf returns the prefix of a backup's objects. It ends with a slash, so that no other's begins with it.
func baseOf(c query.BackupConfiguration, p query.StorageProvider, b query.Backup) string {
	at := time.UnixMicro(b.CreatedAt).UTC().Format("20060102T150405Z")
	return storage.Join(directoryOf(c, p), "backups-"+strconv.FormatInt(c.ID, 10), at+"-"+strconv.FormatInt(b.ID, 10)) + "/"
}

// plain converts any text to a part of an object's name.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '_'
	}, s)
}

func objectOf(base, kind, name string, n int) string {
	if kind == kindFiles {
		return base + "files.tar.zst.age"
	}
	return fmt.Sprintf("%s%03d-%s.sql.zst.age", base, n, plain(name))
}

// keyPlace returns the place of an organization's sealed secret key, itemPlace that of one object's.
func keyPlace(id int64) secret.Place {
	return secret.Place{Table: "backup_keys", Row: strconv.FormatInt(id, 10), Column: "identity"}
}

func itemPlace(id int64) secret.Place {
	return secret.Place{Table: "backup_items", Row: strconv.FormatInt(id, 10), Column: "file_key"}
}

// key returns the key that an organization's new backups are encrypted to, and creates the first one.
func (s *Store) key(ctx context.Context, tx *db.Tx, organization query.InOrganization) (query.BackupKey, error) {
	rows, err := tx.ListBackupKeys(ctx, organization)
	if err != nil {
		return query.BackupKey{}, fmt.Errorf("list backup keys: %w", err)
	}
	if len(rows) > 0 {
		return rows[0], nil
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return query.BackupKey{}, fmt.Errorf("make backup key: %w", err)
	}
	row, err := tx.InsertBackupKey(ctx, organization.InOrganization(), identity.Recipient().String(), []byte{}, tx.Micros())
	if err != nil {
		return row, fmt.Errorf("make backup key: %w", err)
	}
	if row.Identity, err = s.Box.Seal(keyPlace(row.ID), []byte(identity.String())); err != nil {
		return row, err
	}
	return row, tx.SetBackupKeyIdentity(ctx, row.ID, row.Identity)
}

// identity opens a key.
func (s *Store) identity(row query.BackupKey) (*age.X25519Identity, error) {
	text, err := s.Box.Open(keyPlace(row.ID), row.Identity)
	if err != nil {
		return nil, err
	}
	identity, err := age.ParseX25519Identity(string(text))
	if err != nil {
		return nil, fmt.Errorf("read backup key %d: %w", row.ID, err)
	}
	return identity, nil
}

// open returns the bucket of a backup.
func (s *Store) open(ctx context.Context, organization query.InOrganization, b query.Backup) (*storage.Bucket, error) {
	p, err := s.DB.Read().GetStorageProvider(ctx, organization, b.StorageProviderID)
	if err != nil {
		return nil, fmt.Errorf("read storage provider %d: %w", b.StorageProviderID, err)
	}
	return s.Storage.Open(p, b.Bucket)
}

// start writes a new run of a configuration with its items. The databases are the current ones; only selects others, for the
// fresh dump before a restore.
func (s *Store) start(ctx context.Context, tx *db.Tx, srv query.Server, c query.BackupConfiguration, only []query.Database) (query.Backup, error) {
	var none query.Backup
	p, err := tx.GetStorageProvider(ctx, c, c.StorageProviderID)
	if err != nil {
		return none, fmt.Errorf("read storage provider: %w", err)
	}
	key, err := s.key(ctx, tx, c)
	if err != nil {
		return none, err
	}
	b, err := tx.InsertBackup(ctx, query.InsertBackupParams{
		ConfigurationID: c.ID, StorageProviderID: p.ID, KeyID: key.ID, Bucket: bucketOf(c, p), Status: StatusRunning,
		Safety: only != nil, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create backup: %w", err)
	}
	b.Base = baseOf(c, p, b)
	if err := tx.SetBackupBase(ctx, b.ID, b.Base); err != nil {
		return none, fmt.Errorf("create backup: %w", err)
	}
	databases := only
	if only == nil {
		if databases, err = s.databases(ctx, tx.Granted, c); err != nil {
			return none, err
		}
	}
	insert := func(kind, name, engine string, id *int64, n int) error {
		size, parts := partsOf(unmeasured)
		_, err := tx.InsertBackupItem(ctx, query.InsertBackupItemParams{
			BackupID: b.ID, Kind: kind, DatabaseID: id, Name: name, Engine: engine, Object: objectOf(b.Base, kind, name, n),
			Parts: parts, PartSize: size, Status: itemPending, CreatedAt: tx.Micros(),
		})
		return err
	}
	for i, d := range databases {
		if err := insert(kindDatabase, d.Name, engineOf(srv), &d.ID, i+1); err != nil {
			return none, fmt.Errorf("create backup: %w", err)
		}
	}
	if c.SiteID != nil && c.Paths != "" && only == nil {
		if err := insert(kindFiles, strings.Join(pathsOf(c), " "), wire.EngineFiles, nil, 0); err != nil {
			return none, fmt.Errorf("create backup: %w", err)
		}
	}
	return b, nil
}

// databases returns the databases that a configuration currently covers: the listed ones that exist, or all.
func (s *Store) databases(ctx context.Context, q *query.Granted, c query.BackupConfiguration) ([]query.Database, error) {
	all, err := q.ListDatabases(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("list databases: %w", err)
	}
	ids, err := q.ListBackupDatabases(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("list databases of backup configuration %d: %w", c.ID, err)
	}
	listed := map[int64]bool{}
	for _, id := range ids {
		listed[id] = true
	}
	var out []query.Database
	for _, d := range all {
		if d.Status == installed && (c.IncludeNewDatabases || listed[d.ID]) {
			out = append(out, d)
		}
	}
	return out, nil
}

// pathsOf returns the paths of a configuration's site.
func pathsOf(c query.BackupConfiguration) []string {
	if c.Paths == "" {
		return nil
	}
	return strings.Split(c.Paths, "\n")
}

// gone reports whether a row was deleted meanwhile.
func gone(err error) bool { return errors.Is(err, db.ErrNotFound) }

// Include adds a new database to configurations of its server.
func (s *Store) Include(ctx context.Context, tx *db.Tx, row query.Database, configurations []int64) error {
	for _, id := range configurations {
		if err := tx.InsertBackupDatabase(ctx, id, row.ID); err != nil {
			return fmt.Errorf("include database %d in backup configuration %d: %w", row.ID, id, err)
		}
	}
	return nil
}

// Unknown returns the ids that are not configurations of a server.
func (s *Store) Unknown(ctx context.Context, tx *db.Tx, server query.Server, configurations []int64) (unknown []int64, err error) {
	for _, id := range configurations {
		_, err := tx.GetBackupConfiguration(ctx, server, id)
		if gone(err) {
			unknown = append(unknown, id)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read backup configuration %d: %w", id, err)
		}
	}
	return unknown, nil
}
