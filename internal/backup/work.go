package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/storage"
)

// asWork makes of a storage's refusal the end of the work, and of its absence another try later.
func asWork(err error) error {
	var p *storage.Problem
	switch {
	case errors.As(err, &p) && p.Lasting:
		return &job.StageError{Reason: p.Reason}
	case errors.As(err, &p):
		return &job.LaterError{Reason: p.Reason}
	case errors.Is(err, storage.ErrNoObject):
		return &job.StageError{Reason: "The object is not in the storage any more."}
	}
	return err
}

// prepare opens an upload for each item. Uploads of an earlier try are dropped first, whoever remembers their ids.
func (r *Runner) prepare(ctx context.Context, op query.Operation, b query.Backup) error {
	items, err := r.Store.DB.Read().ListBackupItems(ctx, b.ID)
	if err != nil {
		return fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	if len(items) == 0 {
		return &job.StageError{Reason: "There is nothing to back up: none of the databases is on the server."}
	}
	bucket, err := r.Store.open(ctx, op.OrganizationID, b)
	if err != nil {
		return err
	}
	if err := bucket.AbortAll(ctx, b.Base); err != nil {
		return asWork(err)
	}
	for _, item := range items {
		upload, err := bucket.Begin(ctx, item.Object)
		if err != nil {
			return asWork(err)
		}
		err = r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return tx.SetBackupItemUpload(ctx, item.ID, &upload, itemPending, tx.Micros())
		})
		if err != nil {
			return fmt.Errorf("note upload of item %d: %w", item.ID, err)
		}
	}
	return nil
}

// Begun is told when the work starts on its host; the rows say running since they were accepted.
func (r *Runner) Begun(context.Context, *db.Tx, query.Operation) error { return nil }

// Ended keeps what the host counted.
func (r *Runner) Ended(ctx context.Context, tx *db.Tx, op query.Operation, result wire.Result) error {
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
			return nil // a host may say what it likes; without a report nothing is taken for sent
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
		return nil
	}
	return tx.ReportBackupRestore(ctx, query.ReportBackupRestoreParams{ID: op.ResourceID, Status: StatusRunning, Report: raw, UpdatedAt: tx.Micros()})
}

