-- +goose Up
-- An account goes with its last site since there is that. Those that were left are not known to be clean: the host refuses them for a new site.
DELETE FROM unix_accounts WHERE NOT EXISTS (SELECT 1 FROM sites s WHERE s.server_id = unix_accounts.server_id AND s.unix_user = unix_accounts.name AND s.isolated);

-- +goose Down
SELECT 1;
