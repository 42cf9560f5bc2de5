-- name: InsertEnvironment :one
INSERT INTO environments (site_id, user_id, content, encryption_key, cache, queues, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING *;

-- name: SealEnvironment :exec
UPDATE environments SET content = $2, encryption_key = $3, operation_id = $4 WHERE id = $1;

-- name: GetEnvironment :one
SELECT * FROM environments WHERE id = $1;

-- name: GetSiteEnvironment :one
SELECT * FROM environments WHERE site_id = $1 AND id = $2;

-- name: EnvironmentInForce :one
-- The newest that is asked for, else the one that was written last: an older version may have been tried again.
SELECT * FROM environments WHERE site_id = $1 AND status <> 'failed'
ORDER BY CASE WHEN status = 'writing' THEN 0 ELSE 1 END, CASE WHEN status = 'writing' THEN id ELSE updated_at END DESC, id DESC LIMIT 1;

-- name: NewestEnvironment :one
SELECT * FROM environments WHERE site_id = $1 ORDER BY id DESC LIMIT 1;

-- name: SetEnvironmentStatus :exec
UPDATE environments SET status = $2, updated_at = $3 WHERE id = $1;

-- name: DeleteOldEnvironments :exec
-- A version that is still to be written is kept: it was accepted.
DELETE FROM environments WHERE environments.site_id = $1 AND environments.status <> 'writing' AND environments.id NOT IN (SELECT e.id FROM environments e WHERE e.site_id = $1 ORDER BY e.id DESC LIMIT $2);

-- name: EnvironmentBefore :one
SELECT * FROM environments WHERE site_id = $1 AND id < $2 AND status <> 'failed' ORDER BY id DESC LIMIT 1;
