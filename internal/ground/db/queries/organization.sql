-- name: DeleteIdleMemberships :exec
DELETE FROM memberships WHERE memberships.organization_id = $1 AND memberships.role_id = 0
AND NOT EXISTS (SELECT 1 FROM team_members tm JOIN teams t ON t.id = tm.team_id WHERE t.organization_id = $1 AND tm.user_id = memberships.user_id);

-- name: InsertInvitation :one
INSERT INTO invitations (organization_id, team_id, email, role_id, token_hash, invited_by, expires_at, token_id, grant_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) RETURNING *;

-- name: GetInvitation :one
SELECT * FROM invitations WHERE id = $1 AND organization_id = $2 AND accepted_at IS NULL;

-- name: GetInvitationByToken :one
SELECT * FROM invitations WHERE token_hash = $1;

-- name: NoteInvitationMail :exec
UPDATE invitations SET mailed_at = $2, mail_failure = $3 WHERE token_hash = $1;

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

-- name: InsertOrganization :one
INSERT INTO organizations (name, slug, created_at, updated_at) VALUES ($1, $2, $3, $4) RETURNING *;

-- name: GetOrganizationOfMember :one
SELECT o.* FROM organizations o JOIN memberships m ON m.organization_id = o.id WHERE m.user_id = $1 AND o.slug = $2;

-- name: GetOrganization :one
SELECT * FROM organizations WHERE id = sqlc.arg('organization_id');

-- name: UpdateOrganization :one
UPDATE organizations SET name = COALESCE(sqlc.narg(name), name), site_limits = COALESCE(sqlc.narg(site_limits), site_limits), updated_at = sqlc.arg(updated_at)
WHERE id = sqlc.arg(id) RETURNING *;

-- name: SetOrganizationRateLimit :one
UPDATE organizations SET rate_limit = $2, updated_at = $3 WHERE id = $1 RETURNING *;

-- name: SetOrganizationRetention :one
UPDATE organizations SET keep_events_days = $2, keep_output_days = $3, keep_audit_days = $4, keep_deliveries_days = $5, updated_at = $6 WHERE id = $1 RETURNING *;

-- name: GetRateLimitOfMember :one
SELECT o.id, o.rate_limit FROM organizations o JOIN memberships m ON m.organization_id = o.id WHERE m.user_id = $1 AND o.slug = $2;

-- name: InsertMembership :one
INSERT INTO memberships (organization_id, user_id, role_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5) RETURNING *;

-- name: GetMembership :one
SELECT * FROM memberships WHERE organization_id = $1 AND user_id = $2;

-- name: ListMemberships :many
SELECT * FROM memberships WHERE user_id = $1 ORDER BY organization_id;

-- name: SetOrganizationTimezone :exec
UPDATE organizations SET timezone = $2, updated_at = $3 WHERE id = $1;

-- Checklist says what an organization has of what a first site needs, and where the next step is: its newest site, and a server, one with a database first.
-- name: Checklist :one
SELECT EXISTS (SELECT 1 FROM servers s WHERE s.organization_id = sqlc.arg('organization_id') AND s.is_ready AND NOT s.revoked) AS server,
  EXISTS (SELECT 1 FROM sites s WHERE s.organization_id = sqlc.arg('organization_id')) AS site,
  EXISTS (SELECT 1 FROM projects p JOIN sites s ON s.id = p.site_id WHERE s.organization_id = sqlc.arg('organization_id') AND p.repository <> '') AS repository,
  EXISTS (SELECT 1 FROM domains d JOIN sites s ON s.id = d.site_id WHERE s.organization_id = sqlc.arg('organization_id') AND d.certificate_id IS NOT NULL) AS https,
  EXISTS (SELECT 1 FROM backup_configurations b WHERE b.organization_id = sqlc.arg('organization_id')) AS backup,
  EXISTS (SELECT 1 FROM invitations i WHERE i.organization_id = sqlc.arg('organization_id'))
    OR (SELECT COUNT(*) FROM memberships m WHERE m.organization_id = sqlc.arg('organization_id')) > 1 AS invite,
  CAST(COALESCE((SELECT MAX(s.id) FROM sites s WHERE s.organization_id = sqlc.arg('organization_id') AND s.balancer_method IS NULL), 0) AS BIGINT) AS site_id,
  CAST(COALESCE((SELECT MAX(s.id) FROM servers s WHERE s.organization_id = sqlc.arg('organization_id') AND s.database_type IS NOT NULL AND NOT s.revoked),
    (SELECT MAX(s.id) FROM servers s WHERE s.organization_id = sqlc.arg('organization_id') AND NOT s.revoked), 0) AS BIGINT) AS server_id;
