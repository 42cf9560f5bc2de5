package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/agent/archive"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/edge/mariatest"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// anyMySQL is MariaDB, or MySQL where the tests are run with that in its place.
var anyMySQL = map[bool]string{false: wire.EngineMariaDB, true: wire.EngineMySQL}[mariatest.MySQL]

// shelf is a database of a real engine, and an agent whose programs connect to that engine.
type shelf struct {
	*bed
	engine, db string
	argv       []string // the administrator's client
	hidden     string   // ", hidden" where tables have that column, which is not shown otherwise
}

// newShelf makes a database with a name. On PostgreSQL it is a fresh one of the engine, whose name begins so.
func newShelf(t *testing.T, engine, name string) *shelf {
	t.Helper()
	s := &shelf{bed: newBed(t), engine: engine, db: name}
	if engine == wire.EnginePostgres {
		at, err := url.Parse(pgtest.Database(t, "empty", nil))
		if err != nil {
			t.Fatal(err)
		}
		s.db = strings.TrimPrefix(at.Path, "/")
		s.argv = []string{pgtest.Binaries + "/psql", "-XqAt", "-h", at.Query().Get("host"), "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-d"}
		env := "PGHOST='" + at.Query().Get("host") + "'; PGUSER=${PGUSER:-postgres}; export PGHOST PGUSER\n"
		s.program("psql", env+"exec "+pgtest.Binaries+"/psql \"$@\"")
		s.program("pg_dump", env+"exec "+pgtest.Binaries+"/pg_dump \"$@\"")
		s.asPostgres()
		owner := "owner_" + s.db
		s.sql("postgres", "CREATE ROLE "+owner+" LOGIN; ALTER DATABASE "+s.db+" OWNER TO "+owner)
		t.Cleanup(func() {
			s.try("postgres", "REASSIGN OWNED BY "+owner+" TO postgres; DROP OWNED BY "+owner+"; DROP ROLE "+owner)
		})
		return s
	}
	socket := mariatest.Socket(t)
	s.argv = []string{mariatest.Client, "--no-defaults", "--socket=" + socket, "--user=root", "--batch", "--skip-column-names", "--max-allowed-packet=1G", "--"}
	for _, p := range []string{mariatest.Client, mariatest.Dumper} {
		s.program(p, "shift; exec /usr/bin/"+p+" --no-defaults --socket='"+socket+"' \"$@\"")
	}
	s.sql("", "CREATE DATABASE "+s.quoted(name))
	t.Cleanup(func() { s.try("", "DROP DATABASE "+s.quoted(name)) })
	return s
}

