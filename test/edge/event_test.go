package edge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// say writes a piece of output of an event.
func (w *world) say(event, content string) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.AppendOutput(ctx, query.AppendOutputParams{EventID: number(event), Kind: "stdout", Step: "load", Content: content, CreatedAt: tx.Micros()})
	})
}

// print is say for a script: the work is one that prints what others say, as it is from the moment that its script begins.
func (w *world) print(event, content string) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET prints = TRUE WHERE event_id = $1", number(event))
		return err
	})
	w.say(event, content)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := "/orgs/acme/servers/" + w.mine.server + "/events"
		a := w.owner.Get(path+"/"+w.mine.event).Want(t, 200)
		want := map[string]any{
			"description": "Installing firewall rule HTTP alt",
			"ran_as":      "root",
			"created_at":  "2026-03-01T12:00:00.123456Z",
			"updated_at":  "2026-03-01T12:00:00.123456Z",
		}
		if diff := cmp.Diff(want, a.At("data", "attributes")); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
		if got, want := a.Text("data", "relationships", "initiator", "data", "id"), w.owner.Get("/user").ID(); got != want {
			t.Errorf("the initiator is %s, want %s", got, want)
		}
		// The same block is in the event and in the resource.
		rule := w.owner.Get(w.rules(w.mine.server)+"/"+w.mine.rule).Want(t, 200)
		if diff := cmp.Diff(rule.At("data", "meta", "operation"), a.At("data", "meta", "operation")); diff != "" {
			t.Errorf("meta.operation (-rule +event):\n%s", diff)
		}
		if got := w.owner.Get(path+"/"+w.mine.event+"/output").Want(t, 200).At("data", "attributes", "output"); got != "" {
			t.Errorf("output is %q before there is any", got)
		}
		w.say(w.mine.event, "one\n")
		w.say(w.mine.event, "zwei <&> \x1b[1m\n")
		if got := w.owner.Get(path+"/"+w.mine.event+"/output").Want(t, 200).At("data", "attributes", "output"); got != "one\nzwei <&> \x1b[1m\n" {
			t.Errorf("output is %q", got)
		}
		quiet := w.owner.Post("/orgs/acme/servers", serverBody("quiet", "web")).Want(t, 202).ID()
		w.owner.Post("/orgs/acme/servers/"+quiet+"/firewall-rules", map[string]any{"name": "DNS", "port": "53", "type": "allow"}).Want(t, 202)
		for query, n := range map[string]int{
			"?filter[ran_as]=root":                                  2,
			"?filter[ran_as]=forge":                                 0,
			"?filter[initiated_by]=" + w.owner.Get("/user").ID():    2,
			"?filter[initiated_by]=999":                             0,
			"?filter[initiated_by]=me":                              0,
			"?filter[initiated_by]=me," + w.owner.Get("/user").ID(): 2,
		} {
			if got := w.owner.Get("/orgs/acme/servers/"+quiet+"/events"+query).Want(t, 200).IDs(); len(got) != n {
				t.Errorf("%s finds %v, want %d", query, got, n)
			}
		}
		mine := w.mine.server
		for query, want := range map[string]string{
			"filter[server_id]=" + quiet: "/servers/" + quiet + "/", "filter[server_id]=" + mine: "/servers/" + mine + "/",
			"filter[server_id]=" + quiet + "&filter[initiated_by]=" + w.owner.Get("/user").ID(): "/servers/" + quiet + "/",
			"filter[server_id]=" + w.foreign.server:                                             "", "filter[server_id]=all": "",
		} {
			found := w.owner.Get("/orgs/acme/events?page[size]=200&"+query).Want(t, 200).At("data").([]any)
			if (len(found) > 0) != (want != "") {
				t.Errorf("%s finds %d events", query, len(found))
			}
			for _, e := range found {
				if link := fmt.Sprint(e.(map[string]any)["links"]); !strings.Contains(link, want) {
					t.Errorf("%s finds %s", query, link)
				}
			}
		}
		var all int
		for _, id := range w.owner.Get("/orgs/acme/servers?page[size]=200").Want(t, 200).IDs() {
			all += len(w.owner.Get("/orgs/acme/servers/"+id+"/events?page[size]=200").Want(t, 200).IDs())
		}
		if got := w.owner.Get("/orgs/acme/events?page[size]=200").Want(t, 200).IDs(); len(got) != all || all < 10 {
			t.Errorf("the organization has %d events, its servers %d", len(got), all)
		}
		w.Clock.Move(90 * time.Minute)
		for query, want := range map[string]bool{
			"state=pending": true, "state=failed": false, "state=failed,pending": true, "state=": false, "state=PENDING": false,
			"longer_than=0": true, "longer_than=3600": true, "longer_than=7200": false, "longer_than=9000,3600": true,
			"longer_than=-1": false, "longer_than=1h": false, "longer_than=99999999999999999999": false,
			"longer_than=10&filter[state]=running": false,
		} {
			found := w.owner.Get("/orgs/acme/servers/"+quiet+"/events?filter["+strings.Replace(query, "=", "]=", 1)).Want(t, 200).IDs()
			if (len(found) == 2) != want {
				t.Errorf("%s finds %d events, want both: %v", query, len(found), want)
			}
		}
		if got := w.owner.Get("/orgs/acme/events?filter[server_id]="+quiet).Want(t, 200).Text("data", 0, "meta", "server_name"); got != "quiet" {
			t.Errorf("the event's server is called %q", got)
		}
		for _, list := range []string{"/orgs/acme/events", "/orgs/acme/servers/" + mine + "/events"} {
			a := w.owner.Get(list+"?filter[site_id]="+w.mine.site).Want(t, 200)
			if len(a.IDs()) == 0 || a.Text("data", 0, "relationships", "site", "data", "id") != w.mine.site {
				t.Errorf("the site's events in %s are %s", list, a.Body)
			}
			if found := w.owner.Get(list+"?filter[site_id]="+w.foreign.site).Want(t, 200).IDs(); len(found) > 0 {
				t.Errorf("%s has the events %v of another organization's site", list, found)
			}
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET state = 'succeeded', finished_at = created_at + 61000000 WHERE event_id = $1", number(w.mine.event))
			return err
		})
		for query, want := range map[string]bool{"longer_than=60": true, "longer_than=61": false, "longer_than=60&filter[state]=succeeded": true} {
			found := w.owner.Get(path+"?page[size]=200&filter["+strings.Replace(query, "=", "]=", 1)).Want(t, 200).IDs()
			if slices.Contains(found, w.mine.event) != want {
				t.Errorf("%s finds %v, want %s: %v", query, found, w.mine.event, want)
			}
		}
	})
}

