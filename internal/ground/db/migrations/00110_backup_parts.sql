-- +goose Up
-- The part size of an item's upload, planned from the size that its host measured.
ALTER TABLE backup_items ADD COLUMN part_size BIGINT NOT NULL DEFAULT 6291456;
