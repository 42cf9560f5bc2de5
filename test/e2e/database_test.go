package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/value/corpus"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

var engines = []string{"mariadb1011", "postgres15", "mysql9"}

// rooms are a server of each engine, and a host to connect from.
var rooms struct {
	sync.Mutex
	panel   *panel.Panel
	servers map[string]*engineRoom
	disk    string // where the panel keeps backups of who wants them there
}

// engineRoom is a server with an engine and the password of the account of its sites.
type engineRoom struct {
	panel.Server
	engine, password string
}

// runner is a test or a benchmark.
type runner[T any] interface {
	testing.TB
	Run(name string, f func(T)) bool
}

// databases runs a test or a benchmark on each engine's server in sequence.
func databases[T runner[T]](t T, test func(t T, p *panel.Panel, s *engineRoom)) {
	t.Helper()
	hosts.Require(t)
	rooms.Lock()
	t.Cleanup(rooms.Unlock)
	panel.BuildDatabaseImage(t)
	images := []string{panel.DatabaseImage, panel.DatabaseImage, panel.DatabaseImage}
	mysql := errors.New("make e2e does")
	if full() {
		mysql = panel.BuildMySQLImage(t)
	}
	if mysql == nil {
		images = append(images, panel.MySQLImage)
	}
	bed := hosts.Shared(t, len(images), hosts.Image(images...))
	if rooms.servers == nil {
		disk, err := os.MkdirTemp("", "hostler-disk-")
		if err != nil {
			t.Fatal(err)
		}
		p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--local-storage", disk)
		if err != nil {
			t.Fatal(err)
		}
		rooms.panel, rooms.servers, rooms.disk = p, map[string]*engineRoom{}, disk
	}
	for i, engine := range engines {
		t.Run(engine, func(t T) {
			at := i + 1
			if engine == "mysql9" {
				if mysql != nil { // or a mirror has no Debian unstable, or is being changed
					t.Skipf("MySQL is not run here: %v", mysql)
				}
				at = len(images)
			}
			if rooms.servers[engine] == nil {
				h := bed.Host(at)
				if engine == "mysql9" {
					t.Logf("%s", h.Exec(t, "mysqld", "--version"))
					h.Exec(t, "sh", "-c", hosts.AsDebian13)
				}
				s := addEngine(t, rooms.panel, h, engine)
				rooms.panel.Ready(t, s.Server)
				rooms.servers[engine] = s
			}
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the panel's log:\n%s", rooms.panel.Log())
				}
			})
			test(t, rooms.panel, rooms.servers[engine])
		})
	}
}

func addEngine(t testing.TB, p *panel.Panel, h *hosts.Host, engine string) *engineRoom {
	t.Helper()
	a := p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": h.Name, "provider": "custom", "type": "database", "database_type": engine, "database": "first",
		"custom": map[string]any{"ip_address": h.IP, "ssh_port": h.Port},
	})
	if a.Data.Meta.Bootstrap == nil || a.Data.Meta.ShownOnce.Password == "" {
		t.Fatalf("no bootstrap line or no password: %s", a.Body)
	}
	if out, err := h.TryExec("sh", "-c", a.Data.Meta.Bootstrap.Command); err != nil {
		t.Fatalf("bootstrap %s: %v\n%s", h.Name, err, out)
	}
	return &engineRoom{Server: panel.Server{ID: a.Data.ID, Type: "database", Host: h}, engine: engine, password: a.Data.Meta.ShownOnce.Password}
}

func (s *engineRoom) postgres() bool { return strings.HasPrefix(s.engine, "postgres") }

// client is the program of MariaDB or MySQL, and its unit.
func (s *engineRoom) client() string {
	if strings.HasPrefix(s.engine, "mysql") {
		return "mysql"
	}
	return "mariadb"
}

// as runs SQL as an account, over TCP as an application does, and gives what it prints or why it fails.
func (s *engineRoom) as(name, password, database, sql string) (string, error) {
	if s.postgres() {
		return s.Host.TryExec("env", "PGPASSWORD="+password, "PGCONNECT_TIMEOUT=10", "psql", "-X", "-A", "-t", "-v",
			"ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", name, "-d", database, "-c", sql)
	}
	return s.Host.TryExec("env", "MYSQL_PWD="+password, s.client(), "--no-defaults", "-h", "127.0.0.1", "-u", name, "-N", "-B", "-e", sql, database)
}

