-- +goose Up
-- What a deploy script was before the site was switched to or from releases, and what the switch made of it. A script that is still what the switch made
-- of it becomes what it was when the site is switched back.
ALTER TABLE projects ADD COLUMN script_before TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN script_switched TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE projects DROP COLUMN script_switched;
ALTER TABLE projects DROP COLUMN script_before;
