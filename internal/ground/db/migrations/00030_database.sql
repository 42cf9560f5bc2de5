-- +goose Up

-- A database on a server's engine. adopted: it was found there, not made here, so it is never given another owner. present: it was there once,
-- so it is ours to drop; one that could not be made may have the name of somebody else's.
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

-- An account of the engine. main: the one of the sites, which may use every database. host is where MariaDB and MySQL let it come from.
-- password is sealed, and null where it was found on the server.
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

-- Which databases an account may use; the main one has no rows, it may use all.
CREATE TABLE database_grants (
  user_id BIGINT NOT NULL REFERENCES database_users (id) ON DELETE CASCADE,
  database_id BIGINT NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, database_id)
);
CREATE INDEX database_grants_database ON database_grants (database_id);

-- The password that an operation is to set, sealed. It becomes the account's when the operation is done, and is kept for trying again until then.
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
