package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// snapshot is what a failed or rolled back change must leave as it was: our files, the loaded rules, what is served.
const snapshot = `cd / && find etc/nginx etc/php etc/hostler etc/systemd/system home/forge -type f 2>/dev/null | sort | xargs sha256sum; nft ` +
	`list table inet hostler; systemctl is-active nginx php8.2-fpm`

// fault is one way in which a host fails while a site is being made.
type fault struct {
	name string
	// before breaks the host before the request, during does so once the work runs, and mend repairs it after the work ended or has to continue.
	before, during, mend func(t testing.TB, w *World, s panel.Server)
	// early repairs the host while the work waits, so the work must succeed.
	early bool
	want  string // the final status
	step  string // what the API must name, "" where the reason says it
	kept  bool   // whether the host must be as it was
}

// Every fault ends in a true state, with a step and a reason, and a host that is as before or as requested. The table is what users see.
func TestFaults(t *testing.T) {
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Disk("1500M"), hosts.Fresh())
	w := newWorld(t, panel.Start(t, bed), bed, "web")
	w.Bed = bed
	s := w.Server(1)
	killAgent := func(t testing.TB, _ *World, s panel.Server) {
		_, _ = s.Host.TryExec("pkill", "-KILL", "-f", "[h]ostler-agent.* session")
	}
	faults := []fault{
		{
			name: "nginx broken by hand", want: "failed", step: "check nginx", kept: true,
			before: func(t testing.TB, _ *World, s panel.Server) {
				s.Host.WriteFile(t, "/etc/nginx/conf.d/by-hand.conf", []byte("broken\n"), 0o644)
			},
			mend: func(t testing.TB, _ *World, s panel.Server) { s.Host.Exec(t, "rm", "/etc/nginx/conf.d/by-hand.conf") },
		},
		{
			name: "full disk", want: "failed", kept: true,
			before: func(t testing.TB, _ *World, s panel.Server) { s.Host.Fill(t, 0) },
			mend:   func(t testing.TB, _ *World, s panel.Server) { s.Host.Heal(t) },
		},
		{
			name: "changed host key", want: "failed", kept: true,
			before: func(t testing.TB, _ *World, s panel.Server) {
				s.Host.Exec(t, "sh", "-c",
					"cp -a /etc/ssh /root/ssh.kept && rm /etc/ssh/ssh_host_* && ssh-keygen -A && systemctl restart ssh && pkill -KILL -f '[s]shd: root'; true")
			},
			mend: func(t testing.TB, _ *World, s panel.Server) {
				s.Host.Exec(t, "sh", "-c", "rm -rf /etc/ssh && mv /root/ssh.kept /etc/ssh && systemctl restart ssh")
			},
		},
		{
			name: "frozen", want: "installed", early: true,
			before: func(t testing.TB, _ *World, s panel.Server) { s.Host.Freeze(t) },
			mend:   func(t testing.TB, _ *World, s panel.Server) { s.Host.Heal(t) },
		},
		{
			name: "network cut", want: "installed", early: true,
			before: func(t testing.TB, _ *World, s panel.Server) { s.Host.Cut(t) },
			mend:   func(t testing.TB, _ *World, s panel.Server) { s.Host.Heal(t) },
		},
		{
			name: "power cut in the middle", want: "installed", early: true,
			during: func(t testing.TB, _ *World, s panel.Server) { s.Host.Kill(t) },
			mend:   func(t testing.TB, _ *World, s panel.Server) { s.Host.Start(t) },
		},
		{name: "agent killed", want: "installed", during: killAgent},
		{name: "panel killed", want: "installed", during: func(t testing.TB, w *World, _ panel.Server) {
			w.Kill()
			if err := w.Up(); err != nil {
				t.Fatal(err)
			}
		}},
	}
	var table strings.Builder
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "fault\twhile it lasts\tends\tstep\treason\tseconds\thost as before")
	defer func() {
		_ = tw.Flush()
		t.Logf("a site is made while its server fails:\n%s", table.String())
	}()
	for i, f := range faults {
		name := fmt.Sprintf("fault-%d.example.com", i)
		before := s.Host.Exec(t, "sh", "-c", snapshot)
		if f.before != nil {
			f.before(t, w, s)
		}
		began := time.Now()
		r := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), map[string]any{"name": name, "type": "php"}).Data
		if f.during != nil {
			w.Until(t, 10*time.Second, "/sites/"+r.ID, "begun", func(a panel.Answer) bool { return a.Data.Operation().State != "pending" })
			f.during(t, w, s)
		}
		shown := "-"
		if f.early {
			a, took := w.Until(t, time.Minute, "/sites/"+r.ID, "waiting with a reason or done", func(a panel.Answer) bool {
				return a.Data.Operation().Reason != "" || a.Data.Text("status") != "installing"
			})
			shown = fmt.Sprintf("%s after %.1f s: %s", a.Data.Text("status"), took.Seconds(), a.Data.Operation().Reason)
			f.mend(t, w, s)
		}
		got := w.Settled(t, 2*time.Minute, "/sites/"+r.ID)
		took := time.Since(began)
		if f.mend != nil && !f.early {
			f.mend(t, w, s)
		}
		same := s.Host.Exec(t, "sh", "-c", snapshot) == before
		op := got.Operation()
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%.110s\t%.1f\t%t\n", f.name, shown, got.Text("status"), op.Step, op.Reason, took.Seconds(), same)
		if got.Text("status") != f.want || f.step != "" && op.Step != f.step {
			t.Errorf("%s: %s, step %q, reason %q", f.name, got.Text("status"), op.Step, op.Reason)
		}
		if f.kept && !same {
			t.Errorf("%s: the host is not what it was", f.name)
		}
		if got.Text("status") == "failed" {
			if op.Step == "" || op.Reason == "" {
				t.Errorf("%s: the API does not say why: %+v", f.name, op)
			}
			w.Retry(t, s, op)
			if got = w.Settled(t, 2*time.Minute, "/sites/"+r.ID); got.Text("status") != "installed" {
				t.Errorf("%s: %s after a retry: %+v", f.name, got.Text("status"), got.Operation())
			}
		}
		if code, text, err := newVisitor(s.Host.Addr(80), name, false).get(t.Context()); code != http.StatusOK || nodeOf(text) != s.Host.Name {
			t.Errorf("%s: the site answers %d %v %.60s", f.name, code, err, text)
		}
	}
	if n := w.Count(t, `SELECT count(*) FROM operations WHERE state IN ('pending', 'running')`); n > 0 {
		t.Errorf("%d operations did not end", n)
	}
}
