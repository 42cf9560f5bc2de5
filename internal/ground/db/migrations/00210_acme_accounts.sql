-- +goose Up

-- The account that all organizations shared: kept until the authority has deactivated it.
ALTER TABLE acme_accounts RENAME TO shared_acme_accounts;

-- The account of each organization at each certificate authority.
CREATE TABLE organization_acme_accounts (
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  directory TEXT NOT NULL,
  private_key BYTEA NOT NULL,
  location TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (organization_id, directory)
);

-- The authorizations that an authority may have for an organization, each with the order that opened it, until they are deactivated.
CREATE TABLE acme_authorizations (
  location TEXT PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  directory TEXT NOT NULL,
  opener TEXT NOT NULL,
  domain_id BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX acme_authorizations_created ON acme_authorizations (directory, created_at);
CREATE INDEX acme_authorizations_organization ON acme_authorizations (organization_id);

-- +goose Down
DROP TABLE acme_authorizations;
DROP TABLE organization_acme_accounts;
ALTER TABLE shared_acme_accounts RENAME TO acme_accounts;
