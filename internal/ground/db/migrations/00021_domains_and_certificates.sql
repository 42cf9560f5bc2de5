-- +goose Up

-- The directory of a site below its user's home, if the site has been renamed; empty: its name.
ALTER TABLE sites ADD COLUMN directory TEXT NOT NULL DEFAULT '';

-- Every domain has its own vhost. The first one of a site keeps the site's original vhost, even when another becomes primary.
-- challenge is the label that dns-01 challenges are delegated to. nginx is a user's configuration, nginx_base the version of ours
-- that it is based on.
CREATE TABLE domains (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  www_redirect_type TEXT NOT NULL,
  wildcard BOOLEAN NOT NULL,
  first BOOLEAN NOT NULL,
  challenge TEXT NOT NULL,
  certificate_id BIGINT,
  nginx TEXT,
  nginx_base TEXT,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (site_id, name)
);
INSERT INTO domains (site_id, name, type, status, www_redirect_type, wildcard, first, challenge, created_at, updated_at)
SELECT id, name, 'primary', 'enabled', www_redirect_type, wildcards, TRUE, '', created_at, updated_at FROM sites;

ALTER TABLE site_names ADD COLUMN domain_id BIGINT REFERENCES domains (id) ON DELETE CASCADE;
UPDATE site_names SET domain_id = (SELECT d.id FROM domains d WHERE d.site_id = site_names.site_id);
CREATE INDEX site_names_domain ON site_names (domain_id);

-- names are those in the certificate, separated by commas. next_… contains a renewed certificate until the host has it. Keys are sealed.
CREATE TABLE certificates (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  domain_id BIGINT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  verification_method TEXT,
  key_type TEXT,
  preferred_chain TEXT,
  request_status TEXT NOT NULL,
  status TEXT NOT NULL,
  enable BOOLEAN NOT NULL,
  names TEXT NOT NULL,
  chain TEXT,
  private_key BYTEA,
  next_chain TEXT,
  next_private_key BYTEA,
  csr TEXT,
  expires_at BIGINT,
  renew_at BIGINT,
  failure TEXT NOT NULL,
  failures BIGINT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX certificates_domain ON certificates (domain_id, id);
CREATE INDEX certificates_site ON certificates (site_id, id);
CREATE INDEX certificates_renew ON certificates (renew_at);

-- Our account at each certificate authority.
CREATE TABLE acme_accounts (
  directory TEXT PRIMARY KEY,
  private_key BYTEA NOT NULL,
  location TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE nginx_templates (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX nginx_templates_server ON nginx_templates (server_id, id);

-- +goose Down
DROP TABLE nginx_templates;
DROP TABLE acme_accounts;
DROP TABLE certificates;
ALTER TABLE site_names DROP COLUMN domain_id;
DROP TABLE domains;
ALTER TABLE sites DROP COLUMN directory;
