-- name: InsertEvent :one
INSERT INTO events (organization_id, server_id, site_id, initiator_id, description, ran_as, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: SetEventOperation :exec
UPDATE events SET operation_id = $2 WHERE id = $1;

-- name: GetServerEvent :one
SELECT * FROM events WHERE server_id = $1 AND id = $2;

-- name: TouchEvent :exec
UPDATE events SET updated_at = $2 WHERE id = $1;

-- name: AppendOutput :exec
INSERT INTO event_outputs (event_id, seq, kind, step, content, created_at)
VALUES ($1, (SELECT COALESCE(MAX(o.seq), 0) + 1 FROM event_outputs o WHERE o.event_id = $1), $2, $3, $4, $5);

-- name: ListOutput :many
SELECT * FROM event_outputs WHERE event_id = $1 AND seq > $2 ORDER BY seq LIMIT $3;

-- name: ListEventMarks :many
SELECT * FROM event_outputs WHERE event_id = $1 AND kind IN ('plan', 'undo', 'checked', 'end') ORDER BY seq;

-- name: ListOrganizationOutput :many
SELECT o.*, e.server_id, e.site_id, e.operation_id FROM event_outputs o JOIN events e ON e.id = o.event_id
WHERE e.organization_id = $1 AND o.id > $2 ORDER BY o.id LIMIT $3;

-- name: ListNewOutput :many
SELECT e.organization_id, CAST(MAX(o.id) AS BIGINT) AS last FROM event_outputs o JOIN events e ON e.id = o.event_id WHERE o.id > $1 GROUP BY e.organization_id;

-- name: LastOutputID :one
SELECT CAST(COALESCE(MAX(id), 0) AS BIGINT) FROM event_outputs;

-- name: InsertOperation :one
INSERT INTO operations (organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, event_id, site_id, needs, asked_by, lasting, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', '', '', 0, FALSE, $9, $10, $12, $13, $14, $15, $11, $11) RETURNING *;

-- name: GetOperation :one
SELECT * FROM operations WHERE id = $1;

-- name: GetOrganizationOperation :one
SELECT * FROM operations WHERE organization_id = $1 AND id = $2;

-- name: ListPendingOperations :many
SELECT * FROM operations WHERE server_id = $1 AND aspect = $2 AND state IN ('pending', 'running') ORDER BY id;

-- name: ListOverdueOperations :many
SELECT * FROM operations WHERE state IN ('pending', 'running') AND deadline < $1 ORDER BY id LIMIT 200;

-- name: LookOperation :exec
-- A step that only looks leaves the reason: it is why the attempt before waits, until this one knows better. What the first one waited for is over.
UPDATE operations SET state = 'running', step = $2, reason = CASE WHEN attempt = 0 THEN '' ELSE reason END, reason_code = CASE WHEN attempt = 0 THEN '' ELSE reason_code END, reason_params = CASE WHEN attempt = 0 THEN '' ELSE reason_params END, attempt = attempt + CASE WHEN state = 'pending' THEN 1 ELSE 0 END, updated_at = $3 WHERE id = $1 AND state IN ('pending', 'running');

-- name: StartOperation :execrows
UPDATE operations SET state = 'running', step = $2, reason = '', reason_code = '', reason_params = '', attempt = attempt + CASE WHEN state = 'pending' THEN 1 ELSE 0 END, prints = prints OR $3, updated_at = $4 WHERE id = $1 AND state IN ('pending', 'running');

-- name: NoteOperation :exec
UPDATE operations SET step = $2, reason = $3, reason_code = $4, reason_params = $5, updated_at = $6 WHERE id = $1 AND state IN ('pending', 'running');

-- name: EndOperation :execrows
UPDATE operations SET state = $2, step = $3, reason = $4, reason_code = $5, reason_params = $6, updated_at = $7, finished_at = $7 WHERE id = $1 AND state IN ('pending', 'running');

-- Only an operation that has not begun: one that was sent to a host ends with the host's answer.
-- name: SupersedeOperation :execrows
UPDATE operations SET state = 'cancelled', reason = $2, reason_code = $3, reason_params = $4, updated_at = $5, finished_at = $5 WHERE id = $1 AND state = 'pending';

-- name: RequestCancel :exec
UPDATE operations SET cancelled = TRUE, updated_at = $2 WHERE id = $1 AND state IN ('pending', 'running');

-- name: ReopenOperation :exec
UPDATE operations SET state = 'pending', step = '', reason = '', reason_code = '', reason_params = '', updated_at = $2 WHERE id = $1 AND state = 'running';

-- name: RetryOperation :execrows
UPDATE operations SET state = $5, step = '', reason = '', reason_code = '', reason_params = '', cancelled = FALSE, deadline = $2, asked_by = $4, updated_at = $3, finished_at = NULL WHERE id = $1 AND state IN ('failed', 'cancelled');

-- name: ExtendOperations :exec
UPDATE operations SET deadline = $3, updated_at = $4 WHERE server_id = $1 AND aspect <> $2 AND state IN ('pending', 'running');

-- name: InsertRun :exec
INSERT INTO runs (id, server_id, aspect, operations, stage_name, run, confirm, state, last_seq, sent, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 'running', 0, TRUE, $8);

-- name: SetRunSent :exec
UPDATE runs SET sent = $2 WHERE id = $1;

-- name: ListOpenRuns :many
SELECT * FROM runs WHERE server_id = $1 AND aspect = $2 AND state = 'running' ORDER BY created_at, id;

-- name: NoteRun :exec
UPDATE runs SET last_seq = $2 WHERE id = $1;

-- name: EndRun :exec
UPDATE runs SET state = $2, ended_at = $3, run = '' WHERE id = $1;

-- The number begins at the clock, not at 1: a host remembers the highest it has seen, also when the server is removed and added again, or the
-- database is put back from a backup. Who gave the lane up after $5 does not get it.
-- name: TakeLease :one
INSERT INTO leases (name, owner, fence, expires_at) VALUES ($1, $2, $4, $3)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at,
  fence = CASE WHEN leases.fence < excluded.fence THEN excluded.fence ELSE leases.fence + 1 END
WHERE (leases.expires_at < $4 OR leases.owner = excluded.owner) AND (leases.avoided <> excluded.owner OR leases.handed_at < $5) RETURNING fence;

-- name: GetLease :one
SELECT * FROM leases WHERE name = $1;

-- name: HandOver :execrows
UPDATE leases SET expires_at = 0, avoided = owner, handed_at = $3 WHERE name = $1 AND owner = $2 AND fence = $4 AND handed_at <= $5;

-- The lanes that a replica gave up which is alive: it has a lease of its own, under its name.
-- name: ListAvoided :many
SELECT * FROM leases AS lane WHERE lane.avoided <> '' AND lane.handed_at > sqlc.arg('handed_after')
  AND EXISTS (SELECT 1 FROM leases AS replica WHERE replica.name = 'replica-' || lane.avoided AND replica.expires_at >= sqlc.arg('now'));

-- name: KeepReplica :exec
INSERT INTO leases (name, owner, fence, expires_at) VALUES ('replica-' || sqlc.arg('owner'), sqlc.arg('owner'), 0, sqlc.arg('expires_at'))
ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at;

-- name: DropReplicas :exec
DELETE FROM leases WHERE name LIKE 'replica-%' AND (expires_at < $1 OR owner = $2);

-- name: ClearAvoided :exec
UPDATE leases SET avoided = '' WHERE name = $1 AND avoided = $2;

-- name: RenewLease :execrows
UPDATE leases SET expires_at = $3 WHERE name = $1 AND owner = $2 AND fence = $4 AND expires_at > 0;

-- name: ReleaseLease :exec
UPDATE leases SET expires_at = 0 WHERE name = $1 AND owner = $2 AND fence = $3;

-- name: CountOperations :many
SELECT aspect, state, COUNT(*) AS count FROM operations GROUP BY aspect, state;

-- name: LateSuccess :execrows
UPDATE operations SET state = 'succeeded', reason = $2, reason_code = $3, reason_params = '', updated_at = $4 WHERE id = $1 AND state = 'failed';

-- name: LateFailure :execrows
UPDATE operations SET reason = $2, reason_code = $3, reason_params = '', updated_at = $4 WHERE id = $1 AND state = 'failed';

-- name: ListStalePending :many
-- A server that waits for its setup command has nothing to do, one that was ordered has.
SELECT DISTINCT o.server_id, o.aspect FROM operations o JOIN servers s ON s.id = o.server_id
WHERE o.state IN ('pending', 'running') AND o.updated_at < $1
  AND (s.host_keys <> '' OR EXISTS (SELECT 1 FROM server_orders r WHERE r.server_id = s.id));

-- name: TouchPending :exec
UPDATE operations SET updated_at = $3 WHERE server_id = $1 AND aspect = $2 AND state IN ('pending', 'running');

-- name: ExtendOperation :exec
UPDATE operations SET deadline = $2, updated_at = $3 WHERE id = $1 AND state IN ('pending', 'running');


-- name: ListOpenAspects :many
-- The aspects of a server with work that has not ended, or with a run whose result is not known.
SELECT o.aspect FROM operations o WHERE o.server_id = sqlc.arg(server_id) AND o.state IN ('pending', 'running')
UNION SELECT r.aspect FROM runs r WHERE r.server_id = sqlc.arg(server_id) AND r.state = 'running';

-- name: ListWaiting :many
-- The operations that have not begun, by what they say that they wait for.
SELECT server_id, aspect, step, reason, reason_code, reason_params, CAST(MIN(id) AS BIGINT) AS oldest FROM operations
WHERE state = 'pending' AND NOT cancelled GROUP BY server_id, aspect, step, reason, reason_code, reason_params;

-- name: ExplainWaiting :exec
UPDATE operations SET step = sqlc.arg(step), reason = sqlc.arg(reason), reason_code = sqlc.arg(reason_code), reason_params = sqlc.arg(reason_params)
WHERE server_id = sqlc.arg(server_id) AND aspect = sqlc.arg(aspect) AND state = 'pending' AND step = sqlc.arg(said_step) AND reason = sqlc.arg(said_reason);

-- name: ListAttempts :many
-- The operations of each run of a server whose end is not known, as lists of ids.
SELECT r.operations FROM runs r WHERE r.server_id = $1 AND r.state = 'running';
