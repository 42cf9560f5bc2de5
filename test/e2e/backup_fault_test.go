package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// Whatever dies in the middle of a restore over a database: it is as it was or as it was dumped, never a mixture, and the next restore succeeds.
func TestKilledRestores(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "precious")
		fill(t, a, 40)
		o := a.run(t)
		if o.Data.Attributes.Status != "finished" {
			t.Fatalf("the backup is %+v", o.Data)
		}
		s.root(t, "precious", "INSERT INTO people VALUES (9, 'after the backup')")
		restore := func() panel.Answer {
			return p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/restores", map[string]any{"database_id": number(a.database.ID)})
		}
		for i, after := range []time.Duration{300 * time.Millisecond, 1200 * time.Millisecond, 2200 * time.Millisecond, 3200 * time.Millisecond, 4500 * time.Millisecond} {
			before := a.people(t, "precious")
			answer := restore()
			time.Sleep(after)
			what := []string{"agent", "s3", "panel", "database", "network"}[i]
			switch what {
			case "agent":
				_, _ = s.Host.TryExec("pkill", "-9", "-f", "hostler-agent.* run backup-")
			case "s3":
				a.Kill()
				time.Sleep(time.Second)
				a.Up(t)
			case "panel":
				p.Kill()
				if err := p.Up(); err != nil {
					t.Fatal(err)
				}
			case "database":
				_, _ = s.Host.TryExec("systemctl", "restart", map[bool]string{true: "postgresql", false: "mariadb"}[s.postgres()])
			case "network":
				s.Host.Cut(t)
				time.Sleep(2 * time.Second)
				s.Host.Heal(t)
			}
			state, said := a.event(t, answer)
			got := a.people(t, "precious")
			t.Logf("%s after %v: %s %s; %s people, were %s", what, after, state, said, got, before)
			if state == "succeeded" && got != "3" || state != "succeeded" && got != before && got != "3" {
				t.Errorf("%s after %v: the restore %s, and the database has %s people", what, after, state, got)
			}
			if rows := s.root(t, "precious", "SELECT COUNT(*) FROM bulk"); rows != "40000" {
				t.Errorf("%s after %v: the database has %s other rows", what, after, rows)
			}
			s.root(t, "precious", "DELETE FROM people WHERE id = 9")
			s.root(t, "precious", "INSERT INTO people VALUES (9, 'after the backup')")
		}
		if state, said := a.event(t, restore()); state != "succeeded" {
			t.Fatalf("the next restore: %s %s", state, said)
		}
		if got := a.people(t, "precious"); got != "3" {
			t.Errorf("restored are %s people", got)
		}
		if names := s.names(t); strings.Contains(names, "hostler_") {
			t.Errorf("left are %s", names)
		}
	})
}

// Many databases, one of them large: all are in the backup, the agent stays small, and what the network and the disk allow is used.
func TestLargeBackup(t *testing.T) {
	mb := 150
	if s := os.Getenv("HOSTLER_BACKUP_MB"); s != "" {
		mb, _ = strconv.Atoi(s)
	}
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "large")
		fill(t, a, mb)
		list := []int{number(a.database.ID)}
		for i := range 19 {
			r := addDatabase(t, p, s, map[string]any{"name": fmt.Sprintf("small_%d", i)})
			t.Cleanup(func() { removeAt(t, p, s.schema(r.ID)) })
			s.root(t, r.Text("name"), "CREATE TABLE x (i INTEGER)")
			s.root(t, r.Text("name"), "INSERT INTO x VALUES (1), (2)")
			list = append(list, number(r.ID))
		}
		p.Want(t, http.StatusAccepted, http.MethodPut, a.at, map[string]any{
			"storage_provider_id": number(a.provider.ID), "frequency": "custom", "cron": "0 3 * * *", "database_ids": list, "retention": 2,
		})
		before := free(t, s)
		began := time.Now()
		id := p.Want(t, http.StatusAccepted, http.MethodPost, a.at+"/instances", nil).Data.ID
		most, leanest := 0, before
		var o objects
		for {
			most, leanest = max(most, memory(s)), min(leanest, free(t, s))
			if o = a.get(t, id); o.Data.Attributes.Status != "running" {
				break
			}
		}
		took := time.Since(began)
		if o.Data.Attributes.Status != "finished" || o.Data.Attributes.IsPartial != "false" || len(o.Data.Meta.Backup.Objects) != 20 {
			t.Fatalf("the backup is %+v: %+v", o.Data.Attributes, o.Data.Meta.Backup)
		}
		plain := pipe(t, a)
		t.Logf("%d MB and 19 small databases in %v; piped to a file by stock tools in %v; the agent had at most %d kB; %d kB of disk were taken meanwhile", mb, took, plain, most, before-leanest)
		if most == 0 || most > 64<<10 {
			t.Errorf("the agent had %d kB", most)
		}
		if before-leanest > mb<<10/4 {
			t.Errorf("%d kB of disk were taken", before-leanest)
		}
		a.whole(t, o)
	})
}

