package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// cronOf is the file of cron of a scheduled job, unitOf the unit of a process.
func cronOf(id string) string { return "/etc/cron.d/hostler-job-" + id }
func unitOf(id string) string { return "/etc/systemd/system/hostler-process-" + id + "@.service" }

// lived is a server with a site, a scheduled job and a process.
type lived struct {
	s                  panel.Server
	site, job, process string
	name               string
}

func live(t *testing.T, w *World, s panel.Server, name string) lived {
	t.Helper()
	l := lived{s: s, name: name}
	l.site = w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), map[string]any{"name": name, "type": "php"}).Data.ID
	w.Status(t, time.Minute, "/sites/"+l.site, "installed")
	l.job = w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites/"+l.site+"/scheduled-jobs"), map[string]any{
		"name":      "tick",
		"command":   "date >>/home/forge/ticks",
		"user":      "forge",
		"frequency": "minutely",
	}).Data.ID
	w.Status(t, time.Minute, s.Path("/sites/"+l.site+"/scheduled-jobs/"+l.job), "installed")
	l.process = w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/background-processes"), map[string]any{
		"name":      "sleeper",
		"command":   "sleep infinity",
		"user":      "forge",
		"processes": 1,
	}).Data.ID
	w.Status(t, time.Minute, s.Path("/background-processes/"+l.process), "running")
	t.Cleanup(func() {
		for path, shown := range map[string]string{
			s.Path("/background-processes/" + l.process): s.Path("/background-processes/" + l.process),
			s.Path("/sites/" + l.site):                   "/sites/" + l.site,
		} {
			w.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)
			w.Gone(t, time.Minute, shown)
		}
	})
	return l
}

// attends waits until attention names something of a server, or does not any more.
func attends(t *testing.T, w *World, s panel.Server, kind string, named bool) (text string) {
	t.Helper()
	w.Until(t, 100*time.Second, "/attention?page[size]=100", "attention about "+kind, func(a panel.Answer) bool {
		i := slices.IndexFunc(a.List, func(r panel.Resource) bool { return r.Text("kind") == kind && r.Text("subject") == s.Host.Name })
		if i >= 0 {
			text = a.List[i].Text("text")
		}
		return (i >= 0) == named
	})
	return text
}

func drift(t *testing.T, w *World, s panel.Server) []any {
	t.Helper()
	list, _ := w.Get(t, s.Path("/drift")).Attributes["differences"].([]any)
	return list
}

// The files of cron and the units of processes are overwritten by the next change of their server, whatever it is about; until then attention names
// them, and the event of that change shows how they differed.
func TestOwnFilesChangedByHand(t *testing.T) {
	w := world(t)
	l := live(t, w, w.Server(3), "by-hand.example.com")
	h := l.s.Host
	cron, unit := string(h.ReadFile(t, cronOf(l.job))), string(h.ReadFile(t, unitOf(l.process)))
	h.WriteFile(t, cronOf(l.job), []byte(cron+"* * * * * root touch /root/by-hand\n"), 0o644)
	h.WriteFile(t, unitOf(l.process), []byte(unit+"\n# by hand\n"), 0o644)
	if text := attends(t, w, l.s, "files-changed", true); !strings.Contains(text, cronOf(l.job)) || !strings.Contains(text, unitOf(l.process)) {
		t.Errorf("attention says %q", text)
	}
	r := allow(t, w, l.s, map[string]any{"name": "something else", "port": "8124", "type": "allow"})
	if got := string(h.ReadFile(t, cronOf(l.job))); got != cron {
		t.Errorf("after a change of the server the file of cron is\n%s", got)
	}
	if got := string(h.ReadFile(t, unitOf(l.process))); got != unit {
		t.Errorf("after a change of the server the unit is\n%s", got)
	}
	said := w.Output(t, l.s, w.Get(t, rulePath(l.s, r)).Operation().EventID)
	if !strings.Contains(said, "-* * * * * root touch /root/by-hand") || !strings.Contains(said, "-# by hand") {
		t.Errorf("the event does not say what was overwritten:\n%s", said)
	}
	attends(t, w, l.s, "files-changed", false)
	w.Status(t, time.Minute, l.s.Path("/background-processes/"+l.process), "running")

	// One that is gone comes back without waiting for the look at the server.
	h.Exec(t, "rm", cronOf(l.job))
	removeRule(t, w, l.s, r)
	if got := string(h.ReadFile(t, cronOf(l.job))); got != cron {
		t.Errorf("a file of cron that was removed is\n%s", got)
	}
	if d := drift(t, w, l.s); len(d) > 0 {
		t.Errorf("the server differs: %v", d)
	}
}

