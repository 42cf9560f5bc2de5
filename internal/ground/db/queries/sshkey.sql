-- name: InsertSSHKey :one
INSERT INTO ssh_keys (server_id, name, unix_user, key, options, status, created_by, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING *;

-- name: GetSSHKey :one
SELECT * FROM ssh_keys WHERE server_id = $1 AND id = $2;

-- name: ListSSHKeys :many
SELECT * FROM ssh_keys WHERE server_id = $1 ORDER BY id;

-- name: PutSSHKey :exec
INSERT INTO ssh_keys (id, server_id, name, unix_user, key, options, status, created_by, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, unix_user = excluded.unix_user, key = excluded.key, options = excluded.options, status = excluded.status, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: DeleteSSHKey :exec
DELETE FROM ssh_keys WHERE id = $1;
