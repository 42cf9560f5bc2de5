package retention

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// world is a database with an organization and a server, at noon.
type world struct {
	testing.TB
	db     *db.DB
	org    query.Organization
	server query.Server
}

func both(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			config := db.Config{Dir: t.TempDir(), Clock: clock.Fixed(now)}
			if dialect == db.PostgreSQL {
				config.URL = dbtest.URL(t)
			}
			test(t, newWorld(t, config))
		})
	}
}

func newWorld(t testing.TB, c db.Config) *world {
	t.Helper()
	d, err := dbtest.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	w := &world{TB: t, db: d}
	w.tx(0, func(ctx context.Context, tx *db.Tx) (err error) {
		if w.org, err = tx.InsertOrganization(ctx, "acme", "acme", 1, 1); err != nil {
			return err
		}
		w.server, err = tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: w.org.ID, Name: "web", Slug: "web", Type: "web", Provider: "custom",
			Status: "ready", SSHPort: 22, SSHUser: "root", Timezone: "UTC",
		})
		return err
	})
	return w
}

// tx runs f in a transaction that many days ago.
func (w *world) tx(days float64, f func(ctx context.Context, tx *db.Tx) error) {
	w.Helper()
	err := w.db.Tx(w.Context(), func(ctx context.Context, tx *db.Tx) error {
		tx.Now = now.Add(-time.Duration(days * float64(day)))
		return f(ctx, tx)
	})
	if err != nil {
		w.Fatal(err)
	}
}

// work adds an operation with its event and a line of output, that many days ago.
func (w *world) work(name string, days float64, state string, wishes ...query.InsertWishParams) (id int64) {
	w.Helper()
	w.tx(days, func(ctx context.Context, tx *db.Tx) (err error) {
		if id, err = w.begin(ctx, tx, name, wishes...); err != nil {
			return err
		}
		return w.end(ctx, tx, id, state)
	})
	return id
}

func (w *world) begin(ctx context.Context, tx *db.Tx, name string, wishes ...query.InsertWishParams) (int64, error) {
	event, err := w.event(ctx, tx, name)
	if err != nil {
		return 0, err
	}
	op, err := tx.InsertOperation(ctx, query.InsertOperationParams{
		OrganizationID: w.org.ID, ServerID: w.server.ID, Aspect: "web", ResourceType: "things",
		Action: "update", Description: name, Request: "{}", EventID: &event.ID, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return 0, err
	}
	for _, wish := range wishes {
		wish.OperationID = op.ID
		if err := tx.InsertWish(ctx, wish); err != nil {
			return 0, err
		}
	}
	return op.ID, tx.SetEventOperation(ctx, event.ID, &op.ID)
}

func (w *world) event(ctx context.Context, tx *db.Tx, name string) (query.Event, error) {
	event, err := tx.InsertEvent(ctx, query.InsertEventParams{
		OrganizationID: w.org.ID, ServerID: &w.server.ID, Description: name,
		CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return event, err
	}
	return event, job.Say(ctx, tx, event.ID, job.Piece{Kind: "output", Step: "s", Content: name})
}

func (w *world) end(ctx context.Context, tx *db.Tx, id int64, state string) error {
	if state == job.StatePending {
		return nil
	}
	if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: id, State: state, UpdatedAt: tx.Micros()}); err != nil {
		return err
	}
	return tx.EndWishes(ctx, id)
}

func (w *world) exec(days float64, text string, args ...any) {
	w.Helper()
	w.tx(days, func(ctx context.Context, tx *db.Tx) error {
		for i, arg := range args {
			if arg == "now" {
				args[i] = tx.Micros()
			}
		}
		_, err := tx.SQL.ExecContext(ctx, text, args...)
		return err
	})
}

func (w *world) prune(batch int) {
	w.Helper()
	k := &Keeper{DB: w.db, Keep: Defaults(), Batch: batch}
	if err := k.Run(w.Context()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) texts(text string) []string {
	w.Helper()
	out, err := db.Column[string](w.Context(), w.db.Reader(), text)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *world) want(what, text string, want ...string) {
	w.Helper()
	got := w.texts(text)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("%s (-want +have):\n%s", what, diff)
	}
}

