-- name: InsertProject :one
INSERT INTO projects (site_id, provider, provider_id, repository, url, branch, public_key, private_key, host_keys, zero_downtime, retention, script, auto_source, push_to_deploy,
  hook_hash, hook_token, shared_paths, time_limit, healthcheck_url, package_manager, build_command, composer, port, releases, live_release, deployment_status, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, '', '', '', $24, $24) RETURNING *;

-- name: GetProject :one
SELECT * FROM projects WHERE site_id = $1;

-- name: GetProjectByHook :one
SELECT * FROM projects WHERE hook_hash = $1;

-- name: SetProjectScript :exec
UPDATE projects SET script = $2, auto_source = $3, updated_at = $4 WHERE site_id = $1;

-- name: SetProjectHook :exec
UPDATE projects SET hook_hash = $2, hook_token = $3, updated_at = $4 WHERE site_id = $1;

-- name: NoteHookReader :exec
INSERT INTO hook_readers (site_id, user_id, shown_at) VALUES ($1, $2, $3) ON CONFLICT (site_id, user_id) DO NOTHING;

-- name: CountHookReader :one
SELECT COUNT(*) FROM hook_readers WHERE site_id = $1 AND user_id = $2;

-- name: ForgetHookReaders :exec
DELETE FROM hook_readers WHERE site_id = $1;

-- name: SetProjectKey :exec
UPDATE projects SET public_key = $2, private_key = $3, updated_at = $4 WHERE site_id = $1;

-- name: SetProjectPush :exec
UPDATE projects SET push_to_deploy = $2, updated_at = $3 WHERE site_id = $1;

-- name: SetProjectHealthcheck :exec
UPDATE projects SET healthcheck_url = $2, updated_at = $3 WHERE site_id = $1;

-- name: SetProjectRepository :exec
UPDATE projects SET provider = $2, provider_id = $3, repository = $4, url = $5, branch = $6, host_keys = $7, updated_at = $8 WHERE site_id = $1;

-- name: SetProjectSettings :exec
UPDATE projects SET branch = $2, retention = $3, push_to_deploy = $4, updated_at = $5 WHERE site_id = $1;

-- name: PinHostKeys :exec
UPDATE projects SET host_keys = $2, updated_at = $3 WHERE site_id = $1 AND host_keys = '';

-- name: SetProjectReleases :exec
UPDATE projects SET releases = $2, live_release = $3, updated_at = $4 WHERE site_id = $1;

-- name: InsertDeployment :one
INSERT INTO deployments (organization_id, server_id, site_id, initiator_id, type, status, commit_hash, commit_author, commit_message, commit_branch, release_name, target_release, target_commit,
  created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', $11, $12, $13, $13) RETURNING *;

-- name: GetDeployment :one
SELECT * FROM deployments WHERE id = $1;

-- name: GetSiteDeployment :one
SELECT * FROM deployments WHERE site_id = $1 AND id = $2;

-- name: SealDeploymentVariables :exec
UPDATE deployments SET hook_variables = $2 WHERE id = $1;

-- name: SetDeploymentOperation :exec
UPDATE deployments SET operation_id = $2 WHERE id = $1;

-- name: BeginDeployment :exec
UPDATE deployments SET status = 'deploying', started_at = COALESCE(started_at, $2), updated_at = $2 WHERE id = $1;

-- name: NoteDeployment :exec
UPDATE deployments SET commit_hash = $2, commit_author = $3, commit_message = $4, release_name = $5, updated_at = $6 WHERE id = $1;

-- name: EndDeployment :exec
UPDATE deployments SET status = $2, ended_at = $3, updated_at = $3 WHERE id = $1;

-- name: QueueDeployment :exec
UPDATE deployments SET status = 'queued', ended_at = NULL, updated_at = $2 WHERE id = $1;

-- name: LatestDeployment :one
SELECT * FROM deployments WHERE site_id = $1 ORDER BY id DESC LIMIT 1;

-- name: ListOpenDeployments :many
SELECT * FROM deployments WHERE site_id = $1 AND status IN ('pending', 'queued', 'deploying') ORDER BY id;

-- name: NoteLatestDeployment :exec
UPDATE projects SET latest_deployment_id = $2, deployment_status = $3 WHERE site_id = $1 AND (latest_deployment_id IS NULL OR latest_deployment_id <= $2);

-- name: MarkDeployed :exec
UPDATE projects SET deployment_status = $3 WHERE site_id = $1 AND latest_deployment_id = $2;

-- name: NoteLiveDeployment :exec
UPDATE projects SET live_deployment_id = $2 WHERE site_id = $1 AND (live_deployment_id IS NULL OR live_deployment_id < $2);

-- name: NotePush :execrows
INSERT INTO pushes (site_id, hash, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: DeleteOldPushes :exec
DELETE FROM pushes WHERE site_id = $1 AND created_at < $2;

-- name: SetProjectStrategy :exec
UPDATE projects SET zero_downtime = $2, script = $3, script_before = $4, script_switched = $3, updated_at = $5 WHERE site_id = $1;

-- name: CountEnvironmentsBefore :one
SELECT COUNT(*) FROM operations WHERE site_id = $1 AND resource_type = 'environments' AND state IN ('pending', 'running') AND id < $2;
