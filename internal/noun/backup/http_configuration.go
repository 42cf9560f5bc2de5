package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

const defaultProof = 7

func (o *Operations) index(ctx context.Context, c api.Call[server.Path]) (api.Collection[ConfigurationResource], error) {
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("backup_configurations", db.Equal("server_id", c.Parent.Server.ID)),
		func(rows ...query.BackupConfiguration) ([]ConfigurationResource, error) {
			return o.configurations(ctx, q, c.Parent, rows...)
		})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[ConfigurationResource], error) {
	return api.Single(o.configurations(ctx, o.Store.DB.Reader(), c.Parent.Path, c.Parent.Configuration))
}

func pathOf(p server.Path, id int64) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/database/backups/%d", p.Slug, p.Server.ID, id)
}

func (o *Operations) configurations(ctx context.Context, q query.DBTX, p server.Path, rows ...query.BackupConfiguration) ([]ConfigurationResource, error) {
	org, err := query.New(q).Granted().GetOrganization(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("read organization: %w", err)
	}
	ids, providers := make([]any, len(rows)), make([]any, len(rows))
	for i, row := range rows {
		ids[i], providers[i] = row.ID, row.StorageProviderID
	}
	provided, err := db.All[query.StorageProvider](ctx, q, "storage_providers", db.Equal("id", providers...))
	if err != nil {
		return nil, err
	}
	chosen, err := db.All[query.BackupDatabase](ctx, q, "backup_databases", db.Equal("configuration_id", ids...))
	if err != nil {
		return nil, err
	}
	finished := db.Both(db.Equal("configuration_id", ids...), db.Equal("status", StatusFinished))
	newest, err := db.All[query.Backup](ctx, q, "backups",
		db.Cond{SQL: "id IN (SELECT MAX(id) FROM backups WHERE " + finished.SQL + " GROUP BY configuration_id)", Args: finished.Args})
	if err != nil {
		return nil, err
	}
	var emails []string
	for _, row := range rows {
		if row.NotifyEmail != nil {
			emails = append(emails, *row.NotifyEmail)
		}
	}
	waiting, err := recipient.Waiting(ctx, q, p.OrganizationID, emails...)
	if err != nil {
		return nil, err
	}
	provider, databases := make(map[int64]query.StorageProvider, len(provided)), make(map[int64][]int64, len(rows))
	for _, row := range provided {
		provider[row.ID] = row
	}
	for _, row := range chosen {
		databases[row.ConfigurationID] = append(databases[row.ConfigurationID], row.DatabaseID)
	}
	last := make(map[int64]*int64, len(newest))
	for _, row := range newest {
		last[row.ConfigurationID] = row.FinishedAt
	}
	out := make([]ConfigurationResource, len(rows))
	for i, row := range rows {
		out[i] = o.configuration(p, row, provider[row.StorageProviderID], databases[row.ID], org.Timezone)
		own := []any{ConfigurationMeta{metaOf(row, last[row.ID])}}
		if row.NotifyEmail != nil {
			own = append(own, recipient.MetaOf(waiting, *row.NotifyEmail))
		}
		out[i].Meta = &api.Meta{Own: own}
	}
	return out, nil
}

func (o *Operations) configuration(
	p server.Path, row query.BackupConfiguration, provider query.StorageProvider, databases []int64, zone string,
) ConfigurationResource {
	a := BackupConfigurationAttributes{
		Name: row.Name, StorageProviderID: &row.StorageProviderID, Provider: provider.Provider,
		Directory: directoryOf(row, provider), Schedule: row.Frequency, DisplayableSchedule: displayed(row, zone),
		NextRunTime: time.UnixMicro(row.NextRunAt).UTC().Format(time.RFC3339), Status: row.Status, DayOfWeek: row.Day,
		Time: row.TimeOfDay, DatabaseIDs: []any{}, IncludeNewDatabases: row.IncludeNewDatabases, Retention: row.Retention,
		NotifyEmail: row.NotifyEmail,
	}
	if bucket := bucketOf(row, provider); bucket != "" {
		a.Bucket = &bucket
	}
	if row.Frequency == Custom {
		a.CronSchedule = row.Cron
	}
	slices.Sort(databases)
	for _, id := range databases {
		a.DatabaseIDs = append(a.DatabaseIDs, id)
	}
	return ConfigurationResource{ID: strconv.FormatInt(row.ID, 10), Links: o.Router.Links(pathOf(p, row.ID)), Attributes: a}
}

