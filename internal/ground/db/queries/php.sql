-- name: InsertPHPVersion :one
INSERT INTO php_versions (server_id, version, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $4) RETURNING *;

-- name: GetPHPVersion :one
SELECT * FROM php_versions WHERE server_id = $1 AND id = $2;

-- name: ListPHPVersions :many
SELECT * FROM php_versions WHERE server_id = $1 ORDER BY id;

-- name: PutPHPVersion :exec
INSERT INTO php_versions (id, server_id, version, status, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6)
ON CONFLICT (id) DO UPDATE SET version = excluded.version, status = excluded.status, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: DeletePHPVersion :exec
DELETE FROM php_versions WHERE id = $1;

-- name: SetServerPHP :exec
UPDATE servers SET php_cli_version = $2, opcache_status = $3, updated_at = $4 WHERE id = $1;

-- name: SetServerSitePHP :exec
UPDATE servers SET php_version = $2, updated_at = $3 WHERE id = $1;
