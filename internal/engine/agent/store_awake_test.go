package agent

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// engine is a MariaDB client on the bed. It gets no connection as often as /down has lines, and logs its input. It dies of input
// that contains "poison".
func (b *bed) engine(down int) {
	b.t.Helper()
	b.write("/down", strings.Repeat("down\n", down))
	b.program("mariadb", `
sql=$(cat)
if [ -s "$root/down" ]; then
	sed -i 1d "$root/down"
	echo "ERROR 2002 (HY000): Can't connect to local server through socket" >&2
	exit 1
fi
[ "$sql" = 'SELECT 1;' ] && exit
echo "$sql" >>"$root/log"
case $sql in
*poison*) printf 'down\ndown\ndown\n' >"$root/down"; echo 'ERROR 2013 (HY000): Lost connection to server during query' >&2; exit 1 ;;
*innodb_strict_mode*) printf 'utf8mb4\tutf8mb4_general_ci\t1\t10.11.1-MariaDB\t\n' ;;
*max_allowed_packet*) echo 16777216 ;;
*schemata*) echo 0 ;;
*'GROUP BY table_schema'*) printf '73686F70\t4096\n' ;;
esac`)
	b.program("mariadb-dump", `echo '-- Dump completed'`)
}

// restoring returns a run that restores a dump over a database, from a storage that exists during the test.
func restoring(t *testing.T, id, dump string) wire.Run {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	var object bytes.Buffer
	p, err := archive.NewPacker(&object, identity.Recipient().String())
	if err == nil {
		_, err = io.WriteString(p, dump+"\n-- Dump completed\n")
	}
	if err == nil {
		err = p.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	header, err := age.ExtractHeader(bytes.NewReader(object.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	key, err := age.DecryptHeader(header, identity)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(object.Bytes()))
	}))
	t.Cleanup(s.Close)
	return wire.Run{ID: id, Lane: "backup", Fence: 1, Deadline: time.Now().Add(time.Minute), Restore: &wire.Restore{
		Name: "shop", URL: s.URL, Size: p.Size(), Checksum: p.Sum(), FileKey: key, Over: true, Scratch: "scratch",
		Store: wire.Store{Engine: wire.EngineMariaDB, Database: "shop"},
	}}
}

func measuring(id string) wire.Run {
	return wire.Run{
		ID: id, Lane: "backup", Fence: 1, Deadline: time.Now().Add(time.Minute),
		Backup: &wire.Backup{Measure: true, Items: []wire.BackupItem{{ID: 7, Store: wire.Store{Engine: wire.EngineMariaDB, Database: "shop"}}}},
	}
}

// An engine that is starting is waited for, whatever the work, and that is reported once.
func TestEngineIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(t *testing.T) wire.Run{
		"measure": func(*testing.T) wire.Run { return measuring("r") },
		"restore": func(t *testing.T) wire.Run { return restoring(t, "r", "SELECT 'all of it';") },
		"prove": func(t *testing.T) wire.Run {
			r := restoring(t, "r", "SELECT 'all of it';")
			r.Restore.Proof, r.Restore.Over, r.Restore.Store.Database = true, false, "proof"
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.engine(3)
			b.program("mariadb-dump", "echo '-- Dump completed'")
			res, events := b.mustRun(run(t))
			var waited []string
			for _, e := range events {
				if e.Kind == wire.EventWaiting {
					waited = append(waited, e.Text)
				}
			}
			if len(waited) != 1 || !strings.HasPrefix(waited[0], "MariaDB to accept connections: ERROR 2002") {
				t.Errorf("told was %q", waited)
			}
			if name == "measure" && res.Report[wire.SizesKey] != `{"7":4096}` {
				t.Errorf("measured was %v", res.Report)
			}
			if name != "measure" && !strings.Contains(b.log(), "all of it") {
				t.Errorf("the engine was asked %s", b.log())
			}
		})
	}
}

