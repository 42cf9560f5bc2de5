-- +goose Up
-- Services that were started before the settings that Hostler wrote for them, with commas between them, as the server said when it was last looked at.
ALTER TABLE servers ADD COLUMN stale_services TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE servers DROP COLUMN stale_services;
