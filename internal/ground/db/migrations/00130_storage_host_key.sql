-- +goose Up
-- The host key that an SFTP storage must present, in the format of known_hosts.
ALTER TABLE storage_providers ADD COLUMN host_key TEXT;
