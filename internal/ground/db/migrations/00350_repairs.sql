-- +goose Up
-- Own files that were changed by hand on the host, one a line, as it said when it was last looked at. memory names what the agent remembers there;
-- memory_lost_at is when another name was found, until the server is repaired.
ALTER TABLE servers ADD COLUMN edited_files TEXT NOT NULL DEFAULT '';
ALTER TABLE servers ADD COLUMN memory TEXT NOT NULL DEFAULT '';
ALTER TABLE servers ADD COLUMN memory_lost_at BIGINT;

-- +goose Down
ALTER TABLE servers DROP COLUMN memory_lost_at;
ALTER TABLE servers DROP COLUMN memory;
ALTER TABLE servers DROP COLUMN edited_files;
