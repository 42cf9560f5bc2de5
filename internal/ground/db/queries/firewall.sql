-- name: InsertFirewallRule :one
INSERT INTO firewall_rules (server_id, name, port, type, ip_address, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: GetFirewallRule :one
SELECT * FROM firewall_rules WHERE server_id = $1 AND id = $2;

-- name: ListFirewallRules :many
SELECT * FROM firewall_rules WHERE server_id = $1 ORDER BY id;

-- name: PutFirewallRule :exec
INSERT INTO firewall_rules (id, server_id, name, port, type, ip_address, status, operation_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, port = excluded.port, type = excluded.type, ip_address = excluded.ip_address, status = excluded.status,
  operation_id = excluded.operation_id, updated_at = excluded.updated_at;

-- name: DeleteFirewallRule :execrows
DELETE FROM firewall_rules WHERE id = $1;
