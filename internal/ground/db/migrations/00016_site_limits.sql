-- +goose Up
-- How much of its server a site may use, as JSON; '' for a site that never had limits.
ALTER TABLE sites ADD COLUMN limits TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sites DROP COLUMN limits;
