package db_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Verify accepts an intact database, and Write succeeds.
func TestVerify(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		if err := d.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		if err := d.Write(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// PostgreSQL keeps an index whose creation was interrupted, and does not use it.
func TestVerifyFindsAnInvalidIndex(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), config(t, db.PostgreSQL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	mustUsers(t, d, "a", "b")
	if _, err := d.SQLDB().ExecContext(t.Context(), "CREATE UNIQUE INDEX CONCURRENTLY broken ON users (password_hash)"); err == nil {
		t.Fatal("two rows of one hash are unique")
	}
	if err := d.Verify(t.Context()); err == nil || err.Error() != "the database is damaged: the index broken is not valid" {
		t.Errorf("it is found: %v", err)
	}
}
