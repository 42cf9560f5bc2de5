-- name: InsertBackgroundProcess :one
INSERT INTO background_processes (server_id, site_id, integration, name, command, unix_user, directory, processes, startsecs, stopwaitsecs, stopsignal, status, observed, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'installing', 'unknown', $12, $12) RETURNING *;

-- name: GetBackgroundProcess :one
SELECT * FROM background_processes WHERE server_id = $1 AND id = $2;

-- name: ListBackgroundProcesses :many
SELECT * FROM background_processes WHERE server_id = $1 ORDER BY id;

-- name: ListSiteBackgroundProcesses :many
SELECT * FROM background_processes WHERE site_id = $1 ORDER BY id;

-- name: PutBackgroundProcess :exec
INSERT INTO background_processes (id, server_id, site_id, integration, name, command, unix_user, directory, processes, startsecs, stopwaitsecs, stopsignal, stopped, status, observed, operation_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'unknown', $15, $16, $16)
ON CONFLICT (id) DO UPDATE SET site_id = excluded.site_id, integration = excluded.integration, name = excluded.name, command = excluded.command, unix_user = excluded.unix_user,
  directory = excluded.directory, processes = excluded.processes, startsecs = excluded.startsecs, stopwaitsecs = excluded.stopwaitsecs, stopsignal = excluded.stopsignal,
  stopped = excluded.stopped, status = excluded.status, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: ObserveBackgroundProcess :exec
UPDATE background_processes SET observed = $2 WHERE id = $1 AND observed <> $2;

-- name: DeleteBackgroundProcess :execrows
DELETE FROM background_processes WHERE id = $1;
