-- +goose Up
-- What needs attention is a few rows among many: each list finds its own without reading the rest. Their conditions are those of the queries, word for word.
CREATE INDEX domains_refused ON domains (site_id) WHERE nginx_rule = 'kept' AND nginx_refused <> '';
CREATE INDEX redirect_rules_unmatched ON redirect_rules (site_id)
  WHERE (source LIKE '%?%' OR source LIKE '%://%' OR source LIKE '%#%' OR source LIKE '%\%%' ESCAPE '\');
CREATE INDEX projects_by_shell ON projects (site_id) WHERE env_by_shell AND auto_source;
CREATE INDEX certificates_failing ON certificates (site_id) WHERE failure <> '';
CREATE INDEX certificates_uploaded ON certificates (site_id) WHERE type = 'existing';
CREATE INDEX certificates_expiry ON certificates (expires_at);
CREATE INDEX domains_certificate ON domains (certificate_id);

-- +goose Down
DROP INDEX domains_certificate;
DROP INDEX certificates_expiry;
DROP INDEX certificates_uploaded;
DROP INDEX certificates_failing;
DROP INDEX projects_by_shell;
DROP INDEX redirect_rules_unmatched;
DROP INDEX domains_refused;
