package backup

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

// bench is rows of one configuration and a runner whose jobs are not worked.
type bench struct {
	t     *testing.T
	clock *moved
	r     *Runner
	mails []mail.Message
	gone  []int64 // databases that were removed
	srv   query.Server
	conf  query.BackupConfiguration
}

type moved struct{ now time.Time }

func (m *moved) Now() time.Time { return m.now }

// Put keeps a mail.
func (b *bench) Put(_ context.Context, _ *db.Tx, m mail.Message) error {
	b.mails = append(b.mails, m)
	return nil
}

// Unmake notes a database.
func (b *bench) Unmake(_ context.Context, _ *db.Tx, _ query.Server, id int64) error {
	b.gone = append(b.gone, id)
	return nil
}

func newBench(t *testing.T, retention int64) *bench {
	t.Helper()
	b := &bench{t: t, clock: &moved{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	d, err := dbtest.Open(t.Context(), db.Config{Dir: t.TempDir(), Clock: b.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	box := secrettest.Box(t)
	queue, err := job.NewQueue(d, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	store := &storage.Store{DB: d, Box: box, Disk: t.TempDir(), URL: func(path string) string { return "http://panel.example.com" + path }}
	b.r = &Runner{Store: &Store{DB: d, Box: box, Storage: store}, Mail: b, Queue: queue, Databases: b}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "main", "main", 1, 1)
		if err != nil {
			return err
		}
		engine := "mariadb1011"
		b.srv, err = tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: org.ID, Name: "db", Slug: "db", Type: "database", Provider: "custom", Status: "ready", SSHPort: 22,
			SSHUser: "root", Timezone: "UTC", DatabaseType: &engine,
		})
		if err != nil {
			return err
		}
		provider, err := tx.InsertStorageProvider(ctx, query.InsertStorageProviderParams{
			OrganizationID: org.ID, Name: "s", Provider: storage.Custom, Bucket: new("archive"), Endpoint: new("file:///"),
			AssumeRole: true, Secret: []byte{}, CreatedAt: 1,
		})
		if err != nil {
			return err
		}
		database, err := tx.InsertDatabase(ctx, query.InsertDatabaseParams{ServerID: b.srv.ID, Name: "shop", Status: installed, CreatedAt: 1})
		if err != nil {
			return err
		}
		b.conf, err = tx.InsertBackupConfiguration(ctx, query.InsertBackupConfigurationParams{
			OrganizationID: org.ID, ServerID: b.srv.ID, StorageProviderID: provider.ID, Name: "hourly", Frequency: Hourly,
			Retention: retention, Status: installed, NotifyEmail: new("dba@example.com"), NextRunAt: b.clock.now.UnixMicro(),
			VerifyEveryDays: 7, CreatedAt: tx.Micros(),
		})
		if err != nil {
			return err
		}
		return tx.InsertBackupDatabase(ctx, b.conf.ID, database.ID)
	})
	b.server("is_ready = TRUE")
	return b
}

func (b *bench) tx(f func(ctx context.Context, tx *db.Tx) error) {
	b.t.Helper()
	if err := b.r.Store.DB.Tx(b.t.Context(), f); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) tick() {
	b.t.Helper()
	if err := b.r.tick(b.t.Context(), Tick{}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) backups() []query.Backup {
	b.t.Helper()
	rows, err := b.r.Store.DB.Read().Ungranted().ListBackups(b.t.Context(), b.conf.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return rows
}

// end settles the newest backup.
func (b *bench) end(good bool) query.Backup {
	b.t.Helper()
	row := b.backups()[0]
	op, err := b.r.Store.DB.Read().Ungranted().GetOperation(b.t.Context(), *row.OperationID)
	if err != nil {
		b.t.Fatal(err)
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if good {
			if err := tx.FinishBackup(ctx, query.FinishBackupParams{ID: row.ID, Status: StatusFinished, Size: 10, FinishedAt: new(tx.Micros())}); err != nil {
				return err
			}
			if err := b.r.finished(ctx, tx, op, row, nil); err != nil {
				return err
			}
		}
		state := map[bool]string{true: job.StateSucceeded, false: job.StateFailed}[good]
		if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: state, Reason: "The disk was full.", UpdatedAt: tx.Micros()}); err != nil {
			return err
		}
		return b.r.Aspect().Write(ctx, tx, op, endOf(good))
	})
	return row
}

