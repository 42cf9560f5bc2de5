package agent

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Each kind of check of a change passes once and is broken once. What passed is recorded with its kind; a change whose check fails is rolled back, and nothing
// says that it was verified. A new connection is broken by TestNotConfirmed, a restore by
// TestProofs of backups.
func TestEachKindOfCheckCanFail(t *testing.T) {
	t.Parallel()
	elsewhere := map[wire.CheckKind]bool{wire.CheckConnection: true, wire.CheckRestore: true}
	probe := func(p wire.Probe) wire.Step {
		p.Within = 100 * time.Millisecond
		return wire.Step{Name: "probe", Probe: &p}
	}
	// Each case returns the step that checks, and what breaks what it looks at.
	cases := map[wire.CheckKind]func(t *testing.T, b *bed) (wire.Step, func()){
		wire.CheckConfiguration: func(_ *testing.T, b *bed) (wire.Step, func()) {
			b.write("/etc/program.conf", "good")
			return validate("grep -q good " + b.path("/etc/program.conf")), func() { b.write("/etc/program.conf", "bad") }
		},
		wire.CheckService: func(_ *testing.T, b *bed) (wire.Step, func()) {
			b.program("systemctl", "echo active")
			return probe(wire.Probe{Unit: "nginx.service"}), func() { b.program("systemctl", "echo failed; exit 3") }
		},
		wire.CheckPort: func(t *testing.T, _ *bed) (wire.Step, func()) {
			l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return probe(wire.Probe{Socket: l.Addr().String()}), func() { _ = l.Close() }
		},
		wire.CheckSchedule: func(_ *testing.T, b *bed) (wire.Step, func()) {
			b.program("crontab", `test "$1" = -T && ! grep -q '^61' "$2"`)
			return probe(wire.Probe{Cron: "*/5 * * * *"}), func() { b.program("crontab", `test "$1" = -T && ! grep -q -e '^61' -e '/5' "$2"`) }
		},
		wire.CheckHTTP: func(t *testing.T, b *bed) (wire.Step, func()) {
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if _, err := os.Stat(b.path("/etc/broken")); err == nil {
					w.WriteHeader(http.StatusBadGateway)
				}
			}))
			t.Cleanup(site.Close)
			_, text, _ := net.SplitHostPort(site.Listener.Addr().String())
			port, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			return probe(wire.Probe{HTTP: &wire.HTTPProbe{Port: port, Host: "a.test", Path: "/", Status: []int{200}}}), func() { b.write("/etc/broken", "") }
		},
	}
	for _, kind := range wire.CheckKinds {
		if elsewhere[kind] {
			continue
		}
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			if cases[kind] == nil {
				t.Fatal("nothing breaks this kind of check")
			}
			step, breakIt := cases[kind](t, b)
			res, _ := b.mustRun(changeRun("good", file("/etc/changed", "x"), step))
			if len(res.Checks) != 1 || res.Checks[0].Kind != kind {
				t.Errorf("it was verified by %v", res.Checks)
			}
			breakIt()
			res, _ = b.run(changeRun("broken", file("/etc/changed", "y"), step))
			wantState(t, res, wire.StateFailed)
			if len(res.Checks) > 0 || !res.Restored {
				t.Errorf("restored: %t, and it was verified by %v", res.Restored, res.Checks)
			}
			b.wantFile("/etc/changed", "x")
		})
	}
}
