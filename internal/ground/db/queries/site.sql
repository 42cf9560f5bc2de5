-- name: InsertSite :one
INSERT INTO sites (organization_id, server_id, name, type, status, unix_user, isolated, web_directory, root_directory, php_version, wildcards, www_redirect_type,
  balancer_method, balancer_keepalive, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING *;

-- name: GetSite :one
SELECT * FROM sites WHERE id = sqlc.arg('site_id');

-- name: GetServerSite :one
SELECT * FROM sites WHERE server_id = $1 AND id = $2;

-- name: GetOrganizationSite :one
SELECT * FROM sites WHERE organization_id = $1 AND id = $2;

-- name: ListServerSites :many
SELECT * FROM sites WHERE server_id = $1 ORDER BY id;

-- name: PutSite :exec
UPDATE sites SET type = $2, unix_user = $3, isolated = $4, web_directory = $5, root_directory = $6, php_version = $7, port = $8, spare_port = $9, balancer_method = $10, balancer_keepalive = $11,
  enclosed = CASE WHEN enclosed < $12 THEN $12 ELSE enclosed END, status = $13, operation_id = $14, updated_at = $15,
  runtime = $16, runtime_wanted = $17, runtime_version = $18, runtime_installed = $19, start_command = $20, limits = $21 WHERE id = $1;

-- name: DeleteSite :execrows
DELETE FROM sites WHERE id = $1;

-- name: ClaimSiteName :execrows
INSERT INTO site_names (server_id, name, site_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: InsertNode :exec
INSERT INTO load_balancing_nodes (site_id, server_id, port, weight, backup, down, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7);

-- name: ListBalancers :many
SELECT * FROM sites WHERE server_id = $1 AND type = 'balancer' ORDER BY id;

-- name: ListNodes :many
SELECT * FROM load_balancing_nodes WHERE site_id = $1 ORDER BY id;

-- name: DeleteNodes :exec
DELETE FROM load_balancing_nodes WHERE site_id = $1;

-- name: CountNodesOnServer :one
SELECT COUNT(*) FROM load_balancing_nodes WHERE server_id = $1;

-- name: ListSitesWithNode :many
SELECT * FROM sites WHERE id IN (SELECT site_id FROM load_balancing_nodes WHERE load_balancing_nodes.server_id = $1) ORDER BY id;

-- name: ListBalancersInFront :many
SELECT DISTINCT behind.site_id, servers.ip_address, servers.private_ip_address FROM domains behind
  JOIN sites ON sites.id = behind.site_id AND sites.server_id = $1
  JOIN domains front ON front.name = behind.name AND front.site_id <> behind.site_id
  JOIN load_balancing_nodes ON load_balancing_nodes.site_id = front.site_id AND load_balancing_nodes.server_id = sites.server_id
  JOIN sites balanced ON balanced.id = front.site_id
  JOIN servers ON servers.id = balanced.server_id AND servers.id <> sites.server_id
ORDER BY behind.site_id, servers.ip_address;

-- name: ListSitesBehind :many
SELECT DISTINCT sites.* FROM sites
  JOIN domains behind ON behind.site_id = sites.id
  JOIN domains front ON front.name = behind.name AND front.site_id = $1
WHERE sites.id <> $1 AND sites.server_id = $2 ORDER BY sites.id;

-- name: NextOpenSite :one
SELECT * FROM sites WHERE server_id = $1 AND enclosed = 0 AND status = 'installed' ORDER BY id LIMIT 1;

-- name: SetSiteEnclosed :exec
UPDATE sites SET enclosed = $2 WHERE id = $1;

-- name: ListServerPorts :many
SELECT port FROM site_ports WHERE server_id = $1 ORDER BY port;

-- name: ClaimSitePort :execrows
INSERT INTO site_ports (server_id, port, site_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: SetSiteDatabase :one
UPDATE sites SET database_id = $2, database_user_id = $3, updated_at = $4 WHERE id = $1 RETURNING *;

-- name: ListUnixAccounts :many
SELECT * FROM unix_accounts WHERE server_id = $1 ORDER BY id;

-- name: InsertUnixAccount :execrows
INSERT INTO unix_accounts (server_id, name, slot, made, created_at) VALUES ($1, $2, $3, FALSE, $4) ON CONFLICT DO NOTHING;

-- name: SetUnixAccountMade :exec
UPDATE unix_accounts SET made = TRUE WHERE server_id = $1 AND name = $2;

-- name: DeleteUnusedUnixAccounts :exec
-- Those that went from the server with their last sites.
DELETE FROM unix_accounts WHERE unix_accounts.server_id = $1
  AND unix_accounts.name NOT IN (SELECT sites.unix_user FROM sites WHERE sites.server_id = $1 AND sites.isolated);

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

-- name: AddSiteTag :exec
INSERT INTO site_tags (site_id, tag_id) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- name: ClearSiteTags :exec
DELETE FROM site_tags WHERE site_id = $1;
