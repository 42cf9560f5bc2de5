-- +goose Up
-- What an operation asks for, including its password, and what is applied are in the ledger.
DROP TABLE database_passwords;
ALTER TABLE databases DROP COLUMN present;
ALTER TABLE database_users DROP COLUMN present;

-- +goose Down
ALTER TABLE database_users ADD COLUMN present BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE databases ADD COLUMN present BOOLEAN NOT NULL DEFAULT TRUE;
CREATE TABLE database_passwords (
  operation_id BIGINT PRIMARY KEY REFERENCES operations (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL REFERENCES database_users (id) ON DELETE CASCADE,
  password BYTEA NOT NULL
);
CREATE INDEX database_passwords_user ON database_passwords (user_id);
