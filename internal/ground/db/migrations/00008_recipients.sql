-- +goose Up
-- Addresses that are not those of members, and that an organization wants to notify. Mail goes to one only once its owner has confirmed it by a link.
CREATE TABLE recipients (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  email TEXT NOT NULL, -- in lower case
  token_hash TEXT NOT NULL,
  asked_at BIGINT NOT NULL,
  confirmed_at BIGINT,
  UNIQUE (organization_id, email)
);
CREATE INDEX recipients_token ON recipients (token_hash);
-- Those that have been notified so far still are.
INSERT INTO recipients (organization_id, email, token_hash, asked_at, confirmed_at)
SELECT organization_id, email, '', 0, MAX(created_at) FROM (
  SELECT s.organization_id, LOWER(m.notify) AS email, m.created_at FROM monitors m JOIN servers s ON s.id = m.server_id
  UNION ALL SELECT organization_id, LOWER(notify_email), created_at FROM backup_configurations WHERE notify_email <> ''
  UNION ALL SELECT organization_id, LOWER(target), created_at FROM notification_channels WHERE type = 'mail'
) AS addresses WHERE email <> '' GROUP BY organization_id, email;

-- +goose Down
DROP TABLE recipients;
