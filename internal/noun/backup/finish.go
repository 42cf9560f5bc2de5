package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

// finish completes the uploads, looks for each object in the bucket, and only then counts it as stored.
func (r *Runner) finish(ctx context.Context, op query.Operation, b query.Backup) error {
	if b.Status == StatusFinished { // this program died before it recorded the end
		return nil
	}
	items, err := r.Store.DB.Read().ListBackupItems(ctx, b)
	if err != nil {
		return fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	bucket, err := r.Store.open(ctx, op, b)
	if err != nil {
		return err
	}
	var sent []int
	for i, item := range items {
		if item.Status == itemSent {
			sent = append(sent, i)
		}
	}
	err = together(len(sent), func(n int) (err error) {
		items[sent[n]], err = r.complete(ctx, bucket, b, items[sent[n]])
		return err
	})
	if kept := r.keepItems(ctx, items, sent); kept != nil {
		return kept
	}
	if err != nil {
		return err
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
	var failed int
	var reasons []string
	for _, item := range items {
		switch {
		case item.Status == itemStored && sizes[item.Object] == item.Size && item.Size > 0:
			total += item.Size
			reasons = append(reasons, leftOut(item)...)
			continue
		case item.Status == itemStored:
			item.Reason = new("the storage does not list the object with its size")
		}
		failed++
		reason := "it was not dumped"
		if item.Reason != nil {
			reason = *item.Reason
		}
		reasons = append(reasons, item.Name+": "+reason)
	}
	if failed == len(items) {
		return &job.StageError{Reason: "Nothing was stored. " + strings.Join(reasons, "; ")}
	}
	if err := r.manifest(ctx, bucket, b, items); err != nil {
		return asWork(err)
	}
	return r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		var reason *string
		if len(reasons) > 0 {
			reason = new("Not in this backup: " + strings.Join(reasons, "; "))
		}
		err := tx.FinishBackup(ctx, query.FinishBackupParams{
			ID: b.ID, Status: StatusFinished, IsPartial: len(reasons) > 0, Size: total, Reason: reason,
			FinishedAt: new(tx.Micros()),
		})
		if err != nil {
			return fmt.Errorf("finish backup %d: %w", b.ID, err)
		}
		b.IsPartial = len(reasons) > 0
		return r.finished(ctx, tx, op, b, reason)
	})
}

// maxLeft is how much of what a host lists as left out is shown, and maxLeftName how much of a name.
const maxLeft, maxLeftName = 20, 200

// leftOut returns what a stored item is missing. Names are those of a database's objects or of files; a host may report any text.
func leftOut(item query.BackupItem) []string {
	var report wire.ItemReport
	if json.Unmarshal([]byte(item.Report), &report) != nil {
		return nil // a host may say what it likes
	}
	var out []string
	for i, left := range report.Left {
		if i == maxLeft {
			return append(out, fmt.Sprintf("%s: and %d more", item.Name, len(report.Left)-i))
		}
		name := strings.ReplaceAll(left.Name, "\x00", ".")
		if item.Kind == kindDatabase {
			name = item.Name + ": the " + left.Kind + " " + name
		}
		out = append(out, text.Line(text.Clean(name, maxLeftName))+" ("+text.Line(text.Clean(left.Reason, maxLeftName))+")")
	}
	return out
}

// complete completes an item's upload. One that was completed before the program died is found by its size.
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
				return failItem(item, "the host reported parts that do not fit together")
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
		return failItem(item, p.Reason)
	case err != nil:
		return item, asWork(err)
	case object.Size != report.Size:
		return failItem(item, fmt.Sprintf("the storage has %d bytes, %d were sent", object.Size, report.Size))
	}
	key, err := r.header(ctx, bucket, b, item.Object)
	var end *job.StageError
	if errors.As(err, &end) {
		return failItem(item, end.Reason)
	}
	if err != nil {
		return item, asWork(err)
	}
	if item.FileKey, err = r.Store.Box.Seal(itemPlace(item.ID), key); err != nil {
		return item, err
	}
	item.Status = itemStored
	return item, nil
}

func failItem(item query.BackupItem, reason string) (query.BackupItem, error) {
	item.Status, item.Reason = itemFailed, &reason
	return item, nil
}

// keepItems records the results of the items that were sent.
func (r *Runner) keepItems(ctx context.Context, items []query.BackupItem, sent []int) error {
	err := r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, i := range sent {
			var err error
			switch item := items[i]; item.Status {
			case itemStored:
				err = tx.SetBackupItemKey(ctx, item.ID, item.Status, item.FileKey, tx.Micros())
			case itemFailed:
				err = tx.ReportBackupItem(ctx, query.ReportBackupItemParams{
					ID: item.ID, Status: itemFailed, Reason: item.Reason, Report: item.Report, UpdatedAt: tx.Micros(),
				})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep items: %w", err)
	}
	return nil
}

// Manifest is stored beside the objects of a backup, for people who have only the bucket.
type Manifest struct {
	Version   int            `json:"version"`
	Recipient string         `json:"recipient"`
	Objects   []ManifestItem `json:"objects"`
	Open      string         `json:"open"`
}

// ManifestItem is one object. It does not list a database's tables: this file is not encrypted.
type ManifestItem struct {
	Object   string `json:"object"`
	Kind     string `json:"kind"`
	Engine   string `json:"engine"`
	Size     int64  `json:"size"`
	Checksum string `json:"sha256"`
}

func (r *Runner) manifest(ctx context.Context, bucket *storage.Bucket, b query.Backup, items []query.BackupItem) error {
	key, err := r.Store.DB.Read().Ungranted().GetBackupKey(ctx, b.KeyID)
	if err != nil {
		return fmt.Errorf("read key of backup %d: %w", b.ID, err)
	}
	m := Manifest{Version: 1, Recipient: key.Recipient, Open: "age --decrypt --identity key.txt OBJECT | zstd --decompress"}
	for _, item := range items {
		if item.Status == itemStored {
			m.Objects = append(m.Objects, ManifestItem{
				Object: strings.TrimPrefix(item.Object, b.Base), Kind: item.Kind, Engine: item.Engine, Size: item.Size,
				Checksum: *item.Checksum,
			})
		}
	}
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	return bucket.Put(ctx, b.Base+"manifest.json", append(raw, '\n'))
}
