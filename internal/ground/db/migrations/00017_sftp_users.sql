-- +goose Up
-- A login that reaches the directory of a site over SFTP and nothing else. keys are lines with the type, the key and its comment; expires_on is the last day on
-- which it can log in, as 2006-01-02 in UTC, '' for no end.
CREATE TABLE sftp_users (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  keys TEXT NOT NULL,
  expires_on TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  created_by BIGINT REFERENCES users (id) ON DELETE SET NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX sftp_users_site ON sftp_users (site_id);

-- +goose Down
DROP TABLE sftp_users;