// metaOf returns the state of a configuration's backups; last is when the newest complete one ended.
func metaOf(row query.BackupConfiguration, last *int64) BackupsMeta {
	m := BackupsMeta{
		LastBackup: api.NullTimeOf(last), LastProvenRestore: api.NullTimeOf(row.VerifiedAt), ProofStatus: row.VerifyStatus, ProofReason: row.VerifyReason,
		NextProof: api.NullTimeOf(row.VerifyAt), ProveEveryDays: row.VerifyEveryDays, Alarm: row.Alarm, SiteID: row.SiteID,
		Paths: pathsOf(row),
	}
	if m.Paths == nil {
		m.Paths = []string{}
	}
	if row.VerifiedBackupID != nil {
		m.LastProvenBackup = new(strconv.FormatInt(*row.VerifiedBackupID, 10))
	}
	return m
}

// check makes a row from a request, with its findings in f. Everything that it names is loaded for the caller: another
// organization's storage, another server's databases and sites are not found.
func (o *Operations) check(
	ctx context.Context, q *query.Granted, f api.Fields, p server.Path, b ConfigurationRequest, now time.Time,
) (query.BackupConfiguration, query.StorageProvider, error) {
	row := query.BackupConfiguration{
		OrganizationID: p.OrganizationID, ServerID: p.Server.ID, StorageProviderID: b.StorageProviderID,
		Frequency: b.Frequency, IncludeNewDatabases: b.IncludeNewDatabases, Retention: b.Retention, Status: installed,
		VerifyEveryDays: defaultProof,
	}
	var provider query.StorageProvider
	if len(f["storage_provider_id"]) == 0 {
		var err error
		provider, err = q.GetStorageProvider(ctx, p, b.StorageProviderID)
		if errors.Is(err, db.ErrNotFound) {
			f.Add("storage_provider_id", "The storage provider does not exist.")
		} else if err != nil {
			return row, provider, fmt.Errorf("read storage provider: %w", err)
		}
	}
	checkPlace(f, &row, b)
	if provider.ID != 0 && bucketOf(row, provider) == "" && len(f["bucket"]) == 0 {
		f.Add("bucket", "The bucket field is required, as the storage provider has none.")
	}
	checkTimes(f, &row, b)
	if engineOf(p.Server) == "" {
		f.State("The server has no database.")
	}
	if err := checkDatabases(ctx, q, f, p, b); err != nil {
		return row, provider, err
	}
	if err := o.checkPaths(ctx, q, f, &row, p, b); err != nil {
		return row, provider, err
	}
	if b.NotificationEmail != nil && *b.NotificationEmail != "" && len(f["notification_email"]) == 0 {
		if _, err := value.ParseEmail(*b.NotificationEmail); err != nil {
			f.Add("notification_email", "The notification_email field must be an email address.")
		}
		row.NotifyEmail = b.NotificationEmail
	}
	if b.ProveEveryDays != nil {
		row.VerifyEveryDays = *b.ProveEveryDays
	}
	if row.VerifyEveryDays > 0 {
		row.VerifyAt = new(now.Add(time.Duration(row.VerifyEveryDays) * 24 * time.Hour).UnixMicro())
	}
	org, err := q.GetOrganization(ctx, p)
	if err != nil {
		return row, provider, fmt.Errorf("read organization: %w", err)
	}
	if len(f) == 0 {
		at, err := next(row, now, zoneOf(org.Timezone))
		if err != nil {
			f.Add("cron", "The cron expression never happens.")
		}
		row.NextRunAt = at.UnixMicro()
	}
	return row, provider, nil
}

