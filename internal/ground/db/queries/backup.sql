-- name: InsertBackupKey :one
INSERT INTO backup_keys (organization_id, recipient, identity, created_at) VALUES ($1, $2, $3, $4) RETURNING *;

-- name: SetBackupKeyIdentity :exec
UPDATE backup_keys SET identity = $2 WHERE id = $1;

-- name: GetBackupKey :one
SELECT * FROM backup_keys WHERE id = $1;

-- name: ListBackupKeys :many
SELECT * FROM backup_keys WHERE organization_id = $1 ORDER BY id DESC;

-- name: InsertBackupConfiguration :one
INSERT INTO backup_configurations (organization_id, server_id, storage_provider_id, name, bucket, directory, frequency, day, time_of_day, cron, include_new_databases, site_id, paths,
  retention, notify_email, status, next_run_at, verify_every_days, verify_at, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $20) RETURNING *;

-- name: GetBackupConfiguration :one
SELECT * FROM backup_configurations WHERE server_id = $1 AND id = $2;

-- name: GetBackupConfigurationByID :one
SELECT * FROM backup_configurations WHERE id = $1;

-- name: UpdateBackupConfiguration :one
UPDATE backup_configurations SET storage_provider_id = $2, name = $3, bucket = $4, directory = $5, frequency = $6, day = $7, time_of_day = $8, cron = $9, include_new_databases = $10,
  site_id = $11, paths = $12, retention = $13, notify_email = $14, next_run_at = $15, verify_every_days = $16, verify_at = $17, updated_at = $18
WHERE id = $1 RETURNING *;

-- name: DeleteBackupConfiguration :exec
DELETE FROM backup_configurations WHERE id = $1;

-- name: ListDueBackupConfigurations :many
SELECT * FROM backup_configurations WHERE next_run_at <= $1 AND server_id NOT IN (SELECT id FROM servers WHERE revoked) ORDER BY next_run_at LIMIT 100;

-- name: ListDueVerifications :many
SELECT * FROM backup_configurations WHERE verify_at IS NOT NULL AND verify_at <= $1 AND server_id NOT IN (SELECT id FROM servers WHERE revoked) ORDER BY verify_at LIMIT 100;

-- name: ListBackupConfigurationsOf :many
SELECT * FROM backup_configurations WHERE organization_id = $1 ORDER BY id;

-- name: SetBackupNextRun :exec
UPDATE backup_configurations SET next_run_at = $2 WHERE id = $1;

-- name: ClaimBackupRun :execrows
UPDATE backup_configurations SET next_run_at = $3 WHERE id = $1 AND next_run_at = $2;

-- name: SetBackupVerifyAt :execrows
UPDATE backup_configurations SET verify_at = $3 WHERE id = $1 AND verify_at = $2;

-- name: SetBackupAlarm :exec
UPDATE backup_configurations SET alarm = $2 WHERE id = $1;

-- name: SetBackupVerified :exec
UPDATE backup_configurations SET verified_at = $2, verified_backup_id = $3, verify_status = $4, verify_reason = $5, proven_shape = $6 WHERE id = $1;

-- name: InsertBackupDatabase :exec
INSERT INTO backup_databases (configuration_id, database_id) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- name: ClearBackupDatabases :exec
DELETE FROM backup_databases WHERE configuration_id = $1;

-- name: ListBackupDatabases :many
SELECT database_id FROM backup_databases WHERE configuration_id = $1 ORDER BY database_id;

-- name: InsertBackup :one
INSERT INTO backups (configuration_id, storage_provider_id, key_id, bucket, base, status, safety, is_partial, size, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, 0, $8, $8) RETURNING *;

-- name: GetBackup :one
SELECT * FROM backups WHERE configuration_id = $1 AND id = $2;

-- name: GetBackupByID :one
SELECT * FROM backups WHERE id = $1;

-- name: ListBackups :many
SELECT * FROM backups WHERE configuration_id = $1 ORDER BY id DESC;

-- name: CountRunningBackups :one
SELECT COUNT(*) FROM backups WHERE configuration_id = $1 AND status = 'running';

-- name: SetBackupOperation :exec
UPDATE backups SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: SetBackupStatus :exec
UPDATE backups SET status = $2, updated_at = $3 WHERE id = $1;

-- name: SetBackupBase :exec
UPDATE backups SET base = $2 WHERE id = $1;

-- name: FinishBackup :exec
UPDATE backups SET status = $2, is_partial = $3, size = $4, reason = $5, finished_at = $6, updated_at = $6 WHERE id = $1;

-- name: SetBackupProof :exec
UPDATE backups SET verified_at = $2, verify_status = $3, verify_reason = $4 WHERE id = $1;

-- name: DeleteBackup :execrows
DELETE FROM backups WHERE id = $1;

-- name: InsertBackupItem :one
INSERT INTO backup_items (backup_id, kind, database_id, name, engine, object, parts, part_size, status, size, report, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, '', $10, $10) RETURNING *;

-- name: GetBackupItem :one
SELECT * FROM backup_items WHERE backup_id = $1 AND id = $2;

-- name: ListBackupItems :many
SELECT * FROM backup_items WHERE backup_id = $1 ORDER BY id;

-- name: SetBackupItemUpload :exec
UPDATE backup_items SET upload_id = $2, status = $3, updated_at = $4 WHERE id = $1;

-- name: SetBackupItemParts :exec
UPDATE backup_items SET part_size = $2, parts = $3, updated_at = $4 WHERE id = $1;

-- name: ReportBackupItem :exec
UPDATE backup_items SET status = $2, reason = $3, size = $4, checksum = $5, report = $6, updated_at = $7 WHERE id = $1;

-- name: SetBackupItemKey :exec
UPDATE backup_items SET status = $2, file_key = $3, updated_at = $4 WHERE id = $1;

-- name: InsertBackupRestore :one
INSERT INTO backup_restores (backup_id, item_id, server_id, kind, database_id, target, scratch, safety_backup_id, files_item_id, site_id, status, report, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', $12, $12) RETURNING *;

-- name: GetBackupRestore :one
SELECT * FROM backup_restores WHERE id = $1;

-- name: SetBackupRestoreOperation :exec
UPDATE backup_restores SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: SetBackupRestoreSafety :exec
UPDATE backup_restores SET safety_backup_id = $2 WHERE id = $1;

-- name: ReportBackupRestore :exec
UPDATE backup_restores SET status = $2, reason = $3, report = $4, updated_at = $5 WHERE id = $1;
