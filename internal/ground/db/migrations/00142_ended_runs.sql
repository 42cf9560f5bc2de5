-- +goose Up
-- A run's instructions may contain secrets, and are not needed once it has ended.
UPDATE runs SET run = '' WHERE state <> 'running';

-- +goose Down
SELECT 1;
