-- What a transfer writes: the organization of a server and of everything on it, in the rows of every noun that has it, and which of them the organization that
-- gives the server keeps (decision 0166).

-- name: CountOnServer :one
SELECT
  (SELECT COUNT(*) FROM sites WHERE sites.server_id = sqlc.arg(server_id)) AS sites,
  (SELECT COUNT(*) FROM certificates c JOIN sites s ON s.id = c.site_id WHERE s.server_id = sqlc.arg(server_id)) AS certificates,
  (SELECT COUNT(*) FROM deployments WHERE deployments.server_id = sqlc.arg(server_id)) AS deployments,
  (SELECT COUNT(*) FROM heartbeats h JOIN sites s ON s.id = h.site_id WHERE s.server_id = sqlc.arg(server_id)) AS heartbeats,
  (SELECT COUNT(*) FROM databases WHERE databases.server_id = sqlc.arg(server_id)) AS databases,
  (SELECT COUNT(*) FROM database_users WHERE database_users.server_id = sqlc.arg(server_id)) AS database_users,
  (SELECT COUNT(*) FROM background_processes WHERE background_processes.server_id = sqlc.arg(server_id)) AS background_processes,
  (SELECT COUNT(*) FROM scheduled_jobs WHERE scheduled_jobs.server_id = sqlc.arg(server_id)) AS scheduled_jobs,
  (SELECT COUNT(*) FROM firewall_rules WHERE firewall_rules.server_id = sqlc.arg(server_id)) AS firewall_rules,
  (SELECT COUNT(*) FROM ssh_keys WHERE ssh_keys.server_id = sqlc.arg(server_id)) AS ssh_keys,
  (SELECT COUNT(*) FROM monitors WHERE monitors.server_id = sqlc.arg(server_id)) AS monitors,
  (SELECT COUNT(*) FROM events WHERE events.server_id = sqlc.arg(server_id)) AS events;

-- name: TransferServer :one
-- The line that was shown to members of the other organization is worth nothing any more.
UPDATE servers SET organization_id = $2, credential_id = NULL, bootstrap_secret = NULL, updated_at = $3 WHERE id = $1 RETURNING *;

-- name: TransferSites :exec
UPDATE sites SET organization_id = $2 WHERE server_id = $1;

-- name: TransferDeployments :exec
UPDATE deployments SET organization_id = $2 WHERE server_id = $1;

-- name: TransferOperations :exec
UPDATE operations SET organization_id = $2 WHERE server_id = $1;

-- name: TransferEvents :exec
UPDATE events SET organization_id = $2 WHERE server_id = $1;

-- name: TransferShippedRuns :exec
UPDATE recipe_runs SET organization_id = $2 WHERE server_id = $1;

-- name: DropOwnRuns :exec
-- Runs have the script of their recipe, which is the organization's; of a deleted recipe, too.
DELETE FROM recipe_runs WHERE server_id = $1 AND shipped_recipe_id IS NULL;

-- name: TransferServerTags :exec
UPDATE server_tags SET tag_id = (SELECT n.id FROM tags n JOIN tags o ON o.name = n.name WHERE o.id = server_tags.tag_id AND n.organization_id = $2) WHERE server_tags.server_id = $1;

-- name: TransferSiteTags :exec
UPDATE site_tags SET tag_id = (SELECT n.id FROM tags n JOIN tags o ON o.name = n.name WHERE o.id = site_tags.tag_id AND n.organization_id = $2)
WHERE site_tags.site_id IN (SELECT s.id FROM sites s WHERE s.server_id = $1);

-- name: ForgetServerTeams :exec
DELETE FROM team_servers WHERE server_id = $1;

-- name: DropServerBackups :exec
DELETE FROM backup_configurations WHERE server_id = $1;

-- name: DetachSourceControl :exec
UPDATE projects SET provider_id = NULL WHERE site_id IN (SELECT s.id FROM sites s WHERE s.server_id = $1);

-- name: DropSourceControlLinks :exec
DELETE FROM source_control_links WHERE site_id IN (SELECT s.id FROM sites s WHERE s.server_id = $1);

-- name: DropPackageCredentials :exec
DELETE FROM package_credentials WHERE site_id IN (SELECT s.id FROM sites s WHERE s.server_id = $1);

-- name: DetachDNSProviders :exec
UPDATE certificates SET dns_provider_id = NULL WHERE site_id IN (SELECT s.id FROM sites s WHERE s.server_id = $1);

-- name: ForgetDNSRecords :exec
-- They stay at the provider, where this organization made them.
DELETE FROM dns_records WHERE domain_id IN (SELECT d.id FROM domains d JOIN sites s ON s.id = d.site_id WHERE s.server_id = $1);

-- name: DetachDomainDNS :exec
DELETE FROM domain_dns WHERE domain_id IN (SELECT d.id FROM domains d JOIN sites s ON s.id = d.site_id WHERE s.server_id = $1);
