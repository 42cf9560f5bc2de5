-- +goose Up
-- When people were last notified of a monitor, and of which state, "" for none: a server that reports changes without end has them notified now and then only.
ALTER TABLE monitors ADD COLUMN notified_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE monitors ADD COLUMN notified TEXT NOT NULL DEFAULT '';
UPDATE monitors SET notified = state WHERE state <> 'UNKNOWN';

-- +goose Down
ALTER TABLE monitors DROP COLUMN notified;
ALTER TABLE monitors DROP COLUMN notified_at;
