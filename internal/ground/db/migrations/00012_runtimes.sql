-- +goose Up
-- What runs a site's programs: '' for what its server has, or a runtime, with the version that was asked for ("22") the exact one that it stands for, and the
-- one that the server has of it.
ALTER TABLE sites ADD COLUMN runtime TEXT NOT NULL DEFAULT '';
ALTER TABLE sites ADD COLUMN runtime_wanted TEXT NOT NULL DEFAULT '';
ALTER TABLE sites ADD COLUMN runtime_version TEXT NOT NULL DEFAULT '';
ALTER TABLE sites ADD COLUMN runtime_installed TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sites DROP COLUMN runtime;
ALTER TABLE sites DROP COLUMN runtime_wanted;
ALTER TABLE sites DROP COLUMN runtime_version;
ALTER TABLE sites DROP COLUMN runtime_installed;