// What is old is deleted, and what is open, or shown by a row, is not.
func TestOldRowsAreDeleted(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.work("open", 400, job.StatePending)
		w.work("old", 400, job.StateSucceeded)
		doubt := w.work("in doubt", 400, job.StateFailed)
		shown := w.work("shown", 400, job.StateSucceeded)
		w.exec(0, `UPDATE servers SET operation_id = $1`, shown)
		w.work("failed", 366, job.StateFailed)
		w.alarm("old alarm", 366)
		w.work("a year", 364, job.StateFailed)
		w.alarm("alarm", 364)
		w.work("a quarter", 91, job.StateCancelled)
		w.work("young", 89, job.StateSucceeded)
		for _, name := range []string{"two days", "day"} {
			days := map[string]float64{"two days": 1.1, "day": 0.9}[name]
			w.exec(days, `INSERT INTO idempotency_keys (caller, route, idempotency_key, status, created_at) VALUES ('c', 'r', $1, 200, $2)`, name, "now")
		}
		for _, name := range []string{"old", "year"} {
			w.tx(map[string]float64{"old": 366, "year": 364}[name], func(ctx context.Context, tx *db.Tx) error {
				return tx.InsertAuditEntry(ctx, query.InsertAuditEntryParams{Caller: "c", Message: name, CreatedAt: tx.Micros()})
			})
		}
		channel := w.channel()
		for _, days := range []float64{31, 29} {
			for _, state := range []string{"pending", "delivered", "failed"} {
				w.exec(days, `INSERT INTO deliveries (channel_id, message_id, event, payload, state, attempts, response, failure, created_at, updated_at)
					VALUES ($1, $2, '', '', $3, 0, '', '', $4, $4)`, channel, fmt.Sprintf("%s %v", state, days), state, "now")
			}
		}
		for i, state := range []string{"running", "succeeded", "failed"} {
			w.exec(8, `INSERT INTO runs (id, server_id, aspect, operations, stage_name, run, confirm, state, last_seq, created_at, ended_at)
				VALUES ($1, 1, 'web', $4, '', '', '', $2, 0, $3, $3)`,
				fmt.Sprint("run ", i), state, "now", fmt.Sprintf("[%d]", doubt))
		}
		w.exec(6, `INSERT INTO runs (id, server_id, aspect, operations, stage_name, run, confirm, state, last_seq, created_at, ended_at)
				VALUES ('young', 1, 'web', '', '', '', '', 'failed', 0, $1, $1)`, "now")

		w.prune(2)

		w.want("operations", `SELECT description FROM operations`, "open", "in doubt", "shown", "a year", "a quarter", "young")
		w.want("events", `SELECT description FROM events`, "open", "in doubt", "shown", "a year", "a quarter", "young", "alarm")
		w.want("output", `SELECT content FROM event_outputs`, "open", "young")
		w.want("answers", `SELECT idempotency_key FROM idempotency_keys`, "day")
		w.want("the audit log", `SELECT message FROM audit_entries`, "year")
		w.want("deliveries", `SELECT message_id FROM deliveries`, "pending 29", "pending 31", "delivered 29", "failed 29")
		w.want("runs", `SELECT id FROM runs`, "run 0", "young")
	})
}

// An organization that keeps rows for a shorter time loses its own only, and one that would keep them longer keeps nothing longer.
func TestOrganizationsKeepLess(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		first := w.org
		w.tx(0, func(ctx context.Context, tx *db.Tx) (err error) {
			w.org, err = tx.InsertOrganization(ctx, "brief", "brief", 1, 1)
			return err
		})
		brief := w.org
		for _, days := range []float64{40, 20, 3} { // ids grow with time
			for _, org := range []query.Organization{first, brief} {
				w.org = org
				name := fmt.Sprint(org.Name, " ", days)
				w.work(name, days, job.StateSucceeded)
				w.alarm(org.Name+fmt.Sprint(" alarm ", days), days)
				w.tx(days, func(ctx context.Context, tx *db.Tx) error {
					return tx.InsertAuditEntry(ctx, query.InsertAuditEntryParams{OrganizationID: &w.org.ID, Caller: "c", Message: name, CreatedAt: tx.Micros()})
				})
				w.exec(days, `INSERT INTO deliveries (channel_id, message_id, event, payload, state, attempts, response, failure, created_at, updated_at)
					VALUES ($1, $2, '', '', 'delivered', 0, '', '', $3, $3)`, w.channel(), name, "now")
			}
		}
		keep := func(id int64, days int64) {
			w.tx(0, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SetOrganizationRetention(ctx, query.SetOrganizationRetentionParams{
					ID: id, KeepEventsDays: &days, KeepOutputDays: &days,
					KeepAuditDays: &days, KeepDeliveriesDays: &days,
				})
				return err
			})
		}
		keep(brief.ID, 7)
		keep(first.ID, 3000)
		w.work("open", 8, job.StatePending)

		w.prune(2)

		w.want("operations", `SELECT description FROM operations`, "acme 3", "acme 20", "acme 40", "brief 3", "open")
		events := []string{"acme 3", "acme 20", "acme 40", "acme alarm 3", "acme alarm 20", "acme alarm 40", "brief 3", "brief alarm 3", "open"}
		w.want("events", `SELECT description FROM events`, slices.Clone(events)...)
		w.want("output", `SELECT content FROM event_outputs`, events...)
		w.want("the audit log", `SELECT message FROM audit_entries`, "acme 3", "acme 20", "acme 40", "brief 3")
		w.want("deliveries", `SELECT message_id FROM deliveries`, "acme 3", "acme 20", "brief 3")
	})
}

