-- +goose Up
-- The permissions that the call that began the work was asked for, with commas between them; empty for work of the service's own and for older rows.
ALTER TABLE operations ADD COLUMN needs TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE operations DROP COLUMN needs;
