-- +goose Up

-- Addresses of ours that are expected to be called regularly. The token is sealed, since the address is shown again, and found by its hash.
CREATE TABLE heartbeats (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  frequency BIGINT NOT NULL,
  custom_frequency TEXT,
  grace_period BIGINT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  token BYTEA NOT NULL,
  -- pending, beating, missing, unknown
  status TEXT NOT NULL,
  last_ping_at BIGINT,
  -- When the next call is expected; null before the first one.
  due_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX heartbeats_site ON heartbeats (site_id, id);
CREATE INDEX heartbeats_due ON heartbeats (due_at);

-- +goose Down
DROP TABLE heartbeats;
