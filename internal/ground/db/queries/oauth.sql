-- name: InsertOAuthClient :one
INSERT INTO oauth_clients (organization_id, client_id, name, secret_hash, redirect_uris, scopes, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING *;

-- name: GetOAuthClient :one
SELECT * FROM oauth_clients WHERE id = $1 AND organization_id = $2;

-- name: GetOAuthClientByClientID :one
SELECT * FROM oauth_clients WHERE client_id = $1;

-- name: GetOAuthClientByID :one
SELECT * FROM oauth_clients WHERE id = $1;

-- name: UpdateOAuthClient :one
UPDATE oauth_clients SET name = $2, secret_hash = $3, redirect_uris = $4, scopes = $5, updated_at = $6 WHERE id = $1 RETURNING *;

-- name: DeleteOAuthClient :exec
DELETE FROM oauth_clients WHERE id = $1;

-- name: InsertOAuthGrant :one
INSERT INTO oauth_grants (client_id, user_id, scopes, code_hash, code_challenge, redirect_uri, code_expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: GetOAuthGrant :one
SELECT * FROM oauth_grants WHERE id = $1;

-- name: GetUserOAuthGrant :one
SELECT * FROM oauth_grants WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL;

-- name: GetOAuthGrantByCode :one
SELECT * FROM oauth_grants WHERE code_hash = $1;

-- name: UseOAuthCode :execrows
UPDATE oauth_grants SET code_used_at = $2 WHERE id = $1 AND code_used_at IS NULL AND revoked_at IS NULL;

-- name: RevokeOAuthGrant :exec
UPDATE oauth_grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL;

-- name: RevokeUserOAuthGrants :exec
UPDATE oauth_grants SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL;

-- name: EndUserOAuthDevices :exec
-- What a person allowed and no device has taken a token for yet is no grant, and is revoked like one.
DELETE FROM oauth_devices WHERE user_id = $1;

-- name: InsertOAuthToken :one
INSERT INTO oauth_tokens (grant_id, kind, hash, scopes, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING *;

-- name: GetOAuthToken :one
SELECT * FROM oauth_tokens WHERE hash = $1;

-- name: UseOAuthToken :execrows
UPDATE oauth_tokens SET used_at = $2 WHERE id = $1 AND used_at IS NULL;

-- name: DeleteOAuthToken :exec
DELETE FROM oauth_tokens WHERE id = $1;

-- name: DeleteOldOAuthTokens :exec
DELETE FROM oauth_tokens WHERE expires_at < $1;

-- name: DeleteOldOAuthGrants :exec
DELETE FROM oauth_grants WHERE oauth_grants.created_at < $1 AND oauth_grants.id NOT IN (SELECT oauth_tokens.grant_id FROM oauth_tokens);

-- name: InsertOAuthDevice :exec
INSERT INTO oauth_devices (client_id, device_hash, user_code, scopes, state, polled_at, expires_at, created_at) VALUES ($1, $2, $3, $4, 'pending', 0, $5, $6);

-- name: GetOAuthDevice :one
SELECT * FROM oauth_devices WHERE device_hash = $1;

-- name: GetOAuthDeviceByCode :one
SELECT * FROM oauth_devices WHERE user_code = $1 AND state = 'pending' AND expires_at > $2;

-- name: DecideOAuthDevice :execrows
UPDATE oauth_devices SET state = $2, user_id = $3 WHERE id = $1 AND state = 'pending';

-- name: PollOAuthDevice :exec
UPDATE oauth_devices SET polled_at = $2 WHERE id = $1;

-- name: DeleteOAuthDevice :execrows
DELETE FROM oauth_devices WHERE id = $1;

-- name: DeleteOldOAuthDevices :exec
DELETE FROM oauth_devices WHERE expires_at < $1;

-- name: ListWorkingProgramNames :many
SELECT DISTINCT c.name FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id WHERE g.user_id = $1 AND g.revoked_at IS NULL ORDER BY c.name;
