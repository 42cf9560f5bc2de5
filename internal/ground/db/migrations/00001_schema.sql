-- +goose Up

-- Written for PostgreSQL; on SQLite "BIGSERIAL PRIMARY KEY" becomes "INTEGER PRIMARY KEY AUTOINCREMENT" (ids are never reused)
-- and BYTEA becomes BLOB. Times are microseconds since the epoch, UTC. Sealed columns contain ciphertext bound to table, row and
-- column.
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE users (
  id BIGSERIAL PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  email_verified_at BIGINT
);

CREATE TABLE organizations (
  id BIGSERIAL PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  timezone TEXT NOT NULL DEFAULT 'UTC',
  rate_limit BIGINT,
  -- How many days an organization keeps its rows, NULL for as long as the installation does.
  keep_events_days BIGINT,
  keep_output_days BIGINT,
  keep_audit_days BIGINT,
  keep_deliveries_days BIGINT
);

CREATE TABLE memberships (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role_id BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (organization_id, user_id)
);
CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE tokens (
  id BIGSERIAL PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT,
  created_at BIGINT NOT NULL,
  -- The organizations that a token is valid for: a JSON list of ids, null for all. The prefix lets a person recognize it.
  organizations TEXT,
  prefix TEXT,
  -- Requests per minute, null for the installation's limit.
  rate_limit BIGINT
);
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE idempotency_keys (
  id BIGSERIAL PRIMARY KEY,
  caller TEXT NOT NULL,
  route TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  status BIGINT NOT NULL,
  response BYTEA,
  created_at BIGINT NOT NULL,
  UNIQUE (caller, route, idempotency_key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

CREATE TABLE servers (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  type TEXT NOT NULL,
  provider TEXT NOT NULL,
  credential_id BIGINT,
  identifier TEXT,
  size TEXT NOT NULL,
  region TEXT NOT NULL,
  status TEXT NOT NULL,
  ubuntu_version TEXT,
  ssh_port BIGINT NOT NULL,
  ssh_user TEXT NOT NULL,
  ip_address TEXT,
  private_ip_address TEXT,
  behind_nat BOOLEAN NOT NULL,
  nat_ssh_port BIGINT,
  timezone TEXT NOT NULL,
  php_version TEXT,
  php_cli_version TEXT,
  opcache_status TEXT,
  database_type TEXT,
  db_status TEXT,
  redis_status TEXT,
  connection_status TEXT,
  is_ready BOOLEAN NOT NULL,
  revoked BOOLEAN NOT NULL,
  public_key TEXT NOT NULL,
  private_key BYTEA NOT NULL,
  bootstrap_secret BYTEA,
  host_keys TEXT NOT NULL,
  facts TEXT NOT NULL,
  control_addresses TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- The key that replaces a connected server's key once a login with it has worked.
  next_public_key TEXT NOT NULL DEFAULT '',
  next_private_key BYTEA,
  -- Whether another manager's firewall rules are taken over when the server is set up.
  take_over BOOLEAN NOT NULL DEFAULT FALSE,
  -- What a host last reported, as far as lists need it: the size of its disk and its free space, in bytes, and whether updates wait for a reboot.
  disk_bytes BIGINT NOT NULL DEFAULT 0,
  disk_free_bytes BIGINT NOT NULL DEFAULT 0,
  reboot_needed BOOLEAN NOT NULL DEFAULT FALSE,
  -- Services that were started before their settings were written, separated by commas, as the server last reported.
  stale_services TEXT NOT NULL DEFAULT '',
  -- When the line to paste on a new server was made: it works for a week from then. And servers are found by their address.
  line_at BIGINT NOT NULL DEFAULT 0,
  -- Own files that were changed by hand on the host, one a line, as it said when it was last looked at. memory names what the agent remembers there;
  -- memory_lost_at is when another name was found, until the server is repaired.
  edited_files TEXT NOT NULL DEFAULT '',
  memory TEXT NOT NULL DEFAULT '',
  memory_lost_at BIGINT,
  -- An archived server is one with revoked set: Hostler has no key to it. former_host_keys are those that it had, so that no other machine takes its place.
  former_host_keys TEXT NOT NULL DEFAULT ''
);
CREATE INDEX servers_organization ON servers (organization_id, id);
CREATE INDEX servers_ip_address ON servers (ip_address);

CREATE TABLE tags (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (organization_id, name)
);

CREATE TABLE server_tags (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  tag_id BIGINT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, tag_id)
);

CREATE TABLE firewall_rules (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  port TEXT,
  type TEXT NOT NULL,
  ip_address TEXT,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX firewall_rules_server ON firewall_rules (server_id, id);

-- Events on hosts. The output is stored as it arrives, so that it can be followed from any point.
CREATE TABLE events (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  server_id BIGINT,
  site_id BIGINT,
  initiator_id BIGINT,
  description TEXT NOT NULL,
  ran_as TEXT,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX events_organization ON events (organization_id, id);
CREATE INDEX events_server ON events (server_id, id);
-- Unbounded histories are read newest first: without these indexes, each page sorts the whole history.
CREATE INDEX events_organization_created ON events (organization_id, created_at, id);
CREATE INDEX events_server_created ON events (server_id, created_at, id);
-- The events of a site, newest first, a page at a time.
CREATE INDEX events_site_created ON events (site_id, created_at, id);

CREATE TABLE event_outputs (
  id BIGSERIAL PRIMARY KEY,
  event_id BIGINT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  kind TEXT NOT NULL,
  step TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (event_id, seq)
);

-- Accepted work and its state: the block meta.operation of a resource.
CREATE TABLE operations (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL,
  aspect TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id BIGINT NOT NULL,
  action TEXT NOT NULL,
  description TEXT NOT NULL,
  request TEXT NOT NULL,
  state TEXT NOT NULL,
  step TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  cancelled BOOLEAN NOT NULL,
  deadline BIGINT NOT NULL,
  event_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  finished_at BIGINT,
  -- The site of the work, beside the resource: a site's vhosts are planned together.
  site_id BIGINT,
  -- The permissions that the starting call needed, separated by commas; empty for work that the service started and for older rows.
  needs TEXT NOT NULL DEFAULT '',
  -- Whether a run of the work printed other programs' text: from people's scripts, or from programs that read a tenant's files and
  -- dumps. Reading such output requires the permissions of the work.
  prints BOOLEAN NOT NULL DEFAULT FALSE,
  -- Who requested the work, or retried it; NULL for work that the service started.
  asked_by BIGINT,
  -- What the platform knew of kinds of work by their names, each operation says itself: whether its work stays when it ends early, and which permissions
  -- work needs that the service began.
  lasting BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX operations_pending ON operations (server_id, aspect, state);
CREATE INDEX operations_resource ON operations (resource_type, resource_id);
CREATE INDEX operations_deadline ON operations (state, deadline);

-- A run on a host, recorded before it starts: after a crash the same run is attached to, and a second one is never started.
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  server_id BIGINT NOT NULL,
  aspect TEXT NOT NULL,
  operations TEXT NOT NULL,
  run BYTEA NOT NULL,
  confirm TEXT NOT NULL,
  state TEXT NOT NULL,
  last_seq BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  -- Whether the host may have received the run. An attempt that was sent and has no known outcome is in doubt until the host answers.
  sent BOOLEAN NOT NULL DEFAULT TRUE,
  -- The name by which a stage is found after a crash.
  stage_name TEXT NOT NULL DEFAULT ''
);
CREATE INDEX runs_open ON runs (server_id, aspect, state);

-- The right to change a server. The number of a lane only grows, and the host refuses one lower than it has seen.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  fence BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- Who gave the lane up last because the host could not be reached, and when, in microseconds: it leaves the lane to others for a while.
  avoided TEXT NOT NULL DEFAULT '',
  handed_at BIGINT NOT NULL DEFAULT 0
);

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
  updated_at BIGINT NOT NULL,
  -- The token or the program's authorization with which an invitation was sent: revoking that withdraws the invitation.
  token_id BIGINT,
  grant_id BIGINT
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
  created_at BIGINT NOT NULL,
  -- Whose mail it is, 0 for no organization. A mail that could not be sent is kept for a few days without its text: ended_at is when it was given up, failure the cause.
  organization_id BIGINT NOT NULL DEFAULT 0,
  subject TEXT NOT NULL DEFAULT '',
  failure TEXT NOT NULL DEFAULT '',
  ended_at BIGINT NULL
);
CREATE INDEX mails_next ON mails (next_at);
CREATE INDEX mails_organization ON mails (organization_id, ended_at);

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
CREATE INDEX audit_entries_organization_created ON audit_entries (organization_id, created_at, id);
CREATE INDEX audit_entries_user_created ON audit_entries (user_id, created_at, id);

-- Our account at each certificate authority.
CREATE TABLE shared_acme_accounts (
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

-- A database on a server's engine. adopted: it was found there, not created here, so it never gets another owner. present: it
-- existed once, so it is ours to drop; one that could not be created may share its name with a database of another origin.
CREATE TABLE databases (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  adopted BOOLEAN NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (server_id, name)
);

-- An account of the engine. main: the sites' account, with access to every database. host is where MariaDB and MySQL accept it
-- from. password is sealed, and null for an adopted account.
CREATE TABLE database_users (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  status TEXT NOT NULL,
  read_only BOOLEAN NOT NULL,
  main BOOLEAN NOT NULL,
  adopted BOOLEAN NOT NULL,
  password BYTEA,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (server_id, name)
);

CREATE TABLE sites (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id),
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  unix_user TEXT NOT NULL,
  isolated BOOLEAN NOT NULL,
  web_directory TEXT NOT NULL,
  root_directory TEXT,
  php_version TEXT NOT NULL,
  wildcards BOOLEAN NOT NULL,
  www_redirect_type TEXT NOT NULL,
  balancer_method TEXT,
  balancer_keepalive BIGINT,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- The directory of a site below its user's home, if the site has been renamed; empty: its name.
  directory TEXT NOT NULL DEFAULT '',
  -- A site that is served by its own program has two ports on its server, used alternately: while one release is live on one, the
  -- next is started on the other.
  port BIGINT,
  spare_port BIGINT,
  -- The database that a site was created with, and the account that it signs in with.
  database_id BIGINT REFERENCES databases (id) ON DELETE SET NULL,
  database_user_id BIGINT REFERENCES database_users (id) ON DELETE SET NULL,
  -- Whether a site's host has what closes its account off from others: its home, and for an isolated site its own PHP master. 0: it
  -- predates that; 1: a change that adds it was begun; 2: it is in place.
  enclosed BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX sites_server ON sites (server_id, id);
CREATE INDEX sites_organization ON sites (organization_id, id);
-- An organization's sites can be sorted, a page at a time.
CREATE INDEX sites_organization_name ON sites (organization_id, name, id);
CREATE INDEX sites_organization_created ON sites (organization_id, created_at, id);

CREATE TABLE site_tags (
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  tag_id BIGINT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (site_id, tag_id)
);

CREATE TABLE load_balancing_nodes (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id),
  port BIGINT NOT NULL,
  weight BIGINT NOT NULL,
  backup BOOLEAN NOT NULL,
  down BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (site_id, server_id, port)
);
CREATE INDEX load_balancing_nodes_server ON load_balancing_nodes (server_id);

-- The source of a site's code and how it is deployed: one row per site. host_keys are those that the Git server presented first,
-- in the format of known_hosts; a different key fails every deployment.
CREATE TABLE projects (
  site_id BIGINT PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  provider_id BIGINT,
  repository TEXT NOT NULL,
  url TEXT NOT NULL,
  branch TEXT NOT NULL,
  public_key TEXT,
  private_key BYTEA,
  host_keys TEXT NOT NULL,
  zero_downtime BOOLEAN NOT NULL,
  retention BIGINT NOT NULL,
  script TEXT NOT NULL,
  auto_source BOOLEAN NOT NULL,
  push_to_deploy BOOLEAN NOT NULL,
  hook_hash TEXT NOT NULL UNIQUE,
  hook_token BYTEA NOT NULL,
  shared_paths TEXT NOT NULL,
  time_limit BIGINT NOT NULL,
  healthcheck_url TEXT,
  package_manager TEXT NOT NULL,
  build_command TEXT NOT NULL,
  composer BOOLEAN NOT NULL,
  port BIGINT,
  releases TEXT NOT NULL,
  live_release TEXT NOT NULL,
  deployment_status TEXT NOT NULL,
  latest_deployment_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- The deploy script before the site was switched to or from releases, and the script that the switch wrote. A script that is
  -- still the latter is restored when the site is switched back.
  script_before TEXT NOT NULL DEFAULT '',
  script_switched TEXT NOT NULL DEFAULT '',
  -- The newest deployment of a site that succeeded: what it serves, whatever was tried since.
  live_deployment_id BIGINT
);

CREATE TABLE deployments (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  initiator_id BIGINT,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  commit_hash TEXT,
  commit_author TEXT,
  commit_message TEXT,
  commit_branch TEXT,
  release_name TEXT NOT NULL,
  target_release TEXT NOT NULL,
  target_commit TEXT NOT NULL,
  operation_id BIGINT,
  started_at BIGINT,
  ended_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  hook_variables BYTEA
);
CREATE INDEX deployments_site ON deployments (site_id, id);
CREATE INDEX deployments_server ON deployments (server_id, id);
CREATE INDEX deployments_site_created ON deployments (site_id, created_at, id);
CREATE INDEX deployments_server_created ON deployments (server_id, created_at, id);

-- All versions of the .env files of sites, sealed, newest last.
CREATE TABLE environments (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id BIGINT,
  content BYTEA NOT NULL,
  encryption_key BYTEA,
  cache BOOLEAN NOT NULL,
  queues BOOLEAN NOT NULL,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX environments_site ON environments (site_id, id);

CREATE TABLE commands (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL,
  command TEXT NOT NULL,
  status TEXT NOT NULL,
  exit_code BIGINT,
  error_output TEXT,
  operation_id BIGINT,
  started_at BIGINT,
  ended_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX commands_site ON commands (site_id, id);
CREATE INDEX commands_site_created ON commands (site_id, created_at, id);

-- Accepted pushes, by the hash of their content: a repeated one changes nothing.
CREATE TABLE pushes (
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (site_id, hash)
);

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
  -- The rule for a user's configuration: "judged" is checked against what one site can contain; "root" was written by a caller who
  -- can act as root on the server; "kept" predates the checks, and is served as it is. nginx_refused is why a kept one would be
  -- refused, '' if it would pass, NULL until it was checked.
  nginx_rule TEXT NOT NULL DEFAULT 'judged',
  nginx_refused TEXT,
  UNIQUE (site_id, name)
);

-- Every name of a site, unique per server: nginx only warns of an overlap, so the database refuses it.
CREATE TABLE site_names (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  domain_id BIGINT REFERENCES domains (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, name)
);
CREATE INDEX site_names_site ON site_names (site_id);
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
  updated_at BIGINT NOT NULL,
  -- ask_at is when the authority is next asked whether it wants a certificate renewed; NULL: now.
  dns_provider_id BIGINT,
  ask_at BIGINT
);
CREATE INDEX certificates_domain ON certificates (domain_id, id);
CREATE INDEX certificates_site ON certificates (site_id, id);
CREATE INDEX certificates_renew ON certificates (renew_at);
CREATE INDEX certificates_dns_provider ON certificates (dns_provider_id);

-- The databases that an account has access to; the main one has access to all and no rows.
CREATE TABLE database_grants (
  user_id BIGINT NOT NULL REFERENCES database_users (id) ON DELETE CASCADE,
  database_id BIGINT NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, database_id)
);
CREATE INDEX database_grants_database ON database_grants (database_id);