// One that does not start in time ends the work with its answer; nothing was touched.
func TestEngineStaysDown(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	a, err := New(Config{Root: b.root, Path: b.bin + ":" + program.SearchPath, EngineWithin: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	b.a = a
	b.engine(1000)
	res, _ := b.run(restoring(t, "r", "SELECT 'all of it';"))
	wantState(t, res, wire.StateFailed)
	const want = "the backup of shop: MariaDB accepted no connections for 300ms: ERROR 2002 (HY000): Can't connect to local server through socket"
	if res.Reason != want || res.FailedStep != stepFill {
		t.Errorf("%s failed: %s", res.FailedStep, res.Reason)
	}
	if b.log() != "" {
		t.Errorf("the engine was asked %s", b.log())
	}
}

// The remains of an engine that died during a restore are dropped when it is back, before the restore is reported as failed.
func TestEngineDiesInARestore(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.engine(0)
	res, _ := b.run(restoring(t, "r", "SELECT 'poison';"))
	wantState(t, res, wire.StateFailed)
	if !strings.Contains(res.Output, "Lost connection") {
		t.Errorf("it failed as %s %s", res.Reason, res.Output)
	}
	_, after, _ := strings.Cut(b.log(), "CREATE DATABASE `scratch`")
	for _, want := range []string{"DROP DATABASE IF EXISTS `scratch`;", "ACCOUNT LOCK'"} {
		if !strings.Contains(after, want) {
			t.Errorf("without %s the engine was asked %s", want, b.log())
		}
	}
}

// At boot no engine runs yet: a restore that died with its host is ended later, and its objects are dropped then.
func TestEngineIsNotThereAtBoot(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.engine(0)
	run := restoring(t, "r", "SELECT 'all of it';")
	if point, alive := b.process(4, &run); alive || point != "compared" {
		t.Fatalf("the agent died at %q, survived is %v", point, alive)
	}
	b.write("/down", strings.Repeat("down\n", 3))
	early, err := New(Config{Root: b.root, Path: b.bin + ":" + program.SearchPath, Early: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := early.Recover(); err != nil {
		t.Fatal(err)
	}
	if err := early.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.a.result("r"); err == nil {
		t.Fatal("the restore was ended before its engine could be asked")
	}
	wantState(t, b.attach(b.a, "r", 0, nil), wire.StateLost)
	_, after, _ := strings.Cut(b.log(), "CREATE DATABASE `scratch`")
	for _, want := range []string{"DROP DATABASE IF EXISTS `scratch`;", "ACCOUNT LOCK'"} {
		if !strings.Contains(after, want) {
			t.Errorf("without %s the engine was asked %s", want, b.log())
		}
	}
}

// The account of a run that died with its host is dropped later, for a dump as for a proof.
func TestEngineAccountOfADeadRun(t *testing.T) {
	t.Parallel()
	proof := func(t *testing.T) wire.Run {
		run := restoring(t, "r", "SELECT 'all of it';")
		run.Restore.Proof, run.Restore.Over, run.Restore.Store.Database = true, false, "hostler_proof_1"
		return run
	}
	dump := func(t *testing.T) wire.Run {
		identity, err := age.GenerateX25519Identity()
		if err != nil {
			t.Fatal(err)
		}
		run := measuring("r")
		run.Backup.Measure, run.Backup.Recipient = false, identity.Recipient().String()
		run.Backup.Items[0].PartSize, run.Backup.Items[0].Parts = archive.MinPart, []string{"http://127.0.0.1:1/part"}
		return run
	}
	for name, c := range map[string]struct {
		run func(*testing.T) wire.Run
		at  int
	}{"proof": {proof, 3}, "dump": {dump, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.engine(0)
			run := c.run(t)
			if point, alive := b.process(c.at, &run); alive || point != "account made" {
				t.Fatalf("the agent died at %q, survived is %v", point, alive)
			}
			wantState(t, b.attach(b.a, "r", 0, nil), wire.StateLost)
			made, dropped := "CREATE USER `hostler_run_", "DROP USER IF EXISTS `hostler_run_"
			if _, after, ok := strings.Cut(b.log(), made); !ok || !strings.Contains(after, dropped) {
				t.Errorf("the engine was asked %s", b.log())
			}
		})
	}
}
