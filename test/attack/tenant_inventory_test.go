package attack_test

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/hosts"
)

//go:embed testdata/look.php
var look string

// commands are the queries to the host's own tools.
var commands = []string{
	"ps axeww", "ps axeww -L -o pid,user,cgroup,unit,args", "systemctl show --all '*'", "systemctl list-units --all --no-pager",
	"systemctl status --no-pager --all -l", "systemctl list-timers --all --no-pager", "systemctl cat --no-pager '*'",
	"journalctl --no-pager -n 100000", "loginctl list-users --no-pager", "loginctl list-sessions --no-pager", "crontab -l",
	"crontab -l -u bob", "sudo -n -l", "ss -tuaxpe", "ipcs -a", "w", "last -n 1000", "lastlog", "dmesg", "getent passwd", "getent group", "getent shadow",
	"nginx -T", "php-fpm8.2 -tt", "php-fpm8.4 -tt", "cat /proc/keys", "cat /proc/mounts", "cat /proc/net/unix",
	"cat /proc/net/tcp", "ls -laR /tmp", "ls -laR /var/tmp", "ls -laR /dev/shm", "ls -laR /run", "ls -la /home",
	"ls -laR /var/log", "ls -laR /var/lib/hostler", "ls -laR /etc/hostler", "systemd-cgls --no-pager -l",
	"busctl --no-pager list", "find /sys/fs/cgroup", "find /var/spool /var/mail", "mailq", "atq", "git config --system --list",
	"redis-cli --no-auth-warning info", "redis-cli keys '*'",
}

// places are where a customer's software has secrets while it runs; lives leaves one in each.
var places = []string{"query", "process", "printed", "environ", "job", "session", "temporary", "visit", "cache"}

func (n *Tenant) lives(t testing.TB) {
	t.Helper()
	w, h := n.host.world, n.host
	sleep, client := "SELECT pg_sleep(86400)", "env PGPASSWORD="+n.Password+" psql -X -q -h 127.0.0.1 -U "+n.Database+" -d "+n.Database
	if !h.Postgres() {
		sleep, client = "SELECT SLEEP(86400)", "env MYSQL_PWD="+n.Password+" mariadb --no-defaults -h 127.0.0.1 -u "+n.Database+" "+n.Database
	}
	n.run(t, "sh", "-c", `umask 077; printf '%s\n' "$1" >"$HOME/query"`, "sh", sleep+" /* "+n.Secret+"-query */;")
	process := h.Path("/background-processes/") + w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/background-processes"), map[string]any{
		"name": "worker", "user": n.User, "site_id": number(n.Site.ID), "processes": 1,
		"command": "echo " + n.Secret + "-process >/tmp/scratch; echo " + n.Secret + "-printed; export SECRET=" + n.Secret + "-environ; " + client +
			` <"$HOME/query"; exec sleep 86400`,
	}).Data.ID
	job := h.Path("/sites/" + n.Site.ID + "/scheduled-jobs/")
	job += w.Want(t, http.StatusAccepted, http.MethodPost, strings.TrimSuffix(job, "/"), map[string]any{
		"name":      "job",
		"user":      n.User,
		"frequency": "hourly",
		"command":   "echo " + n.Secret + "-job",
	}).Data.ID
	t.Cleanup(func() {
		for _, path := range []string{process, job} {
			w.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)
			w.Gone(t, time.Minute, path)
		}
		_, _ = n.try("sh", "-c", "rm -f ~/query /tmp/scratch")
	})
	for _, path := range []string{process, job} {
		if got := w.Settled(t, time.Minute, path); got.Operation().State == "failed" {
			t.Fatalf("%s of %s: %+v\n%s", path, n.User, got.Operation(), w.Output(t, h.Server, got.Operation().EventID))
		}
	}
	if got := n.php(t, `session_start(); $_SESSION['secret'] = '`+n.Secret+
		`-session'; session_write_close(); file_put_contents(tempnam(sys_get_temp_dir(), 'scratch'), '`+n.Secret+`-temporary'); echo 'done';`); got != "done" {
		t.Fatalf("a session of %s: %s", n.User, got)
	}
	n.php(t, `foreach ([[6379, "SET `+n.Secret+`-cache x\r\n"], [11211, "set `+n.Secret+
		`-cache 0 0 1\r\nx\r\n"]] as [$port, $ask]) { if ($s = @stream_socket_client("tcp://127.0.0.1:$port", $c, $t, 2)) { fwrite($s, $ask); fgets($s); } }`)
	n.visit(t, "/?token="+n.Secret+"-visit")
	hosts.Eventually(t, 30*time.Second, "the query of "+n.User+" runs", func() error {
		if got := h.rootSQL(t, h.system(), n.sleeping()); got != "1" {
			return fmt.Errorf("%s of it run", got)
		}
		return nil
	})
}

