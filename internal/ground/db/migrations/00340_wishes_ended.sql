-- +goose Up
-- When the operation that a wish belongs to ended, NULL while it has not: a row is made of its open wishes and of the last that ended, and reads no others.
ALTER TABLE wishes ADD COLUMN ended_at BIGINT;
UPDATE wishes SET ended_at = (SELECT CASE WHEN o.state IN ('pending', 'running') THEN NULL ELSE o.updated_at END FROM operations o WHERE o.id = wishes.operation_id);
CREATE INDEX wishes_open ON wishes (kind, id, operation_id) WHERE ended_at IS NULL;
CREATE INDEX wishes_ended ON wishes (kind, id, ended_at, operation_id) WHERE ended_at IS NOT NULL;

-- +goose Down
DROP INDEX wishes_ended;
DROP INDEX wishes_open;
ALTER TABLE wishes DROP COLUMN ended_at;