// can returns as that must work.
func (s *engineRoom) can(t testing.TB, name, password, database, sql string) string {
	t.Helper()
	out, err := s.as(name, password, database, sql)
	if err != nil {
		t.Errorf("%s in %s: %s: %v\n%s", name, database, sql, err, out)
	}
	return strings.TrimSpace(out)
}

// cannot is as that must fail.
func (s *engineRoom) cannot(t testing.TB, name, password, database, sql string) {
	t.Helper()
	if out, err := s.as(name, password, database, sql); err == nil {
		t.Errorf("%s may in %s: %s\n%s", name, database, sql, out)
	}
}

// root runs SQL as the engine's administrator on the host.
func (s *engineRoom) root(t testing.TB, database, sql string) string {
	t.Helper()
	if s.postgres() {
		if database == "" {
			database = "postgres"
		}
		return strings.TrimSpace(s.Host.Exec(t, "runuser", "-u", "postgres", "--", "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql))
	}
	return strings.TrimSpace(s.Host.Exec(t, s.client(), "--no-defaults", "-N", "-B", "-e", sql, database))
}

func (s *engineRoom) names(t testing.TB) string {
	t.Helper()
	if s.postgres() {
		return s.root(t, "", "SELECT datname FROM pg_database ORDER BY 1")
	}
	return s.root(t, "", "SHOW DATABASES")
}

// installedAt waits until a resource is what it should be, and gives it.
func installedAt(t testing.TB, p *panel.Panel, path string) panel.Resource {
	t.Helper()
	r := p.Settled(t, time.Minute, path)
	if r.Text("status") != "installed" || r.Operation().State != "succeeded" {
		t.Fatalf("%s is %s: %+v", path, r.Text("status"), r.Operation())
	}
	return r
}

func addDatabase(t testing.TB, p *panel.Panel, s *engineRoom, body map[string]any) panel.Resource {
	t.Helper()
	a := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/schemas"), body)
	installedAt(t, p, s.Path("/database/schemas/"+a.Data.ID))
	return a.Data
}

func addUser(t testing.TB, p *panel.Panel, s *engineRoom, body map[string]any) panel.Resource {
	t.Helper()
	a := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/users"), body)
	installedAt(t, p, s.Path("/database/users/"+a.Data.ID))
	return a.Data
}

func (s *engineRoom) schema(id string) string { return s.Path("/database/schemas/" + id) }
func (s *engineRoom) user(id string) string   { return s.Path("/database/users/" + id) }

// remove deletes what a test made, and waits until it is gone.
func removeAt(t testing.TB, p *panel.Panel, path string) {
	t.Helper()
	p.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)
	p.Gone(t, time.Minute, path)
}

// A new server has its first database, and the account of the sites uses it with the password that was shown.
func TestDatabaseServer(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		users := p.Want(t, http.StatusOK, http.MethodGet, s.Path("/database/users"), nil)
		for _, r := range users.List {
			installedAt(t, p, s.user(r.ID))
		}
		for _, r := range p.Want(t, http.StatusOK, http.MethodGet, s.Path("/database/schemas"), nil).List {
			installedAt(t, p, s.schema(r.ID))
		}
		s.can(t, "forge", s.password, "first", "CREATE TABLE visits (n INTEGER)")
		s.can(t, "forge", s.password, "first", "INSERT INTO visits VALUES (7)")
		if got := s.can(t, "forge", s.password, "first", "SELECT n FROM visits"); got != "7" {
			t.Errorf("read back %q", got)
		}
		s.cannot(t, "forge", "wrong", "first", "SELECT 1")
		admin := map[bool]string{true: "postgres", false: "root"}[s.postgres()]
		s.cannot(t, admin, "", map[bool]string{true: "postgres", false: "mysql"}[s.postgres()], "SELECT 1")
		if got := p.Get(t, s.Path("")).Text("database_type"); got != s.engine {
			t.Errorf("database_type is %q", got)
		}
	})
}

