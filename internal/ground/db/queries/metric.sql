-- name: ListMetrics :many
SELECT * FROM metrics WHERE server_id = $1 AND step = $2 AND starts_at >= $3 AND starts_at <= $4 ORDER BY starts_at;

-- name: NewestMetric :one
SELECT * FROM metrics WHERE server_id = $1 AND step = $2 ORDER BY starts_at DESC LIMIT 1;

-- name: PutMetric :exec
INSERT INTO metrics (server_id, step, starts_at, packed) VALUES ($1, $2, $3, $4)
ON CONFLICT (server_id, step, starts_at) DO UPDATE SET packed = excluded.packed;

-- name: ListServerMarks :many
SELECT e.id, e.description, e.created_at,
  CAST(CASE WHEN o.id IS NULL THEN 'drift' WHEN o.aspect = 'reboot' THEN 'reboot' ELSE 'deployment' END AS TEXT) AS kind
FROM events e LEFT JOIN operations o ON o.id = e.operation_id
WHERE e.server_id = $1 AND e.created_at >= $2 AND e.created_at < $3 AND (o.aspect = 'reboot' OR o.resource_type = 'deployments'
  OR e.operation_id IS NULL AND EXISTS (SELECT 1 FROM event_outputs p WHERE p.event_id = e.id AND p.kind = 'drift'))
ORDER BY e.created_at DESC, e.id DESC LIMIT 200;
