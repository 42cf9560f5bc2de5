package e2e_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
)

// away is a server with what goes on while its panel is away.
type away struct {
	*World
	t          *testing.T
	ca         *authority
	s          panel.Server
	site       string // its path
	domain     string
	process    string
	beat       string // the heartbeat's path
	pid        string
	serial     string
	minutes    []int64 // when the job of every minute ran
	asked      int     // how many visitors came meanwhile
	rule       string
	command    string
	unfinished func()
}

const awayName = "shop.example.com"

// The panel is stopped for minutes with schedules every minute, and its clock is a week on when it starts again: sites, schedules, processes, certificates'
// files and logs went on. What waited for it, a renewal, the end of a command and a heartbeat, catches up; a change past its deadline says so.
// HOSTLER_E2E=full stops it for 10 minutes.
func TestPanelIsAway(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Fresh())
	ca := &authority{pebble.Start(t, pebble.Config{Validity: 9 * 24 * time.Hour})} // due for renewal a week on, and valid still
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--acme-directory", ca.Directory, "--acme-ca-file", ca.Roots, "--nameserver", ca.DNS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	a := &away{t: t, ca: ca, s: p.Add(t, bed.Host(1), "web"), World: &World{Panel: p, Bed: bed}}
	a.Servers = []panel.Server{a.s}
	p.Ready(t, a.s)
	a.prepare()

	// One change can't reach its server any more, one command runs there.
	a.command, a.unfinished = a.begins("while-away")
	a.s.Host.Cut(t)
	a.rule = a.s.Path("/firewall-rules/" + addRule(t, a.World, a.s, map[string]any{"name": "waits", "port": "8126", "type": "allow"}).ID)
	p.Stop()
	a.s.Host.Heal(t)
	a.goesOn()
	const week = 7 * 24 * time.Hour
	older(t, p.DB(t), week)
	a.advice(week)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	a.catchesUp()
}

// prepare makes a site with a certificate, a process, a job of every minute, and one that calls a heartbeat.
func (a *away) prepare() {
	a.t.Helper()
	site := site(a.t, a.World, a.s, map[string]any{"name": awayName, "type": "php"})
	a.site = a.s.Path("/sites/" + site.ID)
	a.domain = a.first(a.t, a.site+"/domains")
	a.ca.Leads(a.t, awayName, a.s.Host.IP)
	a.issued(a.t, a.s, a.domain)
	_, leaf := a.ca.get(a.t, a.s.Host, "https", awayName, "/")
	a.serial = leaf.SerialNumber.String()

	beat := a.Want(a.t, http.StatusOK, http.MethodPost, a.site+"/heartbeats", map[string]any{"name": "minute", "frequency": 1, "grace_period": 1}).Data
	a.beat = a.site + "/heartbeats/" + beat.ID
	for name, command := range map[string]string{"minute": "date +%s >>/home/forge/minutes", "beat": "curl -fsS -m 10 " + beat.Text("ping_url")} {
		job := a.Want(a.t, http.StatusAccepted, http.MethodPost, a.site+"/scheduled-jobs", map[string]any{
			"name": name, "command": command, "user": "forge", "frequency": "minutely",
		}).Data
		a.Status(a.t, time.Minute, a.site+"/scheduled-jobs/"+job.ID, "installed")
	}
	process := a.Want(a.t, http.StatusAccepted, http.MethodPost, a.s.Path("/background-processes"), map[string]any{
		"name": "sleeper", "command": "sleep infinity", "user": "forge", "processes": 1,
	}).Data
	a.Status(a.t, time.Minute, a.s.Path("/background-processes/"+process.ID), "running")
	a.process = "hostler-process-" + process.ID + "@1.service"
	a.pid = a.mainPID()
	a.Status(a.t, 3*time.Minute, a.beat, "beating")
}

func (a *away) mainPID() string {
	return strings.TrimSpace(a.s.Host.Exec(a.t, "systemctl", "show", "--property", "MainPID", "--value", a.process))
}