// alarm adds an event without an operation.
func (w *world) alarm(name string, days float64) {
	w.Helper()
	w.tx(days, func(ctx context.Context, tx *db.Tx) error {
		_, err := w.event(ctx, tx, name)
		return err
	})
}

func (w *world) channel() (id int64) {
	w.tx(0, func(ctx context.Context, tx *db.Tx) error {
		c, err := tx.InsertNotificationChannel(ctx, query.InsertNotificationChannelParams{
			OrganizationID: w.org.ID, Name: "c", Type: "webhook", Settings: []byte{}, CreatedAt: 1,
		})
		id = c.ID
		return err
	})
	return id
}

// A row is the same before and after: what it is folded from is kept, whatever happened to the resource.
func TestRowsStayTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, db.Config{Dir: t.TempDir(), Clock: clock.Fixed(now)})
	const resources, histories, length = 12, 8, 60
	for seed := range uint64(histories) {
		w.tx(0, func(ctx context.Context, tx *db.Tx) error {
			return w.history(ctx, tx, fmt.Sprint("thing", seed), resources, length, seed)
		})
	}
	before := w.folds(histories, resources)
	w.prune(50)
	w.prune(50)
	if diff := cmp.Diff(before, w.folds(histories, resources)); diff != "" {
		t.Errorf("what rows are made of (-before +after):\n%s", diff)
	}
	if left := len(w.texts(`SELECT description FROM operations`)); left > histories*length*4/5 {
		t.Errorf("%d of %d operations are left", left, histories*length)
	}
}

// history makes operations about a few resources: some are about two, and they end in any order.
func (w *world) history(ctx context.Context, tx *db.Tx, kind string, resources int64, length int, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1))
	at := func(days float64) { tx.Now = now.Add(-time.Duration(days * float64(day))) }
	var ids []int64
	for i := range length {
		spec := fmt.Sprintf(`{"n":%d}`, i)
		wishes := []query.InsertWishParams{{Kind: kind, ID: random.Int64N(resources), Specification: &spec}}
		if random.IntN(4) == 0 {
			wishes = append(wishes, query.InsertWishParams{Kind: kind, ID: resources + random.Int64N(resources), Specification: &spec})
		}
		if random.IntN(6) == 0 {
			wishes[0].Specification = nil
		}
		at(800 - float64(i))
		id, err := w.begin(ctx, tx, "w", wishes...)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	for _, i := range random.Perm(len(ids))[:length-5] {
		at(700 - random.Float64()*200)
		state := []string{job.StateSucceeded, job.StateSucceeded, job.StateFailed, job.StateCancelled}[random.IntN(4)]
		if err := w.end(ctx, tx, ids[i], state); err != nil {
			return err
		}
	}
	return nil
}

// folds returns what each resource that was not removed is made of.
func (w *world) folds(histories, resources int64) map[string][]query.ListWishedRow {
	w.Helper()
	out := map[string][]query.ListWishedRow{}
	for i := range histories * resources * 2 {
		kind, id := fmt.Sprint("thing", i%histories), i/histories
		rows, err := w.db.Read().Ungranted().ListWished(w.Context(), kind, id)
		if err != nil {
			w.Fatal(err)
		}
		gone := slices.ContainsFunc(rows, func(r query.ListWishedRow) bool { return r.Specification == nil && r.State == job.StateSucceeded })
		if !gone && len(rows) > 0 {
			out[fmt.Sprint(kind, " ", id)] = rows
		}
	}
	return out
}

