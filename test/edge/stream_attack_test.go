package edge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// hears returns the lines of a stream up to the one with a text.
func hears(t *testing.T, res *http.Response, leave func(), text string) (lines []string) {
	t.Helper()
	late := time.AfterFunc(time.Minute, leave)
	defer late.Stop()
	s := bufio.NewScanner(res.Body)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if lines = append(lines, s.Text()); strings.Contains(s.Text(), text) {
			return lines
		}
	}
	t.Errorf("the stream ended before %q: %v; it said %q", text, s.Err(), lines)
	return lines
}

// A follower names a last event of others, of no one, or no number, and wants what others' work prints, or a stream that its reader misreads.
func TestFollowerWantsOthersEvents(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	const path = "/orgs/acme/events/stream"
	w.say(w.foreign.event, "foreign")
	last := func() (id int64) {
		w.Tx(func(ctx context.Context, tx *db.Tx) (err error) {
			id, err = tx.Ungranted().LastOutputID(ctx)
			return err
		})
		return id
	}
	for i, from := range []string{
		fmt.Sprint(last() - 1), "0", "-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "1e3", "0x1", " 0", "0, 1", "' OR 1=1",
		"1;2", fmt.Sprint(last() + 1000),
	} {
		res, leave := w.viewer.Stream(path, Header("Last-Event-ID", from))
		if res.StatusCode != 200 {
			t.Fatalf("after %q: answered %d", from, res.StatusCode)
		}
		first := bufio.NewReader(res.Body)
		if line, err := first.ReadString('\n'); err != nil || line != ":\n" {
			t.Fatalf("after %q: it begins with %q, %v", from, line, err)
		}
		end := fmt.Sprintf("end of %d", i)
		w.say(w.foreign.event, "foreign")
		w.say(w.mine.event, end)
		res.Body = struct {
			io.Reader
			io.Closer
		}{first, res.Body}
		if said := strings.Join(hears(t, res, leave, end), "\n"); strings.Contains(said, "foreign") {
			t.Errorf("after %q: it says %s", from, said)
		}
		leave()
	}
	// Pieces cannot end their event and begin another one.
	after := last()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		evil := "x\r\n\r\nid: 1\revent: evil\ndata: {\"event_id\":\"1\"}\n\n: \u2028\u2029\x00\x1b]0;x\x07"
		return tx.AppendOutput(ctx, query.AppendOutputParams{
			EventID: number(w.mine.event), Kind: "a\nevent: evil", Step: "b\r\ndata: evil",
			Content: evil, CreatedAt: tx.Micros(),
		})
	})
	w.say(w.mine.event, "the end")
	res, leave := w.viewer.Stream(path, Header("Last-Event-ID", fmt.Sprint(after)))
	defer leave()
	events := 0
	for _, line := range hears(t, res, leave, "the end") {
		switch field, value, _ := strings.Cut(line, ":"); field {
		case "event":
			if events++; value != " output" {
				t.Errorf("an event is %q", value)
			}
		case "id", "data", "":
		default:
			t.Errorf("a line is %q", line)
		}
	}
	if events != 2 {
		t.Errorf("two pieces are %d events", events)
	}
	// What is older than what is kept is missed, and nothing else.
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "DELETE FROM event_outputs WHERE id < $1", after)
		return err
	})
	res, leave = w.viewer.Stream(path, Header("Last-Event-ID", "1"))
	defer leave()
	hears(t, res, leave, "the end")
}