// begins starts a command of the site that waits for a file, and returns its path once it runs, with what ends it.
func (a *away) begins(name string) (path string, end func()) {
	a.t.Helper()
	file := "/home/forge/" + name
	c := a.Want(a.t, http.StatusAccepted, http.MethodPost, a.site+"/commands", map[string]any{
		"command": "touch " + file + ".began; until test -e " + file + "; do sleep 0.2; done; echo done " + name,
	})
	hosts.Eventually(a.t, time.Minute, "the command runs", func() error {
		_, err := a.s.Host.TryExec("test", "-e", file+".began")
		return err
	})
	return a.site + "/commands/" + c.Data.ID, func() { a.s.Host.Exec(a.t, "touch", file) }
}

// ran returns when the job of every minute ran.
func (a *away) ran() (out []int64) {
	for _, text := range strings.Fields(a.s.Host.Exec(a.t, "cat", "/home/forge/minutes")) {
		at, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			a.t.Fatal(err)
		}
		out = append(out, at)
	}
	return out
}

// goesOn looks at the server while there is no panel.
func (a *away) goesOn() {
	a.t.Helper()
	minutes := 2
	if os.Getenv("HOSTLER_E2E") == "full" {
		minutes = 10
	}
	a.unfinished()
	began := time.Now()
	hosts.Eventually(a.t, time.Duration(minutes+2)*time.Minute, "the job has run every minute", func() error {
		res, leaf := a.ca.get(a.t, a.s.Host, "https", awayName, fmt.Sprint("/?away=", a.asked))
		if res.StatusCode != http.StatusOK || leaf.SerialNumber.String() != a.serial {
			a.t.Fatalf("while the panel is away https answers %d with certificate %s", res.StatusCode, leaf.SerialNumber)
		}
		a.asked++
		a.minutes = slices.DeleteFunc(a.ran(), func(at int64) bool { return at < began.Unix() })
		if len(a.minutes) < minutes || time.Since(began) < time.Duration(minutes)*time.Minute {
			return fmt.Errorf("%d times after %s", len(a.minutes), time.Since(began))
		}
		return nil
	})
	for i, at := range a.minutes[1:] {
		if gap := at - a.minutes[i]; gap < 50 || gap > 70 {
			a.t.Errorf("the job of every minute ran after %d s", gap)
		}
	}
	if now := a.mainPID(); now != a.pid {
		a.t.Errorf("the process is %s, it was %s", now, a.pid)
	}
	if mode := strings.TrimSpace(a.s.Host.Exec(a.t, "sh", "-c", "stat -c %a:%U /etc/ssl/hostler/*/key.pem")); mode != "600:root" {
		a.t.Errorf("the certificates' keys are %q", mode)
	}
	a.t.Logf("away for %s, in which the job ran %d times and %d visitors were served", time.Since(began).Round(time.Second), len(a.minutes), a.asked)
}

