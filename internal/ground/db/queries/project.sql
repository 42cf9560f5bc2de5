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

-- name: SetProjectChecked :exec
UPDATE projects SET checked = $2 WHERE site_id = $1;

-- name: SetProjectPush :exec
UPDATE projects SET push_to_deploy = $2, updated_at = $3 WHERE site_id = $1;

-- name: SetProjectHealthcheck :exec
UPDATE projects SET healthcheck_url = $2, updated_at = $3 WHERE site_id = $1;

-- name: SetProjectRepository :exec
UPDATE projects SET provider = $2, provider_id = $3, repository = $4, url = $5, branch = $6, host_keys = $7, updated_at = $8 WHERE site_id = $1;

-- name: SetProjectSettings :exec
UPDATE projects SET branch = $2, retention = $3, push_to_deploy = $4, shared_paths = $5, updated_at = $6 WHERE site_id = $1;

-- name: PinHostKeys :exec
UPDATE projects SET host_keys = $2, updated_at = $3 WHERE site_id = $1 AND host_keys = $4;

-- name: SetProjectReleases :exec
UPDATE projects SET releases = $2, live_release = $3, updated_at = $4 WHERE site_id = $1;

-- name: NoteLatestDeployment :exec
UPDATE projects SET latest_deployment_id = $2, deployment_status = $3, env_by_shell = FALSE WHERE site_id = $1 AND (latest_deployment_id IS NULL OR latest_deployment_id <= $2);

-- name: MarkDeployed :exec
UPDATE projects SET deployment_status = $3 WHERE site_id = $1 AND latest_deployment_id = $2;

-- name: NoteLiveDeployment :exec
UPDATE projects SET live_deployment_id = $2 WHERE site_id = $1 AND (live_deployment_id IS NULL OR live_deployment_id < $2);

-- name: SetProjectStrategy :exec
UPDATE projects SET zero_downtime = $2, script = $3, script_before = $4, script_switched = $3, updated_at = $5 WHERE site_id = $1;

-- name: ListLiveProjects :many
SELECT p.* FROM projects p JOIN sites s ON s.id = p.site_id WHERE s.server_id = $1 AND p.live_release <> '' ORDER BY p.site_id;