// endOf is how work ends.
func endOf(good bool) job.State {
	if good {
		return job.Succeeded
	}
	return job.Failed
}

// Runs that were missed while Hostler was down happen once; a running one is not doubled.
func TestMissedRunsHappenOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.clock.now = b.clock.now.Add(50 * time.Hour)
	b.tick()
	b.tick()
	if n := len(b.backups()); n != 1 {
		t.Fatalf("%d backups were begun, want 1", n)
	}
	b.clock.now = b.clock.now.Add(time.Hour)
	b.tick()
	if n := len(b.backups()); n != 1 {
		t.Fatalf("beside one that runs %d were begun", n-1)
	}
	b.end(true)
	b.clock.now = b.clock.now.Add(time.Hour)
	b.tick()
	if n := len(b.backups()); n != 2 {
		t.Fatalf("there are %d backups, want 2", n)
	}
	conf, err := b.r.Store.DB.Read().Ungranted().GetBackupConfigurationByID(t.Context(), b.conf.ID)
	if err != nil || !time.UnixMicro(conf.NextRunAt).After(b.clock.now) {
		t.Errorf("the next run is at %v, %v", time.UnixMicro(conf.NextRunAt).UTC(), err)
	}
}

// However many runs fail, the good backups stay until there are newer good ones.
func TestPruneKeepsTheNewestGoodOnes(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2)
	var good []int64
	for _, ends := range []bool{true, true, false, false, false, false} {
		b.clock.now = b.clock.now.Add(time.Hour)
		b.tick()
		row := b.end(ends)
		if ends {
			good = append(good, row.ID)
		}
	}
	for _, row := range b.backups() {
		if row.Status == StatusRemoving {
			t.Errorf("backup %d is removed after failures", row.ID)
		}
	}
	if len(b.mails) != 4 || !strings.Contains(b.mails[0].Text, "The disk was full.\nNone of its backups has been verified yet.") ||
		b.mails[0].To != "dba@example.com" {
		t.Errorf("mails: %+v", b.mails)
	}
	// The fresh dump before a restore is no whole backup.
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		databases, err := tx.Ungranted().ListDatabases(ctx, b.srv.ID)
		if err != nil {
			return err
		}
		row, err := b.r.Store.start(ctx, tx, b.srv, b.conf, databases)
		if err != nil {
			return err
		}
		return tx.FinishBackup(ctx, query.FinishBackupParams{ID: row.ID, Status: StatusFinished, Size: 10, FinishedAt: new(tx.Micros())})
	})
	b.clock.now = b.clock.now.Add(time.Hour)
	b.tick()
	b.end(true)
	removed := map[int64]bool{}
	for _, row := range b.backups() {
		removed[row.ID] = row.Status == StatusRemoving
	}
	if !removed[good[0]] || removed[good[1]] {
		t.Errorf("good were %v, removed are %v", good, removed)
	}
	conf, err := b.r.Store.DB.Read().Ungranted().GetBackupConfigurationByID(t.Context(), b.conf.ID)
	if err != nil || conf.Alarm != nil {
		t.Errorf("after a good one the alarm is %v, %v", conf.Alarm, err)
	}
}

// A newer backup that could not be restored to compare counts for nothing: older ones stay for it.
func TestPruneCountsNoSpoiledOnes(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	b.tick()
	good := b.end(true)
	b.clock.now = b.clock.now.Add(time.Hour)
	b.tick()
	spoiled := b.backups()[0]
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.SetBackupProof(ctx, spoiled.ID, new(tx.Micros()), new(StatusFailed), new("damaged"))
	})
	b.end(true)
	for _, row := range b.backups() {
		if row.Status == StatusRemoving {
			t.Errorf("backup %d is removed for one that is spoiled; good is %d", row.ID, good.ID)
		}
	}
	b.clock.now = b.clock.now.Add(time.Hour)
	b.tick()
	b.end(true)
	for _, row := range b.backups() {
		if old := row.ID == good.ID || row.ID == spoiled.ID; old != (row.Status == StatusRemoving) {
			t.Errorf("with a newer good one backup %d is %s", row.ID, row.Status)
		}
	}
}

