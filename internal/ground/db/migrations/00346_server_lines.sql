-- +goose Up
-- When the line to paste on a new server was made: it works for a week from then. And servers are found by their address.
ALTER TABLE servers ADD COLUMN line_at BIGINT NOT NULL DEFAULT 0;
UPDATE servers SET line_at = created_at;
CREATE INDEX servers_ip_address ON servers (ip_address);

-- +goose Down
DROP INDEX servers_ip_address;
ALTER TABLE servers DROP COLUMN line_at;
