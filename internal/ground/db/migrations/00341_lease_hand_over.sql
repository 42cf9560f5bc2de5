-- +goose Up
-- Who gave the lane up last because the host could not be reached, and when, in microseconds: it leaves the lane to others for a while.
ALTER TABLE leases ADD COLUMN avoided TEXT NOT NULL DEFAULT '';
ALTER TABLE leases ADD COLUMN handed_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE leases DROP COLUMN handed_at;
ALTER TABLE leases DROP COLUMN avoided;
