-- +goose Up
-- The key that replaces a connected server's key once a login with it has worked.
ALTER TABLE servers ADD COLUMN next_public_key TEXT NOT NULL DEFAULT '';
ALTER TABLE servers ADD COLUMN next_private_key BYTEA;

-- +goose Down
ALTER TABLE servers DROP COLUMN next_private_key;
ALTER TABLE servers DROP COLUMN next_public_key;
