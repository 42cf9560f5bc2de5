-- +goose Up
-- Whether the site's server could read the repository when that was last looked at, as JSON; '' if it was never looked at.
ALTER TABLE projects ADD COLUMN checked TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE projects DROP COLUMN checked;
