package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

func (o *Operations) restore(ctx context.Context, tx *db.Tx, c api.Call[BackupPath], b RestoreBackupRequest) (api.Document[InstanceResource], error) {
	var none api.Document[InstanceResource]
	var err error
	if c.Parent, err = o.lockBoth(ctx, tx, c.Parent, b.ServerID); err != nil {
		return none, err
	}
	if c.Parent.Backup.Status == StatusRemoving {
		return none, api.Conflict("This backup is being deleted.")
	}
	items, err := tx.ListBackupItems(ctx, c.Parent.Backup)
	if err != nil {
		return none, fmt.Errorf("list items: %w", err)
	}
	f, srv, there := c.Fields, c.Parent.Server, c.Parent.Grant
	source := b.DatabaseID
	if b.SourceDatabaseID != nil {
		source = *b.SourceDatabaseID
	}
	at := slices.IndexFunc(items, func(i query.BackupItem) bool {
		return i.DatabaseID != nil && *i.DatabaseID == source && i.Status == itemStored
	})
	if at < 0 && len(f["database_id"]) == 0 {
		f.Add(map[bool]string{true: "database_id", false: "source_database_id"}[b.SourceDatabaseID == nil], "This backup does not contain the database.")
	}
	p := query.InsertBackupRestoreParams{BackupID: c.Parent.Backup.ID, ServerID: srv.ID, Kind: kindDatabase, Status: StatusRunning, CreatedAt: tx.Micros()}
	if b.ServerID != nil {
		other, g, err := o.Store.Servers.Open(ctx, tx.Granted, c.Parent.Grant, *b.ServerID)
		switch {
		case errors.Is(err, access.ErrNotFound) || errors.Is(err, db.ErrNotFound) || err == nil && !g.May(access.ServerCreateBackups):
			f.Add("server_id", "The server does not exist.")
		case err != nil:
			return none, err
		default:
			srv, there, p.ServerID = other, g, other.ID
			if b.Name == nil {
				f.Add("name", "The name field is required on another server.")
			}
			if at >= 0 && engineOf(srv) != items[at].Engine {
				f.Add("server_id", "The server has another kind of database.")
			}
		}
	}
	on := c.Parent.Path.Path
	on.Server, on.Grant = srv, there
	var target query.Database
	if b.Name == nil && len(f["database_id"]) == 0 {
		row, err := tx.GetDatabase(ctx, srv, b.DatabaseID)
		switch {
		case errors.Is(err, db.ErrNotFound) || err == nil && row.Status != installed:
			f.Add("database_id", "The server has no such database.")
		case err != nil:
			return none, fmt.Errorf("read database: %w", err)
		default:
			target = row
		}
	}
	if b.SiteID != nil {
		if err := o.checkSite(ctx, tx, f, &p, srv, items, *b.SiteID); err != nil {
			return none, err
		}
	}
	if len(f) == 0 {
		if err := mayRestore(c, there, b); err != nil {
			return none, err
		}
	}
	if b.Name != nil && len(f) == 0 { // it is created like others, with its owner and its accounts, and then filled
		if target, err = o.made(ctx, tx, f, c.Parent.Server, on, source, *b.Name); err != nil {
			return none, err
		}
	}
	if err := f.Err(); err != nil {
		return none, err
	}
	p.Target, p.DatabaseID = target.Name, &target.ID
	p.ItemID, p.Scratch = items[at].ID, "hostler_restore_"+strings.ToLower(secret.Random(6))
	if b.Name == nil { // what is replaced is dumped and stored first, as an ordinary backup
		safety, err := o.Store.start(ctx, tx, srv, c.Parent.Configuration, []query.Database{target})
		if err != nil {
			return none, err
		}
		p.SafetyBackupID = &safety.ID
	}
	row, err := tx.InsertBackupRestore(ctx, p)
	if err != nil {
		return none, fmt.Errorf("create restore: %w", err)
	}
	accepted, err := o.Runner.begin(ctx, tx, there, srv, resourceRestore, row.ID, "create",
		"Restoring database "+items[at].Name+" to "+p.Target, createWithin, nil)
	if err != nil {
		return none, err
	}
	if err := tx.SetBackupRestoreOperation(ctx, row.ID, StatusRunning, &accepted.OperationID, tx.Micros()); err != nil {
		return none, fmt.Errorf("create restore: %w", err)
	}
	doc, err := api.Single(o.resources(ctx, tx.SQL, c.Parent.Path, nil, c.Parent.Backup))
	doc.Event = accepted.EventID
	return doc, err
}

// made creates the database that a restore fills, on a server, with the extensions of the one that was dumped.
func (o *Operations) made(ctx context.Context, tx *db.Tx, f api.Fields, from query.Server, on server.Path, source int64, name string) (
	query.Database, error,
) {
	like, err := tx.GetDatabase(ctx, from, source)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return like, fmt.Errorf("read database: %w", err)
	}
	return o.Databases.Make(ctx, tx, f, on, name, like)
}

