// Package retention deletes what is old: output, events with their operations, deliveries, the audit log, answers to repeated requests, and runs.
// Nothing that a row shows or that work needs is old (see spare).
package retention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
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
}

const day = 24 * time.Hour

// Defaults returns how long rows are kept unless the operator decides otherwise. Answers are promised for a day (docs/api.md).
func Defaults() Keep {
	return Keep{Events: 365 * day, Output: 90 * day, Audit: 365 * day, Deliveries: 30 * day, Jobs: 7 * day, Answers: day}
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
	for _, t := range k.tables(shown) {
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
	// events deletes the events of deleted operations as well.
	events bool
}

const ended = "state NOT IN ('pending', 'running')"

// tables lists what is walked, operations before the events that remain.
func (k *Keeper) tables(shown []string) []table {
	return []table{
		{name: "event_outputs", changed: "created_at", keep: k.Keep.Output,
			old: "NOT EXISTS (SELECT 1 FROM events e JOIN operations o ON o.id = e.operation_id WHERE e.id = t.event_id AND o.state IN ('pending', 'running'))"},
		{name: "operations", changed: "updated_at", keep: k.Keep.Events, old: spare(shown), ended: ended, events: true},
		{name: "events", changed: "updated_at", keep: k.Keep.Events, old: "NOT EXISTS (SELECT 1 FROM operations o WHERE o.id = t.operation_id)"},
		{name: "deliveries", changed: "updated_at", keep: k.Keep.Deliveries, ended: ended},
		{name: "audit_entries", changed: "created_at", keep: k.Keep.Audit},
		{name: "idempotency_keys", changed: "created_at", keep: k.Keep.Answers},
	}
}

// shown returns the tables whose rows show an operation, their newest. They are read from the schema: a table of a new noun is among them, and the engine
// names none.
func (k *Keeper) shown(ctx context.Context) ([]string, error) {
	text := `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'operation_id'`
	if k.DB.Dialect == db.PostgreSQL {
		text = `SELECT CAST(table_name AS TEXT) FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'operation_id'`
	}
	rows, err := k.DB.Reader().QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		if name != "events" && name != "wishes" { // which belong to the operation
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, rows.Err()
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
	rows, err := k.DB.Reader().QueryContext(ctx, "SELECT operations FROM runs WHERE state = 'running'")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := map[int64]bool{}
	for rows.Next() {
		var text string
		var ids []int64
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), &ids); err != nil {
			return nil, fmt.Errorf("read the operations of a run: %w", err)
		}
		for _, id := range ids {
			out[id] = true
		}
	}
	return out, rows.Err()
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
	rows, err := k.DB.Reader().QueryContext(ctx, text, after, last, before)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
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
		events, err := returned(ctx, tx, text+" RETURNING COALESCE(event_id, 0)", before)
		if err != nil || len(events) == 0 {
			return err
		}
		_, err = tx.SQL.ExecContext(ctx, "DELETE FROM events WHERE id IN ("+list(events)+")")
		return err
	})
}

func returned(ctx context.Context, tx *db.Tx, text string, args ...any) ([]int64, error) {
	rows, err := tx.SQL.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
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
	before := k.DB.Clock.Now().Add(-k.Keep.Jobs).UnixMicro()
	for {
		var n int64
		err := k.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			done, err := tx.SQL.ExecContext(ctx, "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE state <> 'running' AND ended_at < $1 LIMIT 200)", before)
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
