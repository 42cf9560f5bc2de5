-- +goose Up
-- The shortages of the last day that a server tells of, as JSON; '' for none.
ALTER TABLE servers ADD COLUMN shortages TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE servers DROP COLUMN shortages;
