-- +goose Up
ALTER TABLE deployment_webhooks DROP COLUMN url;
ALTER TABLE deployments DROP COLUMN variables;
ALTER TABLE idempotency_keys DROP COLUMN request_hash;
