-- +goose Up
-- The host key that a storage over SFTP must show, as known_hosts has it.
ALTER TABLE storage_providers ADD COLUMN host_key TEXT;
