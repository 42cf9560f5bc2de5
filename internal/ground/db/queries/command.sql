-- name: InsertCommand :one
INSERT INTO commands (site_id, user_id, command, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5) RETURNING *;

-- name: GetCommand :one
SELECT * FROM commands WHERE id = $1;

-- name: GetSiteCommand :one
SELECT * FROM commands WHERE site_id = $1 AND id = $2;

-- name: SetCommandOperation :exec
UPDATE commands SET operation_id = $2 WHERE id = $1;

-- name: BeginCommand :exec
UPDATE commands SET status = 'running', started_at = COALESCE(started_at, $2), updated_at = $2 WHERE id = $1;

-- name: NoteCommand :exec
UPDATE commands SET exit_code = $2, error_output = $3 WHERE id = $1;

-- name: EndCommand :exec
UPDATE commands SET status = $2, ended_at = $3, updated_at = $3 WHERE id = $1;

-- name: QueueCommand :exec
UPDATE commands SET status = 'waiting', exit_code = NULL, error_output = NULL, started_at = NULL, ended_at = NULL, updated_at = $2 WHERE id = $1;

-- name: DeleteCommand :exec
DELETE FROM commands WHERE id = $1;
