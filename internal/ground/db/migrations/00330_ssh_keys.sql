-- +goose Up
-- A public key that can log in to an account of a server. key is the type and the key itself, without options and comment.
CREATE TABLE ssh_keys (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  unix_user TEXT NOT NULL,
  key TEXT NOT NULL,
  status TEXT NOT NULL,
  created_by BIGINT REFERENCES users (id) ON DELETE SET NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX ssh_keys_server ON ssh_keys (server_id);

-- +goose Down
DROP TABLE ssh_keys;
