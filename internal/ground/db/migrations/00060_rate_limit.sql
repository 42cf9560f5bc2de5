-- +goose Up

-- Requests per minute, null for the installation's limit.
ALTER TABLE tokens ADD COLUMN rate_limit BIGINT;
ALTER TABLE organizations ADD COLUMN rate_limit BIGINT;

-- +goose Down
ALTER TABLE organizations DROP COLUMN rate_limit;
ALTER TABLE tokens DROP COLUMN rate_limit;
