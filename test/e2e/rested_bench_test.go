package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// BenchmarkRested measures the real program after 100 000 operations of a year ago: how long it takes to start with them, how large its database is before and
// after they were deleted, and its memory and start when it has rested. Run it once: -bench Rested -benchtime 1x.
func BenchmarkRested(b *testing.B) {
	for b.Loop() {
		rested(b)
	}
}

func rested(b *testing.B) {
	p, err := panel.New(panel.Program(b, "hostler"), "127.0.0.1")
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	p.Want(b, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": "web", "provider": "custom", "type": "web",
		"custom": map[string]any{"ip_address": "192.0.2.1"},
	})
	p.Stop()
	old := time.Now().Add(-400 * 24 * time.Hour).UnixMicro()
	const first = 1000 // ids of the panel's own rows are below
	for _, text := range []string{
		`INSERT INTO events (id, organization_id, server_id, description, operation_id, created_at, updated_at)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
			SELECT ` + strconv.Itoa(first) + ` + i, 1, 1, 'Updating firewall rule', ` + strconv.Itoa(first) + ` + i, $1 + i * 1000000, $1 + i * 1000000 FROM n`,
		`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request,
			state, step, reason, attempt, cancelled, deadline, event_id, needs, created_at, updated_at, finished_at)
			SELECT id, 1, 1, 'firewall', 'firewallRules', id % 500, 'update', description, '{}', 'succeeded', '', '', 1, FALSE, $1, id, '',
			created_at, created_at, created_at FROM events WHERE id > ` + strconv.Itoa(first),
		`INSERT INTO wishes (operation_id, kind, id, version, specification, ended_at)
			SELECT id, 'firewallRules', 1000 + id % 500, 1, printf('{"port":%d,"name":"%.150c"}', id, 'x'), created_at + $1 - $1
			FROM operations WHERE id > ` + strconv.Itoa(first),
		`INSERT INTO event_outputs (event_id, seq, kind, step, content, created_at)
			SELECT e.id, n.i, 'output', 'write', printf('%.300c', 'x'), e.created_at + $1 - $1
			FROM events e JOIN (SELECT 1 AS i UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS n WHERE e.id > ` + strconv.Itoa(first),
		// Due at once, as after an hour.
		`DELETE FROM river_job WHERE kind = 'retention.prune' AND $1 = $1`,
	} {
		if _, err := p.DB(b).ExecContext(b.Context(), text, old); err != nil {
			b.Fatalf("%s: %v", text, err)
		}
	}
	b.ReportMetric(size(b, p), "MB-before")
	b.ReportMetric(starts(b, p), "ms-start-before")
	b.ReportMetric(resident(b, p), "MB-memory-before")
	began := time.Now()
	// The free space is returned last, except for a tenth that stays for new rows.
	const spare = "SELECT max(0, freelist_count - max(1024, page_count / 10)) FROM pragma_freelist_count, pragma_page_count"
	for p.Count(b, "SELECT COUNT(*) FROM operations") > 1000 || p.Count(b, spare) > 0 {
		if time.Since(began) > 30*time.Minute {
			b.Fatal("old operations are not deleted")
		}
		<-time.After(time.Second)
	}
	b.ReportMetric(time.Since(began).Seconds(), "s-deleting")
	b.ReportMetric(resident(b, p), "MB-memory-deleting")
	p.Stop()
	if _, err := p.DB(b).ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(size(b, p), "MB-after")
	b.ReportMetric(starts(b, p), "ms-start-after")
	<-time.After(20 * time.Second) // it rests
	b.ReportMetric(resident(b, p), "MB-memory-after")
}

// size is how large the database is.
func size(b *testing.B, p *panel.Panel) float64 {
	b.Helper()
	return float64(p.Count(b, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")) / (1 << 20)
}

// starts starts the program, and returns after how many milliseconds it is ready.
func starts(b *testing.B, p *panel.Panel) float64 {
	b.Helper()
	began := time.Now()
	if err := p.Up(); err != nil {
		b.Fatal(err)
	}
	return float64(time.Since(began).Milliseconds())
}

// resident is the program's memory (proc_pid_status(5)).
func resident(b *testing.B, p *panel.Panel) float64 {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kb / 1024
}
