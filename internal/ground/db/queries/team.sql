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

-- name: SetTeamMemberRole :one
UPDATE team_members SET role_id = $3, updated_at = $4 WHERE team_id = $1 AND user_id = $2 RETURNING *;

-- name: DeleteTeamMember :exec
DELETE FROM team_members WHERE team_id = $1 AND user_id = $2;

-- name: DeleteTeamMemberships :exec
DELETE FROM team_members WHERE user_id = $1 AND team_id IN (SELECT t.id FROM teams t WHERE t.organization_id = $2);

-- name: ListServerTeams :many
SELECT team_id FROM team_servers WHERE server_id = $1 ORDER BY team_id;

-- name: ShareServer :exec
INSERT INTO team_servers (server_id, team_id) VALUES ($1, $2) ON CONFLICT (server_id, team_id) DO NOTHING;

-- name: UnshareServer :execrows
DELETE FROM team_servers WHERE server_id = $1 AND team_id = $2;

-- name: ListCredentialTeams :many
SELECT team_id FROM team_credentials WHERE credential_id = $1 ORDER BY team_id;

-- name: ShareCredential :exec
INSERT INTO team_credentials (credential_id, team_id) VALUES ($1, $2) ON CONFLICT (credential_id, team_id) DO NOTHING;

-- name: UnshareCredential :execrows
DELETE FROM team_credentials WHERE credential_id = $1 AND team_id = $2;

-- name: ShareRecipe :exec
INSERT INTO team_recipes (recipe_id, team_id) VALUES ($1, $2) ON CONFLICT (recipe_id, team_id) DO NOTHING;

-- name: UnshareRecipe :execrows
DELETE FROM team_recipes WHERE recipe_id = $1 AND team_id = $2;
