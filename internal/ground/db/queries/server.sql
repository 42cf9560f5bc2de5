-- name: InsertServer :one
INSERT INTO servers (organization_id, name, slug, type, provider, size, region, status, ubuntu_version, ssh_port, ssh_user, ip_address, private_ip_address,
  behind_nat, nat_ssh_port, timezone, php_version, database_type, connection_status, is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses,
  created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, 'custom', 'custom', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, FALSE, FALSE, '', '', '', '{}', '', $18, $19) RETURNING *;

-- name: GetServer :one
SELECT * FROM servers WHERE id = sqlc.arg('server_id');

-- name: GetOrganizationServer :one
SELECT * FROM servers WHERE organization_id = $1 AND id = $2;

-- name: SetServerKey :exec
UPDATE servers SET public_key = $2, private_key = $3, bootstrap_secret = $4, line_at = $5 WHERE id = $1;

-- name: CountServersAt :one
-- An organization's servers that are logged in to at an address and a port. An archived one is not.
SELECT COUNT(*) FROM servers WHERE organization_id = $4 AND NOT revoked AND ip_address = $1 AND CASE WHEN behind_nat AND nat_ssh_port IS NOT NULL THEN nat_ssh_port ELSE ssh_port END = CAST($2 AS BIGINT) AND id <> $3;

-- name: CountServersOfMachine :one
-- The other servers that Hostler has logged in to and that present the same host keys: they are the same machine.
SELECT COUNT(*) FROM servers WHERE NOT revoked AND host_keys = $1 AND (is_ready OR control_addresses <> '') AND id <> $2;

-- name: SetNextServerKey :exec
UPDATE servers SET next_public_key = $2, next_private_key = $3 WHERE id = $1;

-- name: TakeNextServerKey :execrows
UPDATE servers SET public_key = next_public_key, private_key = $2, next_public_key = '', next_private_key = NULL WHERE id = $1 AND next_public_key = $3;

-- name: UpdateServerMeta :one
UPDATE servers SET name = $2, slug = $3, ip_address = $4, private_ip_address = $5, timezone = $6, updated_at = $7 WHERE id = $1 RETURNING *;

-- name: SetServerStatus :exec
UPDATE servers SET status = $2, connection_status = $3, is_ready = $4, updated_at = $5 WHERE id = $1;

-- name: SetServerConnection :exec
UPDATE servers SET connection_status = $2, updated_at = $3 WHERE id = $1;

-- name: SetServerIdentity :exec
UPDATE servers SET host_keys = $2, ip_address = $3, ssh_port = $4, facts = $5, updated_at = $6 WHERE id = $1;

-- name: SetServerFacts :exec
UPDATE servers SET facts = $2, php_version = $3, php_cli_version = $4, database_type = $5, control_addresses = $6, disk_bytes = $7, disk_free_bytes = $8, reboot_needed = $9, stale_services = $10, edited_files = $11, memory = $12, memory_lost_at = $13, clock_ahead = $14, shortages = $15 WHERE id = $1;

-- name: SetServerEdited :exec
UPDATE servers SET edited_files = $2 WHERE id = $1;

-- name: SetServerMemory :exec
UPDATE servers SET memory = $2, memory_lost_at = $3 WHERE id = $1;

-- name: SetServerOperation :exec
UPDATE servers SET operation_id = $2, updated_at = $3 WHERE id = $1;

-- name: DeleteServer :execrows
DELETE FROM servers WHERE id = $1;

-- name: UpsertTag :one
INSERT INTO tags (organization_id, name, created_at, updated_at) VALUES ($1, $2, $3, $3)
ON CONFLICT (organization_id, name) DO UPDATE SET updated_at = tags.updated_at RETURNING *;

-- name: AddServerTag :exec
INSERT INTO server_tags (server_id, tag_id) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- name: ClearServerTags :exec
DELETE FROM server_tags WHERE server_id = $1;

-- name: SetServerTakeOver :exec
UPDATE servers SET take_over = $2 WHERE id = $1;

-- name: GetServerHome :one
-- Where a server belongs, and whether work is accepted for it.
SELECT organization_id, revoked, is_ready FROM servers WHERE id = $1;

-- name: ArchiveServer :exec
-- Drops every key that opens the server, and sets the host keys aside.
UPDATE servers SET revoked = TRUE, status = $2, connection_status = NULL, is_ready = FALSE, former_host_keys = CASE WHEN host_keys = '' THEN former_host_keys ELSE host_keys END, host_keys = '',
  public_key = '', private_key = $3, next_public_key = '', next_private_key = NULL, bootstrap_secret = NULL, updated_at = $4 WHERE id = $1;

-- name: ReconnectServer :exec
UPDATE servers SET revoked = FALSE, status = $2, connection_status = $3, updated_at = $4 WHERE id = $1;

-- name: PlaceServer :one
UPDATE servers SET credential_id = $2, region = $3, size = $4 WHERE id = $1 RETURNING *;

-- name: SetServerMachine :exec
UPDATE servers SET identifier = $2, ip_address = $3, private_ip_address = $4, updated_at = $5 WHERE id = $1;

-- name: ClearServerSecret :exec
UPDATE servers SET bootstrap_secret = NULL WHERE id = $1;

-- name: InsertServerOrder :exec
INSERT INTO server_orders (server_id, name, specification, sent_at, releasing, cycled) VALUES ($1, $2, $3, 0, FALSE, '');

-- name: GetServerOrder :one
SELECT * FROM server_orders WHERE server_id = $1;

-- name: SendServerOrder :execrows
UPDATE server_orders SET sent_at = $2 WHERE server_id = $1 AND name = $3 AND NOT releasing;

-- name: ReleaseServerOrder :exec
UPDATE server_orders SET releasing = TRUE WHERE server_id = $1;

-- name: RenewServerOrder :exec
UPDATE server_orders SET name = $2, sent_at = 0, releasing = FALSE WHERE server_id = $1;

-- name: SetServerCycled :exec
UPDATE server_orders SET cycled = $2 WHERE server_id = $1;