func ids(rs ...panel.Resource) []int {
	out := []int{}
	for _, r := range rs {
		var n int
		_, _ = fmt.Sscan(r.ID, &n)
		out = append(out, n)
	}
	return out
}

// An account uses the databases of its list and no other; a changed list takes effect; a password that was made is shown; a reader only reads,
// also what others make later; what one writes another changes.
func TestDatabaseUsers(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		one := addDatabase(t, p, s, map[string]any{"name": "shop_1"})
		two := addDatabase(t, p, s, map[string]any{"name": "shopX1"}) // what the wildcard of shop_1 would also be
		writer := addUser(t, p, s, map[string]any{"name": "writer", "password": `a'b"c\d;$(id) %_`, "database_ids": ids(one)})
		other := addUser(t, p, s, map[string]any{"name": "other-1", "password": "", "database_ids": ids(one)})
		reader := addUser(t, p, s, map[string]any{"name": "reader", "password": "readme", "database_ids": ids(one), "read_only": true})
		shown := other.Meta.ShownOnce.Password
		if len(shown) < 20 {
			t.Fatalf("the password that was made is %q", shown)
		}
		const password = `a'b"c\d;$(id) %_`

		s.can(t, "writer", password, "shop_1", "CREATE TABLE items (n INTEGER)")
		s.can(t, "writer", password, "shop_1", "INSERT INTO items VALUES (1)")
		s.cannot(t, "writer", password, "shopX1", "SELECT 1")
		s.cannot(t, "writer", password, "first", "SELECT 1")
		s.can(t, "other-1", shown, "shop_1", "ALTER TABLE items ADD COLUMN m INTEGER")
		if got := s.can(t, "reader", "readme", "shop_1", "SELECT n FROM items"); got != "1" {
			t.Errorf("the reader sees %q", got)
		}
		s.cannot(t, "reader", "readme", "shop_1", "INSERT INTO items (n) VALUES (2)")
		s.cannot(t, "reader", "readme", "shop_1", "CREATE TABLE more (n INTEGER)")
		s.can(t, "forge", s.password, "shop_1", "DROP TABLE items")

		p.Want(t, http.StatusAccepted, http.MethodPut, s.user(writer.ID), map[string]any{"database_ids": ids(two)})
		installedAt(t, p, s.user(writer.ID))
		s.cannot(t, "writer", password, "shop_1", "SELECT 1")
		s.can(t, "writer", password, "shopX1", "CREATE TABLE t (n INTEGER)")

		p.Want(t, http.StatusAccepted, http.MethodPut, s.user(writer.ID), map[string]any{"password": "another one"})
		installedAt(t, p, s.user(writer.ID))
		s.cannot(t, "writer", password, "shopX1", "SELECT 1")
		s.can(t, "writer", "another one", "shopX1", "SELECT 1")

		p.Want(t, http.StatusAccepted, http.MethodPut, s.user(writer.ID), map[string]any{"database_ids": []int{}})
		installedAt(t, p, s.user(writer.ID))
		s.cannot(t, "writer", "another one", "shopX1", "SELECT 1")

		for _, u := range []panel.Resource{writer, other, reader} {
			removeAt(t, p, s.user(u.ID))
		}
		s.cannot(t, "reader", "readme", "shop_1", "SELECT 1")
		for _, d := range []panel.Resource{one, two} {
			removeAt(t, p, s.schema(d.ID))
		}
		if got := s.names(t); strings.Contains(got, "shop") {
			t.Errorf("left over: %s", got)
		}
		// A database made again under the name does not open for those who might use the one before.
		again := addDatabase(t, p, s, map[string]any{"name": "shop_1", "user": "late"})
		s.can(t, "late", again.Meta.ShownOnce.Password, "shop_1", "SELECT 1")
		for _, r := range p.Want(t, http.StatusOK, http.MethodGet, s.Path("/database/users?filter[name]=late"), nil).List {
			removeAt(t, p, s.user(r.ID))
		}
		removeAt(t, p, s.schema(again.ID))
	})
}

