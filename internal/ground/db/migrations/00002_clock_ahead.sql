-- +goose Up
-- How many seconds the clock of a server is ahead of Hostler's, or behind if negative; 0 unless they are notably apart.
ALTER TABLE servers ADD COLUMN clock_ahead BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE servers DROP COLUMN clock_ahead;
