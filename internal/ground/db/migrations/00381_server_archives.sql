-- +goose Up
-- An archived server is one with revoked set: Hostler has no key to it. former_host_keys are those that it had, so that no other machine takes its place.
ALTER TABLE servers ADD COLUMN former_host_keys TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE servers DROP COLUMN former_host_keys;
