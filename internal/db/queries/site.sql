-- name: InsertSite :one
INSERT INTO sites (organization_id, server_id, name, type, status, unix_user, isolated, web_directory, root_directory, php_version, wildcards, www_redirect_type,
  balancer_method, balancer_keepalive, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING *;

-- name: GetSite :one
SELECT * FROM sites WHERE id = $1;

-- name: ListServerSites :many
SELECT * FROM sites WHERE server_id = $1 ORDER BY id;

-- name: UpdateSite :one
UPDATE sites SET type = $2, web_directory = $3, root_directory = $4, php_version = $5, updated_at = $6 WHERE id = $1 RETURNING *;

-- name: SetSiteBalancing :exec
UPDATE sites SET balancer_method = $2, balancer_keepalive = $3, updated_at = $4 WHERE id = $1;

-- name: SetSiteStatus :exec
UPDATE sites SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: DeleteSite :execrows
DELETE FROM sites WHERE id = $1;

-- name: ClaimSiteName :execrows
INSERT INTO site_names (server_id, name, site_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: InsertNode :one
INSERT INTO load_balancing_nodes (site_id, server_id, port, weight, backup, down, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: ListNodes :many
SELECT * FROM load_balancing_nodes WHERE site_id = $1 ORDER BY id;

-- name: DeleteNodes :exec
DELETE FROM load_balancing_nodes WHERE site_id = $1;

-- name: CountNodesOnServer :one
SELECT COUNT(*) FROM load_balancing_nodes WHERE server_id = $1;

-- name: RestoreNode :exec
INSERT INTO load_balancing_nodes (site_id, server_id, port, weight, backup, down, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: ListSitesWithNode :many
SELECT * FROM sites WHERE id IN (SELECT site_id FROM load_balancing_nodes WHERE load_balancing_nodes.server_id = $1) ORDER BY id;

-- name: SettleSite :exec
UPDATE sites SET status = $2, updated_at = $4 WHERE id = $1 AND (operation_id IS NULL OR operation_id = $3);

-- name: NextOpenSite :one
SELECT * FROM sites WHERE server_id = $1 AND enclosed = 0 AND status = 'installed' ORDER BY id LIMIT 1;

-- name: SetSiteEnclosed :exec
UPDATE sites SET enclosed = $2 WHERE id = $1;

-- name: ListServerPorts :many
SELECT port FROM site_ports WHERE server_id = $1 ORDER BY port;

-- name: ClaimSitePort :execrows
INSERT INTO site_ports (server_id, port, site_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: SetSitePorts :one
UPDATE sites SET port = $2, spare_port = $3, updated_at = $4 WHERE id = $1 RETURNING *;

-- name: SetSiteDatabase :one
UPDATE sites SET database_id = $2, database_user_id = $3, updated_at = $4 WHERE id = $1 RETURNING *;

-- name: ListUnixAccounts :many
SELECT * FROM unix_accounts WHERE server_id = $1 ORDER BY id;

-- name: InsertUnixAccount :execrows
INSERT INTO unix_accounts (server_id, name, slot, made, created_at) VALUES ($1, $2, $3, FALSE, $4) ON CONFLICT DO NOTHING;

-- name: SetUnixAccountMade :exec
UPDATE unix_accounts SET made = TRUE WHERE server_id = $1 AND name = $2;

-- name: ListServerIntegrations :many
SELECT integrations.* FROM integrations JOIN sites ON sites.id = integrations.site_id WHERE sites.server_id = $1 ORDER BY integrations.id;

-- name: ListServerPortClaims :many
SELECT * FROM site_ports WHERE server_id = $1 ORDER BY port;

-- name: ReleaseSitePort :exec
DELETE FROM site_ports WHERE server_id = $1 AND port = $2 AND site_id = $3;

-- name: ForgetSitesAccount :exec
UPDATE sites SET database_user_id = NULL WHERE database_user_id = $1;

-- name: ListSitesOfDatabase :many
SELECT * FROM sites WHERE server_id = $1 AND database_id = $2 ORDER BY id;

-- name: ListSitesOfAccount :many
SELECT * FROM sites WHERE server_id = $1 AND database_user_id = $2 ORDER BY id;
