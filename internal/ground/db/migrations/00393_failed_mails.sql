-- +goose Up
-- Whose mail it is, 0 for no organization. A mail that could not be sent is kept for a few days without its text: ended_at is when it was given up, failure the cause.
ALTER TABLE mails ADD COLUMN organization_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE mails ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE mails ADD COLUMN failure TEXT NOT NULL DEFAULT '';
ALTER TABLE mails ADD COLUMN ended_at BIGINT NULL;
CREATE INDEX mails_organization ON mails (organization_id, ended_at);

-- +goose Down
DROP INDEX mails_organization;
DELETE FROM mails WHERE ended_at IS NOT NULL;
ALTER TABLE mails DROP COLUMN ended_at;
ALTER TABLE mails DROP COLUMN failure;
ALTER TABLE mails DROP COLUMN subject;
ALTER TABLE mails DROP COLUMN organization_id;
