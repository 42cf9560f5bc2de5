package db

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// statements prepares each statement once, which halves the time of a point read on SQLite. The texts are the generated queries
// and the finite shapes of lists, so their number is limited; beyond maxStatements they run unprepared.
type statements struct {
	db    *DB
	mu    sync.RWMutex
	by    map[string]*sql.Stmt
	reads atomic.Int64
}

const maxStatements = 512

func newStatements(db *DB) *statements { return &statements{db: db, by: map[string]*sql.Stmt{}} }

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.by {
		_ = stmt.Close()
	}
	clear(s.by)
}

// On PostgreSQL it prepares nothing: pgx does so once per connection, and a statement of database/sql would be prepared and
// dropped at every use, since the pool lends its connections for one use each.
func (s *statements) prepared(ctx context.Context, text string) *sql.Stmt {
	if s.db.Dialect == PostgreSQL {
		return nil
	}
	s.mu.RLock()
	stmt, n := s.by[text], len(s.by)
	s.mu.RUnlock()
	if stmt != nil || n >= maxStatements {
		return stmt
	}
	fresh, err := s.db.read.PrepareContext(ctx, text)
	if err != nil {
		return nil // the caller gets the same error, with its own context
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.by[text]; other != nil {
		_ = fresh.Close()
		return other
	}
	s.by[text] = fresh
	return fresh
}

func (s *statements) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if tx := s.db.txOf(ctx); tx != nil {
		return tx.SQL.ExecContext(ctx, text, args...)
	}
	return s.db.reader(ctx).ExecContext(ctx, text, args...)
}

func (s *statements) PrepareContext(ctx context.Context, text string) (*sql.Stmt, error) {
	if tx := s.db.txOf(ctx); tx != nil {
		return tx.SQL.PrepareContext(ctx, text)
	}
	return s.db.reader(ctx).PrepareContext(ctx, text)
}

func (s *statements) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if tx := s.db.txOf(ctx); tx != nil {
		return tx.SQL.QueryContext(ctx, text, args...)
	}
	s.reads.Add(1)
	ctx = s.uninterrupted(ctx)
	if stmt := s.prepared(ctx, text); stmt != nil {
		return stmt.QueryContext(ctx, args...)
	}
	return s.db.reader(ctx).QueryContext(ctx, text, args...)
}

func (s *statements) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if tx := s.db.txOf(ctx); tx != nil {
		return tx.SQL.QueryRowContext(ctx, text, args...)
	}
	s.reads.Add(1)
	ctx = s.uninterrupted(ctx)
	if stmt := s.prepared(ctx, text); stmt != nil {
		return stmt.QueryRowContext(ctx, args...)
	}
	return s.db.reader(ctx).QueryRowContext(ctx, text, args...)
}

// uninterrupted lets a read on SQLite complete even if the caller has gone: for a cancellable context, database/sql and the
// driver each start a goroutine per query, which takes longer than most reads.
func (s *statements) uninterrupted(ctx context.Context) context.Context {
	if s.db.Dialect == SQLite && ctx.Err() == nil {
		return context.WithoutCancel(ctx)
	}
	return ctx
}
