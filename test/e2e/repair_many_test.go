package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// How many processes TestRepairOfManyProcesses has: as many as took a repair 219 seconds when each was a stage of its own.
const manyProcesses = 60

// A repair of a server on which the account of an isolated site is gone, one part can't be repaired, and no process is left: the account comes first, the rest
// is repaired although that part failed, and the event says how each ended. It prints how long the repair took.
func TestRepairOfManyProcesses(t *testing.T) {
	if os.Getenv("HOSTLER_E2E") != "full" {
		t.Skip("HOSTLER_E2E=full repairs sixty processes")
	}
	w := world(t)
	l := live(t, w, w.Server(4), "many.example.com")
	s, h := l.s, l.s.Host
	remove := func(path, shown string) {
		t.Cleanup(func() {
			w.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)
			w.Gone(t, 3*time.Minute, shown)
		})
	}
	tenant := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), map[string]any{
		"name": "tenant.example.com", "type": "php", "is_isolated": true, "isolated_user": "tenant",
	}).Data.ID
	remove(s.Path("/sites/"+tenant), "/sites/"+tenant)
	w.Status(t, time.Minute, "/sites/"+tenant, "installed")
	var processes []string
	for i := range manyProcesses {
		id := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/background-processes"), map[string]any{
			"name": fmt.Sprintf("worker %d", i), "command": "sleep infinity", "user": "forge", "processes": 1,
		}).Data.ID
		remove(s.Path("/background-processes/"+id), s.Path("/background-processes/"+id))
		processes = append(processes, id)
	}
	for _, id := range processes {
		w.Status(t, 10*time.Minute, s.Path("/background-processes/"+id), "running")
	}
	repair := func() (panel.Operation, time.Duration) {
		began := time.Now()
		op := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/repairs"), nil).Data.Operation()
		a, _ := w.Until(t, 10*time.Minute, s.Path(""), "repaired", func(a panel.Answer) bool {
			now := a.Data.Operation()
			return now.ID == op.ID && now.State != "pending" && now.State != "running"
		})
		return a.Data.Operation(), time.Since(began)
	}
	damage := func() {
		h.Exec(t, "sh", "-ec", "systemctl stop 'hostler-process-*'; rm -f /etc/systemd/system/hostler-process-*; systemctl daemon-reload")
	}
	running := func() int {
		return strings.Count(h.Exec(t, "sh", "-c", "systemctl list-units --plain --no-legend --state=running 'hostler-process-*'"), "running")
	}

	damage()
	op, took := repair()
	if op.State != "succeeded" || running() != manyProcesses+1 {
		t.Errorf("the repair: %+v, %d processes run", op, running())
	}
	t.Logf("the repair of %d processes took %v", manyProcesses, took.Round(100*time.Millisecond))

	damage()
	h.Exec(t, "sh", "-ec", "systemctl stop 'hostler-php*-site-"+tenant+"' || true; pkill -KILL -u tenant || true; userdel tenant; rm "+cronOf(l.job)+
		"; mkdir -p "+cronOf(l.job)+"/in-the-way")
	op, took = repair()
	t.Logf("with an account missing and a part in the way it took %v", took.Round(100*time.Millisecond))
	said := w.Output(t, s, op.EventID)
	if op.State != "failed" {
		t.Errorf("a part can't be repaired, and the repair is %+v\n%s", op, said)
	}
	if got := running(); got != manyProcesses+1 {
		t.Errorf("%d processes run\n%s", got, said)
	}
	h.Exec(t, "id", "tenant")
	if account, other := strings.Index(said, "account tenant: changed"), strings.Index(said, "test is successful"); account < 0 || other < account {
		t.Errorf("the account does not come before the settings that name it:\n%s", said)
	}
	if !strings.Contains(said, cronOf(l.job)) {
		t.Errorf("the event does not say which part was not repaired:\n%s", said)
	}
	if code := strings.TrimSpace(h.Exec(t, "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: tenant.example.com",
		"http://127.0.0.1/")); code == "502" || code == "000" {
		t.Errorf("the site whose account was missing answers %s", code)
	}
	h.Exec(t, "rm", "-r", cronOf(l.job))
	if op, _ := repair(); op.State != "succeeded" {
		t.Errorf("with nothing in the way: %+v\n%s", op, w.Output(t, s, op.EventID))
	}
	if d := drift(t, w, s); len(d) > 0 {
		t.Errorf("the server still differs: %v", d)
	}
}
