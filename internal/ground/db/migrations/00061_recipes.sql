-- +goose Up
-- Scripts of an organization that run on its servers.
CREATE TABLE recipes (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  run_as TEXT NOT NULL,
  script TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX recipes_organization ON recipes (organization_id, id);

CREATE TABLE team_recipes (
  recipe_id BIGINT NOT NULL REFERENCES recipes (id) ON DELETE CASCADE,
  team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  PRIMARY KEY (recipe_id, team_id)
);
CREATE INDEX team_recipes_team ON team_recipes (team_id);

-- +goose Down
DROP TABLE team_recipes;
DROP TABLE recipes;
