-- name: InsertNotificationChannel :one
INSERT INTO notification_channels (organization_id, name, type, target, events, enabled, settings, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING *;

-- name: UpdateNotificationChannel :one
UPDATE notification_channels SET name = $2, target = $3, events = $4, enabled = $5, settings = $6, updated_at = $7 WHERE id = $1 RETURNING *;

-- name: GetNotificationChannel :one
SELECT * FROM notification_channels WHERE organization_id = $1 AND id = $2;

-- name: GetNotificationChannelByID :one
SELECT * FROM notification_channels WHERE id = $1;

-- name: ListNotificationChannels :many
SELECT * FROM notification_channels WHERE organization_id = $1 ORDER BY id;

-- name: CountNotificationChannels :one
SELECT COUNT(*) FROM notification_channels WHERE organization_id = $1;

-- name: DeleteNotificationChannel :execrows
DELETE FROM notification_channels WHERE id = $1;

-- name: GetChannelDelivery :one
SELECT * FROM deliveries WHERE channel_id = $1 AND id = $2;

-- name: ListAwayServers :many
SELECT * FROM servers WHERE is_ready AND connection_status IN ('disconnected', 'host-key-changed') ORDER BY id;

-- name: NoteUnreachable :exec
INSERT INTO unreachable_servers (server_id, since, told) VALUES ($1, $2, FALSE) ON CONFLICT DO NOTHING;

-- name: ListUnreachable :many
SELECT * FROM unreachable_servers ORDER BY server_id;

-- name: TellUnreachable :execrows
UPDATE unreachable_servers SET told = TRUE WHERE server_id = $1 AND told = FALSE;

-- name: DeleteUnreachable :execrows
DELETE FROM unreachable_servers WHERE server_id = $1;
