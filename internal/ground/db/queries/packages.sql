-- name: InsertPackageCredential :one
INSERT INTO package_credentials (site_id, kind, name, username, secret, scopes, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING *;

-- name: GetPackageCredential :one
SELECT * FROM package_credentials WHERE site_id = $1 AND kind = $2 AND name = $3;

-- name: ListPackageCredentials :many
SELECT * FROM package_credentials WHERE site_id = $1 AND kind = $2 ORDER BY id;

-- name: UpdatePackageCredential :exec
UPDATE package_credentials SET name = $2, username = $3, secret = $4, scopes = $5, updated_at = $6 WHERE id = $1;

-- name: SetPackageCredentialWork :exec
UPDATE package_credentials SET removing = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: DeletePackageCredential :execrows
DELETE FROM package_credentials WHERE id = $1;
