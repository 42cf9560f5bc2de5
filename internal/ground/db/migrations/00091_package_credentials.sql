-- +goose Up

-- Credentials of sites for package repositories: kind is composer or npm, name the host or the registry.
CREATE TABLE package_credentials (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  username TEXT NOT NULL,
  secret BYTEA NOT NULL,
  -- JSON: a list of npm scopes.
  scopes TEXT NOT NULL,
  removing BOOLEAN NOT NULL DEFAULT FALSE,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (site_id, kind, name)
);

-- +goose Down
DROP TABLE package_credentials;
