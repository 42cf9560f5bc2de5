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

