package edge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A stream sends nothing more once its follower lost the right to it, for whatever reason.
func TestFollowerHearsAfterTheRightIsGone(t *testing.T) {
	t.Parallel()
	sql := func(w *world, text string, args ...any) {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, text, args...)
			return err
		})
	}
	for name, cut := range map[string]func(w *world, token int64){
		"the token is revoked": func(w *world, token int64) {
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.RevokeToken(ctx, token, new(tx.Micros()))
				return err
			})
		},
		"the token expires": func(w *world, token int64) {
			sql(w, "UPDATE tokens SET expires_at = $1 WHERE id = $2", w.Clock.Now().Add(-time.Second).UnixMicro(), token)
		},
		"the token loses its scopes": func(w *world, token int64) {
			sql(w, "UPDATE tokens SET scopes = $1 WHERE id = $2", string(must(json.Marshal(access.SetOf(access.RecipeView)))), token)
		},
		"the token loses the organization": func(w *world, token int64) { sql(w, "UPDATE tokens SET organizations = '[0]' WHERE id = $1", token) },
		"the member leaves": func(w *world, _ int64) {
			sql(w, "DELETE FROM memberships WHERE user_id = $1", w.users["viewer"].ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := World(t, db.SQLite)
			token, row := w.Token(w.users["viewer"], Everything(), nil)
			res, leave := w.As(token).Stream("/orgs/acme/events/stream")
			defer leave()
			cut(w, row.ID)
			w.say(w.mine.event, "after the cut")
			late := time.AfterFunc(time.Minute, leave)
			defer late.Stop()
			all, err := io.ReadAll(res.Body)
			if err != nil {
				t.Errorf("the stream goes on: %v", err)
			}
			if strings.Contains(string(all), "after the cut") {
				t.Errorf("the stream said %s", all)
			}
		})
	}
}

// One user follows twenty streams at most, whatever tokens they are opened with, and another user's are not counted.
func TestUserHoldsAllStreams(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	const path = "/orgs/acme/events/stream"
	var leave func()
	for range 20 {
		token, _ := w.Token(w.users["viewer"], Everything(), nil)
		res, cancel := w.As(token).Stream(path)
		defer cancel()
		if leave = cancel; res.StatusCode != 200 {
			t.Fatalf("a stream is answered %d", res.StatusCode)
		}
	}
	res, more := w.viewer.Stream(path)
	more()
	if res.StatusCode != 429 {
		t.Fatalf("another stream is answered %d", res.StatusCode)
	}
	other, cancel := w.owner.Stream(path)
	defer cancel()
	if other.StatusCode != 200 {
		t.Errorf("another user's stream is answered %d", other.StatusCode)
	}
	leave()
	for deadline := time.Now().Add(time.Minute); ; {
		res, cancel := w.viewer.Stream(path)
		cancel()
		if res.StatusCode == 200 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after one was closed another is answered %d", res.StatusCode)
		}
	}
}

// Idle streams cost nothing: new output is polled once for all of them, and wakes those of its organization.
func TestStandingStreamsAreFree(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	for _, c := range []*Client{w.owner, w.viewer, w.developer} {
		for range 15 {
			res, leave := c.Stream("/orgs/acme/events/stream")
			defer leave()
			if res.StatusCode != 200 {
				t.Fatalf("a stream is answered %d", res.StatusCode)
			}
		}
	}
	res, leave := w.stranger.Stream("/orgs/other/events/stream")
	defer leave()
	lines := bufio.NewScanner(res.Body)
	before, began := w.App.DB.Reads(), time.Now()
	for i := range 4 {
		text := fmt.Sprintf("piece %d", i)
		w.say(w.foreign.event, text)
		for lines.Scan() && !strings.Contains(lines.Text(), text) {
		}
	}
	reads, each := w.App.DB.Reads()-before, float64(time.Since(began))/float64(250*time.Millisecond)
	if most := int64(4*20 + each*5); lines.Err() != nil || reads > most {
		t.Errorf("45 streams of another organization and 4 pieces took %d reads, want at most %d: %v", reads, most, lines.Err())
	}
}