// An account that the engine does not drop, since it owns something in a database that Hostler does not manage, logs in as before. When that is gone, a
// retry drops it.
func TestDatabaseUserOwnsElsewhere(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		if !s.postgres() { // MariaDB drops accounts of any objects
			return
		}
		one := addDatabase(t, p, s, map[string]any{"name": "shop_1"})
		owner := addUser(t, p, s, map[string]any{"name": "owner", "password": "owns", "database_ids": ids(one)})
		s.root(t, "", "CREATE DATABASE elsewhere")
		s.root(t, "elsewhere", "CREATE TABLE kept (n INTEGER)")
		s.root(t, "elsewhere", "ALTER TABLE kept OWNER TO owner")

		p.Want(t, http.StatusAccepted, http.MethodDelete, s.user(owner.ID), nil)
		left := p.Settled(t, time.Minute, s.user(owner.ID))
		if left.Text("status") != "installed" || left.Operation().State != "failed" {
			t.Errorf("after a failed deletion the account is %s: %+v", left.Text("status"), left.Operation())
		}
		s.can(t, "owner", "owns", "shop_1", "SELECT 1")
		s.root(t, "", "DROP DATABASE elsewhere")
		p.Retry(t, s.Server, left.Operation())
		p.Gone(t, time.Minute, s.user(owner.ID))
		if got := s.root(t, "", "SELECT count(*) FROM pg_roles WHERE rolname = 'owner'"); got != "0" {
			t.Error("the account is still there")
		}
		removeAt(t, p, s.schema(one.ID))
	})
}

// The password of the account of the sites is changed on the server as well; what was set before does not work any more.
func TestDatabasePassword(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		const password = "it's a new one"
		p.Want(t, http.StatusNoContent, http.MethodPut, s.Path("/database/password"), map[string]any{"password": password})
		for _, r := range p.Want(t, http.StatusOK, http.MethodGet, s.Path("/database/users?filter[name]=forge"), nil).List {
			installedAt(t, p, s.user(r.ID))
		}
		s.cannot(t, "forge", s.password, "first", "SELECT 1")
		s.password = password
		s.can(t, "forge", s.password, "first", "SELECT 1")
	})
}

// sync requests a synchronization and waits for its end; the event lists what was found.
func syncNow(t testing.TB, p *panel.Panel, s *engineRoom) string {
	t.Helper()
	a := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/schemas/synchronizations"), nil)
	event := a.Header.Get("X-Hostler-Event")
	p.Until(t, time.Minute, s.Path("/events/"+event), "ended", func(a panel.Answer) bool { return a.Data.Operation().State == "succeeded" })
	return p.Output(t, s.Server, event)
}

// What was created by hand is adopted, with its grants where the engine has them; the engine's own and what can't be managed is
// not; what is gone is forgotten.
func TestDatabaseSync(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		gone := addDatabase(t, p, s, map[string]any{"name": "gone"})
		s.root(t, "", "DROP DATABASE gone")
		odd := "`od'd $(id)`"
		if s.postgres() {
			odd = `"od'd $(id)"`
		}
		s.root(t, "", "CREATE DATABASE by_hand")
		s.root(t, "", "CREATE DATABASE "+odd)
		if s.postgres() {
			s.root(t, "", "CREATE ROLE hand LOGIN PASSWORD 'hand'")
			s.root(t, "by_hand", "CREATE TABLE old (n INTEGER)")
		} else {
			s.root(t, "", `CREATE USER hand@localhost IDENTIFIED BY 'hand'; GRANT ALL ON `+"`by\\_hand`"+`.* TO hand@localhost; CREATE TABLE by_hand.old (n INTEGER)`)
		}
		out := syncNow(t, p, s)
		for _, want := range []string{
			"Found the database by_hand.", "Found the account hand.", "Left out: database",
			"The database gone is no longer on the server.",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("the event does not say %q:\n%s", want, out)
			}
		}
		p.Want(t, http.StatusNotFound, http.MethodGet, s.schema(gone.ID), nil)
		var known []string
		list := p.Want(t, http.StatusOK, http.MethodGet, s.Path("/database/schemas"), nil).List
		for _, r := range list {
			known = append(known, r.Text("name"))
		}
		if got := strings.Join(known, " "); got != "first by_hand" {
			t.Errorf("databases are %s", got)
		}
		if again := syncNow(t, p, s); !strings.Contains(again, "Left out") || strings.Contains(again, "Found") {
			t.Errorf("the second time: %s", again)
		}
		// An account of ours may use what was adopted, also what was there before.
		u := addUser(t, p, s, map[string]any{"name": "guest", "password": "guest", "database_ids": ids(list[len(list)-1])})
		s.can(t, "guest", "guest", "by_hand", "INSERT INTO old VALUES (1)")
		removeAt(t, p, s.user(u.ID))
		for _, r := range p.Want(t, http.StatusOK, http.MethodGet, s.Path("/database/users?filter[name]=hand"), nil).List {
			removeAt(t, p, s.user(r.ID))
		}
		removeAt(t, p, s.schema(list[len(list)-1].ID))
		s.root(t, "", "DROP DATABASE "+odd)
	})
}

