-- +goose Up
-- How large the parts are that an item's object is sent in, as planned from what its host said that it holds.
ALTER TABLE backup_items ADD COLUMN part_size BIGINT NOT NULL DEFAULT 6291456;