CREATE TABLE storage_providers (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  region TEXT,
  bucket TEXT,
  directory TEXT,
  endpoint TEXT,
  assume_role BOOLEAN NOT NULL,
  secret BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- The host key that an SFTP storage must present, in the format of known_hosts.
  host_key TEXT
);
CREATE INDEX storage_providers_organization ON storage_providers (organization_id, id);

-- The key that archives of an organization are encrypted to (age, X25519). It outlives configurations, as their archives do.
CREATE TABLE backup_keys (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  recipient TEXT NOT NULL,
  identity BYTEA NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX backup_keys_organization ON backup_keys (organization_id, id);

CREATE TABLE backup_configurations (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  storage_provider_id BIGINT NOT NULL REFERENCES storage_providers (id),
  name TEXT NOT NULL,
  bucket TEXT,
  directory TEXT,
  frequency TEXT NOT NULL,
  day BIGINT,
  time_of_day TEXT,
  cron TEXT,
  include_new_databases BOOLEAN NOT NULL,
  site_id BIGINT REFERENCES sites (id) ON DELETE SET NULL,
  paths TEXT NOT NULL,
  retention BIGINT NOT NULL,
  notify_email TEXT,
  status TEXT NOT NULL,
  next_run_at BIGINT NOT NULL,
  verify_every_days BIGINT NOT NULL,
  verify_at BIGINT,
  verified_at BIGINT,
  verified_backup_id BIGINT,
  verify_status TEXT,
  verify_reason TEXT,
  alarm TEXT,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX backup_configurations_server ON backup_configurations (server_id, id);
CREATE INDEX backup_configurations_storage ON backup_configurations (storage_provider_id);
CREATE INDEX backup_configurations_due ON backup_configurations (next_run_at);

-- The databases of a configuration. Their table belongs to another feature, so the ids have no foreign key and are looked up when used.
CREATE TABLE backup_databases (
  configuration_id BIGINT NOT NULL REFERENCES backup_configurations (id) ON DELETE CASCADE,
  database_id BIGINT NOT NULL,
  PRIMARY KEY (configuration_id, database_id)
);

-- One run of a configuration. base is the prefix of its objects in the bucket; storage and key are recorded so that they can be
-- read after the configuration changes. safety is set for what was dumped before a restore replaced it: it is not a whole backup.
CREATE TABLE backups (
  id BIGSERIAL PRIMARY KEY,
  configuration_id BIGINT NOT NULL REFERENCES backup_configurations (id) ON DELETE CASCADE,
  storage_provider_id BIGINT NOT NULL,
  key_id BIGINT NOT NULL REFERENCES backup_keys (id),
  bucket TEXT NOT NULL,
  base TEXT NOT NULL,
  status TEXT NOT NULL,
  is_partial BOOLEAN NOT NULL,
  safety BOOLEAN NOT NULL,
  size BIGINT NOT NULL,
  reason TEXT,
  operation_id BIGINT,
  verified_at BIGINT,
  verify_status TEXT,
  verify_reason TEXT,
  finished_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX backups_configuration ON backups (configuration_id, id);
CREATE INDEX backups_configuration_created ON backups (configuration_id, created_at, id);

-- One object of a backup: a database, or the files of a site. report is what the host measured (checksum, sizes, rows of tables).
CREATE TABLE backup_items (
  id BIGSERIAL PRIMARY KEY,
  backup_id BIGINT NOT NULL REFERENCES backups (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  database_id BIGINT,
  name TEXT NOT NULL,
  engine TEXT NOT NULL,
  object TEXT NOT NULL,
  upload_id TEXT,
  parts BIGINT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  size BIGINT NOT NULL,
  checksum TEXT,
  file_key BYTEA,
  report TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- The part size of an item's upload, planned from the size that its host measured.
  part_size BIGINT NOT NULL DEFAULT 6291456
);
CREATE INDEX backup_items_backup ON backup_items (backup_id, id);

CREATE TABLE backup_restores (
  id BIGSERIAL PRIMARY KEY,
  backup_id BIGINT NOT NULL REFERENCES backups (id) ON DELETE CASCADE,
  item_id BIGINT NOT NULL REFERENCES backup_items (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  database_id BIGINT,
  target TEXT NOT NULL,
  scratch TEXT NOT NULL,
  safety_backup_id BIGINT,
  files_item_id BIGINT,
  site_id BIGINT,
  status TEXT NOT NULL,
  reason TEXT,
  report TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX backup_restores_backup ON backup_restores (backup_id, id);

-- Scripts of an organization that run on its servers.
CREATE TABLE recipes (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  run_as TEXT NOT NULL,
  script TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX recipes_organization ON recipes (organization_id, id);

CREATE TABLE team_recipes (
  recipe_id BIGINT NOT NULL REFERENCES recipes (id) ON DELETE CASCADE,
  team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  PRIMARY KEY (recipe_id, team_id)
);
CREATE INDEX team_recipes_team ON team_recipes (team_id);

CREATE TABLE site_ports (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  port BIGINT NOT NULL,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, port)
);
CREATE INDEX site_ports_site ON site_ports (site_id);

-- Receivers of the results of a site's deployments. The secret signs messages, and is sealed.
CREATE TABLE deployment_webhooks (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  secret BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  origin TEXT NOT NULL DEFAULT '',
  address BYTEA
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
CREATE INDEX deliveries_webhook_created ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_channel_created ON deliveries (channel_id, created_at, id);

-- Unreachable servers, since when, and whether that was reported.
CREATE TABLE unreachable_servers (
  server_id BIGINT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
  since BIGINT NOT NULL,
  told BOOLEAN NOT NULL
);

-- Accounts at source control providers. The token is sealed. url is the address of a self-hosted GitLab; clone_host is where its
-- repositories are cloned from over SSH, with a port other than 22 appended. username is set for tokens that are used as a
-- password.
CREATE TABLE source_control_providers (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  url TEXT,
  clone_host TEXT,
  username TEXT,
  token BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX source_control_providers_organization ON source_control_providers (organization_id, id);

-- What was set up at a provider for a site: its deploy key and its webhook. It outlives the site, so that both can be removed.
-- The remaining columns compare that with what the site wants: each wish raises generation, and busy_until is the lease of the
-- job that talks to the provider.
CREATE TABLE source_control_links (
  site_id BIGINT PRIMARY KEY,
  provider_id BIGINT NOT NULL REFERENCES source_control_providers (id) ON DELETE CASCADE,
  repository TEXT NOT NULL,
  public_key TEXT NOT NULL,
  key_id TEXT NOT NULL,
  hook_hash TEXT NOT NULL,
  hook_id TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT,
  generation BIGINT NOT NULL,
  busy_until BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX source_control_links_provider ON source_control_links (provider_id);
CREATE INDEX source_control_links_due ON source_control_links (next_at);

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

-- Credentials of sites for package repositories: kind is composer or npm, name the host or the registry.
CREATE TABLE package_credentials (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  username TEXT NOT NULL,
  secret BYTEA NOT NULL,
  -- JSON: a list of npm scopes.
  scopes TEXT NOT NULL,
  removing BOOLEAN NOT NULL DEFAULT FALSE,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (site_id, kind, name)
);

-- Background processes, each as systemd units on its server.
CREATE TABLE background_processes (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  site_id BIGINT REFERENCES sites (id) ON DELETE CASCADE,
  -- The integration that it belongs to, empty if it was created directly.
  integration TEXT NOT NULL,
  name TEXT NOT NULL,
  command TEXT NOT NULL,
  unix_user TEXT NOT NULL,
  directory TEXT,
  processes BIGINT NOT NULL,
  startsecs BIGINT NOT NULL,
  stopwaitsecs BIGINT NOT NULL,
  stopsignal TEXT NOT NULL,
  stopped BOOLEAN NOT NULL DEFAULT FALSE,
  -- The open change, empty for none, and the last state seen on the server.
  status TEXT NOT NULL,
  observed TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX background_processes_server ON background_processes (server_id, id);
CREATE INDEX background_processes_site ON background_processes (site_id, id);

-- Scheduled commands, each with its own cron file.
CREATE TABLE scheduled_jobs (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  site_id BIGINT REFERENCES sites (id) ON DELETE CASCADE,
  integration TEXT NOT NULL,
  name TEXT,
  command TEXT NOT NULL,
  unix_user TEXT NOT NULL,
  frequency TEXT NOT NULL,
  cron TEXT NOT NULL,
  heartbeat_id BIGINT REFERENCES heartbeats (id) ON DELETE SET NULL,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX scheduled_jobs_server ON scheduled_jobs (server_id, id);
CREATE INDEX scheduled_jobs_site ON scheduled_jobs (site_id, id);

-- Framework features that a site has enabled: kind is horizon, octane and so on.
CREATE TABLE integrations (
  id BIGSERIAL PRIMARY KEY,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- JSON, as requested: port, host, connections, server.
  settings TEXT NOT NULL,
  -- The secret that bypasses a maintenance page, sealed.
  secret BYTEA,
  -- The open change, empty for none: enabling, disabling.
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (site_id, kind)
);

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

-- Runs of recipes, one for each server, with the script as it was then.
CREATE TABLE recipe_runs (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  user_id BIGINT,
  name TEXT NOT NULL,
  run_as TEXT NOT NULL,
  script TEXT NOT NULL,
  -- Whether the output is mailed to the user.
  email BOOLEAN NOT NULL,
  -- waiting, running, finished, failed
  status TEXT NOT NULL,
  operation_id BIGINT,
  started_at BIGINT,
  ended_at BIGINT,
  created_at BIGINT NOT NULL,
  -- A run is of an organization's recipe, or of one that comes with the program and has no row.
  recipe_id BIGINT REFERENCES recipes (id) ON DELETE CASCADE,
  shipped_recipe_id BIGINT
);
CREATE INDEX recipe_runs_server ON recipe_runs (server_id);
CREATE INDEX recipe_runs_recipe ON recipe_runs (recipe_id, id);
CREATE INDEX recipe_runs_recipe_created ON recipe_runs (recipe_id, created_at, id);
CREATE INDEX recipe_runs_shipped ON recipe_runs (shipped_recipe_id, id);
CREATE INDEX recipe_runs_shipped_created ON recipe_runs (shipped_recipe_id, created_at, id);

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

-- The accounts of isolated sites that Hostler created on servers. An account outlives its sites, and so does its row: it is how
-- Hostler knows that the account is its own. slot numbers the account's own resources on the server, the ports of its caches.
CREATE TABLE unix_accounts (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  slot BIGINT NOT NULL,
  -- Whether the account existed at the end of a change.
  made BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (server_id, name),
  UNIQUE (server_id, slot)
);

-- The users who saw the deploy hook of a site since it was created: it still works for them after they leave.
CREATE TABLE hook_readers (
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL,
  shown_at BIGINT NOT NULL,
  PRIMARY KEY (site_id, user_id)
);

-- What is applied on a host: the specification of the last successful operation on a resource.
CREATE TABLE applied (
  kind TEXT NOT NULL,
  id BIGINT NOT NULL,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  operation_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  specification TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX applied_server ON applied (server_id, kind, id);

-- What an operation asks for: a whole specification for each resource that it changes, or NULL for a removal.
CREATE TABLE wishes (
  operation_id BIGINT NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  specification TEXT,
  -- When the operation that a wish belongs to ended, NULL while it has not: a row is made of its open wishes and of the last that ended, and reads no others.
  ended_at BIGINT,
  PRIMARY KEY (operation_id, kind, id)
);
CREATE INDEX wishes_resource ON wishes (kind, id, operation_id);
CREATE INDEX wishes_open ON wishes (kind, id, operation_id) WHERE ended_at IS NULL;
CREATE INDEX wishes_ended ON wishes (kind, id, ended_at, operation_id) WHERE ended_at IS NOT NULL;

-- A public key that can log in to an account of a server. key is the type and the key itself, without options and comment.
CREATE TABLE ssh_keys (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  unix_user TEXT NOT NULL,
  key TEXT NOT NULL,
  status TEXT NOT NULL,
  created_by BIGINT REFERENCES users (id) ON DELETE SET NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- What an administrator allows a key, as in sshd(8), AUTHORIZED_KEYS FILE FORMAT; '' for everything.
  options TEXT NOT NULL DEFAULT ''
);
CREATE INDEX ssh_keys_server ON ssh_keys (server_id);

-- A version of PHP that a server has, or is to have. version is as packages write it ("8.4").
CREATE TABLE php_versions (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  version TEXT NOT NULL,
  status TEXT NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (server_id, version)
);

-- What servers at providers are ordered with. name is the server's at its provider: it belongs to one order, and the server is found by it. sent_at is when the
-- order was last sent, 0 before that and once its end is known. An order that failed is released: its server is destroyed, and it gets another name. cycled is
-- the operation that a server was last switched off and on for.
CREATE TABLE server_orders (
  server_id BIGINT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  specification TEXT NOT NULL,
  sent_at BIGINT NOT NULL,
  releasing BOOLEAN NOT NULL,
  cycled TEXT NOT NULL
);

-- What sites were asked, by the access logs on their server. Rows are like those of metrics.
CREATE TABLE site_metrics (
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  step BIGINT NOT NULL,
  starts_at BIGINT NOT NULL,
  packed BYTEA NOT NULL,
  PRIMARY KEY (site_id, step, starts_at)
);
CREATE INDEX site_metrics_server ON site_metrics (server_id, step, starts_at);

-- What servers measured. A row has the values of an hour by minutes (step 1), or of a day by half hours (step 30), packed as package metric says.
CREATE TABLE metrics (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  step BIGINT NOT NULL,
  starts_at BIGINT NOT NULL,
  packed BYTEA NOT NULL,
  PRIMARY KEY (server_id, step, starts_at)
);

-- The network of a server: it lets each of its peers in from their private address.
CREATE TABLE server_peers (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  peer_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, peer_id)
);
CREATE INDEX server_peers_peer ON server_peers (peer_id);

-- A monitor compares what a server measures of itself with a threshold, in percent. seen_at is when its host said that the newest change of its state was that
-- is recorded here; state_changed_at is the same, but never in the future.
CREATE TABLE monitors (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  operator TEXT NOT NULL,
  threshold DOUBLE PRECISION NOT NULL,
  minutes BIGINT,
  notify TEXT NOT NULL,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  state_changed_at BIGINT,
  seen_at BIGINT NOT NULL DEFAULT 0,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- A monitor of type url has what is asked, when it was asked last (0 for never), whether that failed, and how many times in succession it did, or did not.
  url TEXT NOT NULL DEFAULT '',
  asked_at BIGINT NOT NULL DEFAULT 0,
  failed BOOLEAN NOT NULL DEFAULT FALSE,
  in_succession BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX monitors_server ON monitors (server_id);
CREATE INDEX monitors_asked ON monitors (type, asked_at);


-- +goose Down
DROP TABLE monitors;
DROP TABLE server_peers;
DROP TABLE metrics;
DROP TABLE site_metrics;
DROP TABLE server_orders;
DROP TABLE php_versions;
DROP TABLE ssh_keys;
DROP TABLE wishes;
DROP TABLE applied;
DROP TABLE hook_readers;
DROP TABLE unix_accounts;
DROP TABLE acme_authorizations;
DROP TABLE organization_acme_accounts;
DROP TABLE recipe_runs;
DROP TABLE dns_providers;
DROP TABLE integrations;
DROP TABLE scheduled_jobs;
DROP TABLE background_processes;
DROP TABLE package_credentials;
DROP TABLE heartbeats;
DROP TABLE source_control_links;
DROP TABLE source_control_providers;
DROP TABLE unreachable_servers;
DROP TABLE deliveries;
DROP TABLE notification_channels;
DROP TABLE deployment_webhooks;
DROP TABLE site_ports;
DROP TABLE team_recipes;
DROP TABLE recipes;
DROP TABLE backup_restores;
DROP TABLE backup_items;
DROP TABLE backups;
DROP TABLE backup_databases;
DROP TABLE backup_configurations;
DROP TABLE backup_keys;
DROP TABLE storage_providers;
DROP TABLE database_grants;
DROP TABLE certificates;
DROP TABLE site_names;
DROP TABLE domains;
DROP TABLE security_rules;
DROP TABLE redirect_rules;
DROP TABLE pushes;
DROP TABLE commands;
DROP TABLE environments;
DROP TABLE deployments;
DROP TABLE projects;
DROP TABLE load_balancing_nodes;
DROP TABLE site_tags;
DROP TABLE sites;
DROP TABLE database_users;
DROP TABLE databases;
DROP TABLE nginx_templates;
DROP TABLE shared_acme_accounts;
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
DROP TABLE mails;
DROP TABLE team_credentials;
DROP TABLE server_credentials;
DROP TABLE invitations;
DROP TABLE team_servers;
DROP TABLE team_members;
DROP TABLE teams;
DROP TABLE role_permissions;
DROP TABLE roles;
DROP TABLE leases;
DROP TABLE runs;
DROP TABLE operations;
DROP TABLE event_outputs;
DROP TABLE events;
DROP TABLE firewall_rules;
DROP TABLE server_tags;
DROP TABLE tags;
DROP TABLE servers;
DROP TABLE idempotency_keys;
DROP TABLE tokens;
DROP TABLE memberships;
DROP TABLE organizations;
DROP TABLE users;
DROP TABLE settings;
