-- +goose Up
-- What Git servers sent to a site's push address lately, and what came of it.
CREATE TABLE push_deliveries (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  sender TEXT NOT NULL,
  event TEXT NOT NULL,
  branch TEXT NOT NULL,
  commit_hash TEXT NOT NULL,
  verdict TEXT NOT NULL,
  reason TEXT NOT NULL,
  deployment_id BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX push_deliveries_site ON push_deliveries (site_id, id);

-- +goose Down
DROP TABLE push_deliveries;