// lockBoth locks the server of a backup and the one that it is restored on, nil for the same, and reads the backup again.
func (o *Operations) lockBoth(ctx context.Context, tx *db.Tx, p BackupPath, to *int64) (BackupPath, error) {
	if to != nil {
		switch _, _, err := o.Store.Servers.Open(ctx, tx.Granted, p.Grant, *to); {
		case err == nil:
			if err := tx.LockServers(ctx, p.Server.ID, *to); err != nil {
				return p, err
			}
		case !errors.Is(err, access.ErrNotFound):
			return p, err
		}
	}
	return p.Lock(ctx, tx)
}

// furtherRestore is what a restore needs beyond the permission to make backups. Files can be programs that the site runs, and those of a backup are
// read where they go.
func furtherRestore() []api.Further {
	files := []access.Permission{access.SiteManageDeploys, access.SiteManageEnvironment}
	return []api.Further{
		{Permissions: []access.Permission{access.ServerCreateDatabases}, Given: []string{"name"}, Second: "server_id"},
		{Permissions: files, Given: []string{"site_id"}, Second: "server_id"},
	}
}

// mayRestore checks what a restore needs there, and where the backup was made: what is taken to another server is read by those who have rights on that one.
func mayRestore(c api.Call[BackupPath], there access.Grant, b RestoreBackupRequest) error {
	var needed []access.Permission
	if b.Name != nil {
		needed = append(needed, access.ServerCreateDatabases)
	}
	if b.SiteID != nil {
		needed = append(needed, access.SiteManageDeploys, access.SiteManageEnvironment)
	}
	if err := c.Require(there, needed...); err != nil {
		return err
	}
	return c.Require(c.Parent, needed...)
}

func (o *Operations) checkSite(
	ctx context.Context, tx *db.Tx, f api.Fields, p *query.InsertBackupRestoreParams, srv query.Server,
	items []query.BackupItem, id int64,
) error {
	site, err := tx.GetServerSite(ctx, srv, id)
	if errors.Is(err, db.ErrNotFound) {
		f.Add("site_id", "The server has no such site.")
		return nil
	}
	if err != nil {
		return fmt.Errorf("read site: %w", err)
	}
	files := slices.IndexFunc(items, func(i query.BackupItem) bool { return i.Kind == kindFiles && i.Status == itemStored })
	if files < 0 {
		f.Add("site_id", "This backup contains no files.")
		return nil
	}
	p.SiteID, p.FilesItemID = &site.ID, &items[files].ID
	return nil
}

// restoring is the work of a restore: the objects are looked at, what is replaced is dumped and stored, then the database and the files are written.
func (r *Runner) restoring() task.Kind[query.BackupRestore] {
	return task.Kind[query.BackupRestore]{
		Load: task.Row((*query.Queries).GetBackupRestore), Gone: backupDeleted,
		Ready: restoreWaits, Steps: r.restore, Heard: r.restoreHeard, Write: r.restored,
	}
}

// restoreWaits says that the database of a restore is still being created or changed.
func restoreWaits(ctx context.Context, q *query.Queries, _ query.Operation, row query.BackupRestore) (string, error) {
	if row.DatabaseID == nil {
		return "", nil
	}
	database, err := q.GetDatabase(ctx, row.ServerID, *row.DatabaseID)
	if err == nil && database.Status == installing {
		return "Waiting until database " + database.Name + " is ready.", nil
	}
	return "", err // the plan says that one is gone
}

