-- +goose Up

-- A site that is served by its own program has two ports on its server, used alternately: while one release is live on one, the
-- next is started on the other.
ALTER TABLE sites ADD COLUMN port BIGINT;
ALTER TABLE sites ADD COLUMN spare_port BIGINT;
CREATE TABLE site_ports (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  port BIGINT NOT NULL,
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, port)
);
CREATE INDEX site_ports_site ON site_ports (site_id);

-- +goose Down
DROP TABLE site_ports;
ALTER TABLE sites DROP COLUMN spare_port;
ALTER TABLE sites DROP COLUMN port;
