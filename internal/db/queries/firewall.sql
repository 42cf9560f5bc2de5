-- name: InsertFirewallRule :one
INSERT INTO firewall_rules (server_id, name, port, type, ip_address, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: GetFirewallRule :one
SELECT * FROM firewall_rules WHERE server_id = $1 AND id = $2;

-- name: ListFirewallRules :many
SELECT * FROM firewall_rules WHERE server_id = $1 ORDER BY id;

-- name: SetFirewallRuleStatus :exec
UPDATE firewall_rules SET status = $2, operation_id = $3, updated_at = $4 WHERE id = $1;

-- name: DeleteFirewallRule :execrows
DELETE FROM firewall_rules WHERE id = $1;

-- name: InstallDefaultRules :exec
UPDATE firewall_rules SET status = 'installed', updated_at = $2 WHERE server_id = $1 AND status = 'installing' AND operation_id IS NULL;

-- name: SettleFirewallRule :exec
UPDATE firewall_rules SET status = $2, updated_at = $4 WHERE id = $1 AND (operation_id IS NULL OR operation_id = $3);

-- name: DeleteDefaultRules :exec
DELETE FROM firewall_rules WHERE server_id = $1 AND status = 'installing' AND operation_id IS NULL;
