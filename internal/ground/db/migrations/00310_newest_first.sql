-- +goose Up
-- Unbounded histories are read newest first: without these indexes, each page sorts the whole history.
CREATE INDEX events_organization_created ON events (organization_id, created_at, id);
CREATE INDEX events_server_created ON events (server_id, created_at, id);
CREATE INDEX audit_entries_organization_created ON audit_entries (organization_id, created_at, id);
CREATE INDEX audit_entries_user_created ON audit_entries (user_id, created_at, id);
CREATE INDEX deliveries_webhook_created ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_channel_created ON deliveries (channel_id, created_at, id);
CREATE INDEX deployments_site_created ON deployments (site_id, created_at, id);
CREATE INDEX deployments_server_created ON deployments (server_id, created_at, id);
CREATE INDEX commands_site_created ON commands (site_id, created_at, id);
CREATE INDEX recipe_runs_recipe_created ON recipe_runs (recipe_id, created_at, id);
CREATE INDEX backups_configuration_created ON backups (configuration_id, created_at, id);

-- +goose Down
DROP INDEX events_organization_created;
DROP INDEX events_server_created;
DROP INDEX audit_entries_organization_created;
DROP INDEX audit_entries_user_created;
DROP INDEX deliveries_webhook_created;
DROP INDEX deliveries_channel_created;
DROP INDEX deployments_site_created;
DROP INDEX deployments_server_created;
DROP INDEX commands_site_created;
DROP INDEX recipe_runs_recipe_created;
DROP INDEX backups_configuration_created;
