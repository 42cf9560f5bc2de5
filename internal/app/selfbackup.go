package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

const (
	// lookForBackup is how often the panel checks whether a backup of itself is due, and backupAgain is the delay after a failure.
	lookForBackup = 10 * time.Minute
	backupAgain   = time.Hour
	// backupWithin is the longest that making and proving one archive may take: a large database over a slow line takes hours. recordWithin is the
	// time to record how it ended, which also has to happen when that time is over, or Hostler shuts down.
	backupWithin = 6 * time.Hour
	recordWithin = 10 * time.Second
	// The names of archives in a storage have the time of making between these.
	archivePrefix, archiveSuffix = "hostler-panel-", ".archive"
	archiveTime                  = "20060102T150405Z"
	// settingBackup is what is known of the backups of the panel.
	settingBackup = "panel:backup"
)

// SelfBackup backs up the panel to a storage, and proves each archive: it is read back, restored to a scratch place, opened and compared.
type SelfBackup struct {
	Config Config
	Store  *Store
	Log    *slog.Logger
}

// ownBackups is what is known of the backups of the panel.
type ownBackups struct {
	TriedAt time.Time `json:"tried_at"`
	// Running is set while an archive is made and proven. It stays set if the program is killed.
	Running bool `json:"running,omitempty"`
	// Proven is the newest archive that was proven, made at ProvenAt.
	Proven   string    `json:"proven,omitempty"`
	ProvenAt time.Time `json:"proven_at"`
	// Problem is why the last attempt failed, "" if it did not.
	Problem string `json:"problem,omitempty"`
}

// backsUp is the job that backs up the panel when that is due.
type backsUp struct{}

// Kind names the job.
func (backsUp) Kind() string { return "panel.backup" }

func backupPeriodic() job.Periodic { return job.Periodic{Every: lookForBackup, Args: backsUp{}} }

// Due backs up the panel if that is due. A failure is shown in attention and by hostler doctor, and tried again in an hour.
func (b *SelfBackup) Due(ctx context.Context) error {
	known, err := readOwnBackups(ctx, b.Store.DB)
	if err != nil {
		return err
	}
	wait := b.Config.BackupEvery
	if known.Problem != "" {
		wait = min(wait, backupAgain)
	}
	if known.Running {
		wait = max(wait, backupWithin)
	}
	if apart := b.Store.DB.Clock.Now().Sub(known.TriedAt); apart >= 0 && apart < wait {
		return nil
	}
	if _, err := b.Run(ctx); err != nil {
		b.Log.ErrorContext(ctx, "backing up the panel failed", "error", err)
	}
	return nil
}

// Run backs up the panel now, proves the archive, deletes old ones, and returns the name of the new one.
func (b *SelfBackup) Run(ctx context.Context) (string, error) {
	known, err := readOwnBackups(ctx, b.Store.DB)
	if err != nil {
		return "", err
	}
	now := b.Store.DB.Clock.Now()
	known.TriedAt, known.Running = now, true
	if err := b.write(ctx, known); err != nil { // before the work: a program that is killed does not begin again at once
		return "", err
	}
	name, err := b.Make(ctx, now)
	if err == nil {
		err = b.Prove(ctx, name)
	}
	known.Running = false
	if err != nil {
		known.Problem = problemOf(ctx, err)
		return "", errors.Join(err, b.record(ctx, known))
	}
	known.Proven, known.ProvenAt, known.Problem = name, now, ""
	return name, errors.Join(b.record(ctx, known), b.prune(ctx, now, name))
}

// record writes how an attempt ended, also after ctx has.
func (b *SelfBackup) record(ctx context.Context, known ownBackups) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	defer cancel()
	return b.write(ctx, known)
}

// problemOf is an error as people who manage an organization may see it.
func problemOf(ctx context.Context, err error) string {
	var p *storage.Problem
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Sprintf("It took longer than %.0f hours.", backupWithin.Hours())
	case ctx.Err() != nil:
		return "Hostler was stopped before it was complete."
	case errors.As(err, &p):
		return p.Reason
	case errors.Is(err, errUnproven):
		return "The archive can't be restored. The log of the panel says why."
	}
	return "The log of the panel says why."
}

