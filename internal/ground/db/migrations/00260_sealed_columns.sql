-- What stood in clear gets a sealed column: 00261 seals it, 00262 drops the clear one.
-- +goose Up
ALTER TABLE deployment_webhooks ADD COLUMN origin TEXT NOT NULL DEFAULT '';
ALTER TABLE deployment_webhooks ADD COLUMN address BYTEA;
ALTER TABLE deployments ADD COLUMN hook_variables BYTEA;