// asPostgres makes the bed's account postgres the one of the test.
func (s *shelf) asPostgres() {
	raw, err := os.ReadFile(s.path("/etc/passwd"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("/etc/passwd", string(raw)+fmt.Sprintf("postgres:x:%d:%d::/home/me:/bin/sh\n", os.Getuid(), os.Getgid()))
}

func (s *shelf) quoted(name string) string {
	return (&database{engine: s.engine}).ident(name)
}

// sql runs SQL as the engine's administrator.
func (s *shelf) sql(db, sql string) string {
	s.t.Helper()
	out, err := s.try(db, sql)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func (s *shelf) try(db, sql string) (string, error) {
	argv := s.argv
	if db != "" {
		argv = append(argv[:len(argv):len(argv)], db)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = strings.NewReader(sql)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// backup dumps the database to a storage that exists during the test, and returns the report and the object.
func (s *shelf) backup() (wire.ItemReport, wire.Run) {
	s.t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		s.t.Fatal(err)
	}
	parts := map[string][]byte{}
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			var b bytes.Buffer
			_, _ = b.ReadFrom(r.Body)
			parts[r.URL.Path] = b.Bytes()
			w.Header().Set("ETag", `"x"`)
			return
		}
		var all []byte
		for i := range len(parts) {
			all = append(all, parts[fmt.Sprintf("/%d", i+1)]...)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(all))
	}))
	s.t.Cleanup(store.Close)
	item := wire.BackupItem{ID: 7, PartSize: archive.MinPart, Store: wire.Store{Engine: s.engine, Database: s.db}}
	for i := range 16 {
		item.Parts = append(item.Parts, fmt.Sprintf("%s/%d", store.URL, i+1))
	}
	res, events := s.run(wire.Run{
		ID: "b" + randomHex(4), Lane: "backup", Fence: 1, Deadline: time.Now().Add(time.Minute),
		Backup: &wire.Backup{Recipient: identity.Recipient().String(), Items: []wire.BackupItem{item}},
	})
	wantState(s.t, res, wire.StateSucceeded)
	var reports []wire.ItemReport
	if err := json.Unmarshal([]byte(res.Report[wire.ReportKey]), &reports); err != nil || len(reports) != 1 {
		s.t.Fatalf("%v: %v", res.Report, err)
	}
	if reports[0].Error != "" {
		s.t.Fatalf("not dumped: %s\n%v", reports[0].Error, events)
	}
	answer, err := http.Get(store.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	header, err := age.ExtractHeader(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	key, err := age.DecryptHeader(header, identity)
	if err != nil {
		s.t.Fatal(err)
	}
	return reports[0], wire.Run{Lane: "backup", Fence: 1, Restore: &wire.Restore{
		ID: 7, Name: s.db, URL: store.URL, Size: reports[0].Size, Checksum: reports[0].Checksum, FileKey: key,
		Store: wire.Store{Engine: s.engine},
	}}
}

// restore restores an object over a database; with a proof it is only compared.
func (s *shelf) restore(object wire.Run, over string, proof bool) {
	s.t.Helper()
	run, r := object, *object.Restore
	run.ID, run.Deadline, run.Restore = "r"+randomHex(4), time.Now().Add(time.Minute), &r
	r.Store.Database, r.Over, r.Scratch = over, true, "hostler_restore_"+randomHex(3)
	if proof {
		r.Store.Database, r.Over, r.Proof = "hostler_proof_"+randomHex(3), false, true
	}
	res, events := s.run(run)
	if res.State != wire.StateSucceeded {
		s.t.Fatalf("not restored: %s\n%v", res.Reason, events)
	}
	if len(res.Checks) != 1 || res.Checks[0].Kind != wire.CheckRestore {
		s.t.Errorf("it was verified by %v", res.Checks)
	}
}

// other makes an empty database as a restore under a new name finds it.
func (s *shelf) other() string {
	s.t.Helper()
	name := "copy_" + randomHex(3)
	if s.engine == wire.EnginePostgres {
		s.sql("postgres", "CREATE DATABASE "+name+" TEMPLATE template0 OWNER owner_"+s.db)
		s.t.Cleanup(func() { s.try("postgres", "DROP DATABASE "+name+" WITH (FORCE)") })
		return name
	}
	s.sql("", "CREATE DATABASE "+name+" CHARACTER SET utf8mb4")
	s.t.Cleanup(func() { s.try("", "DROP DATABASE "+name) })
	return name
}

// text returns a dump as a person reads it.
func (s *shelf) text() string {
	s.t.Helper()
	dir := s.t.TempDir()
	log, err := output.Open(filepath.Join(dir, "events"))
	if err != nil {
		s.t.Fatal(err)
	}
	x := &execution{a: s.a, run: wire.Run{ID: "dump", Deadline: time.Now().Add(time.Minute)}, dir: dir, log: log}
	var out bytes.Buffer
	if _, err := x.dump(context.Background(), wire.Store{Engine: s.engine, Database: s.db}, nil, &out); err != nil {
		s.t.Fatalf("dump: %v", err)
	}
	return out.String()
}

// A row that fits into the server's limit of 16 MiB is longer than that in a dump; it is read back all the same, and the limit is as before.
func TestRowOfTwelveMiBComesBack(t *testing.T) {
	s := newShelf(t, anyMySQL, "large")
	s.sql("large", `CREATE TABLE photo(id INT PRIMARY KEY, body LONGBLOB, note LONGTEXT);
INSERT INTO photo VALUES(1, REPEAT(CHAR(0,255,13,10), 3*1024*1024), 'twelve MiB');
INSERT INTO photo VALUES(2, 'small', 'x');`)
	want := s.sql("large", "CHECKSUM TABLE photo")
	_, object := s.backup()
	s.restore(object, "", true)
	other := s.other()
	s.restore(object, other, false)
	if got := s.sql(other, "CHECKSUM TABLE photo"); strings.TrimPrefix(got, other) != strings.TrimPrefix(want, "large") {
		t.Errorf("the copy is %s, it was %s", got, want)
	}
	s.sql("large", "DELETE FROM photo")
	s.restore(object, "large", false)
	if got := s.sql("large", "CHECKSUM TABLE photo"); got != want {
		t.Errorf("restored is %s, it was %s", got, want)
	}
	if got := s.sql("", "SELECT @@GLOBAL.max_allowed_packet"); got != "16777216" {
		t.Errorf("the limit of the server is %s", got)
	}
}

const legacy = `ALTER DATABASE legacy CHARACTER SET latin1 COLLATE latin1_swedish_ci;
USE legacy;
CREATE TABLE orders(id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50), at DATETIME) DEFAULT CHARSET=utf8mb4;
DELIMITER ;;
CREATE TRIGGER orders_bi BEFORE INSERT ON orders FOR EACH ROW BEGIN SET NEW.at = NOW(); END;;
CREATE PROCEDURE tally() BEGIN SELECT COUNT(*) FROM orders; END;;
CREATE EVENT later ON SCHEDULE EVERY 1 YEAR DO BEGIN
ALTER DATABASE ` + "`legacy`" + ` COLLATE latin1_bin;
END;;
DELIMITER ;
ALTER DATABASE legacy CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
INSERT INTO orders(name) VALUES('Zoë'),('b');`

// A dump of a database whose collation was changed names that database around its triggers. Restored as a copy it comes back whole, with the collation
// and that of its routines, and the live database is not touched.
func TestRestoredCopyLeavesTheLiveDatabaseAlone(t *testing.T) {
	s := newShelf(t, anyMySQL, "legacy")
	s.sql("", legacy)
	const collations = "SELECT default_collation_name FROM information_schema.schemata WHERE schema_name = DATABASE();" +
		"SELECT routine_name, database_collation FROM information_schema.routines WHERE routine_schema = DATABASE();" +
		"SELECT trigger_name, database_collation FROM information_schema.triggers WHERE trigger_schema = DATABASE();" +
		"SELECT event_name, database_collation, event_definition FROM information_schema.events WHERE event_schema = DATABASE()"
	want := s.sql("legacy", collations)
	_, object := s.backup()
	// What the live database is by now must stay.
	s.sql("legacy", "ALTER DATABASE legacy CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	live := s.sql("legacy", collations)
	s.restore(object, "", true)
	other := s.other()
	s.restore(object, other, false)
	if got := s.sql(other, collations); got != want {
		t.Errorf("the copy is\n%s\nit was\n%s", got, want)
	}
	if got := s.sql(other, "CALL tally()"); got != "2" {
		t.Errorf("the copy has %s orders", got)
	}
	if got := s.sql("legacy", collations); got != live {
		t.Errorf("the live database is\n%s\nit was\n%s", got, live)
	}
	s.restore(object, other, false) // over one that has a definer of its own
	if got := s.sql("legacy", collations); got != live {
		t.Errorf("the live database is\n%s\nit was\n%s", got, live)
	}
	s.restore(object, "legacy", false)
	if got := s.sql("legacy", collations); got != want {
		t.Errorf("restored is\n%s\nit was\n%s", got, want)
	}
}

// A view over a table that is gone is named; everything else is stored.
func TestBrokenViewIsNamedAndTheRestIsStored(t *testing.T) {
	s := newShelf(t, anyMySQL, "views.x")
	s.sql("views.x", `CREATE TABLE t(id INT, n TEXT);
INSERT INTO t VALUES(1,'kept');
CREATE TABLE u(id INT);
CREATE VIEW v_ok AS SELECT * FROM t;
CREATE VIEW v_broken AS SELECT * FROM u;
CREATE VIEW `+"`v``2`"+` AS SELECT * FROM v_broken;
CREATE DEFINER=nobody@nowhere VIEW v_orphan AS SELECT * FROM t;
DROP TABLE u;`)
	report, object := s.backup()
	var names []string
	for _, left := range report.Left {
		names = append(names, left.Kind+" "+left.Name)
		if !strings.HasPrefix(left.Reason, "it refers to something that does not exist") {
			t.Errorf("%s is left out: %s", left.Name, left.Reason)
		}
	}
	slices.Sort(names)
	want := []string{"view v_broken", "view v_orphan", "view v`2"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("left out is:\n%s", diff)
	}
	other := s.other()
	s.restore(object, "", true)
	s.restore(object, other, false)
	if got := s.sql(other, "SELECT n FROM v_ok"); got != "kept" {
		t.Errorf("the view says %q", got)
	}
}

// One file that can't be read does not lose the others; it is named, and so is a path that does not exist.
func TestUnreadableFileIsNamedAndTheRestIsStored(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("reads files as another account")
	}
	b := newBed(t)
	for _, p := range []string{"/srv/up/a.txt", "/srv/up/closed.txt", "/srv/up/dir/b.txt", "/srv/up/shut/c.txt"} {
		b.write(p, "content of "+p)
	}
	for p, mode := range map[string]os.FileMode{b.root: 0o755, b.path("/srv/up/closed.txt"): 0o600, b.path("/srv/up/shut"): 0o700} {
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
	}
	log, err := output.Open(filepath.Join(t.TempDir(), "events"))
	if err != nil {
		t.Fatal(err)
	}
	x := &execution{a: b.a, run: wire.Run{ID: "dump", Deadline: time.Now().Add(time.Minute)}, dir: t.TempDir(), log: log}
	var out bytes.Buffer
	facts, err := x.dump(t.Context(), wire.Store{Engine: wire.EngineFiles, User: "web", Dir: "/srv", Paths: []string{"up", "gone"}}, nil, &out)
	if err != nil {
		t.Fatal(err)
	}
	want := []wire.ReportLeft{
		{Kind: "file", Name: "gone", Reason: "it does not exist"},
		{Kind: "file", Name: "up/closed.txt", Reason: "the account web can't read it"},
		{Kind: "file", Name: "up/shut", Reason: "the account web can't read it"},
	}
	slices.SortFunc(facts.left, func(a, b wire.ReportLeft) int { return strings.Compare(a.Name, b.Name) })
	if diff := cmp.Diff(want, facts.left); diff != "" {
		t.Errorf("left out is:\n%s", diff)
	}
	for _, content := range []string{"content of /srv/up/a.txt", "content of /srv/up/dir/b.txt"} {
		if !bytes.Contains(out.Bytes(), []byte(content)) {
			t.Errorf("%s is not stored", content)
		}
	}
	if _, err := x.dump(t.Context(), wire.Store{Engine: wire.EngineFiles, User: "web", Dir: "/srv", Paths: []string{"gone"}}, nil, &out); err == nil {
		t.Error("a backup of nothing succeeds")
	}
}

// What a PostgreSQL database sets for its sessions is part of a backup; what only an administrator can set is not, and stops nothing.
func TestSettingsOfADatabaseComeBack(t *testing.T) {
	t.Parallel()
	s := newShelf(t, wire.EnginePostgres, "")
	s.sql(s.db, `CREATE SCHEMA app; CREATE TABLE app.t (n text); INSERT INTO app.t VALUES ('kept');
ALTER DATABASE `+s.db+` SET search_path TO app, "Odd, one", public;
ALTER DATABASE `+s.db+` SET statement_timeout = '90s';
ALTER DATABASE `+s.db+` SET default_transaction_read_only = on;
ALTER DATABASE `+s.db+` SET "TimeZone" = 'America/Santiago'`)
	settings := func(db string) string {
		return s.sql("postgres", "SELECT c FROM pg_db_role_setting s JOIN pg_database b ON b.oid = s.setdatabase, unnest(setconfig) c "+
			"WHERE datname = '"+db+"' ORDER BY 1")
	}
	want := settings(s.db)
	s.sql("postgres", "ALTER DATABASE "+s.db+" SET log_statement = 'all'; ALTER DATABASE "+s.db+" SET app.tenant = 'O''Hara, Ltd'")
	_, object := s.backup()
	s.restore(object, "", true)
	other := s.other()
	s.sql("postgres", "ALTER DATABASE "+other+" SET work_mem = '1MB'")
	s.restore(object, other, false)
	if diff := cmp.Diff(want, settings(other)); diff != "" {
		t.Errorf("the copy has:\n%s", diff)
	}
	if got := s.sql(other, "SELECT n FROM t"); got != "kept" {
		t.Errorf("the copy says %q", got)
	}
}

// A database in another encoding is proven in that encoding.
func TestDatabaseWithoutAnEncodingIsProven(t *testing.T) {
	t.Parallel()
	s := newShelf(t, wire.EnginePostgres, "")
	name := "bytes_" + randomHex(3)
	s.sql("postgres", "CREATE DATABASE "+name+" TEMPLATE template0 OWNER owner_"+s.db+" ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'")
	t.Cleanup(func() { s.try("postgres", "DROP DATABASE "+name+" WITH (FORCE)") })
	s.sql(name, "CREATE TABLE t (n text); SET client_encoding = 'SQL_ASCII'; INSERT INTO t VALUES (E'\\xe9t\\xe9')")
	s.db = name
	_, object := s.backup()
	s.restore(object, "", true)
}

// Only what determines how a dump is restored makes another shape.
func TestShapeOfADump(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{anyMySQL, wire.EnginePostgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, engine, "shape")
			id := map[bool]string{true: "SERIAL", false: "INT AUTO_INCREMENT"}[engine == wire.EnginePostgres]
			s.sql(s.db, "CREATE TABLE t (id "+id+" PRIMARY KEY, n VARCHAR(20))")
			first, _ := s.backup()
			s.sql(s.db, "INSERT INTO t (n) VALUES ('a'), ('b')")
			rows, _ := s.backup()
			s.sql(s.db, "CREATE VIEW v AS SELECT n FROM t")
			view, _ := s.backup()
			if first.Shape == "" || first.Shape != rows.Shape || rows.Shape == view.Shape {
				t.Errorf("the shapes are %s, with rows %s, with a view %s", first.Shape, rows.Shape, view.Shape)
			}
		})
	}
}
