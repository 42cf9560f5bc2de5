-- name: InsertDeploymentWebhook :one
INSERT INTO deployment_webhooks (site_id, origin, secret, created_at, updated_at) VALUES ($1, $2, $3, $4, $4) RETURNING *;

-- name: SetDeploymentWebhookAddress :exec
UPDATE deployment_webhooks SET origin = $2, address = $3, updated_at = $4 WHERE id = $1;

-- name: SetDeploymentWebhookSecret :exec
UPDATE deployment_webhooks SET secret = $2, updated_at = $3 WHERE id = $1;

-- name: GetDeploymentWebhook :one
SELECT * FROM deployment_webhooks WHERE site_id = $1 AND id = $2;

-- name: GetDeploymentWebhookByID :one
SELECT * FROM deployment_webhooks WHERE id = $1;

-- name: ListDeploymentWebhooks :many
SELECT * FROM deployment_webhooks WHERE site_id = $1 ORDER BY id;

-- name: DeleteDeploymentWebhook :exec
DELETE FROM deployment_webhooks WHERE id = $1;

-- name: GetWebhookDelivery :one
SELECT * FROM deliveries WHERE webhook_id = $1 AND id = $2;