// sleeping counts the queries that lives began.
func (n *Tenant) sleeping() string {
	if n.host.Postgres() {
		return "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(86400)%' AND usename = '" + n.Database + "'"
	}
	return "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%SLEEP(86400)%' AND user = '" + n.Database + "'"
}

// system returns the engine's own database.
func (h *TenantHost) system() string {
	if h.Postgres() {
		return "postgres"
	}
	return "mysql"
}

// words returns what others have, and what it is.
func (h *TenantHost) words(viewer *Tenant) map[string]string {
	out := map[string]string{h.RootSecret: "root's secret", h.world.Token: "a token of the panel"}
	for _, n := range h.Tenants() {
		if n == viewer {
			continue
		}
		out[n.Secret], out[n.Password], out[n.Domain], out[n.Database] = n.User+"'s secret", n.User+"'s password", n.User+"'s domain", n.User+"'s database"
		if n.User != "forge" { // that every host has
			out[n.User] = n.User + "'s name"
		}
		for _, place := range places {
			out[n.Secret+"-"+place] = n.User + "'s secret of the " + place
		}
	}
	return out
}

// looks returns what a tenant sees of others on the host: logged in as its account, or in its pool.
func (n *Tenant) looks(t testing.TB, pool bool) []string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"words": n.host.words(n), "commands": commands})
	if err != nil {
		t.Fatal(err)
	}
	h, dir := n.host.Host, n.Base+"/public/look"
	h.Exec(t, "install", "-d", "-m", "755", dir)
	defer func() { _, _ = h.TryExec("rm", "-rf", dir) }()
	h.WriteFile(t, dir+"/index.php", []byte(look), 0o644)
	h.WriteFile(t, dir+"/inventory.json", raw, 0o644)
	h.Exec(t, "sh", "-c", `find / '(' -path /proc -o -path /sys -o -path "$1" ')' -prune -o -printf '%U\t%G\t%y\t%p\0' >"$1/inventory.files" `+
		`2>/dev/null; [ -s "$1/inventory.files" ]`, "sh", dir)
	h.Exec(t, "chown", "-R", n.User+":", dir)
	var out string
	if pool {
		_, out = n.visit(t, "/look/index.php")
	} else {
		out = n.run(t, "php", dir+"/index.php")
	}
	if !strings.HasSuffix(out, "\nend\tend\n") {
		t.Fatalf("%s did not look at everything: %q", n.User, out[max(0, len(out)-2000):])
	}
	var lines []string
	for line := range strings.Lines(strings.TrimSuffix(out, "end\tend\n")) {
		lines = append(lines, normal(strings.TrimSuffix(line, "\n")))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

var varying = []struct {
	like *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`/sess_\w+`), "/sess_X"},
	{regexp.MustCompile(`/scratch\w+`), "/scratchX"},
	{regexp.MustCompile(`\bscript[0-9a-f]{16}\b`), "scriptX"},
	{regexp.MustCompile(`-[0-9a-f]{32}-([a-z.-]+)-\w{6}`), "-X-$1-X"},
	{regexp.MustCompile(`[0-9a-f]{16,}`), "X"},
	{regexp.MustCompile(`[0-9]+`), "N"},
}

// normal omits what differs from run to run, except for ports.
func normal(line string) string {
	if strings.HasPrefix(line, "port\t") || strings.HasPrefix(line, "udp\t") {
		return line
	}
	for _, v := range varying {
		line = v.like.ReplaceAllString(line, v.with)
	}
	if strings.HasPrefix(line, "process\t") { // only its existence counts
		return line
	}
	if m := names.FindStringSubmatch(line); m != nil { // wherever it was found: it is no secret in one place that is known in another
		return "name\t" + m[1]
	}
	return line
}

