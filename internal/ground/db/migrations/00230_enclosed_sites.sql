-- +goose Up
-- Whether a site's host has what closes its account off from others: its home, and for an isolated site its own master of PHP. 0: it was made before
-- there was that; 1: a change that brings it was begun; 2: it is there.
ALTER TABLE sites ADD COLUMN enclosed BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE sites DROP COLUMN enclosed;
