-- +goose Up

-- The site of the work, beside the resource: a site's vhosts are planned together.
ALTER TABLE operations ADD COLUMN site_id BIGINT;

-- Sources and targets in the syntax of nginx's rewrite; positions order the rules of a site and may have gaps.
CREATE TABLE redirect_rules (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  type TEXT NOT NULL,
  position BIGINT NOT NULL,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX redirect_rules_site ON redirect_rules (site_id, position);
CREATE INDEX redirect_rules_operation ON redirect_rules (operation_id);

-- Credentials are names with bcrypt hashes, sealed.
CREATE TABLE security_rules (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  path TEXT,
  credentials BYTEA NOT NULL,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX security_rules_site ON security_rules (site_id, id);

-- +goose Down
DROP TABLE security_rules;
DROP TABLE redirect_rules;
ALTER TABLE operations DROP COLUMN site_id;
