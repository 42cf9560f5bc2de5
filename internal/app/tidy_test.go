package app_test

import (
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/host"
)

// What has expired is deleted by a job, once for all panels of a database.
func TestExpiredRowsAreDeleted(t *testing.T) {
	t.Parallel()
	c := installation(t)
	c.BaseURL, c.Listen = "http://127.0.0.1:1", "127.0.0.1:0"
	c.Agents = host.Binaries{"amd64": {Sum: "none", Open: func() ([]byte, error) { return nil, nil }}}
	inDatabase(`INSERT INTO throttles (name, failures, since) VALUES ('old', 1, 1)`)(t, &c)
	a := run(t, c)
	left := func(a *app.App) (n int) {
		t.Helper()
		if err := a.DB.SQLDB().QueryRowContext(t.Context(), `SELECT COUNT(*) FROM throttles`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	deadline, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for left(a) > 0 {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("a counter of 1970 is still there")
		}
	}
}
