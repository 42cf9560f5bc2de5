package edge

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Many callers of one server, with fewer connections than callers: dry runs, changes and readiness are all answered. When a dry run read the rows of before
// over another connection, each of four held the last that the others waited for.
func TestManyCallersOfOneServerAreAnswered(t *testing.T) {
	t.Parallel()
	w := World(t, db.PostgreSQL)
	w.executes("UPDATE servers SET is_ready = TRUE WHERE id = $1", number(w.mine.server)) // else there is nothing to compare
	path := "/orgs/acme/servers/" + w.mine.server + "/firewall-rules"
	const callers, times = 8, 3
	done := make(chan struct{})
	go func() {
		defer close(done)
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range times {
					a, err := w.owner.Try(http.MethodPost, path+"?dry_run=true", map[string]any{"name": "dry", "port": "8080", "type": "allow"})
					if err != nil || a.Status != 200 || !strings.Contains(string(a.Body), "dport 8080") {
						t.Errorf("a dry run: %d %s %v", a.Status, a.Body, err)
					}
					if a, err := w.owner.Try(http.MethodPut, "/orgs/acme/servers/"+w.mine.server, map[string]any{"name": "app-one"}); err != nil || a.Status != 200 {
						t.Errorf("an update: %d %s %v", a.Status, a.Body, err)
					}
					if err := w.App.Ready(t.Context()); err != nil {
						t.Errorf("readiness: %v", err)
					}
				}
			})
		}
		all.Wait()
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("callers wait for each other")
	}
}