// The agent's directory is removed, with the data of a site: work goes on at once, attention says so, a dry run shows what a repair would do, and one repair
// restores everything except the data.
func TestAgentDirectoryRemoved(t *testing.T) {
	w := world(t)
	l := live(t, w, w.Server(4), "forgotten.example.com")
	h := l.s.Host
	if d := drift(t, w, l.s); len(d) > 0 {
		t.Fatalf("the server differs already: %v", d)
	}
	data := "/home/forge/" + l.name
	h.Exec(t, "rm", "-rf", "/var/lib/hostler", data)
	r := allow(t, w, l.s, map[string]any{"name": "at once", "port": "8125", "type": "allow"})
	defer removeRule(t, w, l.s, r)
	h.Exec(t, "/var/lib/hostler/bin/hostler-agent", "recover") // what cron and units start is where they look for it
	attends(t, w, l.s, "memory-lost", true)

	at := l.s.Path("/repairs")
	plan := w.Want(t, http.StatusOK, http.MethodPost, at+"?dry_run=true", nil)
	if !plan.Meta.DryRun || !strings.Contains(plan.Body, "/var/lib/hostler/jobs/"+l.job) ||
		!strings.Contains(plan.Body, "/var/lib/hostler/processes/"+l.process) || !strings.Contains(plan.Body, data+" missing") {
		t.Errorf("the plan is %s", plan.Body)
	}
	if _, err := h.TryExec("test", "-e", "/var/lib/hostler/jobs/"+l.job); err == nil {
		t.Fatal("a dry run repairs")
	}
	op := w.Want(t, http.StatusAccepted, http.MethodPost, at, nil).Data.Operation()
	w.Until(t, 3*time.Minute, l.s.Path(""), "repaired", func(a panel.Answer) bool {
		now := a.Data.Operation()
		return now.ID == op.ID && now.State != "pending" && now.State != "running"
	})
	said := w.Output(t, l.s, op.EventID)
	if now := w.Get(t, l.s.Path("")).Operation(); now.State != "succeeded" {
		t.Fatalf("the repair: %+v\n%s", now, said)
	}
	if !strings.Contains(said, data+" is missing") {
		t.Errorf("the event does not report the data that is lost:\n%s", said)
	}
	if _, err := h.TryExec("test", "-e", data); err == nil {
		t.Error("lost data was made empty")
	}
	for _, d := range drift(t, w, l.s) {
		if m, _ := d.(map[string]any); m["kept"] != true {
			t.Errorf("the repaired server differs: %v", d)
		}
	}
	attends(t, w, l.s, "memory-lost", false)
	h.Exec(t, "install", "-d", "-o", "forge", "-g", "forge", data)
	h.Exec(t, "rm", "-f", "/home/forge/ticks")
	h.Exec(t, "/var/lib/hostler/bin/hostler-agent", "job", l.job)
	h.Exec(t, "test", "-s", "/home/forge/ticks")
	h.Exec(t, "systemctl", "restart", "hostler-process-"+l.process+"@1.service")
	w.Status(t, time.Minute, l.s.Path("/background-processes/"+l.process), "running")
}
