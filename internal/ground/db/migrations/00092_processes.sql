-- +goose Up

-- Background processes, each as systemd units on its server.
CREATE TABLE background_processes (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  site_id BIGINT REFERENCES sites (id) ON DELETE CASCADE,
  -- The integration that it belongs to, empty if it was created directly.
  integration TEXT NOT NULL,
  name TEXT NOT NULL,
  command TEXT NOT NULL,
  unix_user TEXT NOT NULL,
  directory TEXT,
  processes BIGINT NOT NULL,
  startsecs BIGINT NOT NULL,
  stopwaitsecs BIGINT NOT NULL,
  stopsignal TEXT NOT NULL,
  stopped BOOLEAN NOT NULL DEFAULT FALSE,
  -- The open change, empty for none, and the last state seen on the server.
  status TEXT NOT NULL,
  observed TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX background_processes_server ON background_processes (server_id, id);
CREATE INDEX background_processes_site ON background_processes (site_id, id);

-- Scheduled commands, each with its own cron file.
CREATE TABLE scheduled_jobs (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  site_id BIGINT REFERENCES sites (id) ON DELETE CASCADE,
  integration TEXT NOT NULL,
  name TEXT,
  command TEXT NOT NULL,
  unix_user TEXT NOT NULL,
  frequency TEXT NOT NULL,
  cron TEXT NOT NULL,
  heartbeat_id BIGINT REFERENCES heartbeats (id) ON DELETE SET NULL,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX scheduled_jobs_server ON scheduled_jobs (server_id, id);
CREATE INDEX scheduled_jobs_site ON scheduled_jobs (site_id, id);

-- Framework features that a site has enabled: kind is horizon, octane and so on.
CREATE TABLE integrations (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- JSON, as requested: port, host, connections, server.
  settings TEXT NOT NULL,
  -- The secret that bypasses a maintenance page, sealed.
  secret BYTEA,
  -- The open change, empty for none: enabling, disabling.
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (site_id, kind)
);

-- +goose Down
DROP TABLE integrations;
DROP TABLE scheduled_jobs;
DROP TABLE background_processes;