// keepSizes plans the parts of items from what their host says that they hold.
func (r *Runner) keepSizes(ctx context.Context, tx *db.Tx, op query.Operation, raw string) error {
	id, err := r.dumped(ctx, tx.Queries, op)
	if err != nil || id == 0 {
		return err
	}
	var sizes map[int64]int64
	if json.Unmarshal([]byte(raw), &sizes) != nil { // a host may say what it likes; the parts stay as they were planned without
		return nil
	}
	items, err := tx.ListBackupItems(ctx, id)
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

// maxHolds is more than a database can hold.
const maxHolds = 1 << 50

func (r *Runner) keepDump(ctx context.Context, tx *db.Tx, op query.Operation, report wire.ItemReport) error {
	id, err := r.dumped(ctx, tx.Queries, op)
	if err != nil || id == 0 {
		return err
	}
	if _, err := tx.GetBackupItem(ctx, id, report.ID); err != nil {
		if gone(err) { // not one of this backup
			return nil
		}
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

// dumped is the backup that an operation dumps to: its own, or the fresh one before a restore. Zero is none.
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

// headerSize is more than the header of an object to one recipient takes.
const headerSize = 4096

// header opens an object's header with a key and gives the key of the object.
func (r *Runner) header(ctx context.Context, bucket *storage.Bucket, b query.Backup, object string) ([]byte, error) {
	raw, err := bucket.Get(ctx, object, headerSize)
	if err != nil {
		return nil, err
	}
	row, err := r.Store.DB.Read().GetBackupKey(ctx, b.KeyID)
	if err != nil {
		return nil, fmt.Errorf("read key of backup %d: %w", b.ID, err)
	}
	identity, err := r.Store.identity(row)
	if err != nil {
		return nil, err
	}
	header, err := age.ExtractHeader(bytes.NewReader(raw))
	if err != nil {
		return nil, &job.StageError{Reason: "The object is damaged: it does not begin as it was stored."}
	}
	key, err := age.DecryptHeader(header, identity)
	if err != nil {
		return nil, &job.StageError{Reason: "The object can't be decrypted with this organization's key."}
	}
	return key, nil
}

// opens checks, before a host is asked for anything, that an object is there, has its size and opens with its key.
func (r *Runner) opens(ctx context.Context, organization int64, b query.Backup, item query.BackupItem) error {
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

// backupOf is what an item is called in errors.
func backupOf(item query.BackupItem) string { return "The backup of " + item.Name }

func named(item query.BackupItem, err error) error {
	var end *job.StageError
	if errors.As(err, &end) {
		return &job.StageError{Reason: backupOf(item) + ": " + strings.ToLower(end.Reason[:1]) + end.Reason[1:]}
	}
	return err
}

// finish makes objects of what was sent, looks for each in the bucket, and only then counts it as stored.
func (r *Runner) finish(ctx context.Context, op query.Operation, b query.Backup) error {
	items, err := r.Store.DB.Read().ListBackupItems(ctx, b.ID)
	if err != nil {
		return fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	bucket, err := r.Store.open(ctx, op.OrganizationID, b)
	if err != nil {
		return err
	}
	for i, item := range items {
		if item.Status == itemSent {
			if items[i], err = r.complete(ctx, bucket, b, item); err != nil {
				return err
			}
		}
	}
	if err := bucket.AbortAll(ctx, b.Base); err != nil { // what failed
		return asWork(err)
	}
	listed, err := bucket.List(ctx, b.Base)
	if err != nil {
		return asWork(err)
	}
	sizes := map[string]int64{}
	for _, o := range listed {
		sizes[o.Key] = o.Size
	}
	var total int64
	var failed, reasons []string
	for _, item := range items {
		switch {
		case item.Status == itemStored && sizes[item.Object] == item.Size && item.Size > 0:
			total += item.Size
			continue
		case item.Status == itemStored:
			item.Reason = new("the storage does not list the object with its size")
		}
		failed = append(failed, item.Name)
		reason := "it was not dumped"
		if item.Reason != nil {
			reason = *item.Reason
		}
		reasons = append(reasons, item.Name+": "+reason)
	}
	if len(failed) == len(items) {
		return &job.StageError{Reason: "Nothing was stored. " + strings.Join(reasons, "; ")}
	}
	if err := r.manifest(ctx, bucket, b, items); err != nil {
		return asWork(err)
	}
	return r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		var reason *string
		if len(failed) > 0 {
			reason = new("Not in this backup: " + strings.Join(reasons, "; "))
		}
		err := tx.FinishBackup(ctx, query.FinishBackupParams{ID: b.ID, Status: StatusFinished, IsPartial: len(failed) > 0, Size: total, Reason: reason, FinishedAt: new(tx.Micros())})
		if err != nil {
			return fmt.Errorf("finish backup %d: %w", b.ID, err)
		}
		return r.finished(ctx, tx, op, b, failed, reason)
	})
}

// complete makes an object of an item's parts. One that was made before the program died is found by its size.
func (r *Runner) complete(ctx context.Context, bucket *storage.Bucket, b query.Backup, item query.BackupItem) (query.BackupItem, error) {
	var report wire.ItemReport
	if err := json.Unmarshal([]byte(item.Report), &report); err != nil {
		return item, fmt.Errorf("read report of item %d: %w", item.ID, err)
	}
	object, err := bucket.Stat(ctx, item.Object)
	if errors.Is(err, storage.ErrNoObject) {
		parts := make([]storage.Part, len(report.Parts))
		for _, p := range report.Parts {
			if p.Number < 1 || p.Number > len(parts) {
				return r.failItem(ctx, item, "the host reported parts that do not fit together")
			}
			parts[p.Number-1] = storage.Part{Number: p.Number, ETag: p.ETag, Size: p.Size}
		}
		if err = bucket.Complete(ctx, item.Object, *item.UploadID, parts); err == nil {
			object, err = bucket.Stat(ctx, item.Object)
		}
	}
	var p *storage.Problem
	switch {
	case errors.As(err, &p) && p.Lasting:
		return r.failItem(ctx, item, p.Reason)
	case err != nil:
		return item, asWork(err)
	case object.Size != report.Size:
		return r.failItem(ctx, item, fmt.Sprintf("the storage has %d bytes, %d were sent", object.Size, report.Size))
	}
	key, err := r.header(ctx, bucket, b, item.Object)
	var end *job.StageError
	if errors.As(err, &end) {
		return r.failItem(ctx, item, end.Reason)
	}
	if err != nil {
		return item, asWork(err)
	}
	if item.FileKey, err = r.Store.Box.Seal(itemPlace(item.ID), key); err != nil {
		return item, err
	}
	item.Status = itemStored
	err = r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.SetBackupItemKey(ctx, item.ID, item.Status, item.FileKey, tx.Micros())
	})
	if err != nil {
		return item, fmt.Errorf("keep item %d: %w", item.ID, err)
	}
	return item, nil
}

func (r *Runner) failItem(ctx context.Context, item query.BackupItem, reason string) (query.BackupItem, error) {
	item.Status, item.Reason = itemFailed, &reason
	err := r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.ReportBackupItem(ctx, query.ReportBackupItemParams{ID: item.ID, Status: itemFailed, Reason: &reason, Report: item.Report, UpdatedAt: tx.Micros()})
	})
	return item, err
}

// Manifest stands beside the objects of a backup, for people who have nothing but the bucket.
type Manifest struct {
	Version   int            `json:"version"`
	Recipient string         `json:"recipient"`
	Objects   []ManifestItem `json:"objects"`
	Open      string         `json:"open"`
}

// ManifestItem is one object. What tables a database has is not told: this file is not encrypted.
type ManifestItem struct {
	Object   string `json:"object"`
	Kind     string `json:"kind"`
	Engine   string `json:"engine"`
	Size     int64  `json:"size"`
	Checksum string `json:"sha256"`
}

func (r *Runner) manifest(ctx context.Context, bucket *storage.Bucket, b query.Backup, items []query.BackupItem) error {
	key, err := r.Store.DB.Read().GetBackupKey(ctx, b.KeyID)
	if err != nil {
		return fmt.Errorf("read key of backup %d: %w", b.ID, err)
	}
	m := Manifest{Version: 1, Recipient: key.Recipient, Open: "age --decrypt --identity key.txt OBJECT | zstd --decompress"}
	for _, item := range items {
		if item.Status == itemStored {
			m.Objects = append(m.Objects, ManifestItem{Object: strings.TrimPrefix(item.Object, b.Base), Kind: item.Kind, Engine: item.Engine, Size: item.Size, Checksum: *item.Checksum})
		}
	}
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	return bucket.Put(ctx, b.Base+"manifest.json", append(raw, '\n'))
}

// remove takes everything of a backup out of its bucket.
func (r *Runner) remove(ctx context.Context, organization int64, b query.Backup) error {
	bucket, err := r.Store.open(ctx, organization, b)
	if gone(err) { // the provider was deleted; what it holds is its owner's
		return nil
	}
	if err != nil {
		return err
	}
	return asWork(sweep(ctx, bucket, b.Base, true))
}

func sweep(ctx context.Context, bucket *storage.Bucket, base string, objects bool) error {
	if err := bucket.AbortAll(ctx, base); err != nil || !objects {
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