func checkPlace(f api.Fields, row *query.BackupConfiguration, b ConfigurationRequest) {
	if b.Name != nil {
		row.Name = strings.TrimSpace(*b.Name)
	}
	if row.Name != "" {
		f.Line("name", row.Name, 0)
	}
	if row.Name == "" {
		row.Name = map[string]string{Hourly: "Hourly backup", Daily: "Daily backup", Weekly: "Weekly backup"}[row.Frequency]
	}
	if row.Name == "" {
		row.Name = "Backup"
	}
	if b.Bucket != nil && strings.TrimSpace(*b.Bucket) != "" {
		row.Bucket = new(strings.TrimSpace(*b.Bucket))
		if err := storage.CheckBucket(*row.Bucket); err != nil {
			f.Add("bucket", "%s.", text.Capital(err.Error()))
		}
	}
	if b.Directory != nil && strings.TrimSpace(*b.Directory) != "" {
		dir, err := storage.CleanDirectory(*b.Directory)
		if err != nil {
			f.Add("directory", "%s.", text.Capital(err.Error()))
		}
		row.Directory = &dir
	}
}

func checkTimes(f api.Fields, row *query.BackupConfiguration, b ConfigurationRequest) {
	if b.Frequency == Custom {
		if b.Cron == nil || strings.TrimSpace(*b.Cron) == "" {
			if len(f["cron"]) == 0 {
				f.Add("cron", "The cron field is required for custom schedules.")
			}
			return
		}
		if err := checkCron(*b.Cron); err != nil {
			f.Add("cron", "%s", err)
		}
		row.Cron = new(strings.Join(strings.Fields(*b.Cron), " "))
		return
	}
	row.TimeOfDay = b.Time
	if b.Frequency == Weekly {
		row.Day = new(int64(0))
		if b.Day != nil && len(f["day"]) == 0 {
			day, _ := strconv.ParseInt(*b.Day, 10, 64)
			row.Day = &day
		}
	}
}

func checkDatabases(ctx context.Context, q *query.Granted, f api.Fields, p server.Path, b ConfigurationRequest) error {
	rows, err := q.ListDatabases(ctx, p.Server)
	if err != nil {
		return fmt.Errorf("list databases: %w", err)
	}
	for i, id := range b.DatabaseIDs {
		field := fmt.Sprintf("database_ids.%d", i)
		switch {
		case !slices.ContainsFunc(rows, func(d query.Database) bool { return d.ID == id }):
			f.Add(field, "The server has no such database.")
		case slices.Contains(b.DatabaseIDs[:i], id):
			f.Add(field, "The database is listed twice.")
		}
	}
	return nil
}

func (o *Operations) checkPaths(
	ctx context.Context, q *query.Granted, f api.Fields, row *query.BackupConfiguration, p server.Path,
	b ConfigurationRequest,
) error {
	if b.SiteID == nil {
		if len(b.Paths) > 0 {
			f.Add("site_id", "The site_id field is required when there are paths.")
		}
		return nil
	}
	_, err := q.GetServerSite(ctx, p.Server, *b.SiteID)
	if errors.Is(err, db.ErrNotFound) {
		f.Add("site_id", "The server has no such site.")
		return nil
	}
	if err != nil {
		return fmt.Errorf("read site: %w", err)
	}
	if len(b.Paths) == 0 {
		f.Add("paths", "The paths field is required when there is a site.")
	}
	var paths []string
	for i, text := range b.Paths {
		path := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "./"), "/")
		if path == "" || len(path) > 400 || path[0] == '/' || path[0] == '-' || strings.ContainsFunc(path, unicode.IsControl) ||
			slices.Contains(strings.Split(path, "/"), "..") || slices.Contains(strings.Split(path, "/"), "") {
			f.Add(fmt.Sprintf("paths.%d", i), "The path must be below the site's directory.")
		}
		paths = append(paths, path)
	}
	row.SiteID, row.Paths = b.SiteID, strings.Join(paths, "\n")
	return nil
}

