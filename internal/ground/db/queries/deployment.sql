-- name: InsertDeployment :one
INSERT INTO deployments (organization_id, server_id, site_id, initiator_id, type, status, commit_hash, commit_author, commit_message, commit_branch, release_name, target_release, target_commit,
  created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', $11, $12, $13, $13) RETURNING *;

-- name: GetDeployment :one
SELECT * FROM deployments WHERE id = $1;

-- name: GetSiteDeployment :one
SELECT * FROM deployments WHERE site_id = $1 AND id = $2;

-- name: SealDeploymentVariables :exec
UPDATE deployments SET hook_variables = $2 WHERE id = $1;

-- name: SetDeploymentOperation :exec
UPDATE deployments SET operation_id = $2 WHERE id = $1;

-- name: BeginDeployment :exec
UPDATE deployments SET status = 'deploying', started_at = COALESCE(started_at, $2), updated_at = $2 WHERE id = $1;

-- name: NoteDeployment :exec
UPDATE deployments SET commit_hash = $2, commit_author = $3, commit_message = $4, release_name = $5, updated_at = $6 WHERE id = $1;

-- name: NoteUnserved :exec
UPDATE deployments SET unserved = $2 WHERE id = $1;

-- name: EndDeployment :exec
UPDATE deployments SET status = $2, ended_at = $3, updated_at = $3 WHERE id = $1;

-- name: QueueDeployment :exec
UPDATE deployments SET status = 'queued', ended_at = NULL, updated_at = $2 WHERE id = $1;

-- name: LatestDeployment :one
SELECT * FROM deployments WHERE site_id = $1 ORDER BY id DESC LIMIT 1;

-- name: ListOpenDeployments :many
SELECT * FROM deployments WHERE site_id = $1 AND status IN ('pending', 'queued', 'deploying') ORDER BY id;

-- name: NotePush :execrows
INSERT INTO pushes (site_id, hash, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: DeleteOldPushes :exec
DELETE FROM pushes WHERE site_id = $1 AND created_at < $2;

-- name: CountEnvironmentsBefore :one
SELECT COUNT(*) FROM operations WHERE site_id = $1 AND resource_type = 'environments' AND state IN ('pending', 'running') AND id < $2;

-- name: InsertPushDelivery :one
INSERT INTO push_deliveries (site_id, sender, event, branch, commit_hash, verdict, reason, deployment_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING *;

-- name: DeleteRefusedPushDeliveries :exec
DELETE FROM push_deliveries WHERE site_id = $1 AND verdict = 'refused';

-- name: DeleteOldPushDeliveries :exec
DELETE FROM push_deliveries WHERE push_deliveries.site_id = $1 AND push_deliveries.id NOT IN (SELECT d.id FROM push_deliveries d WHERE d.site_id = $1 ORDER BY d.id DESC LIMIT $2);
