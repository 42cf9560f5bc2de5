-- +goose Up
-- The users who saw the deploy hook of a site since it was created: it still works for them after they leave.
CREATE TABLE hook_readers (
  site_id BIGINT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL,
  shown_at BIGINT NOT NULL,
  PRIMARY KEY (site_id, user_id)
);
-- Earlier versions did not record viewers. Users with a predefined role that allows viewing are assumed to know the hook.
INSERT INTO hook_readers (site_id, user_id, shown_at)
  SELECT p.site_id, m.user_id, p.updated_at FROM projects p JOIN sites s ON s.id = p.site_id JOIN memberships m ON m.organization_id = s.organization_id WHERE m.role_id BETWEEN 1 AND 4;

-- +goose Down
DROP TABLE hook_readers;
