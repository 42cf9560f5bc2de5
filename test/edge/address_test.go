package edge

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Scripts reveal servers and their keys to anonymous callers only while a server waits for its setup command.
func TestStrangerReadsScriptsOfServers(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	body := serverBody("waiting", "worker")
	id := w.owner.Post(servers, body).Want(t, 202).ID()
	script := func() (int, string) { return plain(t, "GET", w.URL+"/bootstrap/"+id+"/script", "") }
	_, nothing := plain(t, "GET", w.URL+"/bootstrap/999999/script", "")
	if status, text := script(); status != 200 || !strings.Contains(text, "ssh-ed25519 ") {
		t.Fatalf("the script of a server that waits is answered %d", status)
	}
	row := must(w.App.DB.Read().Ungranted().GetServer(context.Background(), number(id)))
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.SetServerIdentity(ctx, query.SetServerIdentityParams{
			ID: row.ID, HostKeys: "ssh-ed25519 AAAA\n", IPAddress: row.IPAddress, SSHPort: 22, Facts: "{}",
			UpdatedAt: tx.Micros(),
		})
	})
	if status, text := script(); status != 404 || text != nothing {
		t.Errorf("the script of a server that ran it is answered %d %s", status, text)
	}
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.SetServerIdentity(ctx, query.SetServerIdentityParams{ID: row.ID, IPAddress: row.IPAddress, SSHPort: 22, Facts: "{}", UpdatedAt: tx.Micros()})
	})
	w.Clock.Move(8 * 24 * time.Hour)
	if status, text := script(); status != 404 || text != nothing {
		t.Errorf("the script of a line that is too old is answered %d %s", status, text)
	}
}

// Codes, tokens and links at the pages outside of the API can't be guessed without limit; a claimed address counts only behind a trusted proxy.
func TestStrangerGuessesOutsideTheAPI(t *testing.T) {
	t.Parallel()
	for path, most := range map[string]int{
		"/bootstrap/1/script":                  api.LeastRateLimit,
		"/heartbeats/aaaaaaaaaaaaaaaaaaaaaaaa": 2 * api.LeastRateLimit,
		"/storage/guess":                       20 * api.LeastRateLimit,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			e := NewWith(t, db.SQLite, func(c *app.Config) { c.RateLimit = 2 * api.LeastRateLimit })
			for i := range most {
				if status, text := plain(t, "GET", e.URL+path, "", "X-Forwarded-For", "198.51.100."+strings.Repeat("1", i%3+1)); status == 429 {
					t.Fatalf("the guess %d is answered %s", i+1, text)
				}
			}
			if status, _ := plain(t, "GET", e.URL+path, "", "X-Forwarded-For", "203.0.113.9"); status != 429 {
				t.Errorf("after %d guesses another is answered %d", most, status)
			}
			e.TrustProxies()
			if status, _ := plain(t, "GET", e.URL+path, "", "X-Forwarded-For", "203.0.113.9"); status == 429 {
				t.Error("another address behind a trusted proxy is refused")
			}
		})
	}
}
