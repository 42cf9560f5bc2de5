package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// pastOperation is an operation from before its resource was in the ledger.
type pastOperation struct {
	id, resource                 int64
	kind, action, state, request string
}

func (o pastOperation) open() bool { return o.state == "pending" || o.state == "running" }

func (o pastOperation) succeeded() bool { return o.state == "succeeded" }

// decode reads the request of an operation.
func (o pastOperation) decode(into any) error {
	if o.request == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(o.request), into); err != nil {
		return fmt.Errorf("request of operation %d: %w", o.id, err)
	}
	return nil
}

// pastOperations lists operations that a condition selects, the oldest first.
func pastOperations(ctx context.Context, tx *sql.Tx, condition string) ([]pastOperation, error) {
	return scan(ctx, tx, `SELECT id, resource_id, resource_type, action, state, request FROM operations WHERE `+condition+` ORDER BY id`,
		func(o *pastOperation) []any {
			return []any{&o.id, &o.resource, &o.kind, &o.action, &o.state, &o.request}
		})
}

// pastOperationsOn lists the operations on a resource.
func pastOperationsOn(ctx context.Context, tx *sql.Tx, kind string, id int64) ([]pastOperation, error) {
	return pastOperations(ctx, tx, fmt.Sprintf(`resource_type = '%s' AND resource_id = %d`, kind, id))
}

func putApplied(ctx context.Context, tx *sql.Tx, kind string, id, server int64, operation *int64, spec string) error {
	by := int64(0)
	if operation != nil {
		by = *operation
	}
	_, err := tx.ExecContext(ctx,
		`INSERT INTO applied (kind, id, server_id, operation_id, version, specification, updated_at) VALUES ($1, $2, $3, $4, 1, $5, 0)`, kind, id, server, by, spec)
	return err
}

// putWish writes what an operation asked for; an operation that is not there any more asks for nothing.
func putWish(ctx context.Context, tx *sql.Tx, operation *int64, kind string, id int64, spec *string) error {
	if operation == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx,
		`INSERT INTO wishes (operation_id, kind, id, version, specification) SELECT id, $2, $3, 1, $4 FROM operations WHERE id = $1`, *operation, kind, id, spec)
	return err
}

// putAppliedSpecification is putApplied of a specification.
func putAppliedSpecification(ctx context.Context, tx *sql.Tx, kind string, id, server, operation int64, spec any) error {
	raw, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return putApplied(ctx, tx, kind, id, server, &operation, string(raw))
}

// putSpecification is putWish of a specification.
func putSpecification(ctx context.Context, tx *sql.Tx, operation int64, kind string, id int64, spec any) error {
	raw, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return putWish(ctx, tx, &operation, kind, id, new(string(raw)))
}

// scan reads all rows of a query.
func scan[T any](ctx context.Context, tx *sql.Tx, query string, into func(*T) []any) (out []T, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row T
		if err := rows.Scan(into(&row)...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}
