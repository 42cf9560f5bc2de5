-- +goose Up
-- What an administrator allows a key, as in sshd(8), AUTHORIZED_KEYS FILE FORMAT; '' for everything.
ALTER TABLE ssh_keys ADD COLUMN options TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE ssh_keys DROP COLUMN options;
