-- name: InsertDomain :one
INSERT INTO domains (site_id, name, type, status, www_redirect_type, wildcard, first, challenge, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *;

-- name: GetDomain :one
SELECT * FROM domains WHERE site_id = $1 AND id = $2;

-- name: ListDomains :many
SELECT * FROM domains WHERE site_id = $1 ORDER BY id;

-- name: UpdateDomain :exec
UPDATE domains SET www_redirect_type = $2, wildcard = $3, certificate_id = $4, nginx = $5, nginx_base = $6, updated_at = $7, nginx_rule = $8 WHERE id = $1;

-- name: SetDomainStatus :exec
UPDATE domains SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: SettleDomain :exec
UPDATE domains SET status = $2, updated_at = $4 WHERE id = $1 AND (operation_id IS NULL OR operation_id = $3);

-- name: SetDomainCertificate :exec
UPDATE domains SET certificate_id = $2, updated_at = $3 WHERE id = $1;

-- name: SetDomainNginx :exec
UPDATE domains SET nginx = $2, nginx_base = $3, nginx_rule = 'judged', updated_at = $4 WHERE id = $1;

-- name: ListUnseenNginx :many
SELECT d.* FROM domains d JOIN sites s ON s.id = d.site_id JOIN servers v ON v.id = s.server_id
WHERE d.nginx_rule = 'kept' AND d.nginx IS NOT NULL AND d.nginx_refused IS NULL AND v.is_ready ORDER BY d.id LIMIT $1;

-- name: SetNginxRefused :exec
UPDATE domains SET nginx_refused = $2 WHERE id = $1 AND nginx_rule = 'kept';

-- name: SetDomainTypes :exec
UPDATE domains SET type = CASE WHEN id = $2 THEN 'primary' ELSE 'alias' END WHERE site_id = $1;

-- name: RenameSite :exec
UPDATE sites SET directory = CASE WHEN directory = '' THEN name ELSE directory END, name = $2, wildcards = $3, www_redirect_type = $4 WHERE id = $1;

-- name: FollowDomain :exec
UPDATE sites SET wildcards = $3, www_redirect_type = $4 WHERE sites.id = $1 AND EXISTS (SELECT 1 FROM domains d WHERE d.id = $2 AND d.site_id = sites.id AND d.type = 'primary');

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
