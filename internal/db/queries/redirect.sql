-- name: InsertRedirectRule :one
INSERT INTO redirect_rules (site_id, source, target, type, position, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: RestoreRedirectRule :exec
INSERT INTO redirect_rules (id, site_id, source, target, type, position, status, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING;

-- name: GetRedirectRule :one
SELECT * FROM redirect_rules WHERE site_id = $1 AND id = $2;

-- name: ListRedirectRules :many
SELECT * FROM redirect_rules WHERE site_id = $1 ORDER BY position, id;

-- name: SetRedirectRuleStatus :exec
UPDATE redirect_rules SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: SetRedirectRulePosition :exec
UPDATE redirect_rules SET position = $2 WHERE id = $1;

-- name: SettleRedirectRules :exec
UPDATE redirect_rules SET status = 'installed', updated_at = $3 WHERE operation_id = $1 AND status = $2;

-- name: DeleteRedirectRules :exec
DELETE FROM redirect_rules WHERE operation_id = $1 AND status = $2;

-- name: DeleteRedirectRule :execrows
DELETE FROM redirect_rules WHERE id = $1;
