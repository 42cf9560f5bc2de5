-- name: PutIntegration :one
INSERT INTO integrations (site_id, kind, settings, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (site_id, kind) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at RETURNING *;

-- name: GetIntegration :one
SELECT * FROM integrations WHERE site_id = $1 AND kind = $2;

-- name: SetIntegrationOperation :exec
UPDATE integrations SET operation_id = $2 WHERE id = $1;

-- name: DeleteIntegration :exec
DELETE FROM integrations WHERE site_id = $1 AND kind = $2;
