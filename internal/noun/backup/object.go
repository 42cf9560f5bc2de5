package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

// asWork maps a storage's refusal to the end of the work, and its unavailability to a later retry.
func asWork(err error) error {
	var p *storage.Problem
	switch {
	case errors.As(err, &p) && p.Lasting:
		return &job.StageError{Reason: p.Reason}
	case errors.As(err, &p):
		return &job.LaterError{Reason: p.Reason}
	case errors.Is(err, storage.ErrNoObject):
		return &job.StageError{Reason: "The object is no longer in the storage."}
	}
	return err
}

// labelled is an item for people: a site's files may have the name of a database.
func labelled(item query.BackupItem) string {
	if item.Kind == kindFiles {
		return "the files of " + item.Name
	}
	return item.Name
}

// restoreOf reads an item's object into a store.
func (r *Runner) restoreOf(ctx context.Context, bucket *storage.Bucket, item query.BackupItem, to wire.Store) (*wire.Restore, error) {
	if item.Status != itemStored || item.FileKey == nil || item.Checksum == nil {
		return nil, job.Planned(fmt.Errorf("the backup of %s is not whole", item.Name))
	}
	fileKey, err := r.Store.Box.Open(itemPlace(item.ID), item.FileKey)
	if err != nil {
		return nil, err
	}
	address, err := bucket.SignGet(ctx, item.Object, signedFor, "")
	if err != nil {
		return nil, err
	}
	return &wire.Restore{ID: item.ID, Name: item.Name, URL: address, Size: item.Size, Checksum: *item.Checksum, FileKey: fileKey, Store: to}, nil
}

// headerSize exceeds the header of an object with one recipient.
const headerSize = 4096

// header opens an object's header with a key and returns the key of the object.
func (r *Runner) header(ctx context.Context, bucket *storage.Bucket, b query.Backup, object string) ([]byte, error) {
	raw, err := bucket.Get(ctx, object, headerSize)
	if err != nil {
		return nil, err
	}
	row, err := r.Store.DB.Read().Ungranted().GetBackupKey(ctx, b.KeyID)
	if err != nil {
		return nil, fmt.Errorf("read key of backup %d: %w", b.ID, err)
	}
	identity, err := r.Store.identity(row)
	if err != nil {
		return nil, err
	}
	header, err := age.ExtractHeader(bytes.NewReader(raw))
	if err != nil {
		return nil, &job.StageError{Reason: "The object is damaged: its beginning differs from what was stored."}
	}
	key, err := age.DecryptHeader(header, identity)
	if err != nil {
		return nil, &job.StageError{Reason: "The object can't be decrypted with this organization's key."}
	}
	return key, nil
}

// bucket opens the storage of a backup for a plan. One that is no longer connected is why there is none: the backup itself may be there.
func (r *Runner) bucket(ctx context.Context, op query.Operation, b query.Backup) (*storage.Bucket, error) {
	bucket, err := r.Store.open(ctx, op, b)
	if gone(err) {
		return nil, job.Planned(errors.New("the storage provider of the backup was deleted"))
	}
	return bucket, err
}

// errSiteDeleted is why files of a site can't be read or written.
var errSiteDeleted = errors.New("the site of the files was deleted")

// opening is the stage that looks at an item's object before a host is involved.
func (r *Runner) opening(op query.Operation, b query.Backup, item query.BackupItem) job.Stage {
	return job.Stage{Name: "open " + labelled(item), After: func(ctx context.Context, _ query.Server) error { return r.opens(ctx, op, b, item) }}
}

// opens checks, before a host is involved, that an object exists, has its size and opens with its key.
func (r *Runner) opens(ctx context.Context, organization query.InOrganization, b query.Backup, item query.BackupItem) error {
	bucket, err := r.Store.open(ctx, organization, b)
	if err != nil {
		return err
	}
	object, err := bucket.Stat(ctx, item.Object)
	if err != nil {
		return named(item, asWork(err))
	}
	if object.Size != item.Size {
		return &job.StageError{Reason: fmt.Sprintf("%s: the object has %d bytes, %d were stored.", backupOf(item), object.Size, item.Size)}
	}
	key, err := r.header(ctx, bucket, b, item.Object)
	if err != nil {
		return named(item, asWork(err))
	}
	known, err := r.Store.Box.Open(itemPlace(item.ID), item.FileKey)
	if err != nil {
		return err
	}
	if !bytes.Equal(key, known) {
		return &job.StageError{Reason: backupOf(item) + ": the object is another one than was stored."}
	}
	return nil
}

// backupOf returns the name of an item for errors.
func backupOf(item query.BackupItem) string { return "The backup of " + item.Name }

func named(item query.BackupItem, err error) error {
	var end *job.StageError
	if errors.As(err, &end) {
		return &job.StageError{Reason: backupOf(item) + ": " + strings.ToLower(end.Reason[:1]) + end.Reason[1:]}
	}
	return err
}
