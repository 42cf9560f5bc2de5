-- name: InsertSecurityRule :one
INSERT INTO security_rules (site_id, name, path, credentials, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *;

-- name: GetSecurityRule :one
SELECT * FROM security_rules WHERE site_id = $1 AND id = $2;

-- name: ListSecurityRules :many
SELECT * FROM security_rules WHERE site_id = $1 ORDER BY id;

-- name: UpdateSecurityRule :exec
UPDATE security_rules SET name = $2, path = $3, credentials = $4, updated_at = $5 WHERE id = $1;

-- name: SetSecurityRuleStatus :exec
UPDATE security_rules SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: SettleSecurityRule :exec
UPDATE security_rules SET status = $2, updated_at = $4 WHERE id = $1 AND (operation_id IS NULL OR operation_id = $3);

-- name: DeleteSecurityRule :execrows
DELETE FROM security_rules WHERE id = $1;
