-- name: InsertStorageProvider :one
INSERT INTO storage_providers (organization_id, name, provider, region, bucket, directory, endpoint, assume_role, secret, host_key, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) RETURNING *;

-- name: GetStorageProvider :one
SELECT * FROM storage_providers WHERE organization_id = $1 AND id = $2;

-- name: UpdateStorageProvider :one
UPDATE storage_providers SET name = $2, provider = $3, region = $4, bucket = $5, directory = $6, endpoint = $7, assume_role = $8, secret = $9, host_key = $10, updated_at = $11
WHERE id = $1 RETURNING *;

-- name: DeleteStorageProvider :execrows
DELETE FROM storage_providers WHERE id = $1;

-- name: CountBackupConfigurations :one
SELECT COUNT(*) FROM backup_configurations WHERE storage_provider_id = $1;
