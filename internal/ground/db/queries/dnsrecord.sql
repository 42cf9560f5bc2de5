-- name: GetDomainDNS :one
SELECT * FROM domain_dns WHERE domain_id = $1;

-- name: PutDomainDNS :one
-- None for a deleted domain.
INSERT INTO domain_dns (domain_id, dns_provider_id, status, asked, seen, look_at, operation_id, created_at, updated_at)
SELECT $1, $2, $3, $4, '', $5, $6, $7, $7 WHERE EXISTS (SELECT 1 FROM domains d WHERE d.id = $1)
ON CONFLICT (domain_id) DO UPDATE SET dns_provider_id = excluded.dns_provider_id, status = excluded.status, asked = excluded.asked, look_at = excluded.look_at,
  operation_id = excluded.operation_id, updated_at = excluded.updated_at
RETURNING *;

-- name: SetDomainDNSStatus :exec
UPDATE domain_dns SET status = $2, operation_id = $3, updated_at = $4 WHERE domain_id = $1;

-- name: SetDomainDNSSeen :exec
UPDATE domain_dns SET seen = $2, look_at = $3 WHERE domain_id = $1;

-- name: DeleteDomainDNS :exec
DELETE FROM domain_dns WHERE domain_id = $1;

-- name: ListDomainDNS :many
SELECT * FROM domain_dns ORDER BY domain_id;

-- name: ListDueDomainDNS :many
SELECT * FROM domain_dns WHERE look_at <= $1 ORDER BY look_at, domain_id LIMIT $2;

-- name: ListDomainDNSRecords :many
SELECT * FROM dns_records WHERE domain_id = $1 ORDER BY name, type;

-- name: GetDNSRecordNamed :one
SELECT * FROM dns_records WHERE organization_id = $1 AND name = $2 AND type = $3;

-- name: ListLeftDNSRecords :many
SELECT * FROM dns_records WHERE domain_id IS NULL AND retry_at <= $1 ORDER BY retry_at, id LIMIT $2;

-- name: PutDNSRecord :one
-- Of one that is another domain's, the domain is replaced: the plan said so.
INSERT INTO dns_records (organization_id, dns_provider_id, domain_id, zone_id, zone, name, type, value, remote_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
ON CONFLICT (organization_id, name, type) DO UPDATE SET dns_provider_id = excluded.dns_provider_id, domain_id = excluded.domain_id, zone_id = excluded.zone_id,
  zone = excluded.zone, value = excluded.value, remote_id = excluded.remote_id, failures = 0, failure = '', updated_at = excluded.updated_at
RETURNING *;

-- name: DeleteDNSRecord :exec
DELETE FROM dns_records WHERE id = $1;

-- name: FailDNSRecord :exec
UPDATE dns_records SET failures = failures + 1, failure = $2, retry_at = $3, updated_at = $4 WHERE id = $1;

-- name: CountDNSProviderDomains :one
SELECT COUNT(*) FROM domain_dns WHERE dns_provider_id = $1;

-- name: ListFrontsOfDomain :many
-- The servers of load balancers that pass requests for a domain's name to its server.
SELECT DISTINCT servers.* FROM domains behind
  JOIN sites ON sites.id = behind.site_id
  JOIN domains front ON front.name = behind.name AND front.site_id <> behind.site_id
  JOIN load_balancing_nodes ON load_balancing_nodes.site_id = front.site_id AND load_balancing_nodes.server_id = sites.server_id
  JOIN sites balanced ON balanced.id = front.site_id
  JOIN servers ON servers.id = balanced.server_id AND servers.id <> sites.server_id
WHERE behind.id = sqlc.arg(domain_id) ORDER BY servers.id;

-- name: GetSiteOfDomain :one
SELECT sites.* FROM sites JOIN domains ON domains.site_id = sites.id WHERE domains.id = $1;
