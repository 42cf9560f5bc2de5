-- +goose Up
-- How many days an organization keeps its rows, NULL for as long as the installation does.
ALTER TABLE organizations ADD COLUMN keep_events_days BIGINT;
ALTER TABLE organizations ADD COLUMN keep_output_days BIGINT;
ALTER TABLE organizations ADD COLUMN keep_audit_days BIGINT;
ALTER TABLE organizations ADD COLUMN keep_deliveries_days BIGINT;

-- +goose Down
ALTER TABLE organizations DROP COLUMN keep_deliveries_days;
ALTER TABLE organizations DROP COLUMN keep_audit_days;
ALTER TABLE organizations DROP COLUMN keep_output_days;
ALTER TABLE organizations DROP COLUMN keep_events_days;
