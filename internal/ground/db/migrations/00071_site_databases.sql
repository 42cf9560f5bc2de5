-- +goose Up

-- The database that a site was created with, and the account that it signs in with.
ALTER TABLE sites ADD COLUMN database_id BIGINT REFERENCES databases (id) ON DELETE SET NULL;
ALTER TABLE sites ADD COLUMN database_user_id BIGINT REFERENCES database_users (id) ON DELETE SET NULL;

-- +goose Down
ALTER TABLE sites DROP COLUMN database_user_id;
ALTER TABLE sites DROP COLUMN database_id;
