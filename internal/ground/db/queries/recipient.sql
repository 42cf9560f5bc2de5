-- name: AskRecipient :execrows
-- One that was asked long ago, and has not confirmed, is asked once more.
INSERT INTO recipients (organization_id, email, token_hash, asked_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (organization_id, email) DO UPDATE SET token_hash = excluded.token_hash, asked_at = excluded.asked_at
WHERE recipients.confirmed_at IS NULL AND recipients.asked_at <= sqlc.arg('before');

-- name: CountRecipientsAsked :one
SELECT COUNT(*) FROM recipients WHERE organization_id = $1 AND confirmed_at IS NULL AND asked_at > $2;

-- name: GetRecipientByToken :one
SELECT * FROM recipients WHERE token_hash = $1;

-- name: ConfirmRecipient :exec
UPDATE recipients SET confirmed_at = $2 WHERE id = $1 AND confirmed_at IS NULL;
