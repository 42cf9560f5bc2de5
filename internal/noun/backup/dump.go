package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

// dump measures the stores of a backup, opens uploads, streams, and completes the objects. If an earlier attempt finished the backup, again starts another
// one; nil keeps the finished one.
func (r *Runner) dump(
	ctx context.Context, q *query.Queries, op query.Operation, b query.Backup, again func(ctx context.Context) (query.Backup, error),
) ([]job.Stage, error) {
	items, err := q.ListBackupItems(ctx, b.ID)
	if err != nil {
		return nil, fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	bucket, err := r.bucket(ctx, op, b)
	if err != nil {
		return nil, err
	}
	key, err := q.GetBackupKey(ctx, b.KeyID)
	if err != nil {
		return nil, fmt.Errorf("read key of backup %d: %w", b.ID, err)
	}
	measure := &wire.Backup{Recipient: key.Recipient, Measure: true}
	var dumps []job.Stage
	for i, run := range runsOf(items) {
		task := &wire.Backup{Recipient: key.Recipient}
		for _, item := range run {
			store, err := r.storeOf(ctx, q, item, b)
			if err != nil {
				return nil, err
			}
			measure.Items = append(measure.Items, wire.BackupItem{ID: item.ID, Store: store})
			if item.UploadID == nil || item.Status != itemPending {
				continue
			}
			one := wire.BackupItem{ID: item.ID, Store: store, PartSize: int(item.PartSize)}
			for n := range int(item.Parts) {
				address, err := bucket.SignPart(ctx, item.Object, *item.UploadID, storage.Part{Number: n + 1, Size: item.PartSize}, signedFor)
				if err != nil {
					return nil, err
				}
				one.Parts = append(one.Parts, address)
			}
			task.Items = append(task.Items, one)
		}
		stage := job.Stage{Name: "dump and send", Detach: true, Within: createWithin}
		if i > 0 {
			stage.Name += fmt.Sprintf(" (%d)", i+1)
		}
		if len(task.Items) > 0 {
			stage.Backup = task
		}
		dumps = append(dumps, stage)
	}
	first := job.Stage{Name: "open uploads", After: func(ctx context.Context, _ query.Server) error { return r.prepare(ctx, op, b, again) }}
	if len(measure.Items) > 0 && (b.Status != StatusFinished || again != nil) {
		first.Backup = measure
	}
	last := job.Stage{Name: "list what was sent", After: func(ctx context.Context, _ query.Server) error { return r.finish(ctx, op, b) }}
	return append(append([]job.Stage{first}, dumps...), last), nil
}

// storeOf returns the store that an item is a dump of.
func (r *Runner) storeOf(ctx context.Context, q *query.Queries, item query.BackupItem, b query.Backup) (wire.Store, error) {
	if item.Kind == kindDatabase {
		return wire.Store{Engine: item.Engine, Database: item.Name}, nil
	}
	c, err := configurationOf(ctx, q, b)
	if err != nil {
		return wire.Store{}, err
	}
	if c.SiteID == nil {
		return wire.Store{}, job.Planned(errSiteDeleted)
	}
	row, err := q.GetSite(ctx, *c.SiteID)
	if gone(err) {
		return wire.Store{}, job.Planned(errSiteDeleted)
	}
	if err != nil {
		return wire.Store{}, fmt.Errorf("read site %d: %w", *c.SiteID, err)
	}
	return filesOf(row, pathsOf(c))
}

// filesOf returns files of a site, read and written as its account.
func filesOf(row query.Site, paths []string) (wire.Store, error) {
	base, err := site.Base(row)
	return wire.Store{Engine: wire.EngineFiles, User: row.UnixUser, Dir: base.String(), Paths: paths}, err
}

// prepare opens an upload for each item. The remains of an earlier try are discarded first: its uploads, whether or not their ids
// are known, and objects that were completed before this program or the storage died, without a record. What is finished is left
// unchanged.
func (r *Runner) prepare(ctx context.Context, op query.Operation, b query.Backup, again func(ctx context.Context) (query.Backup, error)) error {
	if b.Status == StatusFinished {
		if again == nil { // this program died before it recorded the end
			return nil
		}
		var err error
		if b, err = again(ctx); err != nil {
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

// reported records what a host said of the sizes and of the dumps of a backup. It may say what it likes: without a report nothing is taken for sent.
func (r *Runner) reported(ctx context.Context, tx *db.Tx, backup int64, result wire.Result) error {
	if raw, ok := result.Report[wire.SizesKey]; ok {
		return r.keepSizes(ctx, tx, backup, raw)
	}
	var list []wire.ItemReport
	if json.Unmarshal([]byte(result.Report[wire.ReportKey]), &list) != nil {
		return nil //nolint:nilerr // that of a restore
	}
	for _, report := range list {
		if err := r.keepDump(ctx, tx, backup, report); err != nil {
			return err
		}
	}
	return nil
}

// keepSizes plans the parts of items from the sizes that their host reported.
func (r *Runner) keepSizes(ctx context.Context, tx *db.Tx, backup int64, raw string) error {
	var sizes map[int64]int64
	if json.Unmarshal([]byte(raw), &sizes) != nil {
		return nil //nolint:nilerr // a host may say what it likes; the parts stay as they were planned without
	}
	items, err := tx.Ungranted().ListBackupItems(ctx, backup)
	if err != nil {
		return fmt.Errorf("list items of backup %d: %w", backup, err)
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

// keepDump records what the host reported of an item.
func (r *Runner) keepDump(ctx context.Context, tx *db.Tx, backup int64, report wire.ItemReport) error {
	item, err := tx.Ungranted().GetBackupItem(ctx, backup, report.ID)
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
