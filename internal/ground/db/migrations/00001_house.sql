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
  updated_at BIGINT NOT NULL
);

CREATE TABLE organizations (
  id BIGSERIAL PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
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
  created_at BIGINT NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE idempotency_keys (
  id BIGSERIAL PRIMARY KEY,
  caller TEXT NOT NULL,
  route TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
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
  updated_at BIGINT NOT NULL
);
CREATE INDEX servers_organization ON servers (organization_id, id);

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
  updated_at BIGINT NOT NULL
);
CREATE INDEX sites_server ON sites (server_id, id);
CREATE INDEX sites_organization ON sites (organization_id, id);

-- Every name of a site, unique per server: nginx only warns of an overlap, so the database refuses it.
CREATE TABLE site_names (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, name)
);
CREATE INDEX site_names_site ON site_names (site_id);

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
  finished_at BIGINT
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
  stage BIGINT NOT NULL,
  run BYTEA NOT NULL,
  confirm TEXT NOT NULL,
  state TEXT NOT NULL,
  last_seq BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE INDEX runs_open ON runs (server_id, aspect, state);

-- The right to change a server. The number of a lane only grows, and the host refuses one lower than it has seen.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  fence BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE leases;
DROP TABLE runs;
DROP TABLE operations;
DROP TABLE event_outputs;
DROP TABLE events;
DROP TABLE load_balancing_nodes;
DROP TABLE site_tags;
DROP TABLE site_names;
DROP TABLE sites;
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
