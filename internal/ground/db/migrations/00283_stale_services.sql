-- +goose Up
-- Services that were started before their settings were written, separated by commas, as the server last reported.
ALTER TABLE servers ADD COLUMN stale_services TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE servers DROP COLUMN stale_services;
