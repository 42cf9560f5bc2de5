package db

import (
	"context"
	"fmt"
)

const (
	// shrinkPages is how many pages are released in one transaction, a few milliseconds.
	shrinkPages = 128
	// sparePages stay for new rows, and a tenth of the file: a file that shrinks and grows each day is only written more often.
	sparePages = 1024
)

// autoVacuum makes a new file able to give pages back. It has no effect once there are tables, until VACUUM.
const autoVacuum = `PRAGMA auto_vacuum = INCREMENTAL`

// Space is the size of the embedded database.
type Space struct {
	// Pages and Free count pages of PageSize bytes; free ones are reused.
	Pages, Free, PageSize int64
	// Shrinks is set if free pages can be given back.
	Shrinks bool
}

// Bytes returns the size of the file, and how much of it is free.
func (s Space) Bytes() (all, free int64) { return s.Pages * s.PageSize, s.Free * s.PageSize }

// Space returns the size of the embedded database; zero for PostgreSQL.
func (d *DB) Space(ctx context.Context) (Space, error) {
	var s Space
	if d.Dialect == PostgreSQL {
		return s, nil
	}
	var mode int
	for name, to := range map[string]any{"page_count": &s.Pages, "freelist_count": &s.Free, "page_size": &s.PageSize, "auto_vacuum": &mode} {
		if err := d.reader(ctx).QueryRowContext(ctx, "PRAGMA "+name).Scan(to); err != nil {
			return s, fmt.Errorf("read the size of the database: %w", err)
		}
	}
	s.Shrinks = mode != 0
	return s, nil
}

// Shrink gives free pages of the embedded database back to the file system, a few at a time, except those that new rows will need soon. PostgreSQL reuses its
// pages itself.
func (d *DB) Shrink(ctx context.Context) error {
	for {
		s, err := d.Space(ctx)
		if err != nil {
			return err
		}
		spare := s.Free - max(sparePages, s.Pages/10)
		if !s.Shrinks || spare <= 0 {
			return nil
		}
		if err := d.release(ctx, min(spare, shrinkPages)); err != nil {
			return fmt.Errorf("shrink the database: %w", err)
		}
	}
}

// release reads the rows of the pragma to their end: each step frees one page.
func (d *DB) release(ctx context.Context, pages int64) error {
	rows, err := d.writer(ctx).QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		continue
	}
	return rows.Err()
}

// Rewrite writes the embedded database again without its free pages, and makes it able to shrink from then on. It needs room for a copy, and nothing else can
// write meanwhile.
func (d *DB) Rewrite(ctx context.Context) error {
	for _, statement := range []string{`PRAGMA temp_store(1)`, autoVacuum, `VACUUM`, `PRAGMA temp_store(2)`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		if _, err := d.writer(ctx).ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("rewrite the database: %w", err)
		}
	}
	return nil
}
