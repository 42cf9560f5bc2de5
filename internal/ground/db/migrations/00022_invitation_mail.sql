-- +goose Up
-- When the mail server took an invitation's email, and why it last did not; '' where it did, or was not asked yet.
ALTER TABLE invitations ADD COLUMN mailed_at BIGINT NULL;
ALTER TABLE invitations ADD COLUMN mail_failure TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE invitations DROP COLUMN mail_failure;
ALTER TABLE invitations DROP COLUMN mailed_at;
