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

-- name: ListTeamRoles :many
SELECT tm.team_id, tm.role_id FROM team_members tm JOIN teams t ON t.id = tm.team_id WHERE t.organization_id = $1 AND tm.user_id = $2 ORDER BY tm.team_id;

-- name: InsertTeam :one
INSERT INTO teams (organization_id, name, created_at, updated_at) VALUES ($1, $2, $3, $3) RETURNING *;

-- name: GetTeam :one
SELECT * FROM teams WHERE id = $1 AND organization_id = $2;

-- name: RenameTeam :one
UPDATE teams SET name = $2, updated_at = $3 WHERE id = $1 RETURNING *;

-- name: DeleteTeam :exec
DELETE FROM teams WHERE id = $1;

-- name: GetTeamMember :one
SELECT * FROM team_members WHERE team_id = $1 AND user_id = $2;

-- name: PutTeamMember :one
INSERT INTO team_members (team_id, user_id, role_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (team_id, user_id) DO UPDATE SET role_id = excluded.role_id, updated_at = excluded.updated_at RETURNING *;

-- name: DeleteTeamMember :exec
DELETE FROM team_members WHERE team_id = $1 AND user_id = $2;

-- name: DeleteTeamMemberships :exec
DELETE FROM team_members WHERE user_id = $1 AND team_id IN (SELECT t.id FROM teams t WHERE t.organization_id = $2);

-- name: DeleteIdleMemberships :exec
DELETE FROM memberships WHERE memberships.organization_id = $1 AND memberships.role_id = 0
AND NOT EXISTS (SELECT 1 FROM team_members tm JOIN teams t ON t.id = tm.team_id WHERE t.organization_id = $1 AND tm.user_id = memberships.user_id);

-- name: ListServerTeams :many
SELECT team_id FROM team_servers WHERE server_id = $1 ORDER BY team_id;

-- name: ShareServer :exec
INSERT INTO team_servers (server_id, team_id) VALUES ($1, $2) ON CONFLICT (server_id, team_id) DO NOTHING;

-- name: UnshareServer :execrows
DELETE FROM team_servers WHERE server_id = $1 AND team_id = $2;

-- name: InsertInvitation :one
INSERT INTO invitations (organization_id, team_id, email, role_id, token_hash, invited_by, expires_at, token_id, grant_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) RETURNING *;

-- name: GetInvitation :one
SELECT * FROM invitations WHERE id = $1 AND organization_id = $2 AND accepted_at IS NULL;

-- name: GetInvitationByToken :one
SELECT * FROM invitations WHERE token_hash = $1;

-- name: AcceptInvitation :execrows
UPDATE invitations SET accepted_at = $2, updated_at = $2 WHERE id = $1 AND accepted_at IS NULL;

-- name: DeleteInvitation :exec
DELETE FROM invitations WHERE id = $1;

-- name: DeleteOpenInvitations :exec
DELETE FROM invitations WHERE organization_id = $1 AND email = $2 AND accepted_at IS NULL AND COALESCE(team_id, 0) = COALESCE(sqlc.narg('team_id'), 0);

-- name: DeleteInvitationsTo :exec
DELETE FROM invitations WHERE organization_id = $1 AND accepted_at IS NULL AND email = (SELECT u.email FROM users u WHERE u.id = sqlc.arg('user_id'))
  AND (CAST(sqlc.narg('team_id') AS BIGINT) IS NULL OR team_id = sqlc.narg('team_id'));

-- name: LockOrganization :exec
UPDATE organizations SET updated_at = updated_at WHERE id = $1;

-- name: CountOwners :one
SELECT COUNT(*) FROM memberships WHERE organization_id = $1 AND role_id = 1;

-- name: SetMembershipRole :one
UPDATE memberships SET role_id = $3, updated_at = $4 WHERE organization_id = $1 AND user_id = $2 RETURNING *;

-- name: DeleteMembership :exec
DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2;

-- name: InsertCredential :one
INSERT INTO server_credentials (organization_id, name, provider, secret, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5) RETURNING *;

-- name: GetCredential :one
SELECT * FROM server_credentials WHERE id = $1 AND organization_id = $2;

-- name: UpdateCredential :one
UPDATE server_credentials SET name = $2, secret = $3, updated_at = $4 WHERE id = $1 RETURNING *;

-- name: DeleteCredential :exec
DELETE FROM server_credentials WHERE id = $1;

-- name: CountCredentialServers :one
SELECT COUNT(*) FROM servers WHERE credential_id = $1;

-- name: ListCredentialTeams :many
SELECT team_id FROM team_credentials WHERE credential_id = $1 ORDER BY team_id;

-- name: ShareCredential :exec
INSERT INTO team_credentials (credential_id, team_id) VALUES ($1, $2) ON CONFLICT (credential_id, team_id) DO NOTHING;

-- name: UnshareCredential :execrows
DELETE FROM team_credentials WHERE credential_id = $1 AND team_id = $2;
