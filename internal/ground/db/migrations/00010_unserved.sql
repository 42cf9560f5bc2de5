-- +goose Up
-- Why a finished deployment has nothing to serve, '' if it has; NULL if that was not checked.
ALTER TABLE deployments ADD COLUMN unserved TEXT;

-- +goose Down
ALTER TABLE deployments DROP COLUMN unserved;
