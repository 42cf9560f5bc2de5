-- name: InsertMail :exec
INSERT INTO mails (name, sealed, attempts, next_at, created_at) VALUES ($1, $2, 0, $3, $3);

-- name: ListDueMails :many
SELECT * FROM mails WHERE next_at <= $1 ORDER BY next_at, id LIMIT 50;

-- name: PostponeMail :execrows
UPDATE mails SET attempts = attempts + 1, next_at = $3 WHERE id = $1 AND attempts = $2;

-- name: DeleteMail :exec
DELETE FROM mails WHERE id = $1;