func TestRetryAndCancel(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := "/orgs/acme/servers/" + w.mine.server + "/events/" + w.mine.event
		before := w.counts()
		w.owner.Post(path+"/retry", nil).Want(t, 409) // it has not failed
		w.unchangedSince(before)
		a := w.owner.Post(path+"/cancel", nil).Want(t, 202)
		if a.ID() != w.mine.event || a.Header.Get("X-Hostler-Event") != w.mine.event {
			t.Errorf("the answer is the event %s, X-Hostler-Event %s, want %s", a.ID(), a.Header.Get("X-Hostler-Event"), w.mine.event)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			op := w.operation(ctx, tx, w.mine.event)
			if !op.Cancelled {
				t.Error("the operation was not asked to end")
			}
			_, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: job.StateCancelled, Reason: "cancelled", UpdatedAt: tx.Micros()})
			return err
		})
		w.owner.Post(path+"/cancel", nil).Want(t, 409) // it has ended
		got := atOnce(t, 6, func(int) (Answer, error) { return w.owner.Try("POST", path+"/retry", nil) })
		if diff := cmp.Diff(map[int]int{202: 1, 409: 5}, statuses(got)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		read := w.owner.Get(path).Want(t, 200)
		if got := read.Text("data", "meta", "operation", "state"); got != "pending" {
			t.Errorf("the state is %s after it was tried again", got)
		}
	})
}

// sse reads events of a stream until n came.
func sse(t *testing.T, c *Client, path string, n int, options ...Option) (ids []string, pieces []map[string]any) {
	t.Helper()
	res, cancel := c.Stream(path, options...)
	defer cancel()
	if res.StatusCode != 200 {
		t.Fatalf("the stream answered %d", res.StatusCode)
	}
	late := time.AfterFunc(30*time.Second, cancel)
	defer late.Stop()
	lines := bufio.NewScanner(res.Body)
	for len(pieces) < n && lines.Scan() {
		switch field, value, _ := strings.Cut(lines.Text(), ": "); field {
		case "id":
			ids = append(ids, value)
		case "event":
			if value != "output" {
				t.Errorf("event is %q", value)
			}
		case "data":
			var piece map[string]any
			if err := json.Unmarshal([]byte(value), &piece); err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, piece)
		}
	}
	if len(pieces) < n {
		t.Fatalf("the stream ended after %d of %d events: %v", len(pieces), n, lines.Err())
	}
	return ids, pieces
}