// A foreign database or account is not taken over by creating one of its name, nor dropped by deleting the failed row. A retry
// creates it once the other is gone.
func TestDatabaseTaken(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		s.root(t, "", "CREATE DATABASE theirs")
		s.root(t, "theirs", "CREATE TABLE t (n INTEGER)")
		s.root(t, "", map[bool]string{true: "CREATE ROLE them LOGIN PASSWORD 'theirs'", false: "CREATE USER them@localhost IDENTIFIED BY 'theirs'"}[s.postgres()])
		d := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/schemas"), map[string]any{"name": "theirs"}).Data
		u := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/users"), map[string]any{"name": "them", "password": "mine"}).Data
		for _, path := range []string{s.schema(d.ID), s.user(u.ID)} {
			r := p.Settled(t, time.Minute, path)
			if r.Text("status") != "failed" || !strings.Contains(r.Operation().Reason, "on the server already") {
				t.Errorf("%s is %s: %+v", path, r.Text("status"), r.Operation())
			}
			removeAt(t, p, path)
		}
		if got := s.root(t, "theirs", "SELECT COUNT(*) FROM t"); got != "0" {
			t.Errorf("their table: %s", got)
		}
		if s.postgres() {
			s.root(t, "", "DROP ROLE them")
		} else {
			s.root(t, "", "DROP USER them@localhost")
		}

		d = p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/schemas"), map[string]any{"name": "theirs"}).Data
		r := p.Settled(t, time.Minute, s.schema(d.ID))
		s.root(t, "", "DROP DATABASE theirs")
		p.Retry(t, s.Server, r.Operation())
		p.Until(t, time.Minute, s.schema(d.ID), "installed", func(a panel.Answer) bool { return a.Data.Text("status") == "installed" })
		s.can(t, "forge", s.password, "theirs", "SELECT 1")
		removeAt(t, p, s.schema(d.ID))
	})
}

// The engine's port is closed to other hosts until a rule opens it, and closed again with the rule.
func TestDatabaseRemote(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		port := map[bool]string{true: "5432", false: "3306"}[s.postgres()]
		from := s.Host.Bed().Host(3)
		reach := func() (string, error) {
			if s.postgres() {
				return from.TryExec("env", "PGPASSWORD="+s.password, "PGCONNECT_TIMEOUT=3", "psql", "-X", "-A", "-t", "-h", s.Host.IP,
					"-U", "forge", "-d", "first", "-c", "SELECT 41+1")
			}
			return from.TryExec("env", "MYSQL_PWD="+s.password, "mariadb", "--no-defaults", "--connect-timeout=3", "-h", s.Host.IP,
				"-u", "forge", "-N", "-B", "-e", "SELECT 41+1", "first")
		}
		if out, err := reach(); err == nil {
			t.Fatalf("reached without a rule: %s", out)
		}
		rule := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/firewall-rules"), map[string]any{
			"name":       "database",
			"port":       port,
			"type":       "allow",
			"ip_address": from.IP,
		}).Data
		p.Status(t, 30*time.Second, s.Path("/firewall-rules/"+rule.ID), "installed")
		if out, err := reach(); err != nil || strings.TrimSpace(out) != "42" {
			t.Errorf("with a rule: %v %s", err, out)
		}
		removeAt(t, p, s.Path("/firewall-rules/"+rule.ID))
		if out, err := reach(); err == nil {
			t.Errorf("reached after the rule was deleted: %s", out)
		}
	})
}

