-- name: InsertScheduledJob :one
INSERT INTO scheduled_jobs (server_id, site_id, integration, name, command, unix_user, frequency, cron, heartbeat_id, status, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'installing', $10, $10) RETURNING *;

-- name: GetScheduledJob :one
SELECT * FROM scheduled_jobs WHERE server_id = $1 AND id = $2;

-- name: ListScheduledJobs :many
SELECT * FROM scheduled_jobs WHERE server_id = $1 ORDER BY id;

-- name: ListSiteScheduledJobs :many
SELECT * FROM scheduled_jobs WHERE site_id = $1 ORDER BY id;

-- name: PutScheduledJob :exec
INSERT INTO scheduled_jobs (id, server_id, site_id, integration, name, command, unix_user, frequency, cron, heartbeat_id, status, operation_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
ON CONFLICT (id) DO UPDATE SET site_id = excluded.site_id, integration = excluded.integration, name = excluded.name, command = excluded.command, unix_user = excluded.unix_user,
  frequency = excluded.frequency, cron = excluded.cron, heartbeat_id = excluded.heartbeat_id, status = excluded.status, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: DeleteScheduledJob :execrows
DELETE FROM scheduled_jobs WHERE id = $1;

-- name: ListJobsToLookAt :many
SELECT j.* FROM scheduled_jobs j JOIN servers s ON s.id = j.server_id
WHERE j.look_at <= $1 AND j.status = 'installed' AND s.is_ready AND s.connection_status = 'connected' AND NOT s.revoked ORDER BY j.look_at, j.id LIMIT 200;

-- name: SetJobLook :exec
UPDATE scheduled_jobs SET look_at = $2, unstarted = $3 WHERE id = $1;
