-- name: InsertRecipe :one
INSERT INTO recipes (organization_id, name, run_as, script, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5) RETURNING *;

-- name: GetRecipe :one
SELECT * FROM recipes WHERE id = $1 AND organization_id = $2;

-- name: UpdateRecipe :one
UPDATE recipes SET name = $2, run_as = $3, script = $4, updated_at = $5 WHERE id = $1 RETURNING *;

-- name: DeleteRecipe :exec
DELETE FROM recipes WHERE id = $1;

-- name: ListRecipeTeams :many
SELECT team_id FROM team_recipes WHERE recipe_id = $1 ORDER BY team_id;

-- name: ShareRecipe :exec
INSERT INTO team_recipes (recipe_id, team_id) VALUES ($1, $2) ON CONFLICT (recipe_id, team_id) DO NOTHING;

-- name: UnshareRecipe :execrows
DELETE FROM team_recipes WHERE recipe_id = $1 AND team_id = $2;