// A stopped engine makes work fail with the reason, nothing is left transitional, and a restart lets it be tried again.
func TestDatabaseService(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		service := map[bool]string{true: "postgres", false: "mysql"}[s.postgres()]
		act := func(action, status string) {
			t.Helper()
			p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/services/"+service+"/actions"), map[string]any{"action": action})
			p.Until(t, time.Minute, s.Path(""), status, func(a panel.Answer) bool { return a.Data.Text("db_status") == status })
		}
		made := addDatabase(t, p, s, map[string]any{"name": "filled"})
		s.root(t, "filled", "CREATE TABLE t (id INT PRIMARY KEY)")
		used := p.Want(t, http.StatusOK, http.MethodGet, s.schema(made.ID)+"/usage", nil).Body
		measured := s.engine == "mysql9" // whose default it is
		if !strings.Contains(used, `"table_count":1`) || strings.Contains(used, `"source":null`) == measured {
			t.Errorf("what is in the database: %s", used)
		}
		act("stop", "stopped")
		a := p.Want(t, http.StatusConflict, http.MethodGet, s.schema(made.ID)+"/usage", nil)
		if !strings.Contains(a.Body, "The engine does not answer: ") {
			t.Errorf("the usage in a stopped engine: %s", a.Body)
		}
		if out, err := s.as("forge", s.password, "first", "SELECT 1"); err == nil {
			t.Errorf("a stopped engine answers: %s", out)
		}
		d := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/schemas"), map[string]any{"name": "late"}).Data
		r := p.Settled(t, time.Minute, s.schema(d.ID))
		if r.Text("status") != "failed" || r.Operation().Reason == "" {
			t.Errorf("made in a stopped engine: %s %+v", r.Text("status"), r.Operation())
		}
		act("reboot", "running")
		s.can(t, "forge", s.password, "first", "SELECT 1")
		p.Retry(t, s.Server, r.Operation())
		p.Until(t, time.Minute, s.schema(d.ID), "installed", func(a panel.Answer) bool { return a.Data.Text("status") == "installed" })
		removeAt(t, p, s.schema(d.ID))
		removeAt(t, p, s.schema(made.ID))
		if s.client() == "mariadb" && !s.postgres() { // MySQL has no symbolic links any more
			restartLoadsSettings(t, p, s)
		}
	})
}

// restartLoadsSettings checks that an engine that runs with an older Hostler's settings, which let a tenant's table lead to
// another database's files, is reported, and has the current ones once it was restarted.
func restartLoadsSettings(t *testing.T, p *panel.Panel, s *engineRoom) {
	t.Helper()
	const settings = "/etc/mysql/mariadb.conf.d/90-hostler.cnf"
	s.Host.Exec(t, "sh", "-c", "sed -i /symbolic/d "+settings+" && systemctl restart mariadb")
	if got := s.root(t, "mysql", "SELECT @@have_symlink"); got == "DISABLED" {
		t.Fatal("the engine follows no links anyway: this tests nothing")
	}
	told := func() bool {
		a := p.Want(t, http.StatusOK, http.MethodGet, "/attention?page[size]=100", nil)
		return strings.Contains(a.Body, `"restart-needed"`)
	}
	if full() { // the server is looked at once a minute
		s.Host.Exec(t, "touch", "-d", "+2 seconds", settings)
		hosts.Eventually(t, 3*time.Minute, "the restart is told of", func() error {
			if !told() {
				return errors.New("it is not")
			}
			return nil
		})
	}
	p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/services/mysql/actions"), map[string]any{"action": "reboot"})
	hosts.Eventually(t, time.Minute, "the engine follows no links", func() error {
		if out, err := s.Host.TryExec("mariadb", "--no-defaults", "-N", "-B", "-e", "SELECT @@have_symlink"); err != nil || strings.TrimSpace(out) != "DISABLED" {
			return fmt.Errorf("have_symlink is %s %v", out, err)
		}
		return nil
	})
	if full() {
		hosts.Eventually(t, 3*time.Minute, "the restart is no longer told of", func() error {
			if told() {
				return errors.New("it is")
			}
			return nil
		})
	}
}

