-- +goose Up
-- What is applied on a host: the specification that the last successful operation on a resource left there.
CREATE TABLE applied (
  kind TEXT NOT NULL,
  id BIGINT NOT NULL,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  operation_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  specification TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX applied_server ON applied (server_id, kind, id);

-- What an operation asks for: a whole specification for each resource that it changes, or NULL for one that is to go.
CREATE TABLE wishes (
  operation_id BIGINT NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  specification TEXT,
  PRIMARY KEY (operation_id, kind, id)
);
CREATE INDEX wishes_resource ON wishes (kind, id, operation_id);

-- Whether the host may have seen the run. An attempt that was sent and has no known end is in doubt until the host answers.
ALTER TABLE runs ADD COLUMN sent BOOLEAN NOT NULL DEFAULT TRUE;
-- A stage is found by its name after a crash.
ALTER TABLE runs ADD COLUMN stage_name TEXT NOT NULL DEFAULT '';
ALTER TABLE runs DROP COLUMN stage;

-- +goose Down
ALTER TABLE runs ADD COLUMN stage BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs DROP COLUMN stage_name;
ALTER TABLE runs DROP COLUMN sent;
DROP TABLE wishes;
DROP TABLE applied;
