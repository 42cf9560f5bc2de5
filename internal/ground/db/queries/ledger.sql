-- name: PutApplied :exec
INSERT INTO applied (kind, id, server_id, operation_id, version, specification, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (kind, id) DO UPDATE SET operation_id = excluded.operation_id, version = excluded.version, specification = excluded.specification, updated_at = excluded.updated_at;

-- name: GetApplied :one
SELECT * FROM applied WHERE kind = $1 AND id = $2;

-- name: ListApplied :many
SELECT * FROM applied WHERE server_id = $1 ORDER BY kind, id;

-- name: DeleteApplied :exec
DELETE FROM applied WHERE kind = $1 AND id = $2;

-- name: InsertWish :exec
INSERT INTO wishes (operation_id, kind, id, version, specification) VALUES ($1, $2, $3, $4, $5);

-- name: ListWishes :many
SELECT * FROM wishes WHERE operation_id = $1 ORDER BY kind, id;

-- name: DeleteWishes :exec
DELETE FROM wishes WHERE operation_id = $1 AND kind = $2;

-- name: EndWishes :exec
-- What became of an operation, in its wishes.
UPDATE wishes SET ended_at = (SELECT CASE WHEN o.state IN ('pending', 'running') THEN NULL ELSE o.updated_at END FROM operations o WHERE o.id = wishes.operation_id)
WHERE operation_id = $1;

-- name: ListWished :many
-- What a row is made of: its open wishes, the one that ended last, and the newest that is a specification or succeeded, of open ones first.
SELECT operation_id, version, specification, state, updated_at FROM (
  SELECT w.operation_id, w.version, w.specification, o.state, o.updated_at FROM wishes w JOIN operations o ON o.id = w.operation_id
  WHERE w.kind = $1 AND w.id = $2 AND w.ended_at IS NULL
  UNION ALL
  SELECT * FROM (SELECT w.operation_id, w.version, w.specification, o.state, o.updated_at FROM wishes w JOIN operations o ON o.id = w.operation_id
    WHERE w.kind = $1 AND w.id = $2 AND w.ended_at IS NOT NULL ORDER BY w.ended_at DESC, w.operation_id DESC LIMIT 1) AS latest
  UNION ALL
  SELECT * FROM (SELECT w.operation_id, w.version, w.specification, o.state, o.updated_at FROM wishes w JOIN operations o ON o.id = w.operation_id
    WHERE w.kind = $1 AND w.id = $2 AND w.ended_at IS NOT NULL AND (w.specification IS NOT NULL OR o.state = 'succeeded') ORDER BY w.operation_id DESC LIMIT 1) AS newest
) AS parts ORDER BY CASE WHEN state IN ('pending', 'running') THEN 0 ELSE 1 END, operation_id DESC;

-- name: HasNewer :one
-- Whether a newer operation on a resource is open or succeeded.
SELECT EXISTS (SELECT 1 FROM wishes w JOIN operations o ON o.id = w.operation_id
WHERE w.kind = $1 AND w.id = $2 AND w.operation_id > $3 AND o.state IN ('pending', 'running', 'succeeded'));

-- name: ListKnown :many
-- What open operations ask for on a server, and what it has.
SELECT w.kind, w.id, w.version, w.specification FROM wishes w JOIN operations o ON o.id = w.operation_id
WHERE o.server_id = $1 AND o.state IN ('pending', 'running')
UNION ALL SELECT a.kind, a.id, a.version, a.specification FROM applied a WHERE a.server_id = $1;

-- name: ListRivals :many
SELECT DISTINCT o.* FROM operations o JOIN wishes w ON w.operation_id = o.id
WHERE w.kind = $1 AND w.id = $2 AND w.ended_at IS NULL AND o.id < $3 AND o.state = 'pending' ORDER BY o.id;

-- name: ListOpenWishes :many
-- What the open operations of an aspect ask for, in the order of their acceptance.
SELECT w.* FROM wishes w JOIN operations o ON o.id = w.operation_id
WHERE o.server_id = $1 AND o.aspect = $2 AND o.state IN ('pending', 'running') ORDER BY w.operation_id, w.kind, w.id;
