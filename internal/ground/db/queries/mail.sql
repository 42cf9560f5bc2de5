-- name: InsertMail :exec
INSERT INTO mails (name, sealed, attempts, next_at, created_at, organization_id) VALUES ($1, $2, 0, $3, $3, $4);

-- name: ListDueMails :many
-- The oldest mail of each organization that has one to send.
SELECT * FROM mails WHERE id IN (SELECT MIN(m.id) FROM mails m WHERE m.ended_at IS NULL AND m.next_at <= $1 GROUP BY m.organization_id) ORDER BY next_at, id;

-- name: PostponeMail :execrows
UPDATE mails SET attempts = attempts + 1, next_at = $3 WHERE id = $1 AND attempts = $2 AND ended_at IS NULL;

-- name: NoteMail :exec
UPDATE mails SET failure = $2 WHERE id = $1;

-- name: EndMail :exec
UPDATE mails SET failure = $2, subject = $3, ended_at = $4, sealed = '' WHERE id = $1;

-- name: DeleteMail :exec
DELETE FROM mails WHERE id = $1;

-- name: DeleteFailedMails :exec
DELETE FROM mails WHERE ended_at < $1;
