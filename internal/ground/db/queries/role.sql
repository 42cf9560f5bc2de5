-- name: InsertRole :one
INSERT INTO roles (organization_id, name, created_at, updated_at) VALUES ($1, $2, $3, $3) RETURNING *;

-- name: GetRole :one
SELECT * FROM roles WHERE id = $1 AND organization_id = $2;

-- name: RenameRole :one
UPDATE roles SET name = $2, updated_at = $3 WHERE id = $1 RETURNING *;

-- name: DeleteRole :exec
DELETE FROM roles WHERE id = $1;

-- name: ClearRolePermissions :exec
DELETE FROM role_permissions WHERE role_id = $1;

-- name: AddRolePermission :exec
INSERT INTO role_permissions (role_id, permission) VALUES ($1, $2);

-- name: ListRolePermissions :many
SELECT permission FROM role_permissions WHERE role_id = $1 ORDER BY permission;

-- name: CountRoleUses :one
SELECT (SELECT COUNT(*) FROM memberships m WHERE m.role_id = $1) + (SELECT COUNT(*) FROM team_members t WHERE t.role_id = $1)
  + (SELECT COUNT(*) FROM invitations i WHERE i.role_id = $1 AND i.accepted_at IS NULL) AS uses;
