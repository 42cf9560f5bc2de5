-- name: InsertDomain :one
INSERT INTO domains (site_id, name, type, status, www_redirect_type, wildcard, first, challenge, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *;

-- name: GetDomain :one
SELECT * FROM domains WHERE site_id = $1 AND id = $2;

-- name: ListDomains :many
SELECT * FROM domains WHERE site_id = $1 ORDER BY id;

-- name: PutDomain :execrows
-- None for a deleted site.
INSERT INTO domains (id, site_id, name, type, status, www_redirect_type, wildcard, first, challenge, nginx, nginx_base, nginx_rule, operation_id, created_at, updated_at)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14 WHERE EXISTS (SELECT 1 FROM sites s WHERE s.id = $2)
ON CONFLICT (id) DO UPDATE SET type = excluded.type, status = excluded.status, www_redirect_type = excluded.www_redirect_type, wildcard = excluded.wildcard, nginx = excluded.nginx,
  nginx_base = excluded.nginx_base, nginx_rule = excluded.nginx_rule, operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: SetDomainCertificate :exec
UPDATE domains SET certificate_id = $2, updated_at = $3 WHERE id = $1;

-- name: ClearDomainCertificate :exec
UPDATE domains SET certificate_id = NULL, updated_at = $3 WHERE id = $1 AND certificate_id = $2;

-- name: ListUnseenNginx :many
SELECT d.* FROM domains d JOIN sites s ON s.id = d.site_id JOIN servers v ON v.id = s.server_id
WHERE d.nginx_rule = 'kept' AND d.nginx IS NOT NULL AND d.nginx_refused IS NULL AND v.is_ready ORDER BY d.id LIMIT $1;

-- name: SetNginxRefused :exec
UPDATE domains SET nginx_refused = $2 WHERE id = $1 AND nginx_rule = 'kept';

-- name: NameSite :exec
-- A site keeps its directory when it is named after another domain.
UPDATE sites SET directory = CASE WHEN directory = '' AND name <> $2 THEN name ELSE directory END, name = $2, wildcards = $3, www_redirect_type = $4 WHERE id = $1;

-- name: DeleteDomain :execrows
DELETE FROM domains WHERE id = $1;

-- name: ClaimDomainName :execrows
INSERT INTO site_names (server_id, name, site_id, domain_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- name: ListDomainNames :many
SELECT name FROM site_names WHERE domain_id = $1 ORDER BY name;

-- name: ReleaseDomainName :exec
DELETE FROM site_names WHERE domain_id = $1 AND name = $2;

-- name: AdoptSiteNames :exec
UPDATE site_names SET domain_id = $2 WHERE site_id = $1 AND domain_id IS NULL;

-- name: GetNameHolder :one
SELECT domain_id FROM site_names WHERE server_id = $1 AND name = $2;
