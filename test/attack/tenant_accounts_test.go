package attack_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/hosts"
)

// ways returns how a tenant runs shell commands on its host: after a login (the account alone, no unit around it), in its PHP pool, as a command of its
// site (which a deploy script is like), as a scheduled job and as a background process.
func (n *Tenant) ways() map[string]func(t testing.TB, script string) string {
	return map[string]func(t testing.TB, script string) string{
		"login": func(_ testing.TB, script string) string {
			out, _ := n.try("sh", "-c", script)
			return out
		},
		"PHP":     n.inPHP,
		"command": n.inCommand,
		"job":     n.inJob,
		"process": n.inProcess,
	}
}

func (n *Tenant) inPHP(t testing.TB, script string) string {
	t.Helper()
	return n.php(t, "echo shell_exec(base64_decode('"+base64Of("("+script+") 2>&1")+"'));")
}

func (n *Tenant) inCommand(t testing.TB, script string) string {
	t.Helper()
	w, path := n.host.world, n.host.Path("/sites/"+n.Site.ID+"/commands")
	c := w.Want(t, http.StatusAccepted, http.MethodPost, path, map[string]any{"command": "echo " + base64Of(script) + " | base64 -d | sh"})
	w.Settled(t, time.Minute, path+"/"+c.Data.ID)
	return w.Get(t, path+"/"+c.Data.ID+"/output").Text("output")
}

// inJob makes a job for each minute, and has it run now, as cron does.
func (n *Tenant) inJob(t testing.TB, script string) string {
	t.Helper()
	w, path := n.host.world, n.host.Path("/sites/"+n.Site.ID+"/scheduled-jobs")
	j := w.Want(t, http.StatusAccepted, http.MethodPost, path, map[string]any{
		"command": "echo " + base64Of(script) + " | base64 -d | sh", "user": n.User, "frequency": "monthly",
	})
	defer w.Want(t, http.StatusAccepted, http.MethodDelete, path+"/"+j.Data.ID, nil)
	w.Settled(t, time.Minute, path+"/"+j.Data.ID)
	n.host.root(t, "sh", "-c", "$(sed -n 's/^[^#].* root \\(.*\\)$/\\1/p' /etc/cron.d/hostler-job-"+j.Data.ID+")")
	return n.host.root(t, "cat", "/var/log/hostler/job-"+j.Data.ID+".log")
}

func (n *Tenant) inProcess(t testing.TB, script string) string {
	t.Helper()
	w, path := n.host.world, n.host.Path("/background-processes")
	p := w.Want(t, http.StatusAccepted, http.MethodPost, path, map[string]any{
		"name":      "look",
		"command":   "(echo " + base64Of(script) + " | base64 -d | sh; echo over) 2>&1; sleep 600",
		"user":      n.User,
		"processes": 1,
	})
	defer func() {
		w.Want(t, http.StatusAccepted, http.MethodDelete, path+"/"+p.Data.ID, nil)
		w.Gone(t, time.Minute, path+"/"+p.Data.ID)
	}()
	w.Settled(t, time.Minute, path+"/"+p.Data.ID)
	log := ""
	hosts.Eventually(t, 30*time.Second, "the process of "+n.User+" looked around", func() error {
		log = n.host.root(t, "cat", "/var/log/hostler-processes/"+p.Data.ID+"/output.log")
		if !strings.Contains(log, "over\n") {
			return fmt.Errorf("it printed %q", log)
		}
		return nil
	})
	return log
}

