package backup

import (
	"context"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// BackupConfigurationAttributes are the attributes of a backup configuration.
type BackupConfigurationAttributes struct {
	Name                string  `json:"name"`
	StorageProviderID   *int64  `json:"storage_provider_id"`
	Provider            string  `json:"provider"`
	Bucket              *string `json:"bucket"`
	Directory           string  `json:"directory"`
	Schedule            string  `json:"schedule"`
	DisplayableSchedule string  `json:"displayable_schedule"`
	NextRunTime         string  `json:"next_run_time" doc:"ISO 8601, UTC."`
	Status              string  `json:"status"`
	DayOfWeek           *int64  `json:"day_of_week"`
	Time                *string `json:"time"`
	CronSchedule        *string `json:"cron_schedule"`
	DatabaseIDs         []any   `json:"database_ids" nullable:"false"`
	IncludeNewDatabases bool    `json:"include_new_databases"`
	Retention           int64   `json:"retention"`
	NotifyEmail         *string `json:"notify_email"`
}

// ResourceType returns backupConfigurations.
func (BackupConfigurationAttributes) ResourceType() string { return "backupConfigurations" }

// Columns are what a table shows.
func (BackupConfigurationAttributes) Columns() []string {
	return []string{"name", "displayable_schedule", "next_run_time", "meta.backups.last_proven_restore", "meta.backups.alarm"}
}

// Metas are what the meta of these resources has besides.
func (BackupConfigurationAttributes) Metas() []any {
	return []any{ConfigurationMeta{}, recipient.Meta{}}
}

// ConfigurationResource is a backup configuration in a document.
type ConfigurationResource = api.Resource[BackupConfigurationAttributes, api.NoRelationships]

// BackupAttributes are the attributes of a backup.
type BackupAttributes struct {
	Status      string  `json:"status"`
	IsPartial   string  `json:"is_partial" doc:"\"true\" or \"false\"."`
	Size        int64   `json:"size" doc:"The total size of all objects, in bytes."`
	FinishedAt  *int64  `json:"finished_at" doc:"Seconds since the epoch; null while the backup is running."`
	DatabaseIDs []int64 `json:"database_ids" nullable:"false" ours:"true"`
}

// ResourceType returns backups.
func (BackupAttributes) ResourceType() string { return "backups" }

// Columns are what a table shows.
func (BackupAttributes) Columns() []string {
	return []string{"status", "is_partial", "size", "meta.backup.last_proven_restore", "meta.backup.proof_status", "meta.backup.reason"}
}

// Metas are what the meta of these resources has besides.
func (BackupAttributes) Metas() []any { return []any{InstanceMeta{}} }

// InstanceResource is a backup in a document.
type InstanceResource = api.Resource[BackupAttributes, api.NoRelationships]

// BackupKeyAttributes are the attributes of a key that backups are encrypted to.
type BackupKeyAttributes struct {
	Recipient string   `json:"recipient"`
	CreatedAt api.Time `json:"created_at"`
}

// ResourceType returns backupKeys.
func (BackupKeyAttributes) ResourceType() string { return "backupKeys" }

// KeyResource is a key in a document.
type KeyResource = api.Resource[BackupKeyAttributes, api.NoRelationships]

// ConfigurationRequest creates or changes a configuration. Everything after notification_email is our addition.
type ConfigurationRequest struct {
	StorageProviderID   int64   `json:"storage_provider_id"`
	Name                *string `json:"name,omitempty" nullable:"true" maxLength:"255"`
	Bucket              *string `json:"bucket,omitempty" nullable:"true"`
	Directory           *string `json:"directory,omitempty" nullable:"true"`
	Frequency           string  `json:"frequency" enum:"hourly,daily,weekly,custom"`
	Day                 *string `json:"day,omitempty" enum:"0,1,2,3,4,5,6" doc:"For the frequency weekly; 0 is Sunday."`
	Time                *string `json:"time,omitempty"`
	Cron                *string `json:"cron,omitempty" doc:"For the frequency custom: minute, hour, day, month, weekday."`
	IncludeNewDatabases bool    `json:"include_new_databases,omitempty" doc:"Back up all databases of the server, including future ones."`
	DatabaseIDs         []int64 `json:"database_ids" nullable:"false" minItems:"1"`
	Retention           int64   `json:"retention" minimum:"1" maximum:"8760" doc:"The number of complete backups to keep."`
	NotificationEmail   *string `json:"notification_email,omitempty" nullable:"true" format:"email"`

	SiteID         *int64   `json:"site_id,omitempty" ours:"true" doc:"The site whose files are included in the backups."`
	Paths          []string `json:"paths,omitempty" nullable:"false" ours:"true" maxItems:"100"`
	ProveEveryDays *int64   `json:"prove_every_days,omitempty" ours:"true" minimum:"0" maximum:"365"`
}

// CreateBackupConfigurationRequest asks for a configuration.
type CreateBackupConfigurationRequest ConfigurationRequest

// UpdateBackupConfigurationRequest changes a configuration: omitted fields are unchanged, null or empty clears, and lists are replaced whole.
type UpdateBackupConfigurationRequest ConfigurationRequest

// RestoreBackupRequest asks for a restore. Everything but database_id is our addition.
type RestoreBackupRequest struct {
	DatabaseID int64 `json:"database_id"`
	// SourceDatabaseID restores a dump of another database.
	SourceDatabaseID *int64  `json:"source_database_id,omitempty" ours:"true" doc:"The database in the backup, if it is not database_id."`
	Name             *string `json:"name,omitempty" maxLength:"63" ours:"true"`
	ServerID         *int64  `json:"server_id,omitempty" ours:"true" doc:"Restore on another server; requires name."`
	SiteID           *int64  `json:"site_id,omitempty" ours:"true"`
}

// Operations are the operations on backups.
type Operations struct {
	Store  *Store
	Runner *Runner
	Router *api.Router
	// Databases creates the databases that a restore fills under a new name.
	Databases  Databases
	Recipients *recipient.Asker
}

// Databases are the databases of servers.
type Databases interface {
	Make(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, name string, like query.Database) (query.Database, error)
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/database/backups"
	const single = many + "/{backupConfiguration}"
	const instances, instance = single + "/instances", single + "/instances/{backup}"
	const tag = "Backups"
	view, create, remove := []access.Permission{access.ServerView}, []access.Permission{access.ServerCreateBackups},
		[]access.Permission{access.ServerDeleteBackups}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view,
		Noun: "backup-configurations", Summary: "List backup configurations", Filters: []api.Filter{{Name: "name", Text: true}, {Name: "status"}},
		Sorts:    []string{"name", "created_at", "updated_at"},
		Formerly: "backups list",
	}, o.Store.Servers.InPath, o.index)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async, Permissions: create,
		Status: http.StatusAccepted, Noun: "backup-configurations", Summary: "Create a backup configuration",
	}, o.Store.Servers.InPath, o.checkNew, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view,
		Noun: "backup-configurations", Summary: "Get a backup configuration",
	}, o.Store.InPath, o.show)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.update", Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Async, Permissions: create,
		Status: http.StatusAccepted, Noun: "backup-configurations", Summary: "Update a backup configuration",
	}, o.Store.InPath, o.checkChanged, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async, Permissions: remove,
		Status: http.StatusAccepted, Noun: "backup-configurations", Summary: "Delete a backup configuration",
		Description: "The contents of the bucket stay.",
	}, o.Store.InPath, o.destroy)

	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.instances.index", Method: http.MethodGet, Path: instances, Tag: tag, Mode: api.Sync, Permissions: create,
		Noun: "backup-runs", Summary: "List backups", Filters: []api.Filter{{Name: "status"}}, Sorts: []string{"created_at", "updated_at"},
		Formerly: "backups runs",
		Defaults: api.NewestFirst,
	}, o.Store.InPath, o.instances)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.instances.store", Method: http.MethodPost, Path: instances, Tag: tag, Mode: api.Async, Permissions: create,
		Status: http.StatusAccepted, Noun: "backups", Verb: "run", Summary: "Back up now",
	}, o.Store.InPath, o.run)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.instances.show", Method: http.MethodGet, Path: instance, Tag: tag, Mode: api.Sync, Permissions: create,
		Noun: "backup-runs", Summary: "Get a backup",
	}, o.Store.BackupInPath, o.instance)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.instances.destroy", Method: http.MethodDelete, Path: instance, Tag: tag, Mode: api.Async,
		Permissions: remove, Status: http.StatusAccepted, Noun: "backup-runs", Summary: "Delete a backup",
		Description: "The backup's objects are removed from the bucket.",
		Formerly:    "backups delete",
	}, o.Store.BackupInPath, o.removeInstance)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.instances.restores.store", Method: http.MethodPost, Path: instance + "/restores", Tag: tag, Mode: api.Async,
		Permissions: create, Status: http.StatusAccepted, Noun: "backup-runs", Verb: "restore", Summary: "Restore a backup",
		Description: "The object is read to its end before anything is changed. A database that is replaced is backed up first.",
		Further:     furtherRestore(), Conflict: true,
	}, o.Store.BackupInPath, o.restore)

	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.instances.proofs.store", Method: http.MethodPost, Path: instance + "/proofs", Tag: tag, Mode: api.Async,
		Permissions: create, Extension: true, Status: http.StatusAccepted, Noun: "backup-runs", Verb: "verify", Summary: "Prove a backup",
		Description: "The backup is restored into separate databases on the same server and compared with the dump; then the databases are dropped.",
		Conflict:    true,
		Formerly:    "backups verify",
	}, o.Store.BackupInPath, o.prove)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.database.backups.instances.downloads.store", Method: http.MethodPost, Path: instance + "/downloads", Tag: tag,
		Mode: api.Sync, Permissions: create, Extension: true, Status: http.StatusCreated, Noun: "backup-runs", Verb: "download",
		Summary:     "Download a backup",
		Description: "Returns addresses of the backup's encrypted objects in meta.backup.objects, which work for an hour.",
		Conflict:    true,
	}, o.Store.BackupInPath, o.download)
	const keys = "/orgs/{organization}/backup-keys"
	manage := []access.Permission{access.OrganizationManage}
	api.Index(o.Router, api.Operation{
		ID: "organizations.backup-keys.index", Method: http.MethodGet, Path: keys, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true, Summary: "List backup keys",
	}, o.Store.Servers.Organizations.InPath, o.keys)
	api.Write(o.Router, api.Operation{
		ID: "organizations.backup-keys.export.store", Method: http.MethodPost, Path: keys + "/export", Tag: tag,
		Mode: api.Sync, Permissions: manage, Extension: true, Status: http.StatusCreated,
		Noun: "backup-keys", Verb: "export", Summary: "Export the backup key",
		Description: "The secret key that opens the organization's backups, for `age --decrypt`. Store it separately from the backups.",
	},
		o.Store.Servers.Organizations.InPath, o.export)
}