// hostile returns the corpus for shells and files, and what SQL, its clients and connection strings act on.
func hostile(canary string) []string {
	run := "touch " + canary
	return append(corpus.Injection(canary),
		"`; CREATE DATABASE canary; -- ", "'; CREATE DATABASE canary; -- ", `"; CREATE DATABASE canary; -- `,
		`\'; CREATE DATABASE canary; -- `, `\"; CREATE DATABASE canary; -- `,
		"x'; DROP DATABASE first; -- ", `x"; DROP DATABASE first; -- `, "x`; DROP DATABASE first; -- ", "' OR '1'='1",
		"/*!50000 CREATE DATABASE canary */", "*/ CREATE DATABASE canary /*",
		`\! `+run, "\\!"+run, `\q`, `\c postgres`, "\n\\! "+run+"\n", "x\n\\! "+run, `\o |`+run,
		`\copy (select 1) to program '`+run+`'`, "`"+run+"`", "\\gexec", "$$; CREATE DATABASE canary; $$",
		"x; COPY (SELECT 1) TO PROGRAM '"+run+"'", "x' INTO OUTFILE '"+canary+"' -- ", "DELIMITER //", "system "+run,
		"first; source /etc/passwd", "dbname=first host=192.0.2.1", "postgresql://192.0.2.1/first",
		"%", "_", "first%", "$user", "public", "PUBLIC", "root", "postgres", "pg_read_all_data", "hostler_rw_1", "mysql", "information_schema",
		"'root'@'localhost'", "forge@localhost", "forge' IDENTIFIED BY ''; -- ")
}

// Hostile texts as names of databases and accounts and as passwords: what is refused never reaches an engine, what is accepted is
// literal, and nothing else is created, dropped or run.
func TestDatabaseInjection(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		const canary = "/tmp/canary-database"
		before := s.names(t)
		target := addUser(t, p, s, map[string]any{"name": "target", "password": "start", "database_ids": []int{}})
		accounts := func() string {
			if s.postgres() {
				return s.root(t, "", "SELECT rolname, rolsuper FROM pg_roles ORDER BY 1")
			}
			return s.root(t, "", "SELECT User, Host, Super_priv FROM mysql.user ORDER BY 1, 2")
		}
		known := accounts()
		var made []string
		tried, accepted := 0, 0
		post := func(path string, body map[string]any) {
			t.Helper()
			a, err := p.Do(http.MethodPost, path, body)
			tried++
			switch {
			case err != nil:
				t.Errorf("%v: %v", body, err)
			case a.Code == http.StatusAccepted:
				accepted++
				made = append(made, path+"/"+a.Data.ID)
			case a.Code != http.StatusUnprocessableEntity && a.Code != http.StatusBadRequest:
				t.Errorf("%q answered %d: %s", body, a.Code, a.Body)
			}
		}
		for _, text := range hostile(canary) {
			post(s.Path("/database/schemas"), map[string]any{"name": text})
			post(s.Path("/database/users"), map[string]any{"name": text, "password": "x"})
			a, err := p.Do(http.MethodPut, s.user(target.ID), map[string]any{"password": text})
			tried++
			if err != nil || a.Code != http.StatusAccepted {
				continue
			}
			accepted++
			if r := installedAt(t, p, s.user(target.ID)); r.ID == "" {
				continue
			}
			// It is the password now, to the letter. The engine denies access to another's database with a different error.
			if s.postgres() {
				s.root(t, "", "GRANT CONNECT ON DATABASE first TO target")
			} else {
				s.root(t, "", "GRANT SELECT ON first.* TO target@'%'")
			}
			s.can(t, "target", text, "first", "SELECT 1")
		}
		for _, path := range made {
			p.Settled(t, time.Minute, path)
			removeAt(t, p, path)
		}
		if s.postgres() {
			s.root(t, "", "REVOKE CONNECT ON DATABASE first FROM target")
		}
		if got := s.names(t); got != before {
			t.Errorf("databases are %q, were %q", got, before)
		}
		if got := accounts(); got != known {
			t.Errorf("accounts are %q, were %q", got, known)
		}
		if out, err := s.Host.TryExec("test", "!", "-e", canary); err != nil {
			t.Errorf("a canary was made: %v %s", err, out)
		}
		s.can(t, "forge", s.password, "first", "SELECT 1")
		removeAt(t, p, s.user(target.ID))
		t.Logf("%d texts tried, %d accepted, 0 canaries", tried, accepted)
		if accepted == 0 {
			t.Error("nothing was accepted: the engine was not tried")
		}
	})
}

