-- +goose Up
-- What servers at providers are ordered with. name is the server's at its provider: it belongs to one order, and the server is found by it. sent_at is when the
-- order was last sent, 0 before that and once its end is known. An order that failed is released: its server is destroyed, and it gets another name. cycled is
-- the operation that a server was last switched off and on for.
CREATE TABLE server_orders (
  server_id BIGINT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  specification TEXT NOT NULL,
  sent_at BIGINT NOT NULL,
  releasing BOOLEAN NOT NULL,
  cycled TEXT NOT NULL
);

-- +goose Down
DROP TABLE server_orders;
