-- name: InsertDatabase :one
INSERT INTO databases (server_id, name, status, adopted, present, created_at, updated_at) VALUES ($1, $2, $3, $4, $4, $5, $5) RETURNING *;

-- name: GetDatabase :one
SELECT * FROM databases WHERE server_id = $1 AND id = $2;

-- name: GetDatabaseByName :one
SELECT * FROM databases WHERE server_id = $1 AND name = $2;

-- name: ListDatabases :many
SELECT * FROM databases WHERE server_id = $1 ORDER BY id;

-- name: SetDatabaseStatus :exec
UPDATE databases SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: SettleDatabase :exec
UPDATE databases SET status = $2, updated_at = $4 WHERE id = $1 AND (operation_id IS NULL OR operation_id = $3);

-- name: MarkDatabasePresent :exec
UPDATE databases SET present = TRUE WHERE id = $1;

-- name: DeleteDatabase :execrows
DELETE FROM databases WHERE id = $1;

-- name: InsertDatabaseUser :one
INSERT INTO database_users (server_id, name, host, status, read_only, main, adopted, present, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $8) RETURNING *;

-- name: GetDatabaseUser :one
SELECT * FROM database_users WHERE server_id = $1 AND id = $2;

-- name: GetDatabaseUserByName :one
SELECT * FROM database_users WHERE server_id = $1 AND name = $2;

-- name: GetMainDatabaseUser :one
SELECT * FROM database_users WHERE server_id = $1 AND main;

-- name: ListDatabaseUsers :many
SELECT * FROM database_users WHERE server_id = $1 ORDER BY id;

-- name: SetDatabaseUserStatus :exec
UPDATE database_users SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: SettleDatabaseUser :exec
UPDATE database_users SET status = $2, updated_at = $4 WHERE id = $1 AND (operation_id IS NULL OR operation_id = $3);

-- name: MarkDatabaseUserPresent :exec
UPDATE database_users SET present = TRUE WHERE id = $1;

-- name: SetDatabaseUserPassword :exec
UPDATE database_users SET password = $2 WHERE id = $1;

-- name: DeleteDatabaseUser :execrows
DELETE FROM database_users WHERE id = $1;

-- name: InsertDatabaseGrant :exec
INSERT INTO database_grants (user_id, database_id) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- name: ClearDatabaseGrants :exec
DELETE FROM database_grants WHERE user_id = $1;

-- name: ListDatabaseGrants :many
SELECT g.* FROM database_grants g JOIN databases d ON d.id = g.database_id WHERE d.server_id = $1 ORDER BY g.user_id, g.database_id;

-- name: InsertDatabasePassword :exec
INSERT INTO database_passwords (operation_id, user_id, password) VALUES ($1, $2, $3);

-- name: GetDatabasePassword :one
SELECT * FROM database_passwords WHERE operation_id = $1;

-- name: DeleteDatabasePassword :exec
DELETE FROM database_passwords WHERE operation_id = $1;

-- name: LastDatabasePassword :one
SELECT * FROM database_passwords WHERE user_id = $1 ORDER BY operation_id DESC LIMIT 1;

-- name: SetServerDatabaseStatus :exec
UPDATE servers SET db_status = $2, updated_at = $3 WHERE id = $1;
