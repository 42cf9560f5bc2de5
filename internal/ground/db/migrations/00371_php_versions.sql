-- +goose Up
-- A version of PHP that a server has, or is to have. version is as packages write it ("8.4").
CREATE TABLE php_versions (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  version TEXT NOT NULL,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (server_id, version)
);

-- +goose Down
DROP TABLE php_versions;
