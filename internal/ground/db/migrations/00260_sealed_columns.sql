-- Columns in clear get a sealed counterpart: 00261 seals them, 00262 drops the clear ones.
-- +goose Up
ALTER TABLE deployment_webhooks ADD COLUMN origin TEXT NOT NULL DEFAULT '';
ALTER TABLE deployment_webhooks ADD COLUMN address BYTEA;
ALTER TABLE deployments ADD COLUMN hook_variables BYTEA;
