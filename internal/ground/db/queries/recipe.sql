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

-- name: InsertRecipeRun :one
INSERT INTO recipe_runs (recipe_id, shipped_recipe_id, organization_id, server_id, user_id, name, run_as, script, email, status, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', $10) RETURNING *;

-- name: GetRecipeRun :one
SELECT * FROM recipe_runs WHERE id = $1;

-- name: GetRunOfRecipe :one
SELECT * FROM recipe_runs WHERE recipe_id = $1 AND id = $2;

-- name: GetOrganizationRecipeRun :one
SELECT * FROM recipe_runs WHERE organization_id = $1 AND id = $2;

-- name: SetRecipeRunOperation :exec
UPDATE recipe_runs SET operation_id = $2 WHERE id = $1;

-- name: BeginRecipeRun :exec
UPDATE recipe_runs SET status = 'running', started_at = COALESCE(started_at, $2) WHERE id = $1;

-- name: EndRecipeRun :exec
UPDATE recipe_runs SET status = $2, ended_at = $3 WHERE id = $1;

-- name: QueueRecipeRun :exec
UPDATE recipe_runs SET status = 'waiting', started_at = NULL, ended_at = NULL WHERE id = $1;
