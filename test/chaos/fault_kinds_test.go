package chaos_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/noun/attention"
	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// A fault is something that goes wrong with a server, its line, or the panel.
type fault struct {
	name string
	// kind is what attention names it; why is the reason that attention can't know it, of one without a kind.
	kind, why string
	// subject returns what attention names; nil for the server.
	subject func(at *place) string
	// alone is set where the next change of the server undoes it, and both where both replicas are needed.
	alone, both bool
	// begin lets it happen. What it returns ends it, and is called after an error too.
	begin func(at *place) (end func() error, err error)
}

// settings are those that Hostler writes for MariaDB, which reads them when it starts.
const settings = "/etc/mysql/mariadb.conf.d/90-hostler.cnf"

// faults are those of a storm, each with what attention says of it.
var faults = []fault{
	{name: "the line is cut", kind: "server-unreachable", begin: func(at *place) (func() error, error) {
		at.Host.Cut(at.t)
		return at.heal, nil
	}},
	{name: "the server hangs", kind: "server-unreachable", begin: func(at *place) (func() error, error) {
		at.Host.Freeze(at.t)
		return at.heal, nil
	}},
	{name: "the power is cut", kind: "server-unreachable", begin: func(at *place) (func() error, error) {
		at.Host.Kill(at.t)
		return func() error { at.Host.Start(at.t); return nil }, nil
	}},
	{name: "a replica is cut off the server", kind: "server-handed-over", both: true, begin: func(at *place) (func() error, error) {
		heal := at.p.CutOne(at.t, at.random.IntN(2), at.Host)
		return func() error { heal(); return nil }, nil
	}},
	{name: "the disk of the server is nearly full", kind: "disk-full", begin: func(at *place) (func() error, error) {
		at.Host.Fill(at.t, 40<<10)
		return at.heal, nil
	}},
	{name: "the agent's directory is removed", kind: "memory-lost", begin: func(at *place) (func() error, error) {
		// Its journals stay readable for the comparison at the end; an agent at work makes a file there meanwhile.
		_, err := at.Host.TryExec("mv", "/var/lib/hostler", fmt.Sprintf("%s%d", forgotten, time.Now().UnixNano()))
		return func() error { return repaired(at.p, at.Server) }, err
	}},
	{name: "an own file is changed by hand", kind: "files-changed", alone: true, begin: func(at *place) (func() error, error) {
		_, err := at.Host.TryExec("sh", "-c", "echo '# by hand' >>/etc/cron.d/hostler-job-"+at.job)
		return nothing, err
	}},
	{name: "updates wait for a reboot", kind: "reboot-needed", begin: func(at *place) (func() error, error) {
		_, err := at.Host.TryExec("touch", "/run/reboot-required")
		return func() error { return at.exec("rm", "/run/reboot-required") }, err
	}},
	{name: "an engine runs with older settings", kind: "restart-needed", begin: func(at *place) (func() error, error) {
		_, err := at.Host.TryExec("touch", "-d", "+2 seconds", settings)
		return func() error { // a start before the time of the file would be older than it
			return at.eventually(time.Minute, func() error {
				return at.exec("sh", "-c", "touch /run/now && ! test "+settings+" -nt /run/now && systemctl restart mariadb")
			})
		}, err
	}},
	{name: "nginx refuses a site", kind: "site-failed", subject: (*place).taken, begin: func(at *place) (func() error, error) {
		a := at.create(at.Path("/sites"), map[string]any{"type": "static-html", "name": at.taken()})
		return func() error { return at.remove(at.Path("/sites/"+a.Data.ID), "/sites/"+a.Data.ID) }, nil
	}},
	{name: "work on the server itself fails", kind: "server-failed", begin: func(at *place) (func() error, error) {
		at.Host.Cut(at.t)
		a := at.create(at.Path("/repairs"), nil)
		// Its time is up before the server answers again.
		at.p.SQL(at.t, "UPDATE operations SET deadline = 1 WHERE id = ?", a.Data.Operation().ID)
		err := at.eventually(time.Minute, func() error {
			if n := at.p.Count(at.t, "SELECT count(*) FROM operations WHERE id = ? AND state = 'failed'", a.Data.Operation().ID); n == 0 {
				return fmt.Errorf("the repair goes on")
			}
			return nil
		})
		at.Host.Heal(at.t)
		return func() error { return repaired(at.p, at.Server) }, err
	}},
	{name: "a server waits for its line", kind: "server-waiting", subject: (*place).waiting, begin: func(at *place) (func() error, error) {
		a := at.create("/servers", map[string]any{
			"name": at.waiting(), "provider": "custom", "type": "web", "custom": map[string]any{"ip_address": at.Host.IP, "ssh_port": 2222},
		})
		return func() error { return at.remove("/servers/"+a.Data.ID, "/servers/"+a.Data.ID) }, nil
	}},
	{name: "the line is bad", why: "answers arrive, though late", begin: func(at *place) (func() error, error) {
		at.Host.Slow(at.t, practice.Line{Delay: 100 * time.Millisecond, Jitter: 50 * time.Millisecond, Loss: 5})
		time.Sleep(20 * time.Second)
		return at.heal, nil
	}},
	{name: "agents are killed", why: "their runs are done again within seconds", begin: func(at *place) (func() error, error) {
		for range 20 {
			_, _ = at.Host.TryExec("pkill", "-KILL", "-f", "[h]ostler-agent")
			time.Sleep(time.Duration(at.random.IntN(1000)) * time.Millisecond)
		}
		return nothing, nil
	}},
}

