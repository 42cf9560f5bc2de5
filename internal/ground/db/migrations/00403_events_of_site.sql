-- +goose Up
-- The events of a site, newest first, a page at a time.
CREATE INDEX events_site_created ON events (site_id, created_at, id);

-- +goose Down
DROP INDEX events_site_created;
