-- +goose Up
-- A run is of an organization's recipe, or of one that comes with the program and has no row.
ALTER TABLE recipe_runs ADD COLUMN own_recipe_id BIGINT REFERENCES recipes (id) ON DELETE CASCADE;
UPDATE recipe_runs SET own_recipe_id = recipe_id;
DROP INDEX recipe_runs_recipe;
DROP INDEX recipe_runs_recipe_created;
ALTER TABLE recipe_runs DROP COLUMN recipe_id;
ALTER TABLE recipe_runs RENAME COLUMN own_recipe_id TO recipe_id;
CREATE INDEX recipe_runs_recipe ON recipe_runs (recipe_id, id);
CREATE INDEX recipe_runs_recipe_created ON recipe_runs (recipe_id, created_at, id);
ALTER TABLE recipe_runs ADD COLUMN shipped_recipe_id BIGINT;
CREATE INDEX recipe_runs_shipped ON recipe_runs (shipped_recipe_id, id);
CREATE INDEX recipe_runs_shipped_created ON recipe_runs (shipped_recipe_id, created_at, id);

-- +goose Down
DROP INDEX recipe_runs_shipped_created;
DROP INDEX recipe_runs_shipped;
DELETE FROM recipe_runs WHERE recipe_id IS NULL;
ALTER TABLE recipe_runs DROP COLUMN shipped_recipe_id;
