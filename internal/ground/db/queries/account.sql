-- name: InsertUser :one
INSERT INTO users (name, email, password_hash, email_verified_at, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING *;

-- name: GetUser :one
SELECT * FROM users WHERE id = sqlc.arg('user_id');

-- name: GetUserByEmail :one
SELECT * FROM users WHERE email = $1;

-- name: CountUsers :one
SELECT COUNT(*) FROM users;

-- name: InsertToken :one
INSERT INTO tokens (user_id, name, hash, prefix, scopes, organizations, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: SetTokenRateLimit :one
UPDATE tokens SET rate_limit = $2 WHERE id = $1 RETURNING *;

-- name: GetTokenByHash :one
SELECT * FROM tokens WHERE hash = $1;

-- name: TouchToken :exec
UPDATE tokens SET last_used_at = $2 WHERE id = $1;

-- name: RevokeToken :execrows
UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL;

-- name: ClaimIdempotencyKey :execrows
INSERT INTO idempotency_keys (caller, route, idempotency_key, status, created_at) VALUES ($1, $2, $3, 0, $4)
ON CONFLICT (caller, route, idempotency_key) DO NOTHING;

-- name: GetIdempotencyKey :one
SELECT * FROM idempotency_keys WHERE caller = $1 AND route = $2 AND idempotency_key = $3;

-- name: FinishIdempotencyKey :exec
UPDATE idempotency_keys SET status = $4, response = $5 WHERE caller = $1 AND route = $2 AND idempotency_key = $3;

-- name: DeleteIdempotencyKey :exec
DELETE FROM idempotency_keys WHERE caller = $1 AND route = $2 AND idempotency_key = $3;

-- name: VerifyEmail :exec
UPDATE users SET email_verified_at = $2, updated_at = $2 WHERE id = $1;

-- name: RenameUser :one
UPDATE users SET name = $2, updated_at = $3 WHERE id = $1 RETURNING *;

-- name: SetPassword :exec
UPDATE users SET password_hash = $2, updated_at = $3 WHERE id = $1;

-- name: GetUserToken :one
SELECT * FROM tokens WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL;

-- name: RevokeUserTokens :exec
UPDATE tokens SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL;

-- name: InsertSession :one
INSERT INTO sessions (user_id, hash, address, user_agent, last_seen_at, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $5) RETURNING *;

-- name: GetSessionByHash :one
SELECT * FROM sessions WHERE hash = $1;

-- name: GetSession :one
SELECT * FROM sessions WHERE id = $1 AND user_id = $2;

-- name: TouchSession :exec
UPDATE sessions SET last_seen_at = $2, address = $3 WHERE id = $1;

-- name: DeleteSession :exec
DELETE FROM sessions WHERE id = $1;

-- name: DeleteUserSessions :execrows
DELETE FROM sessions WHERE user_id = $1 AND id <> $2;

-- name: CountSessionsFrom :one
SELECT COUNT(*) FROM sessions WHERE user_id = $1 AND address = $2;

-- name: DeleteOldSessions :exec
DELETE FROM sessions WHERE expires_at < $1 OR last_seen_at < $2;

-- name: InsertEmailToken :exec
INSERT INTO email_tokens (user_id, purpose, hash, expires_at, created_at) VALUES ($1, $2, $3, $4, $5);

-- name: GetEmailToken :one
SELECT * FROM email_tokens WHERE hash = $1 AND purpose = $2 AND expires_at > $3;

-- name: DeleteEmailTokens :execrows
DELETE FROM email_tokens WHERE user_id = $1 AND purpose = $2;

-- name: GetTwoFactor :one
SELECT * FROM two_factors WHERE user_id = $1;

-- name: PutTwoFactor :exec
INSERT INTO two_factors (user_id, secret, last_step, created_at) VALUES ($1, $2, 0, $3)
ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, last_step = 0, confirmed_at = NULL, created_at = excluded.created_at;

-- name: UseTwoFactor :execrows
UPDATE two_factors SET last_step = $2 WHERE user_id = $1 AND last_step < $2;

-- name: ConfirmTwoFactor :exec
UPDATE two_factors SET confirmed_at = $2 WHERE user_id = $1;

-- name: DeleteTwoFactor :exec
DELETE FROM two_factors WHERE user_id = $1;

-- name: InsertRecoveryCode :exec
INSERT INTO recovery_codes (user_id, hash, created_at) VALUES ($1, $2, $3);

-- name: UseRecoveryCode :execrows
DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2;

-- name: DeleteRecoveryCodes :exec
DELETE FROM recovery_codes WHERE user_id = $1;

-- name: CountRecoveryCodes :one
SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1;

-- name: GetThrottle :one
SELECT * FROM throttles WHERE name = $1;

-- name: AddFailure :exec
INSERT INTO throttles (name, failures, since) VALUES (sqlc.arg('name'), 1, sqlc.arg('now'))
ON CONFLICT (name) DO UPDATE SET failures = CASE WHEN throttles.since <= sqlc.arg('old') THEN 1 ELSE throttles.failures + 1 END,
  since = CASE WHEN throttles.since <= sqlc.arg('old') THEN excluded.since ELSE throttles.since END;

-- name: ForgetFailures :exec
DELETE FROM throttles WHERE name = $1;

-- name: DeleteOldThrottles :exec
DELETE FROM throttles WHERE since < $1;

-- name: ListWorkingTokenNames :many
SELECT name FROM tokens WHERE user_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2) ORDER BY id;
