package e2e_test

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
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

// A rule that is deleted stops new connections and those that run, long before these would end, and is 404 then. An open one may say what the other
// end had in flight; how soon it is silent is logged, not asserted.
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
	t.Logf("asked to delete: new connections failed after %v, the last word on an open one came after %v, 404 after %v",
		refused.Sub(began), lastHeard.Sub(began), gone.Sub(began))
	if d := lastHeard.Sub(began); d > 10*time.Second { // it would go on for twenty
		t.Errorf("an open connection went on until %v after the delete", d)
	}
}

// tell waits until a dial began that ended this way: "ok" or "no".
func tell(t testing.TB, w *World, from int, address, word string) {
	t.Helper()
	lines := peer(t, w.Bed, from, "dial", address, "15s")
	next(t, lines, word, 15*time.Second)
}

// nft returns the rule set that a host has loaded.
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

// Past its deadline, work reports what is true on the host, why, and can be retried.
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

// A rule set that cuts Hostler off is rolled back, and the work says why. It bypasses validation: the row of Hostler's own
// address names another one, and the rules that open the SSH port are removed behind the API's back.
func TestLockoutIsPutBack(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	before := nft(t, s)
	own, restore := lockOut(t, w, s)
	began := time.Now()
	rule := addRule(t, w, s, map[string]any{"name": "last straw", "port": "8083", "type": "allow"})
	hosts.Eventually(t, 10*time.Second, "the rules that cut Hostler off are loaded", func() error {
		if got := nft(t, s); got == before {
			return errors.New("the rules are what they were")
		}
		return nil
	})
	hosts.Eventually(t, 45*time.Second, "the rules admit Hostler again", func() error {
		if !admits(nft(t, s), own) {
			return errors.New("they don't")
		}
		return nil
	})
	if took := time.Since(began); took > 35*time.Second {
		t.Errorf("the rules were put back after %v", took)
	}
	// If Hostler's own connection was lost as well, the cause may have been the network, and the change is tried once more. It succeeds if the address that
	// Hostler connects from was admitted meanwhile.
	got := w.Settled(t, 2*time.Minute, rulePath(s, rule))
	op := got.Operation()
	t.Logf("after %v: %s, %+v", time.Since(began), got.Text("status"), op)
	switch got.Text("status") {
	case "failed":
		if op.Step != "confirm" || !strings.Contains(op.Reason, "did not answer") {
			t.Errorf("the rule failed: %+v", op)
		}
	case "installed":
		if op.Attempt < 2 {
			t.Errorf("the rule that cut Hostler off was installed: %+v", op)
		}
	default:
		t.Errorf("the rule is %s: %+v", got.Text("status"), op)
	}
	if after := nft(t, s); !admits(after, own) {
		t.Errorf("the rules don't admit Hostler:\n%s\nbefore:\n%s", after, before)
	}
	restore()
	removeRule(t, w, s, rule)
}

// admits reports whether a rule set admits Hostler from its own address.
func admits(rules, own string) bool {
	separates := func(r rune) bool { return strings.ContainsRune(" {},\t", r) }
	for line := range strings.Lines(rules) {
		if strings.Contains(line, `comment "hostler"`) && slices.Contains(strings.FieldsFunc(line, separates), own) {
			return true
		}
	}
	return false
}

// A server that is rebooted before its rules were confirmed comes up with the last confirmed ones.
func TestRebootLoadsConfirmedRules(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	before := nft(t, s)
	_, restore := lockOut(t, w, s)
	rule := addRule(t, w, s, map[string]any{"name": "cut short", "port": "8084", "type": "allow"})
	hosts.Eventually(t, 10*time.Second, "the rules that cut Hostler off are loaded", func() error {
		if got := nft(t, s); got == before {
			return errors.New("the rules are what they were")
		}
		return nil
	})
	s.Host.Kill(t) // what was written is there, what ran is not
	s.Host.Start(t)
	if after := nft(t, s); after != before {
		t.Errorf("the rules are not the confirmed ones:\n%s\nbefore:\n%s", after, before)
	}
	restore()
	got := w.Settled(t, 60*time.Second, rulePath(s, rule))
	t.Logf("%s, %+v", got.Text("status"), got.Operation())
	if st := got.Text("status"); st != "failed" && st != "installed" {
		t.Errorf("the rule is %s", st)
	}
	removeRule(t, w, s, rule)
}

