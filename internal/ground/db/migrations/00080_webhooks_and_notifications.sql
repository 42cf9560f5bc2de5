-- +goose Up

-- Receivers of the results of a site's deployments. The secret signs messages, and is sealed.
CREATE TABLE deployment_webhooks (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  secret BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX deployment_webhooks_site ON deployment_webhooks (site_id, id);

-- Notification channels of an organization and their events. Settings contain secret tokens and addresses, and are sealed; target
-- is the part that can be shown.
CREATE TABLE notification_channels (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  target TEXT NOT NULL,
  events TEXT NOT NULL,
  enabled BOOLEAN NOT NULL,
  settings BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX notification_channels_organization ON notification_channels (organization_id, id);

-- Messages and their delivery. message_id stays the same when a message is sent again.
CREATE TABLE deliveries (
  id BIGSERIAL PRIMARY KEY,
  webhook_id BIGINT REFERENCES deployment_webhooks (id) ON DELETE CASCADE,
  channel_id BIGINT REFERENCES notification_channels (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  event TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  status_code BIGINT,
  response TEXT NOT NULL,
  failure TEXT NOT NULL,
  next_at BIGINT,
  ended_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_channel ON deliveries (channel_id, id);
CREATE INDEX deliveries_due ON deliveries (next_at);

-- Unreachable servers, since when, and whether that was reported.
CREATE TABLE unreachable_servers (
  server_id BIGINT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
  since BIGINT NOT NULL,
  told BOOLEAN NOT NULL
);

-- +goose Down
DROP TABLE unreachable_servers;
DROP TABLE deliveries;
DROP TABLE notification_channels;
DROP TABLE deployment_webhooks;
