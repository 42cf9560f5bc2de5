-- +goose Up
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
-- Accounts of sites that predate this record. Those of the operating system are not ours: such a site is still served, and can only be deleted.
INSERT INTO unix_accounts (server_id, name, slot, made, created_at)
SELECT server_id, unix_user, ROW_NUMBER() OVER (PARTITION BY server_id ORDER BY MIN(id)) - 1,
  MAX(CASE WHEN status IN ('installing', 'failed') OR unix_user IN ('debian', 'ubuntu', 'admin', 'ec2-user', 'centos', 'fedora', 'rocky', 'almalinux', 'cloud-user', 'opc', 'azureuser', 'vagrant', 'pi', 'core', 'user')
    THEN 0 ELSE 1 END) = 1,
  MIN(created_at)
FROM sites WHERE isolated GROUP BY server_id, unix_user;

-- +goose Down
DROP TABLE unix_accounts;