// A failed proof alarms, and the last proven restore stays what it was; a good one ends the alarm.
func TestProofs(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.tick()
	row := b.end(true)
	prove := func(good bool) query.BackupConfiguration {
		t.Helper()
		b.clock.now = b.clock.now.Add(time.Hour)
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			accepted, err := b.r.Prove(ctx, tx, access.Grant{OrganizationID: b.conf.OrganizationID}, b.srv, b.conf, row)
			if err != nil {
				return err
			}
			op, err := tx.Ungranted().GetOperation(ctx, accepted.OperationID)
			if err != nil {
				return err
			}
			state := map[bool]string{true: job.StateSucceeded, false: job.StateFailed}[good]
			if _, err := tx.EndOperation(ctx, query.EndOperationParams{
				ID: op.ID, State: state, Reason: "shop: the object is damaged.", UpdatedAt: tx.Micros(),
			}); err != nil {
				return err
			}
			return b.r.Aspect().Write(ctx, tx, op, endOf(good))
		})
		conf, err := b.r.Store.DB.Read().Ungranted().GetBackupConfigurationByID(t.Context(), b.conf.ID)
		if err != nil {
			t.Fatal(err)
		}
		b.conf = conf
		return conf
	}
	first := prove(true)
	if first.VerifiedAt == nil || *first.VerifiedBackupID != row.ID {
		t.Fatalf("no proven restore: %+v", first)
	}
	failed := prove(false)
	if failed.Alarm == nil || !strings.Contains(*failed.Alarm, "damaged") || *failed.VerifiedAt != *first.VerifiedAt || *failed.VerifyStatus != StatusFailed {
		t.Errorf("after a failed proof: %+v", failed)
	}
	if again := prove(true); again.Alarm != nil || *again.VerifiedAt == *first.VerifiedAt {
		t.Errorf("after a good proof: %+v", again)
	}
}

// When it is time, the newest whole backup is restored to compare, once, however late that is; the next time is a week later.
func TestProofsAreBegun(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.tick()
	b.end(true)
	b.clock.now = b.clock.now.Add(time.Hour)
	b.tick()
	newest := b.end(true)
	failed := b.started() // and one that failed after it
	b.verify(b.clock.now.Add(7 * 24 * time.Hour))
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.FinishBackup(ctx, query.FinishBackupParams{ID: failed.ID, Status: StatusFailed, Reason: new("no"), FinishedAt: new(tx.Micros())})
	})
	for _, step := range []struct {
		days time.Duration
		want int
	}{{6, 0}, {20, 1}, {0, 1}, {6, 1}, {2, 2}} {
		b.clock.now = b.clock.now.Add(step.days * 24 * time.Hour)
		b.tick()
		ops, err := b.r.Store.DB.Read().Ungranted().ListPendingOperations(t.Context(), b.srv.ID, job.Beside(Aspect, b.srv.ID))
		if err != nil {
			t.Fatal(err)
		}
		begun := 0
		for _, op := range ops {
			if op.Action == actionVerify {
				begun++
				if op.ResourceID != newest.ID {
					t.Errorf("backup %d is proven, the newest whole one is %d", op.ResourceID, newest.ID)
				}
			}
		}
		if begun != step.want {
			t.Errorf("after %d more days %d proofs were begun, want %d", step.days, begun, step.want)
		}
	}
}

// started begins a run.
func (b *bench) started() (row query.Backup) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) (err error) {
		row, err = b.r.Store.start(ctx, tx, b.srv, b.conf, nil)
		return err
	})
	return row
}

// verify plans the next proof, and no run for a long time.
func (b *bench) verify(at time.Time) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.UpdateBackupConfiguration(ctx, query.UpdateBackupConfigurationParams{
			ID: b.conf.ID, StorageProviderID: b.conf.StorageProviderID, Name: b.conf.Name, Frequency: Hourly, Retention: 5,
			NotifyEmail: b.conf.NotifyEmail, NextRunAt: b.clock.now.Add(10000 * time.Hour).UnixMicro(), VerifyEveryDays: 7,
			VerifyAt: new(at.UnixMicro()), UpdatedAt: 1,
		})
		return err
	})
}

// What has no whole backup to prove for twice as long as planned alarms.
func TestOverdueProofAlarms(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.verify(b.clock.now.Add(7 * 24 * time.Hour))
	for _, step := range []struct {
		days  time.Duration
		alarm bool
	}{{8, false}, {7, true}} {
		b.clock.now = b.clock.now.Add(step.days * 24 * time.Hour)
		b.tick()
		conf, err := b.r.Store.DB.Read().Ungranted().GetBackupConfigurationByID(t.Context(), b.conf.ID)
		if err != nil || (conf.Alarm != nil) != step.alarm {
			t.Errorf("after %d more days the alarm is %v, %v", step.days, conf.Alarm, err)
		}
	}
}

