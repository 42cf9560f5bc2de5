-- +goose Up
-- The token or the program's authorization with which an invitation was sent: revoking that withdraws the invitation.
ALTER TABLE invitations ADD COLUMN token_id BIGINT;
ALTER TABLE invitations ADD COLUMN grant_id BIGINT;

-- +goose Down
ALTER TABLE invitations DROP COLUMN token_id;
ALTER TABLE invitations DROP COLUMN grant_id;
