package delivery

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// still returns a stopped clock.
func still() clock.Clock { return clock.Fixed(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) }

// poster sends everything to one address.
type poster struct {
	client *http.Client
	url    string
}

func (p poster) Send(ctx context.Context, d query.Delivery) (Outcome, error) {
	return Post(ctx, p.client, p.url, http.Header{"Webhook-Id": {d.MessageID}}, []byte(d.Payload)), nil
}

// both runs a test on SQLite and on PostgreSQL, with a webhook to deliver to.
func both(t *testing.T, c clock.Clock, test func(t *testing.T, d *db.DB, to To)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			config := db.Config{Dir: t.TempDir(), Clock: c}
			if dialect == db.PostgreSQL {
				config.URL = dbtest.URL(t)
			}
			d, err := dbtest.Open(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			var to To
			err = d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				org, err := tx.InsertOrganization(ctx, "acme", "acme", 1, 1)
				if err != nil {
					return err
				}
				channel, err := tx.InsertNotificationChannel(ctx, query.InsertNotificationChannelParams{
					OrganizationID: org.ID, Name: "c", Type: "webhook", Settings: []byte{}, CreatedAt: 1,
				})
				to.ChannelID = &channel.ID
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			test(t, d, to)
		})
	}
}

func mustPut(t *testing.T, q *Queue, to To) query.Delivery {
	t.Helper()
	var out query.Delivery
	err := q.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) (err error) {
		out, err = q.Put(ctx, tx, to, "deployment.ended", `{"status":"success"}`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustGet(t *testing.T, d *db.DB, id int64) query.Delivery {
	t.Helper()
	row, err := d.Read().Ungranted().GetDelivery(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func newQueue(t *testing.T, d *db.DB, sender Sender) *Queue {
	t.Helper()
	jobs, err := job.NewQueue(d, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &Queue{DB: d, Jobs: jobs, Channels: sender}
}

func guarded() *http.Client { return outbound.Guard{AllowPrivate: true}.Client() }

// snoozed returns how long a job asked to wait.
func snoozed(t *testing.T, err error) time.Duration {
	t.Helper()
	var snooze *river.JobSnoozeError
	if !errors.As(err, &snooze) {
		t.Fatalf("the job ended with %v, want it to be asked again", err)
	}
	return snooze.Duration
}

// A message that is not accepted is retried, later each time, and dropped at the end. The answer is stored, as text.
func TestAttempts(t *testing.T) {
	t.Parallel()
	c := still()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "not\x1b[31m now\x00 \u202e"+strings.Repeat("x", 10_000))
	}))
	t.Cleanup(server.Close)
	both(t, c, func(t *testing.T, d *db.DB, to To) {
		q := newQueue(t, d, poster{guarded(), server.URL})
		sent := mustPut(t, q, to)
		for i, pause := range DefaultPauses() {
			if got := snoozed(t, q.send(t.Context(), Send{sent.ID})); got != pause {
				t.Errorf("after attempt %d it waits %s, want %s", i+1, got, pause)
			}
			row := mustGet(t, d, sent.ID)
			if row.State != StatePending || row.Attempts != int64(i+1) || row.StatusCode == nil || *row.StatusCode != 503 ||
				row.Failure != "It answered 503." || row.NextAt == nil {
				t.Fatalf("after attempt %d it is %+v", i+1, row)
			}
			if len(row.Response) > maxResponse || strings.ContainsAny(row.Response, "\x1b\x00\u202e") || !strings.HasPrefix(row.Response, "not[31m now xxx") {
				t.Fatalf("the answer is kept as %.40q (%d bytes)", row.Response, len(row.Response))
			}
			if got := snoozed(t, q.send(t.Context(), Send{sent.ID})); got > pause || mustGet(t, d, sent.ID).Attempts != int64(i+1) { // another job of the same delivery
				t.Fatalf("asked too early it waits %s, and made attempt %d", got, mustGet(t, d, sent.ID).Attempts)
			}
			// its time has come
			if err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return tx.PostponeDelivery(ctx, sent.ID, new(tx.Micros())) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.send(t.Context(), Send{sent.ID}); err != nil {
			t.Fatal(err)
		}
		if row := mustGet(t, d, sent.ID); row.State != StateFailed || row.EndedAt == nil || row.Attempts != int64(len(DefaultPauses())+1) {
			t.Errorf("at the end it is %+v", row)
		}
		if err := q.send(t.Context(), Send{sent.ID}); err != nil || mustGet(t, d, sent.ID).Attempts != int64(len(DefaultPauses())+1) {
			t.Errorf("what is given up is tried again: %v", err)
		}
	})
}

// A server may compress what it answers without being asked.
func TestCompressedAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(http.StatusTeapot)
		packed := gzip.NewWriter(w)
		_, _ = packed.Write([]byte("no such channel"))
		_ = packed.Close()
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	if got := Post(t.Context(), client, server.URL, nil, nil); got.Response != "no such channel" || got.Status != http.StatusTeapot {
		t.Errorf("the outcome is %+v", got)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		header map[string]string
		want   Outcome
	}{
		"taken": {204, nil, Outcome{Status: 204}},
		"redirect": {302, map[string]string{"Location": "http://169.254.169.254/"}, Outcome{
			Status: 302, Failure: "It answered with a redirect to http://169.254.169.254, and those are not followed.",
		}},
		"gone":     {410, nil, Outcome{Status: 410, Failure: "It answered 410: it wants no more messages.", Lasting: true}},
		"not now":  {429, map[string]string{"Retry-After": "120"}, Outcome{Status: 429, Failure: "It answered 429.", After: 2 * time.Minute}},
		"a moment": {429, map[string]string{"Retry-After": "0.57"}, Outcome{Status: 429, Failure: "It answered 429.", After: time.Second}},
		"at a time": {
			503,
			map[string]string{"Date": "Sun, 01 Mar 2026 12:00:00 GMT", "Retry-After": "Sun, 01 Mar 2026 12:05:00 GMT"},
			Outcome{Status: 503, Failure: "It answered 503.", After: 5 * time.Minute},
		},
		"NaN":       {503, map[string]string{"Retry-After": "NaN"}, Outcome{Status: 503, Failure: "It answered 503."}},
		"next year": {503, map[string]string{"Retry-After": "31536000"}, Outcome{Status: 503, Failure: "It answered 503.", After: time.Hour}},
		"nonsense":  {503, map[string]string{"Retry-After": "-5"}, Outcome{Status: 503, Failure: "It answered 503."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for name, v := range c.header {
					w.Header().Set(name, v)
				}
				w.WriteHeader(c.status)
			}))
			t.Cleanup(server.Close)
			if got := Post(t.Context(), guarded(), server.URL, nil, []byte("{}")); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a private address was called") }))
	t.Cleanup(private.Close)
	if got := Post(t.Context(), outbound.Guard{}.Client(), private.URL, nil, nil); !strings.Contains(got.Failure, "private") || got.Status != 0 {
		t.Errorf("a private address: %+v", got)
	}
}

// A body that never ends and one that is huge cost no more than what is kept of them.
func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		for req.Context().Err() == nil {
			if _, err := w.Write([]byte(strings.Repeat("x", 1024))); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	if got := Post(t.Context(), guarded(), server.URL, nil, nil); got.Status != 200 || len(got.Response) != maxResponse || got.Failure != "" {
		t.Errorf("%d, %d bytes, %s", got.Status, len(got.Response), got.Failure)
	}
}

// The example of the specification (standardwebhooks.com).
func TestSign(t *testing.T) {
	t.Parallel()
	got, err := Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if err != nil || got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("%s, %v", got, err)
	}
	if a, b := NewSecret(), NewSecret(); a.Reveal() == b.Reveal() || !strings.HasPrefix(a.Reveal(), "whsec_") {
		t.Error("two secrets are one")
	}
}

