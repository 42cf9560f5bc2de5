-- name: InsertCredential :one
INSERT INTO server_credentials (organization_id, name, provider, secret, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5) RETURNING *;

-- name: GetCredential :one
SELECT * FROM server_credentials WHERE id = $1 AND organization_id = $2;

-- name: UpdateCredential :one
UPDATE server_credentials SET name = $2, secret = $3, updated_at = $4 WHERE id = $1 RETURNING *;

-- name: DeleteCredential :exec
DELETE FROM server_credentials WHERE id = $1;

-- name: CountCredentialServers :one
SELECT COUNT(*) FROM servers WHERE credential_id = $1;