var names = regexp.MustCompile(`\w+'s (name|domain|database)$`)

// A row is what a tenant may see of others, and why: looking from a login (of an isolated account, or of forge), from a pool, or from a database
// account; on hosts of which release of Debian; of which kind. Alternatives are separated by " | ", * is a part of a path and ** is any.
type row struct {
	from, host, kind string
	what             []string
	reason           string
	matched          map[string]bool
}

//go:embed testdata/visible.tsv
var visible string

func allowed(t testing.TB) (rows []*row) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(visible), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 5 || f[4] == "" {
			t.Fatalf("line %d of visible.tsv is not from, host, kind, what and reason: %q", i+1, line)
		}
		if i > 0 {
			rows = append(rows, &row{from: f[0], host: f[1], kind: f[2], what: strings.Split(f[3], " | "), reason: f[4], matched: map[string]bool{}})
		}
	}
	return rows
}

var stars = strings.NewReplacer(`\*\*`, ".*", `\*`, "[^/]*")

// release returns the release of Debian that the hosts have, as visible.tsv names it.
func release() string {
	if os.Getenv("HOSTLER_ATTACK_DEBIAN") == "13" {
		return "debian13"
	}
	return "debian12"
}

func (r *row) allows(from, line string) (ok bool) {
	kind, what, _ := strings.Cut(line, "\t")
	if r.from != "*" && r.from != from || r.host != "*" && r.host != release() || r.kind != kind {
		return false
	}
	for _, pattern := range r.what {
		if regexp.MustCompile("^" + stars.Replace(regexp.QuoteMeta(pattern)) + "$").MatchString(what) {
			r.matched[pattern], ok = true, true
		}
	}
	return ok
}

const securityPage = "../../docs/security.md"

var update = flag.Bool("update", false, "write the table of visible.tsv into docs/security.md")

// The page for people has the list.
func TestWhatIsVisibleIsDocumented(t *testing.T) {
	const begin, end = "<!-- visible: test/attack/testdata/visible.tsv -->\n", "<!-- end of visible -->"
	var b strings.Builder
	b.WriteString(begin + "| from | kind | what | why |\n|---|---|---|---|\n")
	from := map[string]string{"*": "anywhere", "login": "a login", "pool": "PHP", "database": "the database"}
	for _, r := range allowed(t) {
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", from[r.from], r.kind, strings.Join(r.what, "` `"), r.reason)
	}
	raw, err := os.ReadFile(securityPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("docs/security.md has no place for the list: %q", begin)
	}
	want := before + b.String() + end + after
	if want == string(raw) {
		return
	}
	if !*update {
		t.Fatal("docs/security.md does not have the list of visible.tsv: go test ./test/attack -run TestWhatIsVisibleIsDocumented -update")
	}
	if err := os.WriteFile(securityPage, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What a customer sees of the others and of root on a shared host, logged in as its account, in its PHP, and with its database
// account, matches the list.
func TestNeighbourSees(t *testing.T) {
	drawn(t)
	w := tenantWorld(t)
	rows := allowed(t)
	for _, h := range w.Hosts() {
		h.Bob.lives(t)
		for _, v := range []struct {
			who, from string
			seen      func() []string
		}{
			{"an isolated account", "login", func() []string { return h.Alice.looks(t, false) }},
			{"the PHP of an isolated account", "pool", func() []string { return h.Alice.looks(t, true) }},
			{"the account of all other sites", "login", func() []string { return h.Forge.looks(t, false) }},
			{"a database account", "database", func() []string { return h.Alice.queries(t) }},
		} {
			var more []string
			for _, line := range v.seen() {
				var known bool
				for _, r := range rows {
					known = r.allows(v.from, line) || known
				}
				if !known {
					more = append(more, line)
				}
			}
			if len(more) > 0 {
				t.Errorf("%s: %s sees %d things that are not in visible.tsv:\n%s", h.Engine, v.who, len(more), strings.Join(more, "\n"))
			}
		}
	}
	for _, r := range rows {
		for _, pattern := range r.what {
			if full() && !r.matched[pattern] && (r.host == release() || r.host == "*" && release() == "debian12") {
				t.Errorf("visible.tsv allows what no tenant sees: %s %s %s %s", r.from, r.host, r.kind, pattern)
			}
		}
	}
	w.unharmed(t)
}
