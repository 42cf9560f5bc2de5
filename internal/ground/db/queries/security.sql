-- name: InsertSecurityRule :one
INSERT INTO security_rules (site_id, name, path, credentials, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *;

-- name: GetSecurityRule :one
SELECT * FROM security_rules WHERE site_id = $1 AND id = $2;

-- name: ListSecurityRules :many
SELECT * FROM security_rules WHERE site_id = $1 ORDER BY id;

-- name: PutSecurityRule :exec
INSERT INTO security_rules (id, site_id, name, path, credentials, status, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, path = excluded.path, credentials = excluded.credentials, status = excluded.status, operation_id = excluded.operation_id,
  updated_at = excluded.updated_at;

-- name: DeleteSecurityRule :execrows
DELETE FROM security_rules WHERE id = $1;
