-- +goose Up

-- The domains whose addresses Hostler keeps at a DNS provider. asked is what the newest work asks for, as JSON: it is not begun a second time for the same.
-- seen is what was found at the provider and outside, as JSON.
CREATE TABLE domain_dns (
  domain_id BIGINT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  dns_provider_id BIGINT NOT NULL REFERENCES dns_providers (id),
  status TEXT NOT NULL,
  asked TEXT NOT NULL,
  seen TEXT NOT NULL,
  look_at BIGINT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX domain_dns_provider ON domain_dns (dns_provider_id);
CREATE INDEX domain_dns_look ON domain_dns (look_at);

-- The records that Hostler made. Each name and type is one domain's at a time. Those without a domain are left to be removed: it was deleted. remote_id is
-- the provider's id of the record, '' until the provider has answered, and where it has none.
CREATE TABLE dns_records (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  dns_provider_id BIGINT NOT NULL REFERENCES dns_providers (id) ON DELETE CASCADE,
  domain_id BIGINT REFERENCES domains (id) ON DELETE SET NULL,
  zone_id TEXT NOT NULL,
  zone TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  value TEXT NOT NULL,
  remote_id TEXT NOT NULL,
  failures BIGINT NOT NULL DEFAULT 0,
  failure TEXT NOT NULL DEFAULT '',
  retry_at BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (organization_id, name, type)
);
CREATE INDEX dns_records_domain ON dns_records (domain_id);
CREATE INDEX dns_records_provider ON dns_records (dns_provider_id);
CREATE INDEX dns_records_left ON dns_records (retry_at) WHERE domain_id IS NULL;

-- +goose Down
DROP TABLE dns_records;
DROP TABLE domain_dns;
