-- +goose Up

-- Accounts at source control providers. The token is sealed. url is the address of a self-hosted GitLab; clone_host is where its
-- repositories are cloned from over SSH, with a port other than 22 appended. username is set for tokens that are used as a
-- password.
CREATE TABLE source_control_providers (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  url TEXT,
  clone_host TEXT,
  username TEXT,
  token BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX source_control_providers_organization ON source_control_providers (organization_id, id);

-- What was set up at a provider for a site: its deploy key and its webhook. It outlives the site, so that both can be removed.
-- The remaining columns compare that with what the site wants: each wish raises generation, and busy_until is the lease of the
-- job that talks to the provider.
CREATE TABLE source_control_links (
  site_id BIGINT PRIMARY KEY,
  provider_id BIGINT NOT NULL REFERENCES source_control_providers (id) ON DELETE CASCADE,
  repository TEXT NOT NULL,
  public_key TEXT NOT NULL,
  key_id TEXT NOT NULL,
  hook_hash TEXT NOT NULL,
  hook_id TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT,
  generation BIGINT NOT NULL,
  busy_until BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX source_control_links_provider ON source_control_links (provider_id);
CREATE INDEX source_control_links_due ON source_control_links (next_at);

-- +goose Down
DROP TABLE source_control_links;
DROP TABLE source_control_providers;
