-- +goose Up
-- The permissions that the starting call needed, separated by commas; empty for work that the service started and for older rows.
ALTER TABLE operations ADD COLUMN needs TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE operations DROP COLUMN needs;
