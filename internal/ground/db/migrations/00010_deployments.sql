-- +goose Up

-- The source of a site's code and how it is deployed: one row per site. host_keys are those that the Git server presented first,
-- in the format of known_hosts; a different key fails every deployment.
CREATE TABLE projects (
  site_id BIGINT PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  provider_id BIGINT,
  repository TEXT NOT NULL,
  url TEXT NOT NULL,
  branch TEXT NOT NULL,
  public_key TEXT,
  private_key BYTEA,
  host_keys TEXT NOT NULL,
  zero_downtime BOOLEAN NOT NULL,
  retention BIGINT NOT NULL,
  script TEXT NOT NULL,
  auto_source BOOLEAN NOT NULL,
  push_to_deploy BOOLEAN NOT NULL,
  hook_hash TEXT NOT NULL UNIQUE,
  hook_token BYTEA NOT NULL,
  shared_paths TEXT NOT NULL,
  time_limit BIGINT NOT NULL,
  healthcheck_url TEXT,
  package_manager TEXT NOT NULL,
  build_command TEXT NOT NULL,
  composer BOOLEAN NOT NULL,
  port BIGINT,
  releases TEXT NOT NULL,
  live_release TEXT NOT NULL,
  deployment_status TEXT NOT NULL,
  latest_deployment_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

CREATE TABLE deployments (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  initiator_id BIGINT,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  commit_hash TEXT,
  commit_author TEXT,
  commit_message TEXT,
  commit_branch TEXT,
  release_name TEXT NOT NULL,
  target_release TEXT NOT NULL,
  target_commit TEXT NOT NULL,
  variables TEXT NOT NULL,
  operation_id BIGINT,
  started_at BIGINT,
  ended_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX deployments_site ON deployments (site_id, id);
CREATE INDEX deployments_server ON deployments (server_id, id);

-- +goose Down
DROP TABLE deployments;
DROP TABLE projects;
