-- name: InsertSourceControlProvider :one
INSERT INTO source_control_providers (organization_id, name, provider, url, clone_host, username, token, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING *;

-- name: UpdateSourceControlProvider :one
UPDATE source_control_providers SET name = $2, username = $3, token = $4, updated_at = $5 WHERE id = $1 RETURNING *;

-- name: GetSourceControlProvider :one
SELECT * FROM source_control_providers WHERE organization_id = $1 AND id = $2;

-- name: GetSourceControlProviderByID :one
SELECT * FROM source_control_providers WHERE id = $1;

-- name: DeleteSourceControlProvider :execrows
DELETE FROM source_control_providers WHERE id = $1;

-- name: CountSourceControlProviderSites :one
SELECT COUNT(*) FROM projects WHERE provider_id = $1;

-- name: GetSourceControlLink :one
SELECT * FROM source_control_links WHERE site_id = $1;

-- name: WantSourceControlLink :exec
INSERT INTO source_control_links (site_id, provider_id, repository, public_key, key_id, hook_hash, hook_id, state, reason, attempts, next_at, generation, busy_until, created_at, updated_at)
VALUES ($1, $2, $3, '', '', '', '', 'pending', '', 0, $4, 1, 0, $4, $4)
ON CONFLICT (site_id) DO UPDATE SET state = 'pending', reason = '', attempts = 0, next_at = $4, generation = source_control_links.generation + 1, updated_at = $4;

-- name: ClaimSourceControlLink :execrows
UPDATE source_control_links SET busy_until = $2 WHERE site_id = $1 AND busy_until <= $3;

-- name: KeepSourceControlLink :exec
UPDATE source_control_links SET provider_id = $2, repository = $3, public_key = $4, key_id = $5, hook_hash = $6, hook_id = $7, updated_at = $8 WHERE site_id = $1;

-- name: ReleaseSourceControlLink :exec
UPDATE source_control_links SET busy_until = 0 WHERE site_id = $1;

-- name: SettleSourceControlLink :execrows
UPDATE source_control_links SET state = $2, reason = $3, attempts = $4, next_at = $5, updated_at = $6 WHERE site_id = $1 AND generation = $7;

-- name: ListDueSourceControlLinks :many
SELECT site_id FROM source_control_links WHERE state = 'pending' AND next_at < $1 ORDER BY site_id LIMIT 500;

-- name: ListOrphanedSourceControlLinks :many
SELECT l.site_id FROM source_control_links l WHERE l.state = 'registered' AND NOT EXISTS (SELECT 1 FROM sites WHERE sites.id = l.site_id) ORDER BY l.site_id LIMIT 500;

-- name: DeleteSourceControlLink :exec
DELETE FROM source_control_links WHERE site_id = $1 AND generation = $2;

-- name: CountPendingSourceControlLinks :one
SELECT COUNT(*) FROM source_control_links WHERE provider_id = $1 AND state <> 'failed';