// bucket opens the storage, and returns the directory for archives in it.
func (b *SelfBackup) bucket(ctx context.Context) (*storage.Bucket, string, error) {
	var organization int64
	at := b.Config.BackupStorage
	err := b.Store.DB.Reader().QueryRowContext(ctx, `SELECT organization_id FROM storage_providers WHERE id = $1`, at).Scan(&organization)
	if errors.Is(err, db.ErrNotFound) {
		return nil, "", &storage.Problem{Reason: fmt.Sprintf("There is no storage configuration %d, which is set as backup-storage.", at)}
	}
	if err != nil {
		return nil, "", fmt.Errorf("read storage configuration %d: %w", at, err)
	}
	row, err := b.Store.DB.Read().Ungranted().GetStorageProvider(ctx, organization, at)
	if err != nil {
		return nil, "", fmt.Errorf("read storage configuration %d: %w", at, err)
	}
	if row.Bucket == nil || *row.Bucket == "" {
		return nil, "", &storage.Problem{Reason: fmt.Sprintf("The storage configuration %s has no bucket.", row.Name)}
	}
	all := &storage.Store{DB: b.Store.DB, Box: b.Store.Box, Guard: outbound.Guard{AllowPrivate: b.Config.AllowPrivateEndpoints}, Disk: b.Config.LocalStorage}
	bucket, err := all.Open(row, *row.Bucket)
	directory := "panel"
	if row.Directory != nil {
		directory = storage.Join(*row.Directory, directory)
	}
	return bucket, directory, err
}

// scratch makes a directory that is removed by the function that it returns.
func (b *SelfBackup) scratch() (string, func(), error) {
	dir, err := os.MkdirTemp(b.Config.DataDir, ".hostler-backup-")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory for the archive: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// Make stores an archive, sealed, and returns its name.
func (b *SelfBackup) Make(ctx context.Context, now time.Time) (string, error) {
	bucket, directory, err := b.bucket(ctx)
	if err != nil {
		return "", err
	}
	dir, remove, err := b.scratch()
	if err != nil {
		return "", err
	}
	defer remove()
	plain, sealed := filepath.Join(dir, "plain"), filepath.Join(dir, "sealed")
	if _, err := Backup(ctx, b.Config, plain); err != nil {
		return "", err
	}
	if err := seal(b.Store.Box, plain, sealed); err != nil {
		return "", err
	}
	in, err := os.Open(sealed)
	if err != nil {
		return "", fmt.Errorf("read the archive: %w", err)
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return "", fmt.Errorf("read the archive: %w", err)
	}
	name := storage.Join(directory, archivePrefix+now.UTC().Format(archiveTime)+archiveSuffix)
	return name, bucket.Store(ctx, name, in, info.Size())
}

// prune deletes archives past their retention, except for the one that was just proven.
func (b *SelfBackup) prune(ctx context.Context, now time.Time, proven string) error {
	if b.Config.BackupKeep == 0 {
		return nil
	}
	bucket, directory, err := b.bucket(ctx)
	if err != nil {
		return err
	}
	if err := bucket.AbortAll(ctx, directory+"/"); err != nil { // of programs that were killed
		return err
	}
	list, err := bucket.List(ctx, directory+"/")
	if err != nil {
		return err
	}
	for _, o := range list {
		text, ours := strings.CutPrefix(o.Key, storage.Join(directory, archivePrefix))
		at, err := time.Parse(archiveTime, strings.TrimSuffix(text, archiveSuffix))
		if !ours || err != nil || o.Key == proven || now.Sub(at) < b.Config.BackupKeep {
			continue
		}
		if err := bucket.Remove(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}

func (b *SelfBackup) write(ctx context.Context, known ownBackups) error {
	raw, err := json.Marshal(known)
	if err != nil {
		return fmt.Errorf("save what is known of backups of the panel: %w", err)
	}
	return b.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, settingBackup, string(raw)) })
}

func readOwnBackups(ctx context.Context, d *db.DB) (out ownBackups, err error) {
	text, err := d.Setting(ctx, settingBackup)
	if errors.Is(err, db.ErrNotFound) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &out)
	}
	if err != nil {
		return out, fmt.Errorf("read what is known of backups of the panel: %w", err)
	}
	return out, nil
}

// trouble says what is wrong with the backups of the panel, "" if nothing is, or none are made.
func (k ownBackups) trouble(c Config, now time.Time) string {
	last := "No archive has been proven yet."
	if !k.ProvenAt.IsZero() {
		last = "The last proven archive is from " + k.ProvenAt.UTC().Format("2006-01-02 15:04 MST") + "."
	}
	switch {
	case c.BackupStorage == 0:
		return ""
	case k.Problem != "":
		return "The last backup of the panel failed. " + k.Problem + " " + last
	case !k.TriedAt.IsZero() && now.Sub(k.ProvenAt) > 2*c.BackupEvery && now.Sub(k.TriedAt) > backupAgain:
		return "The panel has not been backed up for too long. " + last
	}
	return ""
}
