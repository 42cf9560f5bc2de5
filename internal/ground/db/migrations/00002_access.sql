-- +goose Up

-- The predefined roles are rows as well, so that a custom role never gets one of their ids. The code defines their permissions.
CREATE TABLE roles (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (organization_id, name)
);
INSERT INTO roles (name, created_at, updated_at) VALUES ('Owner', 0, 0);
INSERT INTO roles (name, created_at, updated_at) VALUES ('Admin', 0, 0);
INSERT INTO roles (name, created_at, updated_at) VALUES ('Manager', 0, 0);
INSERT INTO roles (name, created_at, updated_at) VALUES ('Developer', 0, 0);
INSERT INTO roles (name, created_at, updated_at) VALUES ('Viewer', 0, 0);

CREATE TABLE role_permissions (
  role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  permission TEXT NOT NULL,
  PRIMARY KEY (role_id, permission)
);

CREATE TABLE teams (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (organization_id, name)
);

-- Members of a team also have a row in memberships, with role 0 for people who are in the organization only through teams.
CREATE TABLE team_members (
  id BIGSERIAL PRIMARY KEY,
  team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role_id BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (team_id, user_id)
);
CREATE INDEX team_members_user ON team_members (user_id);

CREATE TABLE team_servers (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, team_id)
);
CREATE INDEX team_servers_team ON team_servers (team_id);

-- Invitations to a team, or to the organization if team_id is null. Only the mail contains the token.
CREATE TABLE invitations (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  team_id BIGINT REFERENCES teams (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  role_id BIGINT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  invited_by BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  accepted_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX invitations_organization ON invitations (organization_id, id);

-- Accounts at server providers. The secret is sealed and never returned.
CREATE TABLE server_credentials (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  secret BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX server_credentials_organization ON server_credentials (organization_id, id);

CREATE TABLE team_credentials (
  credential_id BIGINT NOT NULL REFERENCES server_credentials (id) ON DELETE CASCADE,
  team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  PRIMARY KEY (credential_id, team_id)
);
CREATE INDEX team_credentials_team ON team_credentials (team_id);

-- Queued mail. Its text is sealed because it contains links that grant access.
CREATE TABLE mails (
  id BIGSERIAL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  sealed BYTEA NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX mails_next ON mails (next_at);

ALTER TABLE users ADD COLUMN email_verified_at BIGINT;
UPDATE users SET email_verified_at = created_at;

-- The organizations that a token is valid for: a JSON list of ids, null for all. The prefix lets a person recognize it.
ALTER TABLE tokens ADD COLUMN organizations TEXT;
ALTER TABLE tokens ADD COLUMN prefix TEXT;

CREATE TABLE sessions (
  id BIGSERIAL PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);

-- Mailed links: to verify an address, and to set a new password.
CREATE TABLE email_tokens (
  id BIGSERIAL PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX email_tokens_user ON email_tokens (user_id);

-- The second factor. last_step is the newest code that was used: none works twice.
CREATE TABLE two_factors (
  user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret BYTEA NOT NULL,
  last_step BIGINT NOT NULL,
  confirmed_at BIGINT,
  created_at BIGINT NOT NULL
);

CREATE TABLE recovery_codes (
  id BIGSERIAL PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (user_id, hash)
);

-- Failures, counted by a digest of the account and the address.
CREATE TABLE throttles (
  name TEXT PRIMARY KEY,
  failures BIGINT NOT NULL,
  since BIGINT NOT NULL
);
CREATE INDEX throttles_since ON throttles (since);

-- Programs that people authorized. The one without an organization is our own command line.
CREATE TABLE oauth_clients (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  secret_hash TEXT,
  redirect_uris TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX oauth_clients_organization ON oauth_clients (organization_id, id);
INSERT INTO oauth_clients (client_id, name, redirect_uris, scopes, created_at, updated_at) VALUES ('hostler-cli', 'Hostler command line', '[]', '*', 0, 0);

-- What a person allowed a program. Everything issued under it ends with it.
CREATE TABLE oauth_grants (
  id BIGSERIAL PRIMARY KEY,
  client_id BIGINT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  scopes TEXT NOT NULL,
  code_hash TEXT UNIQUE,
  code_challenge TEXT,
  redirect_uri TEXT,
  code_expires_at BIGINT,
  code_used_at BIGINT,
  revoked_at BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id, id);
CREATE INDEX oauth_grants_client ON oauth_grants (client_id);

CREATE TABLE oauth_tokens (
  id BIGSERIAL PRIMARY KEY,
  grant_id BIGINT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_expires ON oauth_tokens (expires_at);

CREATE TABLE oauth_devices (
  id BIGSERIAL PRIMARY KEY,
  client_id BIGINT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  device_hash TEXT NOT NULL UNIQUE,
  user_code TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  state TEXT NOT NULL,
  user_id BIGINT,
  polled_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);

-- The audit log. Rows are only ever added; there are no foreign keys, so that entries outlive their subjects.
CREATE TABLE audit_entries (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT,
  user_id BIGINT,
  caller TEXT NOT NULL,
  address TEXT NOT NULL,
  operation TEXT NOT NULL,
  path TEXT NOT NULL,
  status BIGINT NOT NULL,
  message TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  was TEXT,
  became TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX audit_entries_organization ON audit_entries (organization_id, id);
CREATE INDEX audit_entries_user ON audit_entries (user_id, id);

-- +goose Down
DROP TABLE audit_entries;
DROP TABLE oauth_devices;
DROP TABLE oauth_tokens;
DROP TABLE oauth_grants;
DROP TABLE oauth_clients;
DROP TABLE throttles;
DROP TABLE recovery_codes;
DROP TABLE two_factors;
DROP TABLE email_tokens;
DROP TABLE sessions;
ALTER TABLE tokens DROP COLUMN prefix;
ALTER TABLE tokens DROP COLUMN organizations;
ALTER TABLE users DROP COLUMN email_verified_at;
DROP TABLE mails;
DROP TABLE team_credentials;
DROP TABLE server_credentials;
DROP TABLE invitations;
DROP TABLE team_servers;
DROP TABLE team_members;
DROP TABLE teams;
DROP TABLE role_permissions;
DROP TABLE roles;