// ask tests the bucket of a configuration, unless the storage provider was tested with it.
func (o *Operations) ask(ctx context.Context, f api.Fields, row query.BackupConfiguration, provider query.StorageProvider) error {
	if len(f) > 0 {
		return f.Err()
	}
	if row.Bucket == nil {
		return nil
	}
	bucket, err := o.Store.Storage.Open(provider, *row.Bucket)
	if err != nil {
		return err
	}
	err = bucket.Probe(ctx, directoryOf(row, provider))
	var problem *storage.Problem
	switch {
	case errors.As(err, &problem):
		f.Add("bucket", "%s", problem.Reason)
	case err != nil:
		f.Add("bucket", "The storage lost the object that was written.")
	}
	return f.Err()
}

func (o *Operations) checkNew(ctx context.Context, c api.Call[server.Path], b CreateBackupConfigurationRequest) error {
	row, provider, err := o.check(ctx, o.Store.DB.Read(), c.Fields, c.Parent, ConfigurationRequest(b), o.Store.DB.Clock.Now())
	if err != nil {
		return err
	}
	return o.ask(ctx, c.Fields, row, provider)
}

func (o *Operations) checkChanged(ctx context.Context, c api.Call[Path], _ UpdateBackupConfigurationRequest) error {
	row, provider, err := o.check(ctx, o.Store.DB.Read(), c.Fields, c.Parent.Path, api.Over(c, requestOf(c.Parent.Configuration)), o.Store.DB.Clock.Now())
	if err != nil {
		return err
	}
	return o.ask(ctx, c.Fields, row, provider)
}

