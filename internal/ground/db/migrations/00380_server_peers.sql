-- +goose Up
-- The network of a server: it lets each of its peers in from their private address.
CREATE TABLE server_peers (
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  peer_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, peer_id)
);
CREATE INDEX server_peers_peer ON server_peers (peer_id);

-- +goose Down
DROP TABLE server_peers;
