-- +goose Up
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
  updated_at BIGINT NOT NULL
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

ALTER TABLE organizations ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC';

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
  updated_at BIGINT NOT NULL
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