// older makes all that the panel remembers older, while it is stopped: for the panel, its clock is so much on. Times are microseconds, those of the queue
// texts.
func older(t *testing.T, d *sql.DB, by time.Duration) {
	t.Helper()
	ctx := context.Background()
	columns, err := d.QueryContext(ctx, `SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer columns.Close()
	var all [][2]string
	for columns.Next() {
		var c [2]string
		if err := columns.Scan(&c[0], &c[1]); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if err := columns.Err(); err != nil {
		t.Fatal(err)
	}
	n, seconds := int64(0), fmt.Sprintf("-%d seconds", int64(by.Seconds()))
	for _, c := range all {
		change := func(set, where string) {
			res, err := d.ExecContext(ctx, fmt.Sprintf(`UPDATE %s SET %[2]s = %s WHERE %s`, c[0], c[1], set, where))
			if err != nil {
				t.Fatalf("make %s.%s older: %v", c[0], c[1], err)
			}
			rows, _ := res.RowsAffected()
			n += rows
		}
		is := func(kind string) string { return "typeof(" + c[1] + ") = '" + kind + "' AND " + c[1] }
		const micros = " BETWEEN 1600000000000000 AND 4000000000000000"
		const date = " GLOB '20[0-9][0-9]-[01][0-9]-[0-3][0-9]"
		change(fmt.Sprintf("%s - %d", c[1], by.Microseconds()), is("integer")+micros)
		whole := fmt.Sprintf("CAST(%s AS INTEGER)", c[1]) // settings are texts
		change(fmt.Sprintf("CAST(%s - %d AS TEXT)", whole, by.Microseconds()), is("text")+" = CAST("+whole+" AS TEXT) AND "+whole+micros)
		change(fmt.Sprintf("strftime('%%Y-%%m-%%d %%H:%%M:%%f', %s, '%s')", c[1], seconds), is("text")+date+" [0-2][0-9]:*'")
		change(fmt.Sprintf("strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', %s, '%s')", c[1], seconds), is("text")+date+"T[0-2][0-9]:*Z'")
	}
	if n < 50 {
		t.Fatalf("only %d times were found", n)
	}
	// A periodic job runs once in each of its periods: those that ended were of an earlier one.
	if _, err := d.ExecContext(ctx, "UPDATE river_job SET unique_key = NULL WHERE state = 'completed'"); err != nil {
		t.Fatalf("forget the periods of jobs: %v", err)
	}
}

// advice makes the authority's advice for the certificate older as well.
func (a *away) advice(by time.Duration) {
	a.t.Helper()
	_, leaf := a.ca.get(a.t, a.s.Host, "https", awayName, "/")
	info, err := (&acme.Client{Directory: a.ca.Directory, HTTPClient: a.ca.Client}).GetRenewalInfo(context.Background(), leaf)
	if err != nil {
		a.t.Fatal(err)
	}
	a.ca.Advises(a.t, leaf, info.SuggestedWindow.Start.Add(-by), info.SuggestedWindow.End.Add(-by))
}

// catchesUp looks at what waited for the panel.
func (a *away) catchesUp() {
	a.t.Helper()
	began := time.Now()
	if got := a.Settled(a.t, time.Minute, a.command); got.Text("status") != "finished" {
		a.t.Errorf("the command that ended meanwhile is %s: %+v", got.Text("status"), got.Operation())
	}
	if out := a.Get(a.t, a.command+"/output").Text("output"); !strings.Contains(out, "done while-away") {
		a.t.Errorf("its output is %q", out)
	}
	late := a.Settled(a.t, time.Minute, a.rule)
	if late.Operation().State != "failed" || late.Operation().Reason == "" {
		a.t.Errorf("the change that could not reach its server for a week is %+v", late.Operation())
	}
	a.t.Logf("the change that waited: %s", late.Operation().Reason)
	a.Retry(a.t, a.s, late.Operation())
	a.Status(a.t, time.Minute, a.rule, "installed")

	a.Until(a.t, 3*time.Minute, a.domain+"/certificates/active", "renewed", func(c panel.Answer) bool {
		_, leaf := a.ca.get(a.t, a.s.Host, "https", awayName, "/")
		return c.Data.Text("status") == "installed" && leaf.SerialNumber.String() != a.serial
	})
	// Calls that came while there was no panel are lost: silence of that time is no alarm.
	a.Until(a.t, 2*time.Minute, a.beat, "beating since", func(c panel.Answer) bool {
		return c.Data.Text("status") == "beating" && a.Count(a.t, "SELECT COUNT(*) FROM heartbeats WHERE last_ping_at > ?", began.UnixMicro()) == 1
	})
	if n := a.Count(a.t, "SELECT COUNT(*) FROM events WHERE description LIKE 'Heartbeat%'"); n != 0 {
		a.t.Errorf("the panel alarmed of the heartbeat %d times", n)
	}
	for _, item := range a.Want(a.t, http.StatusOK, http.MethodGet, "/attention", nil).List {
		if kind := item.Text("kind"); kind == "heartbeat-missing" || kind == "server-unreachable" || kind == "files-changed" || kind == "certificate-failing" {
			a.t.Errorf("attention says %s: %s", kind, item.Text("text"))
		}
	}
	if log := a.Want(a.t, http.StatusOK, http.MethodGet, a.site+"/logs/nginx-access", nil).Body; !strings.Contains(log,
		fmt.Sprint("/?away=", a.asked-1, " ")) { // the last of them
		a.t.Errorf("the log of visitors has not the last of those that came meanwhile: %s", log)
	}
	if d := drift(a.t, a.World, a.s); len(d) > 0 {
		a.t.Errorf("the server differs: %v", d)
	}
	if now := a.mainPID(); now != a.pid {
		a.t.Errorf("once the panel is back the process is %s, it was %s", now, a.pid)
	}
}