func (o *Operations) store(
	ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateBackupConfigurationRequest,
) (api.Document[ConfigurationResource], error) {
	var none api.Document[ConfigurationResource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	row, _, err := o.check(ctx, tx.Granted, c.Fields, c.Parent, ConfigurationRequest(b), tx.Now)
	if err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err = tx.InsertBackupConfiguration(ctx, query.InsertBackupConfigurationParams{
		OrganizationID: row.OrganizationID, ServerID: row.ServerID, StorageProviderID: row.StorageProviderID, Name: row.Name,
		Bucket: row.Bucket, Directory: row.Directory, Frequency: row.Frequency, Day: row.Day, TimeOfDay: row.TimeOfDay,
		Cron: row.Cron, IncludeNewDatabases: row.IncludeNewDatabases, SiteID: row.SiteID, Paths: row.Paths,
		Retention: row.Retention, NotifyEmail: row.NotifyEmail, Status: row.Status, NextRunAt: row.NextRunAt,
		VerifyEveryDays: row.VerifyEveryDays, VerifyAt: row.VerifyAt, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create backup configuration: %w", err)
	}
	return o.list(ctx, tx, c.Parent, row, b.DatabaseIDs)
}

// list records the databases of a configuration, and answers with it.
func (o *Operations) list(
	ctx context.Context, tx *db.Tx, p server.Path, row query.BackupConfiguration, ids []int64,
) (api.Document[ConfigurationResource], error) {
	var none api.Document[ConfigurationResource]
	if err := tx.ClearBackupDatabases(ctx, row.ID); err != nil {
		return none, fmt.Errorf("list databases of a backup: %w", err)
	}
	for _, id := range ids {
		if err := tx.InsertBackupDatabase(ctx, row.ID, id); err != nil {
			return none, fmt.Errorf("list databases of a backup: %w", err)
		}
	}
	if row.NotifyEmail != nil {
		if err := o.Recipients.Ask(ctx, tx, p, "notification_email", *row.NotifyEmail); err != nil {
			return none, err
		}
	}
	doc, err := api.Single(o.configurations(ctx, tx.SQL, p, row))
	doc.Location = pathOf(p, row.ID)
	return doc, err
}

// requestOf returns the request for a configuration as it is.
func requestOf(row query.BackupConfiguration) ConfigurationRequest {
	b := ConfigurationRequest{
		Name: &row.Name, Bucket: api.Copied(row.Bucket), Directory: api.Copied(row.Directory),
		Time: api.Copied(row.TimeOfDay), Cron: api.Copied(row.Cron), IncludeNewDatabases: row.IncludeNewDatabases,
		NotificationEmail: api.Copied(row.NotifyEmail), SiteID: api.Copied(row.SiteID), Paths: pathsOf(row),
		ProveEveryDays: &row.VerifyEveryDays,
	}
	if row.Day != nil {
		b.Day = new(strconv.FormatInt(*row.Day, 10))
	}
	return b
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], _ UpdateBackupConfigurationRequest) (api.Document[ConfigurationResource], error) {
	var none api.Document[ConfigurationResource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	old := c.Parent.Configuration
	b := api.Over(c, requestOf(old))
	row, _, err := o.check(ctx, tx.Granted, c.Fields, c.Parent.Path, b, tx.Now)
	if err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if row.VerifyEveryDays == old.VerifyEveryDays {
		row.VerifyAt = old.VerifyAt // other changes do not postpone it
	}
	row, err = tx.UpdateBackupConfiguration(ctx, query.UpdateBackupConfigurationParams{
		ID: old.ID, StorageProviderID: row.StorageProviderID, Name: row.Name, Bucket: row.Bucket, Directory: row.Directory,
		Frequency: row.Frequency, Day: row.Day, TimeOfDay: row.TimeOfDay, Cron: row.Cron,
		IncludeNewDatabases: row.IncludeNewDatabases, SiteID: row.SiteID, Paths: row.Paths, Retention: row.Retention,
		NotifyEmail: row.NotifyEmail, NextRunAt: row.NextRunAt, VerifyEveryDays: row.VerifyEveryDays, VerifyAt: row.VerifyAt,
		UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("update backup configuration: %w", err)
	}
	return o.list(ctx, tx, c.Parent.Path, row, b.DatabaseIDs)
}

// destroy deletes a configuration. Its archives stay; running uploads are ended and discarded, as they would be orphaned.
func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	row := c.Parent.Configuration
	all, err := tx.ListBackups(ctx, row)
	if err != nil {
		return api.Empty{}, fmt.Errorf("list backups: %w", err)
	}
	for _, b := range all {
		if b.Status != StatusRunning || b.OperationID == nil {
			continue
		}
		if err := o.Runner.Queue.Cancel(ctx, tx, *b.OperationID); err != nil && !errors.Is(err, job.ErrEnded) {
			return api.Empty{}, err
		}
		if err := o.Runner.Queue.Insert(ctx, tx, Sweep{
			OrganizationID: row.OrganizationID, BackupID: b.ID, StorageProviderID: b.StorageProviderID, Bucket: b.Bucket,
			Base: b.Base,
		}); err != nil {
			return api.Empty{}, err
		}
	}
	if err := tx.DeleteBackupConfiguration(ctx, row.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete backup configuration: %w", err)
	}
	return api.Empty{}, nil
}

// ConfigurationMeta is what backup configurations add to meta.
type ConfigurationMeta struct {
	Backups BackupsMeta `json:"backups"`
}

// BackupsMeta is the state of a configuration's backups: the last one that was restored and compared, and any problem.
type BackupsMeta struct {
	// LastBackup is when the newest complete backup ended; null as long as there is none.
	LastBackup api.NullTime `json:"last_backup"`
	// LastProvenRestore is when a backup was last restored into a separate database and found to equal the dump.
	LastProvenRestore api.NullTime `json:"last_proven_restore"`
	// LastProvenBackup is the id of that backup.
	LastProvenBackup *string      `json:"last_proven_backup"`
	ProofStatus      *string      `json:"proof_status" enum:"finished,failed"`
	ProofReason      *string      `json:"proof_reason"`
	NextProof        api.NullTime `json:"next_proof"`
	ProveEveryDays   int64        `json:"prove_every_days"`
	// Alarm is what needs attention now, as text.
	Alarm *string `json:"alarm"`
	// SiteID and Paths are the files included in the backups.
	SiteID *int64   `json:"site_id"`
	Paths  []string `json:"paths"`
}