// Extensions are created with their packages and dropped, used by the database's accounts, and repaired; one that something depends
// on stays.
func TestDatabaseExtensions(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		if !s.postgres() {
			p.Want(t, http.StatusUnprocessableEntity, http.MethodPost, s.Path("/database/schemas"), map[string]any{"name": "maps",
				"extensions": []string{"citext"}})
			return
		}
		d := addDatabase(t, p, s, map[string]any{"name": "maps", "extensions": []string{"citext"}})
		defer removeAt(t, p, s.schema(d.ID))
		set := func(names ...string) panel.Operation {
			t.Helper()
			p.Want(t, http.StatusAccepted, http.MethodPut, s.schema(d.ID), map[string]any{"extensions": append([]string{}, names...)})
			return p.Settled(t, 8*time.Minute, s.schema(d.ID)).Operation()
		}
		differ := func() string {
			t.Helper()
			return p.Want(t, http.StatusOK, http.MethodGet, s.Path("/drift"), nil).Body
		}
		has := func() string {
			return s.root(t, "maps", "SELECT string_agg(extname, ' ' ORDER BY extname) FROM pg_extension WHERE extname <> 'plpgsql'")
		}
		s.can(t, "forge", s.password, "maps", "CREATE TABLE users (email citext)")
		if op := set("citext", "postgis"); op.State != "succeeded" {
			t.Fatalf("postgis: %+v\n%s", op, p.Output(t, s.Server, op.EventID))
		}
		s.can(t, "forge", s.password, "maps", "CREATE TABLE shops (at geometry(Point, 4326)); INSERT INTO shops VALUES "+
			"(ST_SetSRID(ST_MakePoint(1, 2), 4326))")
		if got := s.can(t, "forge", s.password, "maps", "SELECT ST_AsText(at) FROM shops"); got != "POINT(1 2)" {
			t.Errorf("read back %q", got)
		}
		op := set("postgis")
		said := p.Output(t, s.Server, op.EventID)
		if op.State != "failed" || !strings.Contains(op.Reason+said, "cannot drop extension citext because other objects depend on "+
			"it") || has() != "citext postgis" {
			t.Errorf("citext, which is used: %s %s\n%s\nit has %s", op.State, op.Reason, said, has())
		}
		t.Logf("the reason: %s\n%s", op.Reason, said)
		op = set("citext", "postgis", "vector") // Debian 12 does not have it
		if said := p.Output(t, s.Server, op.EventID); op.State != "failed" || !strings.Contains(op.Reason+said,
			"postgresql-15-pgvector") || has() != "citext postgis" {
			t.Errorf("vector: %s %s\n%s\nit has %s", op.State, op.Reason, said, has())
		}
		s.root(t, "maps", "DROP EXTENSION citext CASCADE")
		if body := differ(); !strings.Contains(body, "citext in maps") {
			t.Errorf("without an extension different is %s", body)
		}
		repair := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/repairs"), nil).Data.Operation()
		p.Until(t, 5*time.Minute, s.Path(""), "repaired", func(a panel.Answer) bool {
			now := a.Data.Operation()
			return now.ID == repair.ID && now.State != "pending" && now.State != "running"
		})
		if body := differ(); strings.Contains(body, "in maps") || has() != "citext postgis" {
			t.Errorf("after a repair it has %s, and different is %s", has(), body)
		}
		s.can(t, "forge", s.password, "maps", "CREATE EXTENSION hstore") // its own
		p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/schemas/synchronizations"), nil)
		p.Until(t, time.Minute, s.schema(d.ID), "found", func(a panel.Answer) bool { return strings.Contains(a.Body, `"hstore"`) })
		if op := set("postgis"); op.State != "succeeded" || has() != "postgis" {
			t.Errorf("fewer: %+v, it has %s", op, has())
		}
	})
}
