-- +goose Up
-- Why a finished deployment has nothing to serve, '' if it has; NULL if nobody looked.
ALTER TABLE deployments ADD COLUMN unserved TEXT;

-- +goose Down
ALTER TABLE deployments DROP COLUMN unserved;
