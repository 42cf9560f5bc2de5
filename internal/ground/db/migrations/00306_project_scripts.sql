-- +goose Up
-- The deploy script before the site was switched to or from releases, and the script that the switch wrote. A script that is
-- still the latter is restored when the site is switched back.
ALTER TABLE projects ADD COLUMN script_before TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN script_switched TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE projects DROP COLUMN script_switched;
ALTER TABLE projects DROP COLUMN script_before;
