-- name: ListMetrics :many
SELECT * FROM metrics WHERE server_id = $1 AND step = $2 AND starts_at >= $3 AND starts_at <= $4 ORDER BY starts_at;

-- name: NewestMetric :one
SELECT * FROM metrics WHERE server_id = $1 AND step = $2 ORDER BY starts_at DESC LIMIT 1;

-- name: PutMetric :exec
INSERT INTO metrics (server_id, step, starts_at, packed) VALUES ($1, $2, $3, $4)
ON CONFLICT (server_id, step, starts_at) DO UPDATE SET packed = excluded.packed;

-- name: ListSiteMetrics :many
SELECT * FROM site_metrics WHERE site_id = $1 AND step = $2 AND starts_at >= $3 AND starts_at <= $4 ORDER BY starts_at;

-- name: NewestSiteMetric :one
SELECT * FROM site_metrics WHERE server_id = $1 AND step = $2 ORDER BY starts_at DESC LIMIT 1;

-- name: PutSiteMetric :exec
INSERT INTO site_metrics (site_id, server_id, step, starts_at, packed) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (site_id, step, starts_at) DO UPDATE SET packed = excluded.packed;

-- name: ListServerMarks :many
SELECT e.id, e.description, e.created_at,
  CAST(CASE WHEN o.id IS NULL THEN 'drift' WHEN o.aspect = 'reboot' THEN 'reboot' ELSE 'deployment' END AS TEXT) AS kind
FROM events e LEFT JOIN operations o ON o.id = e.operation_id
WHERE e.server_id = $1 AND e.created_at >= $2 AND e.created_at < $3 AND (o.aspect = 'reboot' OR o.resource_type = 'deployments'
  OR e.operation_id IS NULL AND EXISTS (SELECT 1 FROM event_outputs p WHERE p.event_id = e.id AND p.kind = 'drift'))
ORDER BY e.created_at DESC, e.id DESC LIMIT 200;

-- name: ListSiteMarks :many
SELECT e.id, e.description, e.created_at, CAST(CASE WHEN o.aspect = 'reboot' THEN 'reboot' ELSE 'deployment' END AS TEXT) AS kind
FROM sites s JOIN events e ON e.server_id = s.server_id JOIN operations o ON o.id = e.operation_id
WHERE s.id = sqlc.arg('site_id') AND e.created_at >= sqlc.arg('since') AND e.created_at < sqlc.arg('before')
  AND (o.aspect = 'reboot' OR o.resource_type = 'deployments' AND e.site_id = s.id)
ORDER BY e.created_at DESC, e.id DESC LIMIT 200;
