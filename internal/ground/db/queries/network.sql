-- name: ListPeers :many
SELECT peer_id FROM server_peers WHERE server_id = $1 ORDER BY peer_id;

-- name: ListPeersOf :many
-- The servers that have this one as a peer.
SELECT server_id FROM server_peers WHERE peer_id = sqlc.arg(server_id) ORDER BY server_id;

-- name: CountPeersOf :one
-- The servers that have this one as a peer, or that it has.
SELECT COUNT(*) FROM server_peers WHERE peer_id = sqlc.arg(server_id) OR server_id = sqlc.arg(server_id);

-- name: ClearPeers :exec
DELETE FROM server_peers WHERE server_id = $1;

-- name: AddPeer :exec
-- A peer that is deleted meanwhile is none.
INSERT INTO server_peers (server_id, peer_id) SELECT CAST($1 AS BIGINT), id FROM servers WHERE id = $2 ON CONFLICT DO NOTHING;
