-- +goose Up
-- How much of their servers new sites may use, as JSON; '' for as much as there is.
ALTER TABLE organizations ADD COLUMN site_limits TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE organizations DROP COLUMN site_limits;
