-- +goose Up

-- All versions of the .env files of sites, sealed, newest last.
CREATE TABLE environments (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id BIGINT,
  content BYTEA NOT NULL,
  encryption_key BYTEA,
  cache BOOLEAN NOT NULL,
  queues BOOLEAN NOT NULL,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX environments_site ON environments (site_id, id);

CREATE TABLE commands (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL,
  command TEXT NOT NULL,
  status TEXT NOT NULL,
  exit_code BIGINT,
  error_output TEXT,
  operation_id BIGINT,
  started_at BIGINT,
  ended_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX commands_site ON commands (site_id, id);

-- Accepted pushes, by the hash of their content: a repeated one changes nothing.
CREATE TABLE pushes (
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (site_id, hash)
);

-- +goose Down
DROP TABLE pushes;
DROP TABLE commands;
DROP TABLE environments;
