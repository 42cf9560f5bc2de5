-- +goose Up
-- A monitor of type url has what is asked, when it was asked last (0 for never), whether that failed, and how many times in succession it did, or did not.
ALTER TABLE monitors ADD COLUMN url TEXT NOT NULL DEFAULT '';
ALTER TABLE monitors ADD COLUMN asked_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE monitors ADD COLUMN failed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE monitors ADD COLUMN in_succession BIGINT NOT NULL DEFAULT 0;
CREATE INDEX monitors_asked ON monitors (type, asked_at);

-- +goose Down
DROP INDEX monitors_asked;
ALTER TABLE monitors DROP COLUMN in_succession;
ALTER TABLE monitors DROP COLUMN failed;
ALTER TABLE monitors DROP COLUMN asked_at;
ALTER TABLE monitors DROP COLUMN url;
