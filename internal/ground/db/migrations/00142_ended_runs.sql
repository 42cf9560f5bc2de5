-- +goose Up
-- What a run was told to do may hold secrets, and nobody needs it once it has ended.
UPDATE runs SET run = '' WHERE state <> 'running';

-- +goose Down
SELECT 1;
