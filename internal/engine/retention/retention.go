// Package retention deletes old rows: output, events with their operations, deliveries, the audit log, answers to repeated requests, runs, and metrics. What a
// current row shows or work needs is never deleted (see spare).
package retention

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Keep is how long rows are kept after they were last changed; zero keeps them forever.
type Keep struct {
	// Events also applies to their operations, unless a row shows the operation.
	Events time.Duration
	// Output is what work printed.
	Output time.Duration
	// Audit is the log of changes.
	Audit time.Duration
	// Deliveries are sent messages: webhooks and notifications.
	Deliveries time.Duration
	// Jobs are those of the queue, and runs on hosts, that have ended.
	Jobs time.Duration
	// Answers are those stored for idempotency keys.
	Answers time.Duration
	// Minutes and Metrics are what servers measured, by minutes and averaged over half hours.
	Minutes, Metrics time.Duration
}

const day = 24 * time.Hour

// Defaults returns how long rows are kept unless the operator decides otherwise. Answers are promised for a day (docs/api.md), and the longest ranges of
// metrics are a day by minutes and 30 days by half hours; the rows at their beginning have an hour, and a day.
func Defaults() Keep {
	return Keep{
		Events: 365 * day, Output: 90 * day, Audit: 365 * day, Deliveries: 30 * day, Jobs: 7 * day, Answers: day,
		Minutes: day + 2*time.Hour, Metrics: 32 * day,
	}
}

// Keeper deletes old rows.
type Keeper struct {
	DB   *db.DB
	Keep Keep
	// Batch is the number of rows that are looked at, and at most deleted, in one transaction; default 200.
	Batch int
}

// Prune is the job that deletes old rows.
type Prune struct{}

// Kind names the job.
func (Prune) Kind() string { return "retention.prune" }

// Periodic returns how often old rows are deleted.
func Periodic() job.Periodic { return job.Periodic{Every: time.Hour, Args: Prune{}} }

// Work adds the job to the workers.
func (k *Keeper) Work(w *job.Workers) { job.Handle(w, k.prune) }

// turn is how long a job works before it lets others go first, well below the time that a job has.
const turn = time.Minute

// prune deletes for a while. What is left after that is deleted by the same job soon after.
func (k *Keeper) prune(ctx context.Context, _ Prune) error {
	if trusted, err := k.trusted(ctx); err != nil || !trusted {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, turn, errTurn)
	defer cancel()
	err := k.Run(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errTurn) {
		return job.Again(time.Second)
	}
	return err
}

var errTurn = fmt.Errorf("its turn of %s is over", turn)

// Run deletes all old rows and gives free pages of the embedded database back to the file system.
func (k *Keeper) Run(ctx context.Context) error {
	shown, err := k.shown(ctx)
	if err != nil {
		return fmt.Errorf("find what shows operations: %w", err)
	}
	tables := k.tables(shown)
	shorter, err := k.shorter(ctx, tables)
	if err != nil {
		return fmt.Errorf("read how long organizations keep rows: %w", err)
	}
	for _, t := range slices.Concat(tables, shorter) {
		if t.keep == 0 {
			continue
		}
		if err := k.walk(ctx, t); err != nil {
			return fmt.Errorf("delete old rows of %s: %w", t.name, err)
		}
	}
	if k.Keep.Jobs > 0 {
		if err := k.runs(ctx); err != nil {
			return fmt.Errorf("delete old runs: %w", err)
		}
	}
	for step, keep := range map[int]time.Duration{1: k.Keep.Minutes, 30: k.Keep.Metrics} {
		if keep == 0 {
			continue
		}
		before := k.DB.Clock.Now().Add(-keep).UnixMicro()
		for table, of := range map[string]string{"metrics": "server_id", "site_metrics": "site_id"} {
			key := of + ", step, starts_at"
			if err := k.repeat(ctx, "DELETE FROM "+table+" WHERE ("+key+") IN (SELECT "+key+" FROM "+table+
				" WHERE step = $1 AND starts_at < $2 LIMIT 500)", step, before); err != nil {
				return fmt.Errorf("delete old rows of %s: %w", table, err)
			}
		}
	}
	return k.DB.Shrink(ctx)
}

// table is rows whose ids grow with their age.
type table struct {
	name string
	// changed is the column with the time that counts.
	changed string
	// old is a further condition for deleting a row t, with the window of ids as $1 and $2; ended is the part of it that can still change, which is
	// checked again where the row is deleted.
	old, ended string
	keep       time.Duration
	// organization is the organization of a row t, and days the column of organizations with how long theirs are kept, "" for none.
	organization, days string
	// events deletes the events of deleted operations as well.
	events bool
}

