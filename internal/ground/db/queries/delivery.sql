-- name: InsertDelivery :one
INSERT INTO deliveries (webhook_id, channel_id, message_id, event, payload, state, attempts, response, failure, next_at, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, 'pending', 0, '', '', $6, $6, $6) RETURNING *;

-- name: GetDelivery :one
SELECT * FROM deliveries WHERE id = $1;

-- name: NoteDelivery :execrows
UPDATE deliveries SET state = $2, attempts = attempts + 1, status_code = $3, response = $4, failure = $5, next_at = $6, ended_at = $7, updated_at = $8
WHERE id = $1 AND attempts = $9 AND state = 'pending';

-- name: ListLostDeliveries :many
SELECT id FROM deliveries WHERE state = 'pending' AND next_at < $1 ORDER BY id LIMIT 500;

-- name: PostponeDelivery :exec
UPDATE deliveries SET next_at = $2, updated_at = $2 WHERE id = $1 AND state = 'pending';
