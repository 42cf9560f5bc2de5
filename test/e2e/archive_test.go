package e2e_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// An archived server is left without a key, and runs on. The line for it brings it back with all that it had, and what changed meanwhile is
// made so; the line is of no use on another machine.
func TestServerIsArchivedAndReconnected(t *testing.T) {
	w := world(t)
	s, peer, other := w.Server(2), w.Server(3), w.Server(4)
	const file = "/root/.ssh/authorized_keys"
	for _, p := range []panel.Server{s, peer} {
		w.Want(t, http.StatusOK, http.MethodPut, p.Path(""), map[string]any{"private_ip_address": p.Host.IP})
	}
	kept := allow(t, w, s, map[string]any{"name": "kept", "port": "8124", "type": "allow"})
	number, err := strconv.Atoi(peer.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.Want(t, http.StatusAccepted, http.MethodPut, s.Path("/network"), map[string]any{"servers": []any{number}})
	w.Until(t, time.Minute, s.Path("/network"), "in one network", func(a panel.Answer) bool { return len(a.List) == 1 })
	hosts.Eventually(t, time.Minute, "the peer lets the server in", func() error { return rulesHave(peer, s.Host.IP, true) })
	before := w.Get(t, s.Path("/key")).Text("public_key")

	own, err := strconv.Atoi(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.Want(t, http.StatusAccepted, http.MethodPost, "/servers/archives", map[string]any{"server_id": own})
	w.Until(t, time.Minute, s.Path(""), "archived", func(a panel.Answer) bool { return a.Data.Attributes["revoked"] == true })
	if text := string(s.Host.ReadFile(t, file)); strings.Contains(text, strings.Fields(before)[1]) {
		t.Errorf("Hostler's key is still there:\n%s", text)
	}
	hosts.Eventually(t, time.Minute, "the peer shuts the server out", func() error { return rulesHave(peer, s.Host.IP, false) })
	if out, err := s.Host.TryExec("sh", "-c", "nft list ruleset"); err != nil || !strings.Contains(out, "8124") {
		t.Errorf("the server does not run on: %v\n%s", err, out)
	}
	w.Want(t, http.StatusConflict, http.MethodPost, s.Path("/firewall-rules"), map[string]any{"name": "x", "port": "8125", "type": "allow"})

	w.Want(t, http.StatusAccepted, http.MethodDelete, "/servers/archives/"+s.ID, nil)
	line := w.Want(t, http.StatusOK, http.MethodPost, s.Path("/line"), nil).Data.Meta.Bootstrap.Command
	if out, err := other.Host.TryExec("sh", "-c", line); err == nil || !strings.Contains(err.Error()+out, "not the machine") {
		t.Errorf("on another machine the line says %v\n%s", err, out)
	}
	if out, err := s.Host.TryExec("sh", "-c", line); err != nil {
		t.Fatalf("reconnect: %v\n%s", err, out)
	}
	w.Ready(t, s)
	w.Until(t, 2*time.Minute, s.Path(""), "repaired", func(a panel.Answer) bool {
		op := a.Data.Operation()
		return op.Action == "repair" && op.State == "succeeded"
	})
	if err := rulesHave(s, peer.Host.IP, false); err != nil {
		t.Error(err)
	}
	if out, _ := s.Host.TryExec("nft", "list", "ruleset"); !strings.Contains(out, "8124") {
		t.Errorf("its rules are\n%s", out)
	}
	after := w.Get(t, s.Path("/key")).Text("public_key")
	if text := string(s.Host.ReadFile(t, file)); after == before || strings.Count(text, strings.Fields(after)[1]) != 1 ||
		strings.Contains(text, strings.Fields(before)[1]) {
		t.Errorf("the key is %q, it was %q, and the file has\n%s", after, before, text)
	}
	removeRule(t, w, s, allow(t, w, s, map[string]any{"name": "again", "port": "8126", "type": "allow"}))
	removeRule(t, w, s, kept)
}

// A server that is away is archived all the same; its key opens nothing any more, so it can be brought back later.
func TestServerIsArchivedWhileAway(t *testing.T) {
	w := world(t)
	s := w.Server(3)
	own, err := strconv.Atoi(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.Host.Cut(t)
	healed := false
	defer func() {
		if !healed {
			s.Host.Heal(t)
		}
	}()
	w.Want(t, http.StatusAccepted, http.MethodPost, "/servers/archives", map[string]any{"server_id": own})
	w.Until(t, 2*time.Minute, s.Path(""), "found to be away", func(a panel.Answer) bool {
		return a.Data.Attributes["connection_status"] == "disconnected" || a.Data.Attributes["revoked"] == true
	})
	expire(t, w, w.Get(t, s.Path("")))
	w.Until(t, time.Minute, s.Path(""), "archived", func(a panel.Answer) bool { return a.Data.Attributes["revoked"] == true })
	s.Host.Heal(t)
	healed = true
	w.Want(t, http.StatusAccepted, http.MethodDelete, "/servers/archives/"+s.ID, nil)
	line := w.Want(t, http.StatusOK, http.MethodPost, s.Path("/line"), nil).Data.Meta.Bootstrap.Command
	if out, err := s.Host.TryExec("sh", "-c", line); err != nil {
		t.Fatalf("reconnect: %v\n%s", err, out)
	}
	w.Ready(t, s)
	w.Until(t, 2*time.Minute, s.Path(""), "repaired", func(a panel.Answer) bool { return a.Data.Operation().State == "succeeded" })
	// The server had removed the keys before it answered no more: heard now, that archives it no more.
	hosts.Eventually(t, time.Minute, "the end of the archiving is known", func() error {
		if n := w.Count(t, `SELECT COUNT(*) FROM runs WHERE server_id = $1 AND ended_at IS NULL`, number(s.ID)); n != 0 {
			return fmt.Errorf("%d runs are in doubt", n)
		}
		return nil
	})
	if a := w.Get(t, s.Path("")); a.Attributes["revoked"] != false || a.Attributes["is_ready"] != true {
		t.Errorf("the reconnected server: %v", a.Attributes)
	}
}

// rulesHave reports whether the firewall of a server has an address, as an error if it is not as wanted.
func rulesHave(s panel.Server, address string, want bool) error {
	out, err := s.Host.TryExec("nft", "list", "ruleset")
	if err != nil {
		return err
	}
	if strings.Contains(out, address) != want {
		return fmt.Errorf("the rules have %s: %t", address, !want)
	}
	return nil
}
