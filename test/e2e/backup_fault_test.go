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

// large is a configuration of 20 databases, the first of which has so many MB; mb is HOSTLER_BACKUP_MB where that is set.
func large(t testing.TB, p *panel.Panel, s *engineRoom, mb int) (a *archive, size int) {
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
		"storage_provider_id": number(a.provider.ID), "frequency": "custom", "cron": "0 3 * * *", "database_ids": list, "retention": 2,
	})
	return a, mb
}

// measured is one backup as it was watched.
type measured struct {
	objects
	took time.Duration
	// peak is the most memory that the agent's process had, in kB; left what more there was of files where a dump could be put meanwhile.
	peak, left int
}

// watch backs up now and looks at the host until it ended.
func (a *archive) watch(t testing.TB) measured {
	t.Helper()
	before := taken(t, a.s)
	m := measured{}
	began := time.Now()
	answer := a.p.Want(t, http.StatusAccepted, http.MethodPost, a.at+"/instances", nil)
	var agents []string
	for n := 0; ; n++ {
		if n%10 == 0 { // to look through all processes takes time that the backup would have
			agents = streaming()
		}
		m.peak = max(m.peak, memory(agents))
		if state, _, _ := a.work(t, answer.Header.Get("X-Hostler-Event")); over(state) {
			break
		}
		if time.Since(began) > 20*time.Minute {
			t.Fatal("the backup does not end")
		}
		time.Sleep(50 * time.Millisecond)
	}
	m.took = time.Since(began)
	m.left = taken(t, a.s) - before
	m.objects = a.get(t, answer.Data.ID)
	return m
}

// streaming are the agent's processes of backups, as directories of /proc. The processes of practice hosts are processes of this machine.
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

// memory is the most that one of some processes had so far, in kB.
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

// Many databases, one of them large: all are in the backup, and the agent stays small and puts nothing on a disk. How long it takes is a
// benchmark of its own, BenchmarkBackup.
func TestLargeBackup(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a, mb := large(t, p, s, 150)
		m := a.watch(t)
		if o := m.Data; o.Attributes.Status != "finished" || o.Attributes.IsPartial != "false" || len(o.Meta.Backup.Objects) != 20 {
			t.Fatalf("the backup is %+v: %+v", o.Attributes, o.Meta.Backup)
		}
		t.Logf("%d MB and 19 small databases: %d bytes in %v; the agent had at most %d kB; %d kB of temporary files", mb, m.Data.Attributes.Size, m.took, m.peak, m.left)
		if m.peak == 0 || m.peak > 64<<10 {
			t.Errorf("the agent had %d kB", m.peak)
		}
		// What the engine says of its databases decides how many addresses they get.
		if n := p.Count(t, `SELECT COUNT(*) FROM backup_items WHERE backup_id = `+m.Data.ID+` AND name <> 'large' AND parts > 100`); n > 0 {
			t.Errorf("%d small databases were planned for as large ones", n)
		}
		if m.left > mb<<10/20 {
			t.Errorf("there were %d kB of temporary files", m.left)
		}
		a.whole(t, m.objects)
	})
}

// BenchmarkBackup measures a backup of 20 databases, one of 1 GB (HOSTLER_BACKUP_MB), beside stock tools that pipe the same databases through
// zstd and age into a local file, one after the other in the same run.
// go test -run '^$' -bench Backup -benchtime 3x -timeout 60m ./test/e2e
func BenchmarkBackup(b *testing.B) {
	databases(b, func(b *testing.B, p *panel.Panel, s *engineRoom) {
		a, mb := large(b, p, s, 1000)
		var ours, stock []float64
		peak := 0
		for b.Loop() {
			stock = append(stock, pipe(b, a).Seconds())
			m := a.watch(b)
			if m.Data.Attributes.Status != "finished" {
				b.Fatalf("the backup is %+v: %+v", m.Data.Attributes, m.Data.Meta.Backup)
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

// taken is the size of what is in the places where a dump could be put meanwhile, in kB.
func taken(t testing.TB, s *engineRoom) int {
	t.Helper()
	out, _ := s.Host.TryExec("sh", "-c", "du -skc /var/lib/hostler /tmp /var/tmp /root 2>/dev/null | tail -1 | cut -f1")
	n, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		t.Fatalf("look for temporary files: %v %q", err, out)
	}
	return n
}

// pipe is how long stock tools take for the same databases, into a local file.
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
	dump := "mariadb-dump --single-transaction --quick --routines --triggers --events --hex-blob --no-tablespaces --"
	if a.s.postgres() {
		dump = "runuser -u postgres -- pg_dump"
	}
	script := "set -o pipefail; for d in large $(seq -f small_%.0f 0 18); do " + dump +
		" $d | zstd -q | age -r age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p > /var/tmp/dump || exit 1; done; rm /var/tmp/dump"
	began := time.Now()
	if out, err := a.s.Host.TryExec("bash", "-c", script); err != nil {
		t.Fatalf("pipe into a file: %v %s", err, out)
	}
	return time.Since(began)
}