// A stream shows the output of the organization, and resumes after the last event seen.
// What would undo the work is the first piece of each event, and is no output.
func TestStream(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		w.say(w.mine.event, "one\nline")
		w.say(w.foreign.event, "foreign")
		w.say(w.other.event, "two")
		const path = "/orgs/acme/events/stream"
		ids, pieces := sse(t, w.viewer, path, 2, Header("Last-Event-ID", "0"))
		want := []map[string]any{
			{
				"event_id": w.mine.event, "server_id": float64(number(w.mine.server)), "site_id": nil, "seq": 2.0,
				"kind": "stdout", "step": "load", "content": "one\nline", "at": "2026-03-01T12:00:00.123456Z",
			},
			{
				"event_id": w.other.event, "server_id": float64(number(w.other.server)), "site_id": nil, "seq": 2.0,
				"kind": "stdout", "step": "load", "content": "two", "at": "2026-03-01T12:00:00.123456Z",
			},
		}
		if diff := cmp.Diff(want, pieces); diff != "" {
			t.Errorf("pieces (-want +got):\n%s", diff)
		}
		w.say(w.mine.event, "three")
		if _, pieces := sse(t, w.viewer, path, 1, Header("Last-Event-ID", ids[1])); pieces[0]["content"] != "three" || pieces[0]["seq"] != 3.0 {
			t.Errorf("after the last one: %v", pieces)
		}
		// Without a last one it begins now.
		res, cancel := w.viewer.Stream(path)
		defer cancel()
		lines := bufio.NewScanner(res.Body)
		if !lines.Scan() || lines.Text() != ":" {
			t.Fatalf("the stream begins with %q", lines.Text())
		}
		w.say(w.mine.event, "four")
		for lines.Scan() {
			if value, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if !strings.Contains(value, `"content":"four"`) {
					t.Errorf("the first piece is %s", value)
				}
				return
			}
		}
		t.Error("the stream ended")
	})
}

// Each resource that shows the output of work shows both ends of more than an answer can contain, and how much is missing between them.
func TestLongOutputIsShownWithBothEnds(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	const size, count = 512 << 10, 36 // 18 MiB
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		op := "(SELECT MAX(id) FROM operations WHERE event_id = " + w.mine.event + ")"
		for _, text := range []string{
			"UPDATE commands SET operation_id = " + op + " WHERE id = " + w.mine.command,
			"UPDATE deployments SET operation_id = " + op + " WHERE id = " + w.mine.deployment,
			"UPDATE recipe_runs SET operation_id = " + op + " WHERE id = " + w.mine.run,
		} {
			if _, err := tx.SQL.ExecContext(ctx, text); err != nil {
				return err
			}
		}
		piece := strings.Repeat("x", size)
		for i := range count {
			text := map[int]string{0: "the beginning" + piece, count - 1: piece + "the reason"}[i]
			if text == "" {
				text = piece
			}
			if err := job.Say(ctx, tx, number(w.mine.event), job.Piece{Kind: "output", Step: "load", Content: text}); err != nil {
				return err
			}
		}
		return nil
	})
	missing := wire.Missing(size*count + int64(len("the beginning")+len("the reason")) - 16<<20)
	onServer := "/orgs/acme/servers/" + w.mine.server
	onSite := onServer + "/sites/" + w.mine.site
	for _, path := range []string{
		onServer + "/events/" + w.mine.event + "/output",
		onSite + "/commands/" + w.mine.command + "/output",
		onSite + "/deployments/" + w.mine.deployment + "/log",
		"/orgs/acme/recipes/" + w.mine.recipe + "/runs/" + w.mine.run,
	} {
		text := w.owner.Get(path).Want(t, 200).Text("data", "attributes", "output")
		if !strings.HasPrefix(text, "the beginningx") || !strings.HasSuffix(text, "xthe reason") || !strings.Contains(text, missing) {
			t.Errorf("%s shows %d bytes, from %.20q to %q", path, len(text), text, text[max(0, len(text)-20):])
		}
	}
}
