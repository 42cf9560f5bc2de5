-- +goose Up
-- The newest deployment of a site that succeeded: what it serves, whatever was tried since.
ALTER TABLE projects ADD COLUMN live_deployment_id BIGINT;
UPDATE projects SET live_deployment_id = (SELECT MAX(d.id) FROM deployments d WHERE d.site_id = projects.site_id AND d.status = 'finished');

-- +goose Down
ALTER TABLE projects DROP COLUMN live_deployment_id;