// elsewhere are the kinds of attention that no fault of a storm has, each with a test that shows it.
var elsewhere = map[string]struct{ why, test string }{
	"panel-disk-full":         {"it is of the panel, and happens between its kills", "TestFaults"},
	"panel-certificate":       {"an authority refuses", "TestPanelWithoutCertificate"},
	"panel-open":              {"a setting of the panel is wrong", "TestWorstOpeningNeedsAttention"},
	"panel-backup":            {"an archive of the panel is damaged in its storage", "TestPanelBacksItselfUp"},
	"panel-update":            {"a release is published", "TestNewerReleaseNeedsAttention"},
	"deployment-failed":       {"a script of the user fails", "TestAttention"},
	"site-limit-reached":      {"the hosts of a storm have no controllers of cgroups", "TestAttentionOfHosts"},
	"server-out-of-memory":    {"the hosts of a storm share their memory with the machine", "TestAttentionOfHosts"},
	"clock-apart":             {"the hosts of a storm share one clock", "TestAttentionOfHosts"},
	"dns-records":             {"a DNS provider refuses, or a person changes a record there", "TestDNSRecords"},
	"certificate-failing":     {"an authority refuses", "TestAttention"},
	"certificate-ending":      {"it takes weeks", "TestAttention"},
	"mail-failed":             {"a mail server refuses", "TestFailedMailNeedsAttention"},
	"recipient-waiting":       {"the owner of an address does not answer", "TestUnconfirmedAddressesGetOneMail"},
	"backup-alarm":            {"a storage refuses", "TestAttention"},
	"backup-unproven":         {"it takes a day", "TestAttention"},
	"heartbeat-missing":       {"a program of the user is silent", "TestAttentionOfHosts"},
	"monitor-alert":           {"a threshold of the user is crossed", "TestAttentionOfHosts"},
	"drift":                   {"servers are compared every six hours", "TestDriftIsToldOnce"},
	"input-misread":           {"an older release accepted it", "TestInputFromBeforeNeedsAttention"},
	"job-not-started":         {"it takes until a job is due", "TestAttention"},
	"nothing-served":          {"a deployment of an earlier release was not looked at", "TestAttention"},
	"nginx-refused":           {"an older release accepted it", "TestConfigurationFromBefore"},
	"server-host-key-changed": {"its new keys wait for a person", "TestNewHostKeysAreConfirmed"},
	"site-shares-account":     {"an older release made it so", "TestSiteGetsAllDatabases"},
	"server-outdated":         {"a newer Hostler sets something up differently", "TestNewerVersionIsRolledOut"},
	"work-stalled":            {"a job of the panel is lost", "TestWorkThatNobodyBeginsNeedsAttention"},
	"hook-known":              {"a person leaves", "TestLeaverKnowsDeployHook"},
}

// Every kind of attention is one of a fault in a storm, or shown by a test that is there.
func TestEveryKindOfAttentionIsShown(t *testing.T) {
	t.Parallel()
	for _, kind := range attention.Values()["AttentionAttributes.kind"] {
		caused := slices.ContainsFunc(faults, func(f fault) bool { return f.kind == kind })
		if other, ok := elsewhere[kind]; ok == caused {
			t.Errorf("%s is of a fault: %v, and shown by %q", kind, caused, other.test)
		}
	}
	tests := declared(t)
	for kind, other := range elsewhere {
		if !tests[other.test] {
			t.Errorf("%s is shown by %s, which is not there", kind, other.test)
		}
	}
	for _, f := range faults {
		if (f.kind == "") != (f.why != "") {
			t.Errorf("%s is %q in attention, and not there as %q", f.name, f.kind, f.why)
		}
	}
}

// declared are the names of all tests.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, root := range []string{"../../internal", "../../test"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			for line := range strings.Lines(string(raw)) {
				if rest, ok := strings.CutPrefix(line, "func Test"); ok {
					name, _, _ := strings.Cut(rest, "(")
					out["Test"+name] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func nothing() error { return nil }

func (at *place) heal() error { at.Host.Heal(at.t); return nil }

// taken is a name that nginx serves by hand already.
func (at *place) taken() string { return "taken-" + at.Host.Name + ".example.com" }

// waiting is the name of a server whose line is not run.
func (at *place) waiting() string { return "new-" + at.Host.Name }

func (at *place) exec(argv ...string) error {
	out, err := at.Host.TryExec(argv...)
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, out)
	}
	return nil
}

// create asks for a resource until it is accepted: a panel may be killed at any moment.
func (at *place) create(path string, body any) panel.Answer {
	return insist(at.t, at.p, http.MethodPost, path, strconv.FormatInt(time.Now().UnixNano(), 36), body)
}

// remove deletes a resource, and waits until it is gone.
func (at *place) remove(path, shown string) error {
	insist(at.t, at.p, http.MethodDelete, path, "", nil)
	return at.eventually(time.Minute, func() error {
		a, err := at.p.Do(http.MethodGet, shown, nil)
		if err == nil && a.Code != http.StatusNotFound {
			err = fmt.Errorf("%s is there: %d", shown, a.Code)
		}
		return err
	})
}
