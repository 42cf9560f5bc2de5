-- +goose Up

-- Where dns-01 challenges are published. nameserver, key_name and algorithm are those of dynamic updates, empty for other
-- providers. secret is sealed.
CREATE TABLE dns_providers (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  nameserver TEXT NOT NULL,
  key_name TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  secret BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX dns_providers_organization ON dns_providers (organization_id, id);

-- ask_at is when the authority is next asked whether it wants a certificate renewed; NULL: now.
ALTER TABLE certificates ADD COLUMN dns_provider_id BIGINT;
ALTER TABLE certificates ADD COLUMN ask_at BIGINT;
CREATE INDEX certificates_dns_provider ON certificates (dns_provider_id);

-- +goose Down
DROP INDEX certificates_dns_provider;
ALTER TABLE certificates DROP COLUMN ask_at;
ALTER TABLE certificates DROP COLUMN dns_provider_id;
DROP TABLE dns_providers;