const ended = "state NOT IN ('pending', 'running')"

// tables lists what is walked, operations before the events that remain.
func (k *Keeper) tables(shown []string) []table {
	return []table{
		{
			name: "event_outputs", changed: "created_at", keep: k.Keep.Output, days: "keep_output_days",
			organization: "(SELECT e.organization_id FROM events e WHERE e.id = t.event_id)",
			old: "NOT EXISTS (SELECT 1 FROM events e JOIN operations o ON o.id = e.operation_id WHERE e.id = t.event_id AND o.state IN ('pending', " +
				"'running'))",
		},
		{
			name: "operations", changed: "updated_at", keep: k.Keep.Events, days: "keep_events_days", organization: "t.organization_id",
			old: spare(shown), ended: ended, events: true,
		},
		{
			name: "events", changed: "updated_at", keep: k.Keep.Events, days: "keep_events_days", organization: "t.organization_id",
			old: "NOT EXISTS (SELECT 1 FROM operations o WHERE o.id = t.operation_id)",
		},
		{
			name: "deliveries", changed: "updated_at", keep: k.Keep.Deliveries, ended: ended, days: "keep_deliveries_days",
			organization: "COALESCE((SELECT c.organization_id FROM notification_channels c WHERE c.id = t.channel_id), " +
				"(SELECT v.organization_id FROM deployment_webhooks h JOIN sites s ON s.id = h.site_id JOIN servers v ON v.id = s.server_id WHERE h.id = t.webhook_id))",
		},
		{name: "audit_entries", changed: "created_at", keep: k.Keep.Audit, days: "keep_audit_days", organization: "t.organization_id"},
		{name: "idempotency_keys", changed: "created_at", keep: k.Keep.Answers},
	}
}

// shorter returns a second walk for each table of which an organization keeps its rows for a shorter time than the installation does.
func (k *Keeper) shorter(ctx context.Context, tables []table) (out []table, err error) {
	for _, t := range tables {
		if t.days == "" {
			continue
		}
		rows, err := k.DB.Reader().QueryContext(ctx, "SELECT id, "+t.days+" FROM organizations WHERE "+t.days+" IS NOT NULL ORDER BY id")
		if err != nil {
			return nil, err
		}
		least, cases := time.Duration(0), ""
		for rows.Next() {
			var id, days int64
			if err := rows.Scan(&id, &days); err != nil {
				_ = rows.Close()
				return nil, err
			}
			keep := time.Duration(days) * day
			if t.keep > 0 && keep >= t.keep {
				continue // the installation keeps nothing longer
			}
			if least == 0 || keep < least {
				least = keep
			}
			cases += fmt.Sprintf(" WHEN %d THEN %d", id, k.DB.Clock.Now().Add(-keep).UnixMicro())
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
		if cases == "" {
			continue
		}
		own := "t." + t.changed + " < CASE " + t.organization + cases + " ELSE 0 END"
		if t.old != "" {
			own += "\nAND " + t.old
		}
		t.keep, t.old = least, own
		out = append(out, t)
	}
	return out, nil
}

// shown returns the tables whose rows show an operation, their newest. They are read from the schema: a table of a new noun is among them, and the engine
// names none.
func (k *Keeper) shown(ctx context.Context) ([]string, error) {
	text := `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'operation_id'`
	if k.DB.Dialect == db.PostgreSQL {
		text = `SELECT CAST(table_name AS TEXT) FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'operation_id'`
	}
	names, err := db.Column[string](ctx, k.DB.Reader(), text)
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "events" || name == "wishes" }), err // which belong to the operation
}

// spare is the condition under which no row needs an operation t: none shows it, and it is not what a row would be folded from. Of each resource that it is
// about, a newer operation succeeded and ended later, or it removed the resource and is the last one left of it.
func spare(shown []string) string {
	var b strings.Builder
	for _, name := range shown {
		b.WriteString("t.id NOT IN (SELECT r.operation_id FROM " + name + " r WHERE r.operation_id > $1 AND r.operation_id <= $2)\nAND ")
	}
	b.WriteString(`NOT EXISTS (SELECT 1 FROM wishes w WHERE w.operation_id = t.id
  AND NOT EXISTS (SELECT 1 FROM wishes n JOIN operations o ON o.id = n.operation_id
    WHERE n.kind = w.kind AND n.id = w.id AND n.operation_id > w.operation_id AND n.ended_at >= w.ended_at AND o.state = 'succeeded')
  AND NOT (w.specification IS NULL AND t.state = 'succeeded'
    AND NOT EXISTS (SELECT 1 FROM wishes x WHERE x.kind = w.kind AND x.id = w.id AND x.operation_id <> w.operation_id)))`)
	return b.String()
}

