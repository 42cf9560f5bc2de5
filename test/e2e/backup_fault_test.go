package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// large returns a configuration of 20 databases, the first of which has so many MB; mb is HOSTLER_BACKUP_MB where that is set.
func large(t testing.TB, p *panel.Panel, s *engineRoom, mb, retention int) (a *archive, size int) {
	t.Helper()
	if text := os.Getenv("HOSTLER_BACKUP_MB"); text != "" {
		var err error
		if mb, err = strconv.Atoi(text); err != nil {
			t.Fatalf("HOSTLER_BACKUP_MB: %v", err)
		}
	}
	a = newArchive(t, p, s, "large")
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
		"storage_provider_id": number(a.provider.ID), "frequency": "custom", "cron": "0 3 * * *", "database_ids": list, "retention": retention,
	})
	return a, mb
}

// measured is work as it was watched.
type measured struct {
	id    string // of what the answer told of
	state string
	// reason is why it failed, in the service's words.
	reason string
	took   time.Duration
	// peak is the most memory that the agent's process had, in kB; left what more there was of files where a dump could be put meanwhile.
	peak, left int
}

// watch begins work below the configuration, like a backup now, and looks at the host until it ended.
func (a *archive) watch(t testing.TB, path string, body any) measured {
	t.Helper()
	before := taken(t, a.s)
	m := measured{}
	began := time.Now()
	answer := a.p.Want(t, http.StatusAccepted, http.MethodPost, a.at+path, body)
	var agents []string
	for n := 0; ; n++ {
		if n%10 == 0 { // to look through all processes takes time that the work would have
			agents = streaming()
		}
		m.peak = max(m.peak, memory(agents))
		if m.state, _, m.reason = a.work(t, answer.Header.Get("X-Hostler-Event")); over(m.state) {
			a.tell(t, m.state, answer.Header.Get("X-Hostler-Event"))
			break
		}
		if time.Since(began) > 20*time.Minute {
			t.Fatalf("the work does not end: %s %s", m.state, m.reason)
		}
		time.Sleep(50 * time.Millisecond)
	}
	m.id, m.took, m.left = answer.Data.ID, time.Since(began), taken(t, a.s)-before
	return m
}

// streaming returns the agent's processes of backups, as directories of /proc. The processes of practice hosts are processes of this machine.
func streaming() (dirs []string) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range list {
		raw, err := os.ReadFile(name)
		if line := string(raw); err == nil && strings.Contains(line, "hostler-agent") && strings.Contains(line, "\x00run\x00backup-") {
			dirs = append(dirs, filepath.Dir(name))
		}
	}
	return dirs
}

// memory returns the most that one of some processes had so far, in kB.
func memory(dirs []string) int {
	most := 0
	for _, dir := range dirs {
		status, err := os.ReadFile(filepath.Join(dir, "status"))
		if err != nil { // it ended
			continue
		}
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				n, _ := strconv.Atoi(strings.Fields(rest)[0])
				most = max(most, n)
			}
		}
	}
	return most
}

