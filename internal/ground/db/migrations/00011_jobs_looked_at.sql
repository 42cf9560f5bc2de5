-- +goose Up
-- When to check that cron has started a job, NULL once it has, and why it has not although it was due, '' if it was not.
ALTER TABLE scheduled_jobs ADD COLUMN look_at BIGINT;
ALTER TABLE scheduled_jobs ADD COLUMN unstarted TEXT NOT NULL DEFAULT '';
CREATE INDEX scheduled_jobs_look ON scheduled_jobs (look_at);

-- +goose Down
DROP INDEX scheduled_jobs_look;
ALTER TABLE scheduled_jobs DROP COLUMN unstarted;
ALTER TABLE scheduled_jobs DROP COLUMN look_at;
