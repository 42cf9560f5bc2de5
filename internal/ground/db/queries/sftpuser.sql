-- name: InsertSFTPUser :one
INSERT INTO sftp_users (site_id, name, keys, expires_on, status, created_by, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING *;

-- name: GetSFTPUser :one
SELECT * FROM sftp_users WHERE site_id = $1 AND id = $2;

-- name: ListSFTPUsers :many
-- Those of all sites of a server: their names are accounts of it.
SELECT u.* FROM sftp_users u JOIN sites s ON s.id = u.site_id WHERE s.server_id = $1 ORDER BY u.id;

-- name: PutSFTPUser :exec
INSERT INTO sftp_users (id, site_id, name, keys, expires_on, status, created_by, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
ON CONFLICT (id) DO UPDATE SET keys = excluded.keys, expires_on = excluded.expires_on, status = excluded.status, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: DeleteSFTPUser :execrows
DELETE FROM sftp_users WHERE id = $1;
