-- +goose Up
-- Why an operation waits, or ended as it did, for clients: a code, and what it is about as JSON; '' where it says no more.
ALTER TABLE operations ADD COLUMN reason_code TEXT NOT NULL DEFAULT '';
ALTER TABLE operations ADD COLUMN reason_params TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE operations DROP COLUMN reason_params;
ALTER TABLE operations DROP COLUMN reason_code;