// lockOut makes the next rule set cut Hostler off. It returns the address that Hostler connects from, and a function that undoes that; the end of the test
// undoes it too.
func lockOut(t testing.TB, w *World, s panel.Server) (own string, restore func()) {
	t.Helper()
	if err := w.DB(t).QueryRow(`SELECT control_addresses FROM servers WHERE id = ?`, s.ID).Scan(&own); err != nil {
		t.Fatal(err)
	}
	w.SQL(t, `UPDATE servers SET control_addresses = '192.0.2.1' WHERE id = ?`, s.ID)
	const opening = `WHERE server_id = ? AND id IN (SELECT id FROM firewall_rules WHERE port = '22')`
	w.SQL(t, `UPDATE applied SET kind = 'hidden' `+opening+` AND kind = 'rules'`, s.ID)
	undo := sync.OnceFunc(func() {
		w.SQL(t, `UPDATE servers SET control_addresses = ? WHERE id = ?`, own, s.ID)
		w.SQL(t, `UPDATE applied SET kind = 'rules' `+opening+` AND kind = 'hidden'`, s.ID)
	})
	t.Cleanup(undo)
	return own, undo
}

// A dry run shows the difference of the rule set, and changes nothing.
func TestDryRunShowsRules(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	before, rows := nft(t, s), w.Count(t, `SELECT count(*) FROM firewall_rules`)
	a := w.Want(t, http.StatusOK, http.MethodPost, s.Path("/firewall-rules?dry_run=true"), map[string]any{
		"name":       "maybe",
		"port":       "9090:9099",
		"type":       "deny",
		"ip_address": "192.0.2.0/24",
	})
	plan := a.Meta.Plan
	if !a.Meta.DryRun || len(plan.Servers) != 1 || len(plan.Servers[0].Files) != 1 {
		t.Fatalf("plan: %s", a.Body)
	}
	diff := plan.Servers[0].Files[0].Diff
	if !strings.Contains(diff, "\n+\t\tip saddr { 192.0.2.0/24 } meta l4proto { tcp, udp } th dport 9090-9099 drop") || strings.Contains(diff, "\n-\t") {
		t.Errorf("diff:\n%s", diff)
	}
	if nft(t, s) != before || w.Count(t, `SELECT count(*) FROM firewall_rules`) != rows {
		t.Error("a dry run changed something")
	}
}

// Denies come before allows, whenever they were created, for one address and for all, on IPv4 and IPv6.
func TestDenyBeatsAllow(t *testing.T) {
	w := world(t)
	s, from := w.Server(2), w.Server(3)
	serve(t, s.Host, 8085)
	six := net.JoinHostPort(s.Host.IP6, "8085")
	tell(t, w, 3, six, "no")
	open := allow(t, w, s, map[string]any{"name": "open", "port": "8085", "type": "allow"})
	tell(t, w, 3, s.Host.Addr(8085), "ok")
	tell(t, w, 3, six, "ok")
	one := allow(t, w, s, map[string]any{"name": "not this one", "port": "8000:8100", "type": "deny", "ip_address": from.Host.IP + "," + from.Host.IP6})
	tell(t, w, 3, s.Host.Addr(8085), "no")
	tell(t, w, 3, six, "no")
	tell(t, w, 4, s.Host.Addr(8085), "ok")
	tell(t, w, 4, six, "ok")
	again := allow(t, w, s, map[string]any{"name": "later, and below all the same", "port": "8085", "type": "allow", "ip_address": from.Host.IP})
	tell(t, w, 3, s.Host.Addr(8085), "no")
	// A deny on the SSH port for all addresses leaves Hostler its own path.
	ssh := allow(t, w, s, map[string]any{"name": "no SSH", "port": "22", "type": "deny"})
	tell(t, w, 3, s.Host.Addr(22), "no")
	for _, r := range []panel.Resource{ssh, again, one, open} {
		removeRule(t, w, s, r)
	}
	tell(t, w, 3, s.Host.Addr(22), "ok")
}
