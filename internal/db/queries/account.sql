-- name: GetSetting :one
SELECT value FROM settings WHERE name = $1;

-- name: PutSetting :exec
INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: AddSetting :execrows
INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING;

-- name: DeleteSetting :execrows
DELETE FROM settings WHERE name = $1 AND value = $2;

-- name: InsertUser :one
INSERT INTO users (name, email, password_hash, created_at, updated_at) VALUES ($1, $2, $3, $4, $5) RETURNING *;

-- name: GetUser :one
SELECT * FROM users WHERE id = $1;

-- name: GetUserByEmail :one
SELECT * FROM users WHERE email = $1;

-- name: CountUsers :one
SELECT COUNT(*) FROM users;

-- name: InsertToken :one
INSERT INTO tokens (user_id, name, hash, scopes, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING *;

-- name: GetTokenByHash :one
SELECT * FROM tokens WHERE hash = $1;

-- name: TouchToken :exec
UPDATE tokens SET last_used_at = $2 WHERE id = $1;

-- name: RevokeToken :execrows
UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL;

-- name: InsertOrganization :one
INSERT INTO organizations (name, slug, created_at, updated_at) VALUES ($1, $2, $3, $4) RETURNING *;

-- name: GetOrganizationBySlug :one
SELECT * FROM organizations WHERE slug = $1;

-- name: GetOrganization :one
SELECT * FROM organizations WHERE id = $1;

-- name: InsertMembership :one
INSERT INTO memberships (organization_id, user_id, role_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5) RETURNING *;

-- name: GetMembership :one
SELECT * FROM memberships WHERE organization_id = $1 AND user_id = $2;

-- name: ListMemberships :many
SELECT * FROM memberships WHERE user_id = $1 ORDER BY organization_id;

-- name: ClaimIdempotencyKey :execrows
INSERT INTO idempotency_keys (caller, route, idempotency_key, request_hash, status, created_at) VALUES ($1, $2, $3, $4, 0, $5)
ON CONFLICT (caller, route, idempotency_key) DO NOTHING;

-- name: GetIdempotencyKey :one
SELECT * FROM idempotency_keys WHERE caller = $1 AND route = $2 AND idempotency_key = $3;

-- name: FinishIdempotencyKey :exec
UPDATE idempotency_keys SET status = $4, response = $5 WHERE caller = $1 AND route = $2 AND idempotency_key = $3;

-- name: DeleteIdempotencyKey :exec
DELETE FROM idempotency_keys WHERE caller = $1 AND route = $2 AND idempotency_key = $3;

-- name: DeleteOldIdempotencyKeys :execrows
DELETE FROM idempotency_keys WHERE created_at < $1;
