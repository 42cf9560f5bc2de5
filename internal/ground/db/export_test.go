package db

import (
	"context"
	"reflect"
)

// MigrateTo brings our own schema to a version, without the job queue's.
func (d *DB) MigrateTo(ctx context.Context, version int64) error {
	p, err := d.provider()
	if err != nil {
		return err
	}
	_, err = p.UpTo(ctx, version)
	return err
}

// Statement returns what Select asks for a page.
func Statement[T any](l List) (string, []any, error) {
	at, err := l.decodeCursor()
	if err != nil {
		return "", nil, err
	}
	return l.text(shapeOf(reflect.TypeFor[T]()), at)
}

// CursorAt returns the cursor behind a row.
func CursorAt(l List, values []string, id int64) string {
	return *cursor{Order: l.order(), Values: values, ID: id}.encode()
}
