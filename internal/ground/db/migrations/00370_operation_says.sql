-- +goose Up
-- What the platform knew of kinds of work by their names, each operation says itself: whether its work stays when it ends early, and which permissions
-- work needs that the service began.
ALTER TABLE operations ADD COLUMN lasting BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE operations SET lasting = TRUE
WHERE aspect IN ('command', 'deployment', 'reboot', 'recipe') OR aspect LIKE 'command/%' OR aspect LIKE 'deployment/%' OR aspect LIKE 'recipe/%';

-- Which permissions the requester of older open work needed is not recorded, so that it can't be seen whether they still have them.
UPDATE operations SET asked_by = NULL WHERE needs = '' AND state IN ('pending', 'running');
UPDATE operations SET needs = CASE
  WHEN resource_type = 'servers' THEN 'server:create,server:delete,server:manage-services'
  WHEN resource_type IN ('rules', 'networks') THEN 'server:manage-network'
  WHEN resource_type = 'keys' THEN 'server:create-keys,server:delete-keys'
  WHEN resource_type = 'services' THEN 'server:manage-services'
  WHEN resource_type IN ('databases', 'databaseUsers', 'databaseSynchronizations') THEN 'server:create-databases,server:delete-databases'
  WHEN resource_type IN ('backups', 'backupRestores') THEN 'server:create-backups,server:delete-backups'
  WHEN resource_type IN ('backgroundProcesses', 'integrations') THEN 'server:create-daemons,server:delete-daemons'
  WHEN resource_type = 'scheduledJobs' THEN 'server:create-schedulers,server:delete-schedulers'
  WHEN resource_type IN ('siteLogs', 'serverLogs') THEN 'server:manage-logs'
  WHEN resource_type IN ('composer', 'npm') THEN 'server:manage-packages'
  WHEN resource_type = 'recipe_runs' THEN 'recipe:view,recipe:manage'
  WHEN resource_type = 'sites' THEN 'site:create,site:delete'
  WHEN resource_type = 'domainRecords' THEN 'site:meta,site:manage-nginx'
  WHEN resource_type = 'certificates' THEN 'site:manage-ssl'
  WHEN resource_type IN ('redirect-rules', 'redirect-rules-order', 'redirect-rules-import') THEN 'site:manage-redirects'
  WHEN resource_type = 'securityRules' THEN 'site:manage-security'
  WHEN resource_type = 'environments' THEN 'site:manage-environment'
  WHEN resource_type IN ('commands', 'laravelMaintenanceIntegrations') THEN 'site:manage-commands'
  WHEN resource_type = 'deployments' THEN 'site:manage-deploys'
  ELSE ''
END WHERE needs = '';

-- +goose Down
ALTER TABLE operations DROP COLUMN lasting;
