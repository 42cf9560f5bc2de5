package edge

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Thousands of wrong sign-ins, of an existing account and of an unknown one, from one address and from many, delay no right one
// from elsewhere and reveal nothing. The slowdown of the right one is printed and not asserted; HOSTLER_ATTACK=full makes it 10
// 000.
func TestWrongSignIns(t *testing.T) {
	t.Parallel()
	count := 300
	if os.Getenv("HOSTLER_ATTACK") == "full" {
		count = 10_000
	}
	for name, addresses := range map[string]int{"one address": 1, "many addresses": 200} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := New(t, db.SQLite)
			e.WithPassword(e.User("jane").ID)
			e.WithPassword(e.User("victim").ID)
			e.TrustProxies()
			signIn := func(c *Client, email, with, address string) (Answer, time.Duration) {
				began := time.Now()
				a := c.Post("/auth/login", login(email, with, ""), Header("X-Forwarded-For", address))
				return a, time.Since(began)
			}
			right := func() time.Duration {
				t.Helper()
				c := e.As("")
				var all []time.Duration
				for range 9 {
					a, took := signIn(c, "jane@example.com", password, "198.51.100.7")
					a.Want(t, 200)
					all = append(all, took)
				}
				slices.Sort(all)
				return all[len(all)/2]
			}
			quiet := right()
			var mu sync.Mutex
			bodies := map[string][]byte{}
			took := map[string][]time.Duration{}
			var next, refused atomic.Int64
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					c := e.As("") // whose connections are kept
					for i := next.Add(1); i <= int64(count); i = next.Add(1) {
						email := []string{"victim@example.com", "nobody@example.com"}[i%2]
						a, d := signIn(c, email, "wrong", fmt.Sprintf("203.0.113.%d", i/2%int64(addresses)))
						if a.Status != 401 && a.Status != 429 {
							t.Errorf("answered %d", a.Status)
						}
						if a.Status == 429 {
							refused.Add(1)
						}
						key := fmt.Sprint(a.Status)
						mu.Lock()
						if before, ok := bodies[key]; ok && !bytes.Equal(before, a.Body) {
							t.Errorf("%s of %s says %s, another %s", key, email, a.Body, before)
						}
						bodies[key], took[email+" "+key] = a.Body, append(took[email+" "+key], d)
						mu.Unlock()
					}
				})
			}
			flooded := right()
			wait.Wait()
			t.Logf("%d wrong sign-ins from %s, %d of them refused unseen; a right one took %v before and %v meanwhile: %.1f times",
				count, name, refused.Load(), quiet, flooded, float64(flooded)/float64(quiet))
			for _, status := range []string{"401", "429"} {
				median := func(email string) time.Duration {
					all := took[email+" "+status]
					slices.Sort(all)
					if len(all) == 0 {
						return 0
					}
					return all[len(all)/2]
				}
				t.Logf("%s: %v for the account that exists, %v for the one that does not", status, median("victim@example.com"), median("nobody@example.com"))
			}
			if a, _ := signIn(e.As(""), "jane@example.com", password, "192.0.2.1"); a.Status != 200 {
				t.Errorf("afterwards a right one from a new address answered %d", a.Status)
			}
		})
	}
}
