-- +goose Up
-- What a host last reported, as far as lists need it: the size of its disk and its free space, in bytes, and whether updates wait for a reboot.
ALTER TABLE servers ADD COLUMN disk_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE servers ADD COLUMN disk_free_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE servers ADD COLUMN reboot_needed BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE servers DROP COLUMN reboot_needed;
ALTER TABLE servers DROP COLUMN disk_free_bytes;
ALTER TABLE servers DROP COLUMN disk_bytes;