// Many databases, one of them large: all are in the backup; it replaces the previous one, it proves, and the large one is
// restored from it. The agent stays small throughout, and a backup writes nothing to a disk. BenchmarkBackup measures the
// duration. With 1 GB: HOSTLER_BACKUP_MB=1000 go test -run TestLargeBackup -v -timeout 60m ./test/e2e
func TestLargeBackup(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a, mb := large(t, p, s, 150, 1)
		step := func(what, path string, body any) measured {
			t.Helper()
			m := a.watch(t, path, body)
			t.Logf("%s of %d MB and 19 small databases: %v, the agent had at most %d kB", what, mb, m.took.Round(10*time.Millisecond), m.peak)
			if m.state != "succeeded" {
				t.Fatalf("%s: %s %s", what, m.state, m.reason)
			}
			if m.peak == 0 || m.peak > 64<<10 {
				t.Errorf("%s: the agent had %d kB", what, m.peak)
			}
			return m
		}
		backup := func() objects {
			t.Helper()
			m := step("backup", "/instances", nil)
			o := a.get(t, m.id)
			if d := o.Data; d.Attributes.Status != "finished" || d.Attributes.IsPartial != "false" || len(d.Meta.Backup.Objects) != 20 {
				t.Fatalf("the backup is %+v: %+v", d.Attributes, d.Meta.Backup)
			}
			if m.left > mb<<10/20 {
				t.Errorf("there were %d kB of temporary files", m.left)
			}
			return o
		}
		first := backup()
		// The sizes that the engine reports determine the number of addresses.
		if n := p.Count(t, `SELECT COUNT(*) FROM backup_items WHERE backup_id = `+first.Data.ID+` AND name <> 'large' AND parts > 100`); n > 0 {
			t.Errorf("%d small databases were planned for as large ones", n)
		}
		o := backup()
		p.Gone(t, time.Minute, a.instance(first.Data.ID))
		for _, key := range a.Keys(t, bucket) {
			if key == first.Data.Meta.Backup.Objects[0].Key {
				t.Errorf("%s was pruned and is still in the bucket", key)
			}
		}
		step("proof", "/instances/"+o.Data.ID+"/proofs", nil)
		s.root(t, "large", "DELETE FROM bulk WHERE id > 1000")
		s.root(t, "large", "DELETE FROM people")
		step("restore", "/instances/"+o.Data.ID+"/restores", map[string]any{"database_id": number(a.database.ID)})
		if rows := s.root(t, "large", "SELECT COUNT(*) FROM bulk"); rows != strconv.Itoa(mb*1000) || a.people(t, "large") != "3" {
			t.Errorf("restored are %s rows and %s people", rows, a.people(t, "large"))
		}
	})
}

// BenchmarkBackup measures a backup of 20 databases, one of 1 GB (HOSTLER_BACKUP_MB), compared with stock tools that pipe the
// same databases through zstd and age into a local file, alternating in the same run. go test -run '^$' -bench Backup -benchtime
// 3x -timeout 60m ./test/e2e
func BenchmarkBackup(b *testing.B) {
	databases(b, func(b *testing.B, p *panel.Panel, s *engineRoom) {
		a, mb := large(b, p, s, 1000, 2)
		var ours, stock []float64
		peak := 0
		for b.Loop() {
			stock = append(stock, pipe(b, a).Seconds())
			m := a.watch(b, "/instances", nil)
			if o := a.get(b, m.id).Data; o.Attributes.Status != "finished" || o.Attributes.IsPartial != "false" {
				b.Fatalf("the backup is %+v: %s", o.Attributes, m.reason)
			}
			ours, peak = append(ours, m.took.Seconds()), max(peak, m.peak)
		}
		b.ReportMetric(median(ours)*1000, "backup-ms")
		b.ReportMetric(median(stock)*1000, "pipe-ms")
		b.ReportMetric(100*median(stock)/median(ours), "%-of-pipe")
		b.ReportMetric(float64(peak), "peak-kB")
		b.Logf("%d MB and 19 small databases: backups took %.1f s, pipes %.1f s; the agent had at most %d kB", mb, ours, stock, peak)
	})
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// taken returns the size of the places where a dump could be stored meanwhile, in kB.
func taken(t testing.TB, s *engineRoom) int {
	t.Helper()
	out, _ := s.Host.TryExec("sh", "-c", "du -skc /var/lib/hostler /tmp /var/tmp /root 2>/dev/null | tail -1 | cut -f1")
	n, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		t.Fatalf("look for temporary files: %v %q", err, out)
	}
	return n
}

// pipe returns how long stock tools take for the same databases, into a local file.
func pipe(t testing.TB, a *archive) time.Duration {
	t.Helper()
	for _, tool := range []string{"age", "zstd"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatalf("%s is not installed: scripts/need age zstd", tool)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a.s.Host.WriteFile(t, "/usr/local/bin/"+tool, raw, 0o755)
	}
	dump := a.s.client() + "-dump --single-transaction --quick --routines --triggers --events --hex-blob --no-tablespaces --"
	switch {
	case a.s.postgres():
		dump = "runuser -u postgres -- pg_dump"
	case a.s.client() == "mysql":
		dump = strings.Replace(dump, "mysql-dump", "mysqldump", 1)
	}
	script := "set -o pipefail; for d in large $(seq -f small_%.0f 0 18); do " + dump +
		" $d | zstd -q | age -r age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p > /var/tmp/dump || exit 1; done; rm /var/tmp/dump"
	began := time.Now()
	if out, err := a.s.Host.TryExec("bash", "-c", script); err != nil {
		t.Fatalf("pipe into a file: %v %s", err, out)
	}
	return time.Since(began)
}
