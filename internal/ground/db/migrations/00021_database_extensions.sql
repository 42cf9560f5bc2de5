-- +goose Up
-- The extensions that a database of PostgreSQL is to have, as a JSON list; '' for none.
ALTER TABLE databases ADD COLUMN extensions TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE databases DROP COLUMN extensions;