// spread leaves a tenant's secret wherever its programs leave things: temporary files, shared memory, a session, an upload, a log, a job, a process
// with the word in its arguments and its environment. The process lives until the test ends.
func (n *Tenant) spread(t testing.TB) {
	t.Helper()
	w := n.host.world
	n.php(t, `session_start(); $_SESSION['word'] = '`+n.Secret+`'; file_put_contents('/tmp/page', '`+n.Secret+
		`'); file_put_contents(tempnam(sys_get_temp_dir(), 'x'), '`+n.Secret+`');
		file_put_contents('/var/tmp/page', '`+n.Secret+`'); file_put_contents('/dev/shm/page-`+n.User+`', '`+n.Secret+`'); @mkdir(__DIR__.'/../logs'); `+
		`file_put_contents(__DIR__.'/../logs/app.log', '`+n.Secret+`');
		error_log('`+n.Secret+`'); exec('logger `+n.Secret+`');`)
	n.visit(t, "/?token="+n.Secret)
	n.visit(t, "/missing/../../"+n.Secret+".txt%00")
	path := n.host.Path("/background-processes")
	p := w.Want(t, http.StatusAccepted, http.MethodPost, path, map[string]any{
		"name":      "secret",
		"command":   "export WORD=" + n.Secret + "; echo $WORD | tee /tmp/process; exec -a " + n.Secret + " sleep 3600",
		"user":      n.User,
		"processes": 1,
	})
	job := w.Want(t, http.StatusAccepted, http.MethodPost, n.host.Path("/sites/"+n.Site.ID+"/scheduled-jobs"), map[string]any{
		"command": "echo " + n.Secret, "user": n.User, "frequency": "monthly",
	})
	jobPath := n.host.Path("/sites/" + n.Site.ID + "/scheduled-jobs/" + job.Data.ID)
	t.Cleanup(func() {
		w.Want(t, http.StatusAccepted, http.MethodDelete, path+"/"+p.Data.ID, nil)
		w.Want(t, http.StatusAccepted, http.MethodDelete, jobPath, nil)
		w.Gone(t, time.Minute, path+"/"+p.Data.ID)
		n.host.root(t, "sh", "-c", "rm -rf /tmp/page /var/tmp/page /dev/shm/page-"+n.User+" "+n.Base+"/logs")
	})
	w.Settled(t, time.Minute, path+"/"+p.Data.ID)
	w.Settled(t, time.Minute, jobPath)
	n.host.root(t, "sh", "-c", "$(sed -n 's/^[^#].* root \\(.*\\)$/\\1/p' /etc/cron.d/hostler-job-"+job.Data.ID+")")
}

