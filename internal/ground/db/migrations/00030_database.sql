-- +goose Up

-- A database on a server's engine. adopted: it was found there, not created here, so it never gets another owner. present: it
-- existed once, so it is ours to drop; one that could not be created may share its name with a database of another origin.
CREATE TABLE databases (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  adopted BOOLEAN NOT NULL,
  present BOOLEAN NOT NULL,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (server_id, name)
);

-- An account of the engine. main: the sites' account, with access to every database. host is where MariaDB and MySQL accept it
-- from. password is sealed, and null for an adopted account.
CREATE TABLE database_users (
  id BIGSERIAL PRIMARY KEY,
  server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  status TEXT NOT NULL,
  read_only BOOLEAN NOT NULL,
  main BOOLEAN NOT NULL,
  adopted BOOLEAN NOT NULL,
  present BOOLEAN NOT NULL,
  password BYTEA,
  operation_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (server_id, name)
);

-- The databases that an account has access to; the main one has access to all and no rows.
CREATE TABLE database_grants (
  user_id BIGINT NOT NULL REFERENCES database_users (id) ON DELETE CASCADE,
  database_id BIGINT NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, database_id)
);
CREATE INDEX database_grants_database ON database_grants (database_id);

-- The password that an operation sets, sealed. It becomes the account's when the operation succeeds, and is kept for retries until then.
CREATE TABLE database_passwords (
  operation_id BIGINT PRIMARY KEY REFERENCES operations (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL REFERENCES database_users (id) ON DELETE CASCADE,
  password BYTEA NOT NULL
);
CREATE INDEX database_passwords_user ON database_passwords (user_id);

-- +goose Down
DROP TABLE database_passwords;
DROP TABLE database_grants;
DROP TABLE database_users;
DROP TABLE databases;
