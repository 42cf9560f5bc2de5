-- name: InsertRedirectRule :one
INSERT INTO redirect_rules (site_id, source, target, type, position, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: RestoreRedirectRule :exec
INSERT INTO redirect_rules (id, site_id, source, target, type, position, status, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: GetRedirectRule :one
SELECT * FROM redirect_rules WHERE site_id = $1 AND id = $2;

-- name: ListRedirectRules :many
SELECT * FROM redirect_rules WHERE site_id = $1 ORDER BY position, id;

-- name: CountRedirectRulesFrom :one
SELECT COUNT(*) FROM redirect_rules WHERE site_id = $1 AND source = $2 AND status <> 'removing';

-- name: UpdateRedirectRule :execrows
UPDATE redirect_rules SET source = $2, target = $3, type = $4, status = $5, operation_id = $6, updated_at = $7 WHERE id = $1;

-- name: SetRedirectRulePositions :exec
UPDATE redirect_rules SET position = $2 WHERE site_id = $1;

-- name: SetRedirectRulePosition :exec
UPDATE redirect_rules SET position = $2 WHERE id = $1;

-- name: DeleteRedirectRule :execrows
DELETE FROM redirect_rules WHERE id = $1;
