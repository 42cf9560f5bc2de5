package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
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

// prepare opens an upload for each item. The remains of an earlier try are discarded first: its uploads, whether or not their ids
// are known, and objects that were completed before this program or the storage died, without a record. What is finished is left
// unchanged.
func (r *Runner) prepare(ctx context.Context, op query.Operation, b query.Backup) error {
	if b.Status == StatusFinished {
		if op.ResourceType == resourceBackup { // this program died before it recorded the end
			return nil
		}
		var err error
		if b, err = r.another(ctx, op, b); err != nil {
			return err
		}
	}
	items, err := r.Store.DB.Read().ListBackupItems(ctx, b)
	if err != nil {
		return fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	if len(items) == 0 {
		return &job.StageError{Reason: "There is nothing to back up: none of the databases is on the server."}
	}
	bucket, err := r.Store.open(ctx, op, b)
	if err != nil {
		return err
	}
	if err := sweep(ctx, bucket, b.Base); err != nil {
		return asWork(err)
	}
	uploads := make([]string, len(items))
	err = together(len(items), func(i int) (err error) {
		uploads[i], err = bucket.Begin(ctx, items[i].Object)
		return asWork(err)
	})
	if err != nil {
		return err
	}
	err = r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for i, item := range items {
			if err := tx.SetBackupItemUpload(ctx, item.ID, &uploads[i], itemPending, tx.Micros()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note uploads of backup %d: %w", b.ID, err)
	}
	return nil
}

// another starts a second fresh dump for a retried restore. The first one stays: it may be all that is left of the previous
// database, if the host died after that was replaced.
func (r *Runner) another(ctx context.Context, op query.Operation, first query.Backup) (next query.Backup, err error) {
	err = r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.Ungranted().GetBackupRestore(ctx, op.ResourceID)
		if err != nil {
			return err
		}
		if row.DatabaseID == nil {
			return &job.StageError{Reason: "The database was deleted."}
		}
		c, err := tx.Ungranted().GetBackupConfigurationByID(ctx, first.ConfigurationID)
		if err != nil {
			return err
		}
		srv, err := tx.GetServer(ctx, row)
		if err != nil {
			return err
		}
		database, err := tx.GetDatabase(ctx, row, *row.DatabaseID)
		if err != nil {
			return err
		}
		if next, err = r.Store.start(ctx, tx, srv, c, []query.Database{database}); err != nil {
			return err
		}
		if err := sizedAs(ctx, tx, next, first); err != nil {
			return err
		}
		return tx.SetBackupRestoreSafety(ctx, row.ID, &next.ID)
	})
	if err != nil {
		return next, fmt.Errorf("begin another fresh dump: %w", err)
	}
	return next, nil
}

// sizedAs plans the parts of a backup's items from the measurements for another of the same database.
func sizedAs(ctx context.Context, tx *db.Tx, b, other query.Backup) error {
	measured, err := tx.ListBackupItems(ctx, other)
	if err != nil {
		return err
	}
	items, err := tx.ListBackupItems(ctx, b)
	if err != nil {
		return err
	}
	for i, item := range items[:min(len(items), len(measured))] {
		if err := tx.SetBackupItemParts(ctx, item.ID, measured[i].PartSize, measured[i].Parts, tx.Micros()); err != nil {
			return err
		}
	}
	return nil
}

// atOnce is the number of concurrent requests to the storage: an answer takes long, and little work.
const atOnce = 8

