-- name: InsertNginxTemplate :one
INSERT INTO nginx_templates (server_id, name, content, created_at, updated_at) VALUES ($1, $2, $3, $4, $5) RETURNING *;

-- name: GetNginxTemplate :one
SELECT * FROM nginx_templates WHERE server_id = $1 AND id = $2;

-- name: UpdateNginxTemplate :one
UPDATE nginx_templates SET name = $2, content = $3, updated_at = $4 WHERE id = $1 RETURNING *;

-- name: DeleteNginxTemplate :execrows
DELETE FROM nginx_templates WHERE id = $1;
