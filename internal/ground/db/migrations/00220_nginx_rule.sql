-- +goose Up
-- The rule for a user's configuration: "judged" is checked against what one site can contain; "root" was written by a caller who
-- can act as root on the server; "kept" predates the checks, and is served as it is. nginx_refused is why a kept one would be
-- refused, '' if it would pass, NULL until it was checked.
ALTER TABLE domains ADD COLUMN nginx_rule TEXT NOT NULL DEFAULT 'judged';
ALTER TABLE domains ADD COLUMN nginx_refused TEXT;
UPDATE domains SET nginx_rule = 'kept' WHERE nginx IS NOT NULL;

-- +goose Down
ALTER TABLE domains DROP COLUMN nginx_refused;
ALTER TABLE domains DROP COLUMN nginx_rule;