// together calls do for each of n items, some concurrently, and returns the first error.
func together(n int, do func(i int) error) error {
	errs := make([]error, n)
	free := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i := range n {
		free <- struct{}{}
		all.Go(func() {
			errs[i] = do(i)
			<-free
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Heard records the host's counts.
func (r *Runner) Heard(ctx context.Context, tx *db.Tx, op query.Operation, result wire.Result) error {
	if raw, ok := result.Report[wire.SizesKey]; ok {
		return r.keepSizes(ctx, tx, op, raw)
	}
	raw, ok := result.Report[wire.ReportKey]
	if !ok {
		return nil
	}
	var list []wire.ItemReport
	if strings.HasPrefix(raw, "[") { // dumps
		if err := json.Unmarshal([]byte(raw), &list); err != nil {
			return nil //nolint:nilerr // a host may say what it likes; without a report nothing is taken for sent
		}
		for _, report := range list {
			if err := r.keepDump(ctx, tx, op, report); err != nil {
				return err
			}
		}
		return nil
	}
	var one wire.ItemReport
	if json.Unmarshal([]byte(raw), &one) != nil || op.ResourceType != resourceRestore {
		return nil //nolint:nilerr // a host may say what it likes
	}
	return tx.ReportBackupRestore(ctx, query.ReportBackupRestoreParams{ID: op.ResourceID, Status: StatusRunning, Report: raw, UpdatedAt: tx.Micros()})
}

// keepSizes plans the parts of items from the sizes that their host reported.
func (r *Runner) keepSizes(ctx context.Context, tx *db.Tx, op query.Operation, raw string) error {
	id, err := r.dumped(ctx, tx.Ungranted(), op)
	if err != nil || id == 0 {
		return err
	}
	var sizes map[int64]int64
	if json.Unmarshal([]byte(raw), &sizes) != nil {
		return nil //nolint:nilerr // a host may say what it likes; the parts stay as they were planned without
	}
	items, err := tx.Ungranted().ListBackupItems(ctx, id)
	if err != nil {
		return fmt.Errorf("list items of backup %d: %w", id, err)
	}
	for _, item := range items {
		holds, ok := sizes[item.ID]
		if !ok || holds < 0 || holds > maxHolds {
			continue
		}
		size, parts := partsOf(holds)
		if err := tx.SetBackupItemParts(ctx, item.ID, size, parts, tx.Micros()); err != nil {
			return fmt.Errorf("plan parts of item %d: %w", item.ID, err)
		}
	}
	return nil
}

// maxHolds exceeds the size of any database.
const maxHolds = 1 << 50

func (r *Runner) keepDump(ctx context.Context, tx *db.Tx, op query.Operation, report wire.ItemReport) error {
	id, err := r.dumped(ctx, tx.Ungranted(), op)
	if err != nil || id == 0 {
		return err
	}
	item, err := tx.Ungranted().GetBackupItem(ctx, id, report.ID)
	if gone(err) || err == nil && item.Status == itemStored { // not one of this backup, or reported again
		return nil
	}
	if err != nil {
		return fmt.Errorf("read item %d: %w", report.ID, err)
	}
	raw, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("keep report: %w", err)
	}
	p := query.ReportBackupItemParams{ID: report.ID, Status: itemSent, Size: report.Size, Checksum: &report.Checksum, Report: string(raw), UpdatedAt: tx.Micros()}
	if report.Error != "" || report.Size <= 0 || len(report.Checksum) != 64 {
		reason := report.Error
		if reason == "" {
			reason = "The host reported no dump."
		}
		p.Status, p.Reason, p.Checksum, p.Size = itemFailed, &reason, nil, 0
	}
	return tx.ReportBackupItem(ctx, p)
}

// dumped returns the backup that an operation dumps to: its own, or the fresh one before a restore. Zero is none.
func (r *Runner) dumped(ctx context.Context, q *query.Queries, op query.Operation) (int64, error) {
	if op.ResourceType == resourceBackup {
		return op.ResourceID, nil
	}
	row, err := q.GetBackupRestore(ctx, op.ResourceID)
	if gone(err) || err == nil && row.SafetyBackupID == nil {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read restore %d: %w", op.ResourceID, err)
	}
	return *row.SafetyBackupID, nil
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

// remove removes all objects of a backup from its bucket.
func (r *Runner) remove(ctx context.Context, organization query.InOrganization, b query.Backup) error {
	bucket, err := r.Store.open(ctx, organization, b)
	if gone(err) { // the provider was deleted; its contents are its owner's
		return nil
	}
	if err != nil {
		return err
	}
	if err := sweep(ctx, bucket, b.Base); err != nil {
		return asWork(err)
	}
	left, err := bucket.List(ctx, b.Base)
	if err != nil {
		return asWork(err)
	}
	if len(left) > 0 {
		return &job.StageError{Reason: fmt.Sprintf("The storage was asked to delete %d files of the backup, and still lists them.", len(left))}
	}
	return nil
}

// sweep discards what is below a base.
func sweep(ctx context.Context, bucket *storage.Bucket, base string) error {
	if err := bucket.AbortAll(ctx, base); err != nil {
		return err
	}
	list, err := bucket.List(ctx, base)
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := bucket.Remove(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}
