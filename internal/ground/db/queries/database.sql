-- name: InsertDatabase :one
INSERT INTO databases (server_id, name, status, adopted, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5) RETURNING *;

-- name: GetDatabase :one
SELECT * FROM databases WHERE server_id = $1 AND id = $2;

-- name: GetDatabaseByName :one
SELECT * FROM databases WHERE server_id = $1 AND name = $2;

-- name: ListDatabases :many
SELECT * FROM databases WHERE server_id = $1 ORDER BY id;

-- name: PutDatabase :exec
INSERT INTO databases (id, server_id, name, status, adopted, extensions, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, status = excluded.status, adopted = excluded.adopted, extensions = excluded.extensions,
  operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: DeleteDatabase :execrows
DELETE FROM databases WHERE id = $1;

-- name: InsertDatabaseUser :one
INSERT INTO database_users (server_id, name, host, status, read_only, main, adopted, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING *;

-- name: GetDatabaseUser :one
SELECT * FROM database_users WHERE server_id = $1 AND id = $2;

-- name: GetDatabaseUserByName :one
SELECT * FROM database_users WHERE server_id = $1 AND name = $2;

-- name: GetMainDatabaseUser :one
SELECT * FROM database_users WHERE server_id = $1 AND main;

-- name: ListDatabaseUsers :many
SELECT * FROM database_users WHERE server_id = $1 ORDER BY id;

-- name: PutDatabaseUser :exec
INSERT INTO database_users (id, server_id, name, host, status, read_only, main, adopted, password, operation_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, host = excluded.host, status = excluded.status, read_only = excluded.read_only, main = excluded.main,
  adopted = excluded.adopted, password = excluded.password, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: DeleteDatabaseUser :execrows
DELETE FROM database_users WHERE id = $1;

-- name: InsertDatabaseGrant :exec
-- None for a deleted database.
INSERT INTO database_grants (user_id, database_id) SELECT $1, d.id FROM databases d WHERE d.id = $2 ON CONFLICT DO NOTHING;

-- name: ClearDatabaseGrants :exec
DELETE FROM database_grants WHERE user_id = $1;

-- name: SetServerDatabaseStatus :exec
UPDATE servers SET db_status = $2, updated_at = $3 WHERE id = $1;