// memory is the most that the agent's process of a backup had so far, in kB.
func memory(s *engineRoom) int {
	out, _ := s.Host.TryExec("sh", "-c", "for p in $(pgrep -f 'hostler-agent.* run backup-'); do awk '/VmHWM/ {print $2}' /proc/$p/status; done")
	most := 0
	for _, field := range strings.Fields(out) {
		n, _ := strconv.Atoi(field)
		most = max(most, n)
	}
	return most
}

// free is the space of the disk that dumps would be on, in kB.
func free(t testing.TB, s *engineRoom) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s.Host.Exec(t, "sh", "-c", "df --output=avail /var/lib/hostler | tail -1")))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// pipe is how long stock tools take for the large database, to a local file.
func pipe(t testing.TB, a *archive) time.Duration {
	t.Helper()
	for _, tool := range []string{"age", "zstd"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Logf("not compared with stock tools: %s is not installed", tool)
			return 0
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a.s.Host.WriteFile(t, "/usr/local/bin/"+tool, raw, 0o755)
	}
	dump := "mariadb-dump --single-transaction --quick --hex-blob -- large"
	if a.s.postgres() {
		dump = "runuser -u postgres -- pg_dump large"
	}
	began := time.Now()
	out, err := a.s.Host.TryExec("sh", "-c", dump+" | zstd -q | age -r age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p > /var/tmp/dump; s=$?; rm -f /var/tmp/dump; exit $s")
	if err != nil {
		t.Logf("not compared with stock tools: %v %s", err, out)
		return 0
	}
	return time.Since(began)
}

// A site with its files and its database, lost and made again from the backup.
func TestSiteFromABackup(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "blog")
		site := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), map[string]any{"type": "static-html", "name": "blog.example.com"})
		r := p.Settled(t, time.Minute, s.Path("/sites/"+site.Data.ID))
		if r.Text("status") != "installed" {
			t.Skipf("no sites on this server: %s", r.Operation().Reason)
		}
		t.Cleanup(func() { removeAt(t, p, s.Path("/sites/"+site.Data.ID)) })
		const home = "/home/forge/blog.example.com"
		s.Host.Exec(t, "sh", "-c", "cd "+home+" && mkdir -p public/uploads && echo picture > public/uploads/a.txt && echo SECRET=1 > .env && chmod 600 .env && chown -R forge:forge .")
		p.Want(t, http.StatusAccepted, http.MethodPut, a.at, map[string]any{
			"storage_provider_id": number(a.provider.ID), "frequency": "daily", "database_ids": []int{number(a.database.ID)}, "retention": 2,
			"site_id": number(site.Data.ID), "paths": []string{"public", ".env"},
		})
		o := a.run(t)
		if o.Data.Attributes.Status != "finished" || len(o.Data.Meta.Backup.Objects) != 2 || o.Data.Attributes.IsPartial != "false" {
			t.Fatalf("the backup is %+v %+v", o.Data.Attributes, o.Data.Meta.Backup)
		}
		s.Host.Exec(t, "sh", "-c", "rm -rf "+home+"/public/uploads "+home+"/.env")
		s.root(t, "blog", "DELETE FROM people")
		answer := p.Want(t, http.StatusAccepted, http.MethodPost, a.instance(o.Data.ID)+"/restores", map[string]any{"database_id": number(a.database.ID), "site_id": number(site.Data.ID)})
		if state, said := a.event(t, answer); state != "succeeded" {
			t.Fatalf("restore: %s %s", state, said)
		}
		if got := s.Host.Exec(t, "sh", "-c", "cat "+home+"/public/uploads/a.txt "+home+"/.env; stat -c '%U %a' "+home+"/.env"); got != "picture\nSECRET=1\nforge 600\n" {
			t.Errorf("the files are %q", got)
		}
		if got := a.people(t, "blog"); got != "3" {
			t.Errorf("the database has %s people", got)
		}
	})
}
