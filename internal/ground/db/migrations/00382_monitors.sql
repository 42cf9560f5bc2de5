-- +goose Up
-- A monitor compares what a server measures of itself with a threshold, in percent. seen_at is when its host said that the newest change of its state was that
-- is recorded here; state_changed_at is the same, but never in the future.
CREATE TABLE monitors (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  operator TEXT NOT NULL,
  threshold DOUBLE PRECISION NOT NULL,
  minutes BIGINT,
  notify TEXT NOT NULL,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  state_changed_at BIGINT,
  seen_at BIGINT NOT NULL DEFAULT 0,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX monitors_server ON monitors (server_id);

-- +goose Down
DROP TABLE monitors;
