-- name: InsertHeartbeat :one
INSERT INTO heartbeats (site_id, name, frequency, custom_frequency, grace_period, token_hash, token, status, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $8) RETURNING *;

-- name: SealHeartbeat :exec
UPDATE heartbeats SET token = $2 WHERE id = $1;

-- name: GetHeartbeat :one
SELECT * FROM heartbeats WHERE site_id = $1 AND id = $2;

-- name: GetHeartbeatByToken :one
SELECT * FROM heartbeats WHERE token_hash = $1;

-- name: UpdateHeartbeat :exec
UPDATE heartbeats SET name = $2, frequency = $3, custom_frequency = $4, grace_period = $5, due_at = $6, updated_at = $7 WHERE id = $1;

-- name: BeatHeartbeat :exec
UPDATE heartbeats SET status = 'beating', last_ping_at = $2, due_at = $3 WHERE id = $1;

-- name: ListDueHeartbeats :many
SELECT * FROM heartbeats WHERE due_at <= $1 AND status <> 'missing' AND site_id NOT IN (SELECT s.id FROM sites s JOIN servers v ON v.id = s.server_id WHERE v.revoked) ORDER BY due_at, id;

-- name: SetHeartbeatStatus :exec
UPDATE heartbeats SET status = $2, due_at = $3 WHERE id = $1;

-- name: CountHeartbeats :one
SELECT COUNT(*) FROM heartbeats WHERE site_id = $1;

-- name: DeleteHeartbeat :exec
DELETE FROM heartbeats WHERE id = $1;

-- name: GetHeartbeatByID :one
SELECT * FROM heartbeats WHERE id = $1;

-- name: ListServerHeartbeats :many
SELECT heartbeats.* FROM heartbeats JOIN sites ON sites.id = heartbeats.site_id WHERE sites.server_id = $1 ORDER BY heartbeats.id;

-- name: RenewHeartbeat :exec
UPDATE heartbeats SET token_hash = $2, token = $3, updated_at = $4 WHERE id = $1;