// A run or a proof that is due while nothing can be done on the server is missed, and alarms as a failed one does; the next good one ends that.
func TestMissedOnAServerAlarms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, set, says string
	}{
		{"waiting", "status = 'connecting', is_ready = FALSE", "not set up yet"},
		{"failed", "status = 'failed', is_ready = FALSE", "could not be set up"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 5)
			alarm := func() string {
				t.Helper()
				conf, err := b.r.Store.DB.Read().Ungranted().GetBackupConfigurationByID(t.Context(), b.conf.ID)
				if err != nil {
					t.Fatal(err)
				}
				if conf.Alarm == nil {
					return ""
				}
				return *conf.Alarm
			}
			b.tick()
			b.end(true)
			b.server(c.set)
			b.clock.now = b.clock.now.Add(time.Hour)
			b.tick()
			b.tick()
			if n := len(b.backups()); n != 1 {
				t.Errorf("%d backups were begun on the server", n-1)
			}
			if text := alarm(); !strings.Contains(text, "did not run") || !strings.Contains(text, c.says) || len(b.mails) != 1 ||
				!strings.Contains(b.mails[0].Text, text) {
				t.Errorf("the alarm is %q, mails are %+v", text, b.mails)
			}
			b.server("status = 'ready', is_ready = TRUE, revoked = FALSE")
			b.clock.now = b.clock.now.Add(time.Hour)
			b.tick()
			b.end(true)
			if text := alarm(); text != "" {
				t.Errorf("after a good one the alarm is %q", text)
			}
			b.verify(b.clock.now.Add(time.Hour))
			b.server(c.set)
			b.clock.now = b.clock.now.Add(2 * time.Hour)
			b.tick()
			if text := alarm(); !strings.Contains(text, "The proof of a backup") || !strings.Contains(text, c.says) {
				t.Errorf("the alarm of a missed proof is %q", text)
			}
		})
	}
}

// A server that is being deleted raises no alarm.
func TestDeletedServersDoNotAlarm(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.server("status = 'deleting', is_ready = FALSE")
	b.tick()
	conf, err := b.r.Store.DB.Read().Ungranted().GetBackupConfigurationByID(t.Context(), b.conf.ID)
	if err != nil || conf.Alarm != nil || len(b.backups()) != 0 {
		t.Errorf("the alarm is %v, %v, backups are %v", conf.Alarm, err, b.backups())
	}
}

// server changes the row of the server.
func (b *bench) server(set string) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET "+set)
		return err
	})
}

