-- +goose Up
-- Whether a site's host has what closes its account off from others: its home, and for an isolated site its own PHP master. 0: it
-- predates that; 1: a change that adds it was begun; 2: it is in place.
ALTER TABLE sites ADD COLUMN enclosed BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE sites DROP COLUMN enclosed;
