-- +goose Up
-- Runs of recipes, one for each server, with the script as it was then.
CREATE TABLE recipe_runs (
  id BIGSERIAL PRIMARY KEY,
  recipe_id BIGINT NOT NULL REFERENCES recipes (id) ON DELETE CASCADE,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  user_id BIGINT,
  name TEXT NOT NULL,
  run_as TEXT NOT NULL,
  script TEXT NOT NULL,
  -- Whether the output is mailed to the user.
  email BOOLEAN NOT NULL,
  -- waiting, running, finished, failed
  status TEXT NOT NULL,
  operation_id BIGINT,
  started_at BIGINT,
  ended_at BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX recipe_runs_recipe ON recipe_runs (recipe_id, id);
CREATE INDEX recipe_runs_server ON recipe_runs (server_id);

-- +goose Down
DROP TABLE recipe_runs;
