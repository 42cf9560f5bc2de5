-- +goose Up
-- Whether a run of the work printed other programs' text: from people's scripts, or from programs that read a tenant's files and
-- dumps. Reading such output requires the permissions of the work.
ALTER TABLE operations ADD COLUMN prints BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE operations SET prints = TRUE WHERE aspect LIKE 'backup%' OR aspect LIKE 'command%' OR aspect LIKE 'deployment%' OR aspect LIKE 'environment%'
  OR aspect LIKE 'integration%' OR aspect LIKE 'recipe%' OR aspect LIKE 'web%';
-- Who requested the work, or retried it; NULL for work that the service started.
ALTER TABLE operations ADD COLUMN asked_by BIGINT;
UPDATE operations SET asked_by = (SELECT initiator_id FROM events WHERE events.id = operations.event_id);

-- +goose Down
ALTER TABLE operations DROP COLUMN asked_by;
ALTER TABLE operations DROP COLUMN prints;