// A backup whose objects are listed stays what it is when the program died before it noted the end of the work: nothing is dumped again.
func TestFinishedBackupsAreLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.tick()
	row := b.backups()[0]
	b.stored(row)
	op, err := b.r.Store.DB.Read().Ungranted().GetOperation(t.Context(), *row.OperationID)
	if err != nil {
		t.Fatal(err)
	}
	report, err := json.Marshal([]wire.ItemReport{{ID: b.items(row)[0].ID, Size: 9, Checksum: strings.Repeat("0", 64)}})
	if err != nil {
		t.Fatal(err)
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		return b.r.Aspect().Heard(ctx, tx, op, wire.Result{Report: map[string]string{wire.ReportKey: string(report)}})
	})
	stages, err := b.r.Aspect().Plan(t.Context(), b.r.Store.DB.Read().Ungranted(), b.srv, []query.Operation{op})
	if err != nil || len(stages) == 0 {
		t.Fatalf("the plan is %v, %v", stages, err)
	}
	for _, s := range stages {
		if s.Backup != nil {
			t.Errorf("%s is done again", s.Name)
		}
		if s.After != nil {
			if err := s.After(t.Context(), b.srv); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
	b.wantStored(row)
}

// A restore that is tried again dumps what it replaces again, and keeps the dump of the first time: the database may have been replaced by then.
func TestFreshDumpsAreLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.tick()
	source := b.end(true)
	var safety query.Backup
	var op query.Operation
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		databases, err := tx.Ungranted().ListDatabases(ctx, b.srv.ID)
		if err != nil {
			return err
		}
		items, err := tx.Ungranted().ListBackupItems(ctx, source.ID)
		if err != nil {
			return err
		}
		if safety, err = b.r.Store.start(ctx, tx, b.srv, b.conf, databases); err != nil {
			return err
		}
		row, err := tx.InsertBackupRestore(ctx, query.InsertBackupRestoreParams{
			BackupID: source.ID, ItemID: items[0].ID, ServerID: b.srv.ID, Kind: kindDatabase, DatabaseID: &databases[0].ID,
			Target: "shop", Scratch: "hostler_restore_x", SafetyBackupID: &safety.ID, Status: StatusRunning,
			CreatedAt: tx.Micros(),
		})
		if err != nil {
			return err
		}
		accepted, err := b.r.begin(ctx, tx, access.Grant{OrganizationID: b.conf.OrganizationID}, b.srv, resourceRestore, row.ID,
			"create", "Restoring", createWithin, nil)
		if err != nil {
			return err
		}
		op, err = tx.Ungranted().GetOperation(ctx, accepted.OperationID)
		return err
	})
	b.stored(safety)
	finished, err := b.r.Store.DB.Read().Ungranted().GetBackupByID(t.Context(), safety.ID)
	if err != nil {
		t.Fatal(err)
	}
	again := func(ctx context.Context) (query.Backup, error) { return b.r.another(ctx, op.ResourceID, finished) }
	if err := b.r.prepare(t.Context(), op, finished, again); err != nil {
		t.Fatal(err)
	}
	b.wantStored(safety)
	row, err := b.r.Store.DB.Read().Ungranted().GetBackupRestore(t.Context(), op.ResourceID)
	if err != nil || *row.SafetyBackupID == safety.ID {
		t.Fatalf("the fresh dump is %d again, %v", *row.SafetyBackupID, err)
	}
	next, err := b.r.Store.DB.Read().Ungranted().GetBackupByID(t.Context(), *row.SafetyBackupID)
	if err != nil || next.Status != StatusRunning || !next.Safety {
		t.Errorf("the next fresh dump is %+v, %v", next, err)
	}
	items, err := b.r.Store.DB.Read().Ungranted().ListBackupItems(t.Context(), next.ID)
	if err != nil || len(items) != 1 || items[0].UploadID == nil {
		t.Errorf("of it there are %+v, %v", items, err)
	}
}

// stored finishes a backup of which an object is in the storage.
func (b *bench) stored(row query.Backup) {
	b.t.Helper()
	bucket, err := b.r.Store.open(b.t.Context(), b.conf, row)
	if err == nil {
		err = bucket.Put(b.t.Context(), row.Base+"001-shop.sql.zst.age", []byte("an object"))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := tx.SetBackupItemKey(ctx, b.items(row)[0].ID, itemStored, []byte("sealed"), tx.Micros()); err != nil {
			return err
		}
		return tx.FinishBackup(ctx, query.FinishBackupParams{ID: row.ID, Status: StatusFinished, Size: 9, FinishedAt: new(tx.Micros())})
	})
}

func (b *bench) items(row query.Backup) []query.BackupItem {
	b.t.Helper()
	items, err := b.r.Store.DB.Read().Ungranted().ListBackupItems(b.t.Context(), row.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return items
}

func (b *bench) wantStored(row query.Backup) {
	b.t.Helper()
	bucket, err := b.r.Store.open(b.t.Context(), b.conf, row)
	if err != nil {
		b.t.Fatal(err)
	}
	list, err := bucket.List(b.t.Context(), row.Base)
	now, rerr := b.r.Store.DB.Read().Ungranted().GetBackupByID(b.t.Context(), row.ID)
	if items := b.items(row); err != nil || rerr != nil || len(list) != 1 || now.Status != StatusFinished || items[0].Status != itemStored {
		b.t.Errorf("backup %d is %s, its objects are %v (%v, %v), its items %+v", row.ID, now.Status, list, err, rerr, items)
	}
}

// A mail about a failure says which backup is known to restore.
func TestProvenLast(t *testing.T) {
	t.Parallel()
	at, id := time.Date(2026, 3, 1, 4, 5, 0, 0, time.UTC).UnixMicro(), int64(12)
	const when = " was restored into a scratch database on 1 March 2026 04:05 UTC."
	for want, c := range map[string]query.BackupConfiguration{
		"None of its backups has been verified yet.":      {},
		"The last verified backup is 12. It" + when:       {VerifiedAt: &at, VerifiedBackupID: &id},
		"The last verified backup, since deleted," + when: {VerifiedAt: &at},
	} {
		if got := provenLast(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
