package e2e_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// A new key replaces the old one on a server that is set up; people's keys stay, and work continues with the new one.
func TestKeyIsReplaced(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	const person = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBbuqFNnJ7WfYXYpC3SKNUZgn8TTWBfsm6uwyWjxCkV9 person@example.com"
	const file = "/root/.ssh/authorized_keys"
	s.Host.WriteFile(t, file, append(s.Host.ReadFile(t, file), []byte(person+"\n")...), 0o600)
	before := w.Get(t, s.Path("/key")).Text("public_key")

	first := w.Want(t, http.StatusOK, http.MethodPut, s.Path("/key"), nil).Data
	if first.Text("public_key") != before {
		t.Errorf("the server's key is said to be %q before a login with it has worked", first.Text("public_key"))
	}
	if state := first.Operation().State; state != "pending" && state != "running" {
		t.Errorf("the replacement is %q", state)
	}
	w.Until(t, 30*time.Second, s.Path(""), "given its new key", func(a panel.Answer) bool { return a.Data.Operation().State == "succeeded" })

	after := w.Get(t, s.Path("/key"))
	if after.Text("public_key") == before || after.Operation().ID != "" {
		t.Errorf("after the replacement: %+v", after)
	}
	for _, f := range []string{file, "/home/forge/.ssh/authorized_keys"} {
		text := string(s.Host.ReadFile(t, f))
		if strings.Contains(text, before) || strings.Count(text, after.Text("public_key")) != 1 {
			t.Errorf("%s is\n%s", f, text)
		}
	}
	if !strings.Contains(string(s.Host.ReadFile(t, file)), person) {
		t.Error("the key of a person is gone")
	}
	r := allow(t, w, s, map[string]any{"name": "with the new key", "port": "8123", "type": "allow"})
	removeRule(t, w, s, r)
}

// A server that can't be reached keeps its key: nothing is replaced that was not tried.
func TestKeyStaysWithoutLogin(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	before := w.Get(t, s.Path("/key")).Text("public_key")
	s.Host.Cut(t)
	defer s.Host.Heal(t)
	w.Want(t, http.StatusOK, http.MethodPut, s.Path("/key"), nil)
	expire(t, w, w.Get(t, s.Path("")))
	a, _ := w.Until(t, 30*time.Second, s.Path(""), "given up", func(a panel.Answer) bool { return a.Data.Operation().State == "failed" })
	if reason := a.Data.Operation().Reason; reason == "" {
		t.Error("it failed without a reason")
	}
	s.Host.Heal(t)
	if now := w.Get(t, s.Path("/key")).Text("public_key"); now != before {
		t.Errorf("the key is %q, it was %q", now, before)
	}
	w.Retry(t, s, a.Data.Operation())
	w.Until(t, 60*time.Second, s.Path(""), "given its new key", func(a panel.Answer) bool { return a.Data.Operation().State == "succeeded" })
	if now := w.Get(t, s.Path("/key")).Text("public_key"); now == before {
		t.Error("tried again, the key is the old one")
	}
}

// One command replaces the keys of all servers; the one that can't be reached keeps its key, and is named.
func TestKeysOfAllServersAreReplaced(t *testing.T) {
	w := world(t)
	keys := func() (out []string) {
		for _, s := range w.Servers {
			out = append(out, w.Get(t, s.Path("/key")).Text("public_key"))
		}
		return out
	}
	before := keys()
	w.Servers[3].Host.Cut(t)
	defer w.Servers[3].Host.Heal(t)
	w.Until(t, 3*time.Minute, w.Servers[3].Path(""), "out of reach", func(a panel.Answer) bool { return a.Data.Text("connection_status") != "connected" })
	cmd := exec.Command(panel.Program(t, "hostler"), "keys", "rotate", "--yes", "--url", w.URL, "--org", panel.Org)
	cmd.Env = append(os.Environ(), "HOSTLER_TOKEN="+w.Token, "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 5 || !strings.Contains(string(out), w.Servers[3].Host.Name+": not replaced") ||
		!strings.Contains(string(out), "1 of 4 servers have their old key") {
		t.Errorf("it ends with %v and says\n%s", err, out)
	}
	for i, key := range keys() {
		if replaced := key != before[i]; replaced != (i < 3) {
			t.Errorf("the key of %s is replaced: %t", w.Servers[i].Host.Name, replaced)
		}
	}
	w.Servers[3].Host.Heal(t)
	w.Until(t, 3*time.Minute, w.Servers[3].Path(""), "back", func(a panel.Answer) bool { return a.Data.Text("connection_status") == "connected" })
	r := allow(t, w, w.Servers[1], map[string]any{"name": "with the new key", "port": "8127", "type": "allow"})
	removeRule(t, w, w.Servers[1], r)
}