// Nothing is left of a resource that was removed long ago; of one that is there, its newest operation is.
func TestRemovedResources(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		spec := "{}"
		for id, name := range map[int64]string{1: "kept", 2: "removed"} {
			wish := query.InsertWishParams{Kind: "thing", ID: id, Specification: &spec}
			w.work(name+" create", 500, job.StateSucceeded, wish)
			w.work(name+" update", 450, job.StateSucceeded, wish)
			w.work(name+" fails", 440, job.StateFailed, wish)
		}
		w.work("removed delete", 430, job.StateSucceeded, query.InsertWishParams{Kind: "thing", ID: 2})
		w.prune(50)
		w.want("at first", `SELECT description FROM operations`, "kept update", "kept fails", "removed delete")
		w.prune(50)
		w.want("in the end", `SELECT description FROM operations`, "kept update", "kept fails")
	})
}

// All tables whose rows show an operation are found, on both databases, and none of those that go with it.
func TestTablesThatShowOperations(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		found, err := (&Keeper{DB: w.db}).shown(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"applied", "backup_restores", "deployments", "servers", "sites"} {
			if !slices.Contains(found, name) {
				t.Errorf("%s is not among %v", name, found)
			}
		}
		if len(found) < 23 || slices.Contains(found, "events") || slices.Contains(found, "wishes") {
			t.Errorf("found are %v", found)
		}
	})
}

// The file of an idle panel does not grow: what is deleted makes room for what is new, and much of it is given back.
func TestFileShrinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, db.Config{Dir: t.TempDir(), Clock: clock.Fixed(now)})
	fill := func(days float64) {
		w.tx(days, func(ctx context.Context, tx *db.Tx) error {
			event, err := w.event(ctx, tx, "much")
			if err != nil {
				return err
			}
			_, err = tx.SQL.ExecContext(ctx, `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
				INSERT INTO event_outputs (event_id, seq, kind, step, content, created_at)
					SELECT $1, i, 'output', '', printf('%.2000c', 'x'), $2 FROM n`, event.ID, tx.Micros())
			return err
		})
	}
	space := func() int64 {
		s, err := w.db.Space(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !s.Shrinks {
			t.Fatal("the file can't shrink")
		}
		all, _ := s.Bytes()
		return all >> 20
	}
	fill(100)
	full := space()
	(&Keeper{DB: w.db, Keep: Defaults()}).mustRun(t)
	rest := space()
	if full < 18 || rest > full/2 {
		t.Errorf("%d MB before, %d MB after", full, rest)
	}
	fill(100)
	if again := space(); again > full+1 {
		t.Errorf("%d MB when filled again, %d MB before", again, full)
	}
}

func (k *Keeper) mustRun(t testing.TB) {
	t.Helper()
	if err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What was measured goes by how it is averaged, whichever server or site it is of.
func TestMetricsOfOldAreDeleted(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		var site int64
		w.tx(0, func(ctx context.Context, tx *db.Tx) error {
			row, err := tx.InsertSite(ctx, query.InsertSiteParams{
				OrganizationID: w.org.ID, ServerID: w.server.ID, Name: "x.example.com", Type: "php",
				Status: "installed",
			})
			site = row.ID
			return err
		})
		for step, ages := range map[int64][]float64{1: {0.5, 1, 1.5, 30}, 30: {0.5, 1.5, 30, 31.5, 33, 400}} {
			for _, days := range ages {
				w.tx(0, func(ctx context.Context, tx *db.Tx) error {
					at := now.Add(-time.Duration(days * float64(day))).UnixMicro()
					if err := tx.PutSiteMetric(ctx, query.PutSiteMetricParams{SiteID: site, ServerID: w.server.ID, Step: step, StartsAt: at, Packed: []byte{1}}); err != nil {
						return err
					}
					return tx.PutMetric(ctx, w.server.ID, step, at, []byte{1})
				})
			}
		}
		(&Keeper{DB: w.db}).mustRun(w)
		for _, table := range []string{"metrics", "site_metrics"} {
			w.want("rows of "+table+" that are kept forever", `SELECT COUNT(*) FROM `+table, "10")
		}
		(&Keeper{DB: w.db, Keep: Defaults()}).mustRun(w)
		for _, table := range []string{"metrics", "site_metrics"} {
			w.want("minutes of "+table, `SELECT COUNT(*) FROM `+table+` WHERE step = 1`, "2")
			w.want("half hours of "+table, `SELECT COUNT(*) FROM `+table+` WHERE step = 30`, "4")
		}
	})
}