// The neighbour searches the whole host for the other's word, in every way in which it can run something. After a login it sees
// the arguments of the other's processes, as docs/security.md says, and in no other way; the account of all other sites can ask
// systemd for them.
func TestNeighbourReadsFilesSessionsAndProcesses(t *testing.T) {
	drawn(t)
	w := tenantWorld(t)
	h := w.Postgres
	for _, n := range []*Tenant{h.Alice, h.Bob} {
		n.spread(t)
	}
	const grep = `for f in /home /home/OTHER/OTHER.example.com /home/OTHER/OTHER.example.com/public /etc /var /run /tmp /dev/shm \
		/opt /srv /usr/local /root /boot; do
		grep -rlsaI --devices=skip --exclude-dir=share -e WORD $f; done
cat /home/OTHER/OTHER.example.com/logs/app.log /home/OTHER/secret 2>/dev/null | grep -e WORD;
cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -s -e WORD;
ls /home/OTHER /var/lib/hostler/accounts /var/lib/hostler/accounts/OTHER /var/lib/hostler/runs \
	/var/lib/hostler/scripts /var/log/hostler /var/log/hostler-processes /var/lib/php/sessions 2>/dev/null`
	const bus = `for u in $(ls /etc/systemd/system/*.wants /etc/systemd/system | grep hostler-) php8.2-fpm.service php8.4-fpm.service; do
		systemctl status --no-pager --full $u; systemctl show $u; done 2>/dev/null | grep -s -e WORD
journalctl --no-pager 2>/dev/null | grep -s -e WORD; true`
	const arguments = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -v grep | grep -s -e WORD; true`
	for _, who := range []struct{ attacker, victim *Tenant }{{h.Alice, h.Bob}, {h.Bob, h.Alice}, {h.Forge, h.Bob}} {
		fill := func(script string) string {
			// Never the word itself, which would be found in the attacker's own files and arguments.
			half := len(who.victim.Secret) / 2
			word := "'" + who.victim.Secret[:half] + "[" + who.victim.Secret[half:half+1] + "]" + who.victim.Secret[half+1:] + "'"
			return strings.NewReplacer("WORD", word, "OTHER", who.victim.User).Replace(script)
		}
		for name, run := range who.attacker.ways() {
			if found := foundIn(run(t, fill(grep)), who.victim); found != "" {
				t.Errorf("%s, by %s, finds of %s:\n%s", who.attacker.User, name, who.victim.User, found)
			}
			if found := foundIn(run(t, fill(bus)), who.victim); found != "" && who.attacker != h.Forge {
				t.Errorf("%s, by %s, learns from systemd of %s:\n%s", who.attacker.User, name, who.victim.User, found)
			}
			if name == "login" || name == "PHP" && who.attacker == h.Forge { // the distribution's master, and a login, see processes
				continue
			}
			if found := foundIn(run(t, fill(arguments)), who.victim); found != "" {
				t.Errorf("%s, by %s, sees arguments of %s:\n%s", who.attacker.User, name, who.victim.User, found)
			}
		}
	}
	// The search does find: the victim its own.
	if found := foundIn(h.Bob.inPHP(t, "grep -rls '"+h.Bob.Secret+"' /home /tmp /var/tmp /var/lib/hostler/accounts/bob"), h.Bob); strings.Count(found, "\n") < 6 {
		t.Errorf("bob finds of his own only:\n%s", found)
	}
	w.unharmed(t)
}

// foundIn returns the lines of an output that name something of a tenant's: its word, or a path of its.
func foundIn(out string, victim *Tenant) string {
	var found []string
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if strings.Contains(line, victim.Secret) || strings.HasPrefix(line, "/") && !strings.HasSuffix(line, ":") ||
			line == victim.Domain || strings.HasPrefix(line, "sess_") {
			found = append(found, line+"\n")
		}
	}
	return strings.Join(found, "")
}

// PHP of one tenant compiles, includes and lists scripts of the other, which the OPcache of a shared master would give it; and asks the other's pool.
func TestNeighbourReadsOPcache(t *testing.T) {
	w := tenantWorld(t)
	for _, h := range w.Hosts() {
		for _, n := range h.Tenants() {
			n.visit(t, "/") // so that it is in the cache
		}
		for _, attacker := range h.Tenants() {
			for _, victim := range h.Tenants() {
				if attacker == victim {
					continue
				}
				if got := attacker.php(t, `echo json_encode(array_keys(opcache_get_status(true)['scripts'] ?? []));`); strings.Contains(got,
					victim.User+".example.com") || !strings.Contains(got, attacker.User) {
					t.Errorf("%s finds in its OPcache: %s", attacker.User, got)
				}
				script := victim.Base + "/public/index.php"
				for _, code := range []string{
					`var_dump(@opcache_is_script_cached('` + script + `'));`,
					`var_dump(@opcache_compile_file('` + script + `'));`, `var_dump(@include '` + script + `');`,
					`var_dump(@file_get_contents('` + script + `'));`, `var_dump(@opcache_invalidate('` + script + `', true));`,
				} {
					if got := attacker.php(t, code); strings.Contains(got, "hello") || strings.Contains(got, "true") {
						t.Errorf("%s: %s gives %s", attacker.User, code, got)
					}
				}
				for socket := range strings.FieldsSeq(h.root(t, "sh", "-c", "ls /run/php/hostler-"+victim.Site.ID+"-*.sock")) {
					if got := attacker.php(t, `var_dump(@stream_socket_client('unix://`+socket+`'));`); !strings.Contains(got, "false") {
						t.Errorf("%s connects to the pool of %s: %s", attacker.User, victim.User, got)
					}
				}
			}
		}
	}
	w.unharmed(t)
}

// nginx reads the homes of all: a tenant has it read the neighbour's, by links of files, of directories and of the document root itself.
func TestNeighbourHasNginxReadFiles(t *testing.T) {
	w := tenantWorld(t)
	h := w.MariaDB
	victim := h.Bob
	h.root(t, "sh", "-c",
		"printf %s "+victim.Secret+" >"+victim.Base+"/public/open.txt && chown bob:bob "+victim.Base+"/public/open.txt && chmod 644 "+victim.Base+"/public/open.txt")
	defer h.root(t, "rm", "-f", victim.Base+"/public/open.txt")
	if code, body := victim.visit(t, "/open.txt"); code != http.StatusOK || body != victim.Secret {
		t.Fatalf("bob's own file is served as %d %s", code, body)
	}
	for _, attacker := range []*Tenant{h.Alice, h.Forge} {
		public := attacker.Base + "/public"
		attacker.run(t, "sh", "-c",
			"cd "+public+" && ln -sf "+victim.Base+"/public/open.txt x.txt && ln -sfn "+victim.Base+"/public dir && ln -sfn "+victim.Home+" home && ln -sfn / all")
		for _, path := range []string{
			"/x.txt", "/dir/open.txt", "/home/secret", "/home/bob.example.com/public/open.txt",
			"/all/home/bob/bob.example.com/public/open.txt",
		} {
			if code, body := attacker.visit(t, path); strings.Contains(body, victim.Secret) ||
				code == http.StatusOK && !strings.HasPrefix(body, "hello from "+attacker.User) {
				t.Errorf("%s has nginx read %s: %d %s", attacker.User, path, code, body)
			}
		}
		attacker.run(t, "sh", "-c", "cd "+public+" && rm x.txt dir home all && mv "+public+" "+public+"-own && ln -s "+victim.Base+"/public "+public)
		if code, body := attacker.visit(t, "/open.txt"); strings.Contains(body, victim.Secret) {
			t.Errorf("%s has its document root lead to the neighbour's: %d %s", attacker.User, code, body)
		}
		attacker.run(t, "sh", "-c", "rm "+public+" && mv "+public+"-own "+public)
		if groups := h.root(t, "id", "-Gn", attacker.User); slices.Contains(strings.Fields(groups), "www-data") {
			t.Errorf("%s is in nginx's group: %s", attacker.User, groups)
		}
	}
	w.unharmed(t)
}

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
