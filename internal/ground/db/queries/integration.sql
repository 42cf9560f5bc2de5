-- name: PutIntegration :one
INSERT INTO integrations (site_id, kind, settings, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5)
ON CONFLICT (site_id, kind) DO UPDATE SET settings = excluded.settings, status = excluded.status, updated_at = excluded.updated_at RETURNING *;

-- name: ShowIntegration :exec
INSERT INTO integrations (id, site_id, kind, settings, status, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, status = excluded.status, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: GetIntegration :one
SELECT * FROM integrations WHERE site_id = $1 AND kind = $2;

-- name: GetIntegrationByID :one
SELECT * FROM integrations WHERE id = $1;

-- name: SetIntegrationWork :exec
UPDATE integrations SET secret = $2, status = $3, operation_id = $4 WHERE id = $1;

-- name: SettleIntegration :exec
UPDATE integrations SET status = $2 WHERE id = $1 AND (operation_id IS NULL OR operation_id = $3);

-- name: DeleteIntegration :exec
DELETE FROM integrations WHERE site_id = $1 AND kind = $2;
