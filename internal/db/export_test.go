package db

import "context"

// MigrateTo brings our own schema to a version, without the job queue's.
func (d *DB) MigrateTo(ctx context.Context, version int64) error {
	p, err := d.provider(nil)
	if err != nil {
		return err
	}
	_, err = p.UpTo(ctx, version)
	return err
}