// Whoever has no right to a stream gets none, holds no place of those who have, and hears nothing more once it is lost.
func TestStrangerFollows(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	const path = "/orgs/acme/events/stream"
	expired := w.Clock.Now().Add(-time.Second)
	old, _ := w.Token(w.users["viewer"], Everything(), &expired)
	narrow, _ := w.Token(w.users["viewer"], access.SetOf(access.RecipeView), nil)
	session := w.Session(w.users["viewer"])
	for name, tt := range map[string]struct {
		c       *Client
		path    string
		options []Option
		want    int
	}{
		"nobody":                                           {w.As(""), path, nil, 401},
		"a token that has expired":                         {w.As(old), path, nil, 401},
		"a token without the permission":                   {w.As(narrow), path, nil, 403},
		"another organization's member":                    {w.stranger, path, nil, 404},
		"another organization":                             {w.viewer, "/orgs/other/events/stream", nil, 404},
		"no organization":                                  {w.viewer, "/orgs/nowhere/events/stream", nil, 404},
		"a token in the address":                           {w.As(""), path + "?access_token=" + w.viewer.Token, nil, 401},
		"an id in the address":                             {w.As(""), path + "?lastEventId=0&token=" + w.viewer.Token, nil, 401},
		"a cookie of another name":                         {w.As(""), path, []Option{Header("Cookie", "__Secure-hostler="+session.Cookie)}, 401},
		"a member of another organization, by its letters": {w.viewer, "/orgs/OTHER/events/stream", nil, 404},
	} {
		res, leave := tt.c.Stream(tt.path, tt.options...)
		if res.StatusCode != tt.want {
			t.Errorf("%s: answered %d, want %d", name, res.StatusCode, tt.want)
		}
		leave()
	}
	if res := w.ask(t, http.MethodGet, "/api"+path, Header("Authorization", "Bearer "+narrow),
		Header("Origin", "https://evil.example")); res.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another origin's page can read it")
	}
	for range 25 { // which would be more than a user may follow
		req, err := http.NewRequest(http.MethodHead, w.URL+"/api"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.viewer.Token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatalf("HEAD is answered %d", res.StatusCode)
		}
	}
	// A browser that is signed out elsewhere, and one whose user's role loses the right.
	for name, tt := range map[string]struct {
		user int64
		cut  string
		args []any
	}{
		"signed out":            {w.users["viewer"].ID, "DELETE FROM sessions WHERE user_id = $1", []any{w.users["viewer"].ID}},
		"a role without rights": {w.users["custom"].ID, "DELETE FROM role_permissions WHERE role_id = $1", []any{w.customRole}},
	} {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			if tt.user != w.users["custom"].ID {
				return nil
			}
			_, err := tx.SQL.ExecContext(ctx, "INSERT INTO role_permissions (role_id, permission) VALUES ($1, 'server:view') ON CONFLICT DO NOTHING", w.customRole)
			return err
		})
		res, leave := w.Session(query.User{ID: tt.user}).Stream(path)
		if res.StatusCode != 200 {
			t.Fatalf("%s: answered %d", name, res.StatusCode)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, tt.cut, tt.args...)
			return err
		})
		w.say(w.mine.event, "after "+name)
		late := time.AfterFunc(time.Minute, leave)
		said, err := io.ReadAll(res.Body)
		late.Stop()
		leave()
		if err != nil || strings.Contains(string(said), "after "+name) {
			t.Errorf("%s: the stream says %s, %v", name, said, err)
		}
	}
}

// Twenty followers who ask for everything and read nothing do not fill the panel's memory with it.
func TestFollowersWhoDoNotRead(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	w := World(t, db.SQLite)
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		piece := strings.Repeat("x", 48<<10) // as long as one can be
		for range 150 {
			if err := tx.AppendOutput(ctx, query.AppendOutputParams{
				EventID: number(w.mine.event), Kind: "stdout", Step: "load", Content: piece,
				CreatedAt: tx.Micros(),
			}); err != nil {
				return err
			}
		}
		return nil
	})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 20 {
		res, leave := w.viewer.Stream("/orgs/acme/events/stream", Header("Last-Event-ID", "0"))
		defer leave()
		if res.StatusCode != 200 {
			t.Fatalf("a stream is answered %d", res.StatusCode)
		}
		s := bufio.NewReader(res.Body)
		for range 3 { // a comment, an empty line, and the first id: now all that is read at once has been read
			if _, err := s.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 90<<20 {
		t.Errorf("twenty streams hold %d MiB", kept>>20)
	}
}
