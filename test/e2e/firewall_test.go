package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// allow makes a rule and waits until it is installed.
func allow(t testing.TB, w *World, s panel.Server, rule map[string]any) panel.Resource {
	t.Helper()
	r := addRule(t, w, s, rule)
	got := w.Settled(t, 30*time.Second, s.Path("/firewall-rules/"+r.ID))
	if got.Text("status") != "installed" {
		t.Fatalf("rule is %s: %+v", got.Text("status"), got.Operation())
	}
	return got
}

func addRule(t testing.TB, w *World, s panel.Server, rule map[string]any) panel.Resource {
	t.Helper()
	return w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/firewall-rules"), rule).Data
}

func rulePath(s panel.Server, r panel.Resource) string { return s.Path("/firewall-rules/" + r.ID) }

// A rule that is deleted stops new connections and those that run, within a second of being confirmed, and is 404 then.
func TestDeletedRuleCutsConnections(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	serve(t, s.Host, 8080)
	rule := allow(t, w, s, map[string]any{"name": "talk", "port": "8080", "type": "allow"})

	dials := peer(t, w.Bed, 3, "dial", s.Host.Addr(8080), "20s")
	talk := peer(t, w.Bed, 4, "stream", s.Host.Addr(8080), "20s")
	next(t, dials, "ok", 5*time.Second)
	next(t, talk, "heard", 5*time.Second)

	began := time.Now()
	w.Want(t, http.StatusAccepted, http.MethodDelete, rulePath(s, rule), nil)
	refused := next(t, dials, "no", 5*time.Second)
	w.Gone(t, 10*time.Second, rulePath(s, rule))
	gone := time.Now()

	lastHeard := began
	for quiet := time.NewTimer(time.Second); ; {
		select {
		case line := <-talk:
			if line.word == "heard" {
				lastHeard = line.at
				quiet.Reset(time.Second)
			}
			continue
		case <-quiet.C:
		}
		break
	}
	for drained := false; !drained; {
		select {
		case line := <-dials:
			if line.word == "ok" && line.at.After(refused) {
				t.Errorf("a connection worked %v after the first that did not", line.at.Sub(refused))
			}
		default:
			drained = true
		}
	}
	t.Logf("asked to delete: new connections failed after %v, the last word on an open one came after %v, 404 after %v", refused.Sub(began), lastHeard.Sub(began), gone.Sub(began))
	if d := refused.Sub(began); d > time.Second {
		t.Errorf("a new connection worked until %v after the delete", d)
	}
	if d := lastHeard.Sub(began); d > time.Second {
		t.Errorf("an open connection went on until %v after the delete", d)
	}
}


// tell waits until a dial began that ended this way: "ok" or "no".
func tell(t testing.TB, w *World, from int, address, word string) {
	t.Helper()
	lines := peer(t, w.Bed, from, "dial", address, "15s")
	next(t, lines, word, 15*time.Second)
}

// nft is the rule set that a host has loaded.
func nft(t testing.TB, s panel.Server) string {
	t.Helper()
	return s.Host.Exec(t, "nft", "list", "table", "inet", "hostler")
}

func removeRule(t testing.TB, w *World, s panel.Server, r panel.Resource) {
	t.Helper()
	w.Want(t, http.StatusAccepted, http.MethodDelete, rulePath(s, r), nil)
	w.Gone(t, 30*time.Second, rulePath(s, r))
}

// A host that can't be reached has its change accepted, shown as what it is, and made when it is back, also after longer than one run may take.
func TestDeleteWaitsForHost(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	serve(t, s.Host, 8081)
	rule := allow(t, w, s, map[string]any{"name": "away", "port": "8081", "type": "allow"})
	tell(t, w, 3, s.Host.Addr(8081), "ok")

	s.Host.Cut(t)
	t.Cleanup(func() { s.Host.Heal(t) })
	w.Want(t, http.StatusAccepted, http.MethodDelete, rulePath(s, rule), nil)
	a, _ := w.Until(t, time.Minute, rulePath(s, rule), "waiting with a reason", func(a panel.Answer) bool { return a.Data.Operation().Reason != "" })
	if a.Data.Text("status") != "removing" {
		t.Errorf("status is %q while the host is away", a.Data.Text("status"))
	}
	t.Logf("while the host is away: %+v", a.Data.Operation())
	w.Want(t, http.StatusAccepted, http.MethodDelete, rulePath(s, rule), nil) // asked again while it waits

	s.Host.Heal(t)
	healed := time.Now()
	w.Gone(t, time.Minute, rulePath(s, rule))
	t.Logf("gone %v after the host was back", time.Since(healed))
	tell(t, w, 3, s.Host.Addr(8081), "no")
}

// What is past its deadline says what is true on the host, why, and can be tried again.
func TestDeleteGivesUpAtDeadline(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	serve(t, s.Host, 8082)
	rule := allow(t, w, s, map[string]any{"name": "late", "port": "8082", "type": "allow"})

	s.Host.Cut(t)
	t.Cleanup(func() { s.Host.Heal(t) })
	w.Want(t, http.StatusAccepted, http.MethodDelete, rulePath(s, rule), nil)
	w.Until(t, time.Minute, rulePath(s, rule), "waiting with a reason", func(a panel.Answer) bool { return a.Data.Operation().Reason != "" })
	expire(t, w, w.Get(t, rulePath(s, rule)))
	late := w.Status(t, 10*time.Second, rulePath(s, rule), "installed")
	op := late.Operation()
	if op.State != "failed" || op.Reason == "" {
		t.Errorf("after the deadline: %+v", op)
	}
	t.Logf("after the deadline: %+v", op)

	s.Host.Heal(t)
	tell(t, w, 3, s.Host.Addr(8082), "ok")
	w.Retry(t, s, op)
	if got := w.Get(t, rulePath(s, rule)); got.ID != "" && got.Text("status") != "removing" {
		t.Errorf("status is %q after a retry", got.Text("status"))
	}
	w.Gone(t, time.Minute, rulePath(s, rule))
	tell(t, w, 3, s.Host.Addr(8082), "no")
}

// expire moves the deadlines of work, and of its run, into the past: what waiting would do.
func expire(t testing.TB, w *World, r panel.Resource) {
	t.Helper()
	w.SQL(t, `UPDATE operations SET deadline = ? WHERE id = ?`, time.Now().Add(-time.Second).UnixMicro(), r.Operation().ID)
}
