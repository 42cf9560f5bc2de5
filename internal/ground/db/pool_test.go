package db_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// What is read by a context of a transaction is read in it, on its connection.
func TestReadsOfATransactionAreItsOwn(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		var kept context.Context
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			kept = ctx
			if _, err := insertUser(ctx, tx, "a"); err != nil {
				return err
			}
			if n, err := d.Read().Ungranted().CountUsers(ctx); err != nil || n != 1 {
				t.Errorf("the transaction reads %d users, %v", n, err)
			}
			if err := d.Tx(ctx, func(context.Context, *db.Tx) error { return nil }); err == nil {
				t.Error("a transaction was begun within another")
			}
			return nil
		})
		if n, err := d.Read().Ungranted().CountUsers(kept); err != nil || n != 1 { // which is over
			t.Errorf("after the transaction there are %d users, %v", n, err)
		}
	})
}

// As many transactions as there are connections, all of which read, wait for none. With another connection for each read this test does not end.
func TestTransactionsNeedOneConnectionEach(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Config{URL: pgtest.Database(t, "pools", nil) + "&pool_max_conns=8"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	d.ForbidNested()
	most := 0
	for _, s := range d.PoolStats() {
		if s.Use == string(db.Requests) {
			most = s.Most
		}
	}
	ctx, cancel := context.WithTimeout(db.For(t.Context(), db.Requests), 20*time.Second)
	defer cancel()
	var begun, done sync.WaitGroup
	begun.Add(most)
	for range most {
		done.Go(func() {
			err := d.Tx(ctx, func(ctx context.Context, _ *db.Tx) error {
				begun.Done()
				begun.Wait()
				_, err := d.Read().Ungranted().CountUsers(ctx)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	begun.Wait()
	// Readiness and jobs still get connections: they have pools of their own.
	if err := d.Write(db.For(t.Context(), db.Readiness)); err != nil {
		t.Error(err)
	}
	if err := d.Write(t.Context()); err != nil {
		t.Error(err)
	}
	done.Wait()
}

// A function that lost the context of its transaction asks for a second connection: tests find it.
func TestNestedConnectionsAreFound(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Config{URL: pgtest.Database(t, "pools", nil)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	d.ForbidNested()
	defer func() {
		if recover() == nil {
			t.Error("a transaction took a second connection")
		}
	}()
	_ = d.Tx(t.Context(), func(context.Context, *db.Tx) error {
		_, err := d.Read().Ungranted().CountUsers(t.Context())
		return err
	})
}

// A statement that waits for a lock ends, and says that it can be tried again.
func TestLocksAreNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Config{URL: pgtest.Database(t, "pools", nil)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	mustTx(t, d, func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, db.SettingWritten, "x") })
	err = d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		if err := tx.PutSetting(ctx, db.SettingWritten, "y"); err != nil {
			return err
		}
		waited := make(chan error)
		go func() { waited <- d.Write(db.For(t.Context(), db.Readiness)) }()
		if err := <-waited; !db.IsBusy(err) {
			t.Errorf("a write that waits for a lock ends with %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Undo shows a transaction what was there before.
func TestUndo(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			if _, err := insertUser(ctx, tx, "before"); err != nil {
				return err
			}
			if err := tx.Mark(ctx); err != nil {
				return err
			}
			if _, err := insertUser(ctx, tx, "after"); err != nil {
				return err
			}
			if err := tx.Undo(ctx); err != nil {
				return err
			}
			if n, err := tx.Ungranted().CountUsers(ctx); err != nil || n != 1 {
				t.Errorf("%d users, %v", n, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