// A process that ends midway through an attempt loses nothing: the next one sends the message again, under the same id.
func TestProcessEnds(t *testing.T) {
	t.Parallel()
	both(t, clock.System{}, func(t *testing.T, d *db.DB, to To) {
		arrived, die := make(chan string, 10), make(chan struct{})
		var first sync.Once
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body) // a server sees that the caller is gone once it has read all
			arrived <- req.Header.Get("Webhook-Id")
			dies := false
			first.Do(func() { dies = true })
			if dies {
				<-req.Context().Done()
				close(die)
				return
			}
			w.WriteHeader(http.StatusNoContent)
		}))
		t.Cleanup(server.Close)
		noted := make(chan struct{}, 10)
		start := func() *job.Workers {
			jobs, err := job.NewQueue(d, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			workers := job.NewWorkers(jobs, job.WorkersConfig{Log: slog.New(slog.DiscardHandler)})
			q := &Queue{DB: d, Channels: poster{guarded(), server.URL}}
			job.Handle(workers, func(ctx context.Context, args Send) error {
				err := q.send(ctx, args)
				if ctx.Err() == nil && err == nil {
					noted <- struct{}{}
				}
				return err
			})
			if err := workers.Start(context.Background()); err != nil {
				t.Fatal(err)
			}
			return workers
		}
		workers := start()
		sent := mustPut(t, newQueue(t, d, nil), to)
		if id := <-arrived; id != sent.MessageID {
			t.Errorf("the message is %s, want %s", id, sent.MessageID)
		}
		if err := workers.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		<-die
		if row := mustGet(t, d, sent.ID); row.State != StatePending {
			t.Fatalf("what nobody took is %s", row.State)
		}
		workers = start()
		t.Cleanup(func() { _ = workers.Stop(context.Background()) })
		if id := <-arrived; id != sent.MessageID {
			t.Errorf("the message is %s the second time, want %s", id, sent.MessageID)
		}
		<-noted
		if row := mustGet(t, d, sent.ID); row.State != StateDelivered || row.StatusCode == nil || *row.StatusCode != 204 {
			t.Errorf("at the end it is %+v", row)
		}
	})
}

