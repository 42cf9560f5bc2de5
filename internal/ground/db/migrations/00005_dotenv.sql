-- +goose Up
-- The deploy scripts of these sites got the variables of .env from a shell until now. The next deployment reads the file as the application does.
ALTER TABLE projects ADD COLUMN env_by_shell BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE projects SET env_by_shell = TRUE WHERE auto_source;

-- +goose Down
ALTER TABLE projects DROP COLUMN env_by_shell;
