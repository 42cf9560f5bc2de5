-- +goose Up
-- Actions on database engines are actions on services like those on others.
UPDATE operations SET aspect = 'services', resource_type = 'services', request = '{"service":"database"}' WHERE resource_type = 'databaseServices';

-- +goose Down
UPDATE operations SET aspect = 'database', resource_type = 'databaseServices', request = '' WHERE resource_type = 'services';
