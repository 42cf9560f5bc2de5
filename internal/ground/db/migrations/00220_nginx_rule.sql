-- +goose Up
-- What holds for a configuration that a user wrote: "judged" is held to what one site may say; "root" was written by who may act as root on the
-- server; "kept" is from before texts were judged, and is served as it is. nginx_refused is why a kept one would be refused, '' where it would not
-- be, NULL until it was looked at.
ALTER TABLE domains ADD COLUMN nginx_rule TEXT NOT NULL DEFAULT 'judged';
ALTER TABLE domains ADD COLUMN nginx_refused TEXT;
UPDATE domains SET nginx_rule = 'kept' WHERE nginx IS NOT NULL;

-- +goose Down
ALTER TABLE domains DROP COLUMN nginx_refused;
ALTER TABLE domains DROP COLUMN nginx_rule;
