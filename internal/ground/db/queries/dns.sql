-- name: InsertDNSProvider :one
INSERT INTO dns_providers (organization_id, name, provider, nameserver, key_name, algorithm, secret, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING *;

-- name: GetDNSProvider :one
SELECT * FROM dns_providers WHERE organization_id = $1 AND id = $2;

-- name: UpdateDNSProvider :one
UPDATE dns_providers SET name = $2, nameserver = $3, key_name = $4, algorithm = $5, secret = $6, updated_at = $7 WHERE id = $1 RETURNING *;

-- name: DeleteDNSProvider :execrows
DELETE FROM dns_providers WHERE id = $1;

-- name: CountDNSProviderCertificates :one
SELECT COUNT(*) FROM certificates WHERE dns_provider_id = $1;
