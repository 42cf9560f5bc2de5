package agent

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// serviceBed is a bed with a systemd that records which units run and are enabled, and programs that answer on the ports of both slots.
type serviceBed struct {
	*bed
	ports [2]int
	code  int // what the programs answer
}

func newServiceBed(t *testing.T) *serviceBed {
	t.Helper()
	b := &serviceBed{bed: newBed(t), code: http.StatusOK}
	for i := range b.ports {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(b.code) }))
		t.Cleanup(s.Close)
		b.ports[i] = s.Listener.Addr().(*net.TCPAddr).Port
	}
	b.mkdir("/etc/nginx/conf.d")
	b.mkdir("/etc/systemd/system")
	b.mkdir("/units")
	b.program("nginx", `grep -q broken "$root"/etc/nginx/conf.d/up.conf && exit 1; exit 0`)
	b.program("journalctl", "echo last words")
	b.program("systemctl", `verb=$1; for unit; do :; done
		case $verb in
		start) [ -f "$root/etc/systemd/system/$unit" ] || exit 5; echo >"$root/units/$unit.active";;
		stop) rm -f "$root/units/$unit.active";;
		enable) echo >"$root/units/$unit.enabled";;
		disable) rm -f "$root/units/$unit.enabled";;
		show) case $* in
		*ActiveState*) [ -f "$root/units/$unit.active" ] && echo active || echo inactive;;
		*NRestarts*) cat "$root/units/restarts" 2>/dev/null || echo 0;; *) echo 0;; esac;;
		esac`)
	b.write("/etc/nginx/conf.d/up.conf", "slot 0")
	return b
}

func (b *serviceBed) deploy(id string) wire.Run {
	run := script(id, "true")
	s := &wire.Service{Upstream: "/etc/nginx/conf.d/up.conf", Health: wire.HTTPProbe{Host: "shop.example.com", Path: "/"},
		Variables: &wire.Dotenv{Path: "/home/me/.env", Dialect: wire.DotenvNode}}
	for i, port := range b.ports {
		s.Slots[i] = wire.Slot{
			Port: port, Unit: "hostler-site-1-" + strconv.Itoa(i) + ".service", Text: "unit of " + id,
			EnvFile: wire.ServiceDir + "/" + strconv.Itoa(i) + ".env", Env: map[string]string{"PORT": strconv.Itoa(port)},
			Upstream: "slot " + strconv.Itoa(i),
		}
	}
	run.Script.Service = s
	return run
}

// wantLive checks that nginx uses a slot, that it runs and starts at boot, and that the other one does not.
func (b *serviceBed) wantLive(slot int) {
	b.t.Helper()
	b.wantFile("/etc/nginx/conf.d/up.conf", "slot "+strconv.Itoa(slot))
	for i := range b.ports {
		for _, what := range []string{"active", "enabled"} {
			_, err := os.Stat(b.path("/units/hostler-site-1-" + strconv.Itoa(i) + ".service." + what))
			if is := err == nil; is != (i == slot) {
				b.t.Errorf("slot %d, of which %d is live, is %s: %v", i, slot, what, is)
			}
		}
	}
}

func TestServiceTakesTurns(t *testing.T) {
	t.Parallel()
	b := newServiceBed(t)
	b.write("/home/me/.env", "COLOR=blue\nPORT=1\n")
	b.mustRun(b.deploy("r1"))
	b.wantLive(0)
	b.wantFile(wire.ServiceDir+"/0.env", "COLOR=\"blue\"\nPORT=\""+strconv.Itoa(b.ports[0])+"\"\n")
	b.mustRun(b.deploy("r2"))
	b.wantLive(1)
	b.wantFile("/etc/systemd/system/hostler-site-1-1.service", "unit of r2")
	b.mustRun(b.deploy("r3"))
	b.wantLive(0)
}

// A change of the host can start a program too, in the lane that others wait for.
func TestServiceInTheLaneOfTheHost(t *testing.T) {
	t.Parallel()
	b := newServiceBed(t)
	b.mustRun(b.deploy("r1"))
	run := b.deploy("r2")
	run.Lane = hostLane
	b.mustRun(run)
	b.wantLive(1)
}

func TestServiceIsPutBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		broken func(*serviceBed, *wire.Run)
		step   string
		reason string
	}{
		{"it does not listen", func(_ *serviceBed, r *wire.Run) {
			r.Script.Service.Slots[1].Port, r.Script.Service.Within = 1, 50*time.Millisecond
		}, stepStart, "does not answer on port 1"},
		{"it ends again and again", func(b *serviceBed, r *wire.Run) {
			b.write("/units/restarts", "3")
			r.Script.Service.Slots[1].Port = 1
		}, stepStart, "ended each time"},
		{"it answers with an error", func(b *serviceBed, r *wire.Run) {
			b.code = http.StatusInternalServerError
			r.Script.Service.Health.Status, r.Script.Service.Within = []int{200}, 50*time.Millisecond
		}, stepStart, "answers / with 500"},
		{"nginx refuses it", func(_ *serviceBed, r *wire.Run) { r.Script.Service.Slots[1].Upstream = "broken" }, stepSwitch, "nginx: exit status 1"},
		{"the check fails", func(_ *serviceBed, r *wire.Run) {
			r.Script.Check = []wire.Probe{{TCP: "127.0.0.1:1", Within: time.Millisecond}}
		}, stepCheck, "nothing accepts connections"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newServiceBed(t)
			b.mustRun(b.deploy("r1"))
			run := b.deploy("r2")
			tt.broken(b, &run)
			res, events := b.run(run)
			if res.State != wire.StateFailed || res.FailedStep != tt.step || !strings.Contains(res.Reason, tt.reason) {
				t.Errorf("%+v", res)
			}
			if tt.step == stepStart && !strings.Contains(outputOf(events), "last words") {
				t.Errorf("what the program said is not told: %q", outputOf(events))
			}
			b.wantLive(0)
		})
	}
}

// Whenever the agent is killed, one slot is live when the run has ended: the old one, or the new one.
func TestServiceCrashAtEveryPoint(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		b := newServiceBed(t)
		b.mustRun(b.deploy("r1"))
		run := b.deploy("r2")
		point, alive := b.process(n, &run)
		if n%2 == 1 {
			b.process(n%3, nil)
		}
		a := b.agent(nil)
		if err := a.Recover(); err != nil {
			t.Fatalf("recover after %s: %v", point, err)
		}
		live := 0
		if res := b.attach(a, "r2", 0, nil); res.State == wire.StateSucceeded || point == "result" {
			live = 1
		}
		if t.Failed() {
			return
		}
		b.wantLive(live)
		if t.Failed() {
			t.Fatalf("after %s", point)
		}
		if alive {
			if n < 6 {
				t.Fatalf("only %d points", n)
			}
			return
		}
	}
}

func TestServiceIsRefused(t *testing.T) {
	t.Parallel()
	b := newServiceBed(t)
	for name, wrong := range map[string]func(*wire.Service){
		"a unit of somebody else": func(s *wire.Service) { s.Slots[0].Unit = "ssh.service" },
		"variables elsewhere":     func(s *wire.Service) { s.Slots[1].EnvFile = "/etc/passwd" },
		"the same port":           func(s *wire.Service) { s.Slots[1].Port = s.Slots[0].Port },
		"no port":                 func(s *wire.Service) { s.Slots[1].Port = 0 },
		"a path that leads out":   func(s *wire.Service) { s.Upstream = "/etc/nginx/../passwd" },
	} {
		run := b.deploy("refused")
		wrong(run.Script.Service)
		if _, err := b.ask(b.a, wire.OpRunStart, run, nil); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
