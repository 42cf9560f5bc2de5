-- +goose Up
-- Whether a run of the work printed words of others: of people's scripts, or of programs that read a tenant's files and dumps. Such an output is read with
-- what it takes to do the work.
ALTER TABLE operations ADD COLUMN prints BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE operations SET prints = TRUE WHERE aspect LIKE 'backup%' OR aspect LIKE 'command%' OR aspect LIKE 'deployment%' OR aspect LIKE 'environment%'
  OR aspect LIKE 'integration%' OR aspect LIKE 'recipe%' OR aspect LIKE 'web%';
-- Who asked for the work, or asked for it again; NULL for work of the service's own.
ALTER TABLE operations ADD COLUMN asked_by BIGINT;
UPDATE operations SET asked_by = (SELECT initiator_id FROM events WHERE events.id = operations.event_id);

-- +goose Down
ALTER TABLE operations DROP COLUMN asked_by;
ALTER TABLE operations DROP COLUMN prints;
