-- +goose Up
-- What sites were asked, by the access logs on their server. Rows are like those of metrics.
CREATE TABLE site_metrics (
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  step BIGINT NOT NULL,
  starts_at BIGINT NOT NULL,
  packed BYTEA NOT NULL,
  PRIMARY KEY (site_id, step, starts_at)
);
CREATE INDEX site_metrics_server ON site_metrics (server_id, step, starts_at);

-- +goose Down
DROP TABLE site_metrics;
