-- +goose Up
-- An organization's sites can be sorted, a page at a time.
CREATE INDEX sites_organization_name ON sites (organization_id, name, id);
CREATE INDEX sites_organization_created ON sites (organization_id, created_at, id);

-- +goose Down
DROP INDEX sites_organization_name;
DROP INDEX sites_organization_created;
