-- +goose Up
-- What is applied on a host: the specification of the last successful operation on a resource.
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

-- What an operation asks for: a whole specification for each resource that it changes, or NULL for a removal.
CREATE TABLE wishes (
  operation_id BIGINT NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  specification TEXT,
  PRIMARY KEY (operation_id, kind, id)
);
CREATE INDEX wishes_resource ON wishes (kind, id, operation_id);

-- Whether the host may have received the run. An attempt that was sent and has no known outcome is in doubt until the host answers.
ALTER TABLE runs ADD COLUMN sent BOOLEAN NOT NULL DEFAULT TRUE;
-- The name by which a stage is found after a crash.
ALTER TABLE runs ADD COLUMN stage_name TEXT NOT NULL DEFAULT '';
ALTER TABLE runs DROP COLUMN stage;

-- +goose Down
ALTER TABLE runs ADD COLUMN stage BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs DROP COLUMN stage_name;
ALTER TABLE runs DROP COLUMN sent;
DROP TABLE wishes;
DROP TABLE applied;