// walk deletes the old rows of a table, a window of ids at a time. It ends at the first window without a row that is old enough.
func (k *Keeper) walk(ctx context.Context, t table) error {
	before := k.DB.Clock.Now().Add(-t.keep).UnixMicro()
	var doubt map[int64]bool
	if t.events {
		var err error
		if doubt, err = k.inDoubt(ctx); err != nil {
			return err
		}
	}
	for after := int64(0); ; {
		last, oldest, err := k.window(ctx, t, after)
		if err != nil || last == 0 || oldest >= before {
			return err
		}
		ids, err := k.find(ctx, t, after, last, before)
		if err != nil {
			return err
		}
		if ids = slices.DeleteFunc(ids, func(id int64) bool { return doubt[id] }); len(ids) > 0 {
			if err := k.delete(ctx, t, ids, before); err != nil {
				return err
			}
		}
		after = last
	}
}

// inDoubt returns the operations whose end their server has yet to report, however long it has been away.
func (k *Keeper) inDoubt(ctx context.Context) (map[int64]bool, error) {
	open, err := db.Column[value.IDs](ctx, k.DB.Reader(), "SELECT operations FROM runs WHERE state = 'running'")
	out := map[int64]bool{}
	for _, ids := range open {
		for _, id := range ids {
			out[id] = true
		}
	}
	return out, err
}

// window returns the last id of the next rows, zero if there are none, and when the first of them was made: times of making grow with the ids, those of
// changes do not.
func (k *Keeper) window(ctx context.Context, t table, after int64) (last, oldest int64, err error) {
	batch := k.Batch
	if batch == 0 {
		batch = 200
	}
	err = k.DB.Reader().QueryRowContext(ctx, "SELECT COALESCE(MAX(w.id), 0), COALESCE(MIN(w.created_at), 0) FROM (SELECT id, created_at FROM "+t.name+
		" WHERE id > $1 ORDER BY id LIMIT "+strconv.Itoa(batch)+") AS w", after).Scan(&last, &oldest)
	return last, oldest, err
}

// find returns the rows of a window that can be deleted. It reads outside of a transaction: the database stays free for writing.
func (k *Keeper) find(ctx context.Context, t table, after, last, before int64) ([]int64, error) {
	text := "SELECT t.id FROM " + t.name + " t WHERE t.id > $1 AND t.id <= $2 AND t." + t.changed + " < $3"
	for _, c := range []string{t.ended, t.old} {
		if c != "" {
			text += "\nAND " + c
		}
	}
	return db.Column[int64](ctx, k.DB.Reader(), text, after, last, before)
}

// delete deletes rows by their ids, unless they have changed since they were found.
func (k *Keeper) delete(ctx context.Context, t table, ids []int64, before int64) error {
	return k.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		text := "DELETE FROM " + t.name + " WHERE id IN (" + list(ids) + ") AND " + t.changed + " < $1" //nolint:gosec // names of ours and numbers
		if t.ended != "" {
			text += " AND " + t.ended
		}
		if !t.events {
			_, err := tx.SQL.ExecContext(ctx, text, before)
			return err
		}
		events, err := db.Column[int64](ctx, tx.SQL, text+" RETURNING COALESCE(event_id, 0)", before)
		if err != nil || len(events) == 0 {
			return err
		}
		_, err = tx.SQL.ExecContext(ctx, "DELETE FROM events WHERE id IN ("+list(events)+")")
		return err
	})
}

func list(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ", ")
}

// runs deletes ended runs, whose ids are texts.
func (k *Keeper) runs(ctx context.Context) error {
	return k.repeat(ctx, "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE state <> 'running' AND ended_at < $1 LIMIT 200)",
		k.DB.Clock.Now().Add(-k.Keep.Jobs).UnixMicro())
}

// repeat deletes a batch of rows in each transaction until there are none left.
func (k *Keeper) repeat(ctx context.Context, text string, args ...any) error {
	for {
		var n int64
		err := k.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			done, err := tx.SQL.ExecContext(ctx, text, args...)
			if err != nil {
				return err
			}
			n, err = done.RowsAffected()
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
