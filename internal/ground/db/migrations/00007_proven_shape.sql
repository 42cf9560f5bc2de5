-- +goose Up
-- The digest of the databases' objects, and of the engine's version and sql_mode, in the newest backup that was proven.
ALTER TABLE backup_configurations ADD COLUMN proven_shape TEXT;

-- +goose Down
ALTER TABLE backup_configurations DROP COLUMN proven_shape;
