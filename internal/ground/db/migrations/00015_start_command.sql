-- +goose Up
-- What starts the site's own program, a line that a shell runs; '' for what its type says.
ALTER TABLE sites ADD COLUMN start_command TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sites DROP COLUMN start_command;