// restore returns the stages of a restore.
func (r *Runner) restore(ctx context.Context, q *query.Queries, _ query.Server, op query.Operation, row query.BackupRestore) ([]job.Stage, error) {
	b, err := q.GetBackupByID(ctx, row.BackupID)
	if err != nil {
		return nil, fmt.Errorf("read backup %d: %w", row.BackupID, err)
	}
	bucket, err := r.bucket(ctx, op, b)
	if err != nil {
		return nil, err
	}
	var stages []job.Stage
	if row.DatabaseID != nil {
		database, err := q.GetDatabase(ctx, row.ServerID, *row.DatabaseID)
		if gone(err) || err == nil && database.Status != installed {
			return nil, job.Planned(fmt.Errorf("the database %s is not there: start another restore", row.Target))
		}
		if err != nil {
			return nil, fmt.Errorf("read database %d: %w", *row.DatabaseID, err)
		}
	}
	item, err := q.GetBackupItem(ctx, b.ID, row.ItemID)
	if err != nil {
		return nil, fmt.Errorf("read item %d: %w", row.ItemID, err)
	}
	items := []query.BackupItem{item}
	if row.FilesItemID != nil {
		files, err := q.GetBackupItem(ctx, b.ID, *row.FilesItemID)
		if err != nil {
			return nil, fmt.Errorf("read item %d: %w", *row.FilesItemID, err)
		}
		items = append(items, files)
	}
	for _, item := range items {
		stages = append(stages, r.opening(op, b, item))
	}
	if row.SafetyBackupID != nil {
		safety, err := q.GetBackupByID(ctx, *row.SafetyBackupID)
		if err != nil {
			return nil, fmt.Errorf("read backup %d: %w", *row.SafetyBackupID, err)
		}
		dump, err := r.dump(ctx, q, op, safety, func(ctx context.Context) (query.Backup, error) { return r.another(ctx, row.ID, safety) })
		if err != nil {
			return nil, err
		}
		stages = append(stages, dump...)
	}
	for _, item := range items {
		store := wire.Store{Engine: item.Engine, Database: row.Target}
		if item.Kind == kindFiles {
			if row.SiteID == nil {
				return nil, job.Planned(errSiteDeleted)
			}
			of, err := q.GetSite(ctx, *row.SiteID)
			if gone(err) || err == nil && of.ServerID != row.ServerID {
				return nil, job.Planned(errSiteDeleted)
			}
			if err != nil {
				return nil, fmt.Errorf("read site %d: %w", *row.SiteID, err)
			}
			if store, err = filesOf(of, []string{"."}); err != nil {
				return nil, job.Planned(err)
			}
		}
		task, err := r.restoreOf(ctx, bucket, item, store)
		if err != nil {
			return nil, err
		}
		if item.Kind == kindDatabase {
			task.Over, task.Scratch = true, row.Scratch
		}
		stages = append(stages, job.Stage{Name: "restore " + labelled(item), Restore: task, Detach: true, Within: createWithin})
	}
	return stages, nil
}

// another starts a second fresh dump for a retried restore. The first one stays: it may be all that is left of the previous
// database, if the host died after that was replaced.
func (r *Runner) another(ctx context.Context, restore int64, first query.Backup) (next query.Backup, err error) {
	err = r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.Ungranted().GetBackupRestore(ctx, restore)
		if err != nil {
			return err
		}
		if row.DatabaseID == nil {
			return &job.StageError{Reason: "The database was deleted."}
		}
		c, err := configurationOf(ctx, tx.Ungranted(), first)
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

// restoreHeard records what the host said of the dump before a restore, and of the restore.
func (r *Runner) restoreHeard(ctx context.Context, tx *db.Tx, _ query.Operation, row query.BackupRestore, result wire.Result) error {
	raw, ok := result.Report[wire.ReportKey]
	if !ok || strings.HasPrefix(raw, "[") {
		if row.SafetyBackupID == nil {
			return nil
		}
		return r.reported(ctx, tx, *row.SafetyBackupID, result)
	}
	var one wire.ItemReport
	if json.Unmarshal([]byte(raw), &one) != nil {
		return nil //nolint:nilerr // a host may say what it likes
	}
	return tx.ReportBackupRestore(ctx, query.ReportBackupRestoreParams{ID: row.ID, Status: StatusRunning, Report: raw, UpdatedAt: tx.Micros()})
}

// restored records how a restore ended. Where it failed, nothing stays of a database that was created for it, nor of a dump that was not completed.
func (r *Runner) restored(ctx context.Context, tx *db.Tx, op query.Operation, row query.BackupRestore, at job.State) error {
	if at == job.Queued {
		return tx.SetBackupRestoreOperation(ctx, row.ID, StatusRunning, &op.ID, tx.Micros())
	}
	if !at.Ended() {
		return nil
	}
	reason, err := reasonOf(ctx, tx, op)
	if err != nil {
		return err
	}
	p := query.ReportBackupRestoreParams{ID: row.ID, Status: StatusFinished, Report: row.Report, UpdatedAt: tx.Micros()}
	if !at.Done() {
		p.Status, p.Reason = StatusFailed, &reason
		if row.SafetyBackupID != nil {
			safety, err := tx.Ungranted().GetBackupByID(ctx, *row.SafetyBackupID)
			if err == nil {
				err = r.failed(ctx, tx, op.OrganizationID, safety, "The restore that required it failed: "+reason)
			}
			if err != nil && !gone(err) {
				return fmt.Errorf("end fresh dump: %w", err)
			}
		} else if row.DatabaseID != nil { // created for this restore
			srv, err := tx.GetServer(ctx, row)
			if err == nil {
				err = r.Databases.Unmake(ctx, tx, srv, *row.DatabaseID)
			}
			if err != nil {
				return fmt.Errorf("remove database of restore %d: %w", row.ID, err)
			}
		}
	}
	if err := tx.ReportBackupRestore(ctx, p); err != nil {
		return fmt.Errorf("record restore %d: %w", row.ID, err)
	}
	return nil
}
