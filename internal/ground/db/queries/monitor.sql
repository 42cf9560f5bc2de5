-- name: InsertMonitor :one
INSERT INTO monitors (server_id, type, operator, threshold, minutes, notify, url, status, state, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'UNKNOWN', $9, $9) RETURNING *;

-- name: GetMonitor :one
SELECT * FROM monitors WHERE server_id = $1 AND id = $2;

-- name: GetMonitorByID :one
SELECT * FROM monitors WHERE id = $1;

-- name: ListMonitors :many
SELECT * FROM monitors WHERE server_id = $1 ORDER BY id;

-- name: PutMonitor :exec
INSERT INTO monitors (id, server_id, type, operator, threshold, minutes, notify, url, status, state, operation_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'UNKNOWN', $10, $11, $11)
ON CONFLICT (id) DO UPDATE SET type = excluded.type, operator = excluded.operator, threshold = excluded.threshold, minutes = excluded.minutes, notify = excluded.notify, url = excluded.url,
  state = CASE WHEN monitors.url = excluded.url THEN monitors.state ELSE 'UNKNOWN' END,
  notified = CASE WHEN monitors.url = excluded.url THEN monitors.notified ELSE '' END,
  in_succession = CASE WHEN monitors.url = excluded.url THEN monitors.in_succession ELSE 0 END,
  status = excluded.status, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: SetMonitorState :execrows
UPDATE monitors SET state = $2, state_changed_at = $3, seen_at = $4 WHERE id = $1 AND seen_at < $4;

-- name: SetMonitorNotified :execrows
UPDATE monitors SET notified = $2, notified_at = $3 WHERE id = $1 AND notified_at <= $4 AND notified <> $2;

-- name: ListURLMonitors :many
SELECT m.* FROM monitors m JOIN servers s ON s.id = m.server_id
WHERE m.type = 'url' AND m.status = 'installed' AND NOT s.revoked AND m.asked_at <= $1 ORDER BY m.asked_at, m.id LIMIT 2000;

-- name: SetMonitorAnswer :execrows
UPDATE monitors SET asked_at = $2, failed = $3, in_succession = $4 WHERE id = $1 AND asked_at < $2;

-- name: DeleteMonitor :exec
DELETE FROM monitors WHERE id = $1;