// A message that lost its job gets another.
func TestSweep(t *testing.T) {
	t.Parallel()
	c := still()
	both(t, c, func(t *testing.T, d *db.DB, to To) {
		q := newQueue(t, d, nil)
		counter := &counted{}
		q.Jobs = counter
		sent := mustPut(t, q, to)
		if err := q.sweep(t.Context(), Sweep{}); err != nil || counter.n != 1 {
			t.Fatalf("%d jobs, %v: what is new is not lost", counter.n, err)
		}
		err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			return tx.PostponeDelivery(ctx, sent.ID, new(tx.Now.Add(-lostAfter-time.Second).UnixMicro()))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(q.sweep(t.Context(), Sweep{}), q.sweep(t.Context(), Sweep{})); err != nil || counter.n != 2 {
			t.Errorf("%d jobs, %v: what is lost gets one", counter.n, err)
		}
	})
}

type counted struct{ n int }

func (c *counted) Insert(context.Context, *db.Tx, job.Args) error {
	c.n++
	return nil
}

// An error page that repeats the address does not put it into the deliveries, which are stored in clear.
func TestReceiverRepeatsItsAddress(t *testing.T) {
	t.Parallel()
	got := Outcome{
		Status: 404, Response: "Cannot POST /services/T0/s3cr3t, nor /a", Failure: "It answered 404 at /services/T0/s3cr3t.",
	}.Without("/services/T0/s3cr3t", "/a", "")
	if got.Response != "Cannot POST …, nor /a" || got.Failure != "It answered 404 at …." {
		t.Errorf("%+v", got)
	}
}
