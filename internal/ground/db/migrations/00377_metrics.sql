-- +goose Up
-- What servers measured. A row has the values of an hour by minutes (step 1), or of a day by half hours (step 30), packed as package metric says.
CREATE TABLE metrics (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  step BIGINT NOT NULL,
  starts_at BIGINT NOT NULL,
  packed BYTEA NOT NULL,
  PRIMARY KEY (server_id, step, starts_at)
);

-- +goose Down
DROP TABLE metrics;
