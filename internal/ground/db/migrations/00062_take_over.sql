-- +goose Up
-- Whether another manager's firewall rules are taken over when the server is set up.
ALTER TABLE servers ADD COLUMN take_over BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE servers DROP COLUMN take_over;
