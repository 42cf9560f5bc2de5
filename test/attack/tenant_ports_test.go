package attack_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// What tenants try over loopback, where every account of a host meets every other: ports that are free for a moment, programs that nginx alone should
// ask, Redis and Memcached; and what they put where root works.

// squatter answers every connection with a canary and notes that it was asked.
const squatter = `<?php
$s = stream_socket_server('tcp://' . $argv[1], $n, $e) or exit(1);
touch($argv[2] . '.listens');
while (true) { if ($c = @stream_socket_accept($s, -1)) { file_put_contents($argv[2], fread($c, 4096), FILE_APPEND);
fwrite($c, "HTTP/1.0 200 OK\r\n\r\nsquatted"); fclose($c); } }
`

// knock returns what an account gets from an address: the answer, or why there is none.
func (n *Tenant) knock(t testing.TB, address string) string {
	t.Helper()
	out, _ := n.try("php", "-r", `$c = @stream_socket_client('tcp://' . $argv[1], $n, $e, 3); if (!$c) { echo $e; exit; } fwrite($c, `+
		`"GET / HTTP/1.0\r\n\r\n"); stream_set_timeout($c, 3); echo stream_get_contents($c);`, address)
	return out
}

// memcached asks the Memcached that clients find by default.
func (n *Tenant) memcached(t testing.TB, port, command string) string {
	t.Helper()
	out, err := n.try("php", "-r",
		`$c = @stream_socket_client('tcp://127.0.0.1:' . $argv[1], $n, $e, 3); if (!$c) { echo $e; exit; } fwrite($c, strtr($argv[2], `+
			`['|' => "\r\n"]) . "\r\nquit\r\n"); stream_set_timeout($c, 3); echo stream_get_contents($c);`, port, command)
	if err != nil {
		t.Fatalf("memcached as %s: %v\n%s", n.User, err, out)
	}
	return out
}

// octane makes a tenant's site one that is served by its own program, on a port.
func (n *Tenant) octane(t testing.TB, port string) {
	t.Helper()
	n.run(t, "sh", "-c", `cd "$1" && echo '{"packages": [{"name": "laravel/framework", "version": "v12.1.0"},
		{"name": "laravel/octane", "version": "v2.8.1"}]}' >composer.lock &&
echo '<?php echo "octane of ", posix_getpwuid(posix_geteuid())["name"];' >octane.php && printf '%s' "$2" >artisan`, "sh", n.Base,
		`<?php preg_match('/--port=(\d+)/', implode(' ', $argv), $m); pcntl_exec(PHP_BINARY, ['-S', "127.0.0.1:$m[1]", __DIR__ . '/octane.php']);`)
	w, h := n.host.world, n.host
	at := h.Path("/sites/" + n.Site.ID + "/integrations/octane")
	w.Want(t, http.StatusAccepted, http.MethodPost, at, map[string]any{"port": port, "server": "swoole"})
	n.answers(t, "octane of "+n.User)
	t.Cleanup(func() {
		w.Want(t, http.StatusAccepted, http.MethodDelete, at, nil)
		n.answers(t, "hello from "+n.User)
		n.run(t, "rm", "-f", n.Base+"/composer.lock", n.Base+"/artisan", n.Base+"/octane.php")
	})
}

func (n *Tenant) answers(t testing.TB, want string) {
	t.Helper()
	hosts.Eventually(t, time.Minute, n.Domain+" answers "+want, func() error {
		if _, body := n.visit(t, "/"); body != want {
			return fmt.Errorf("it answers %q", body)
		}
		return nil
	})
}

func TestNeighbourListensWhereAProgramWas(t *testing.T) {
	drawn(t)
	w := tenantWorld(t)
	h := w.MariaDB
	const port = "8100"
	h.Alice.octane(t, port)
	public := h.Host.IP

	// As long as the program runs, nginx, its own account and root alone can ask it.
	for _, address := range []string{"127.0.0.1:" + port, public + ":" + port, "[::1]:" + port} {
		for _, n := range []*Tenant{h.Bob, h.Forge} {
			if got := n.knock(t, address); strings.Contains(got, "octane") {
				t.Errorf("%s asks alice's program at %s: %q", n.User, address, got)
			}
		}
	}
	if got := h.Alice.knock(t, "127.0.0.1:"+port); !strings.HasSuffix(got, "octane of alice") {
		t.Errorf("alice's own account gets %q", got)
	}

	// While it is down, another listener on its port receives no connection.
	h.root(t, "sh", "-c", "systemctl stop 'hostler-process-*'")
	h.Host.WriteFile(t, "/tmp/squatter.php", []byte(squatter), 0o644)
	for i, address := range []string{"127.0.0.1:" + port, "0.0.0.0:" + port, "[::]:" + port} {
		unit, seen := fmt.Sprintf("squatter-%d", i), fmt.Sprintf("%s/seen-%d", h.Bob.Home, i)
		h.root(t, "systemd-run", "--quiet", "--collect", "--unit="+unit, "-p", "User=bob", "php", "/tmp/squatter.php", address, seen)
		hosts.Eventually(t, 20*time.Second, "bob listens at "+address, func() error {
			_, err := h.Host.TryExec("test", "-e", seen+".listens")
			return err
		})
		if code, body := h.Alice.visit(t, "/"); code < 500 || strings.Contains(body, "squatted") {
			t.Errorf("with bob at %s alice's visitors get %d %q", address, code, body)
		}
		for _, n := range []*Tenant{h.Alice, h.Forge} {
			if got := n.knock(t, "127.0.0.1:"+port); strings.Contains(got, "squatted") {
				t.Errorf("with bob at %s %s gets %q", address, n.User, got)
			}
		}
		if out, err := h.Host.TryExec("cat", seen); err == nil {
			t.Errorf("bob at %s was asked:\n%s", address, out)
		}
		h.root(t, "systemctl", "stop", unit)
		h.root(t, "rm", "-f", seen, seen+".listens")
	}
	h.root(t, "sh", "-c", "systemctl start $(ls /etc/systemd/system/multi-user.target.wants | grep hostler-process-)")
	h.Alice.answers(t, "octane of alice")

	// Another site is not given the port, nor one of a cache.
	h.Bob.run(t, "cp", "/dev/null", h.Bob.Base+"/composer.lock")
	h.Bob.run(t, "sh", "-c", `echo '{"packages": [{"name": "laravel/octane", "version": "v2.8.1"}]}' >"$1/composer.lock"`, "sh", h.Bob.Base)
	defer h.Bob.run(t, "rm", "-f", h.Bob.Base+"/composer.lock")
	for _, taken := range []string{port, "6379", "30000", "30001"} {
		w.Want(t, http.StatusUnprocessableEntity, http.MethodPost, h.Path("/sites/"+h.Bob.Site.ID+"/integrations/octane"),
			map[string]any{"port": taken, "server": "swoole"})
	}
	// The rules come back with the table of others.
	h.root(t, "sh", "-c", "nft delete table inet hostler_ports && systemctl reload hostler-ports.service")
	if got := h.Bob.knock(t, "127.0.0.1:"+port); strings.Contains(got, "octane") {
		t.Errorf("bob asks alice's program after a reload: %q", got)
	}
}

func TestNeighbourReadsAndWritesCaches(t *testing.T) {
	drawn(t)
	w := tenantWorld(t)
	h := w.MariaDB
	redis := func(n *Tenant, args ...string) string {
		out, _ := n.try(append([]string{"redis-cli"}, args...)...)
		return strings.TrimSpace(out)
	}
	for _, n := range h.Tenants() {
		hosts.Eventually(t, 30*time.Second, "the caches of "+n.User, func() error {
			if got := redis(n, "SET", "session", n.Secret); got != "OK" {
				return fmt.Errorf("Redis answers %q", got)
			}
			if got := n.memcached(t, "11211", fmt.Sprintf("set session 0 0 %d|%s", len(n.Secret), n.Secret)); !strings.HasPrefix(got, "STORED") {
				return fmt.Errorf("memcached answers %q", got)
			}
			return nil
		})
	}
	ports := strings.Fields(h.root(t, "sh", "-c",
		"sed -n 's/^add element inet hostler_ports ports {\\(.*\\)}/\\1/p' /etc/hostler/ports.d/account-*.nft | tr -d ,"))
	if len(ports) != 4 {
		t.Fatalf("two accounts have caches at %v", ports)
	}
	for _, n := range h.Tenants() {
		for _, host := range []string{"127.0.0.1", "::1", "localhost"} {
			if got := redis(n, "-h", host, "GET", "session"); got != n.Secret && got != "" { // an instance need not listen on ::1
				t.Errorf("%s reads %q from Redis at %s", n.User, got, host)
			}
		}
		if got := redis(n, "GET", "session"); got != n.Secret {
			t.Errorf("%s reads %q from its own Redis", n.User, got)
		}
		// From an address that is not loopback an account reaches its own instance, which refuses it, or none.
		if got := redis(n, "-h", h.Host.IP, "GET", "session"); got != "" && !strings.HasPrefix(got, "DENIED") {
			t.Errorf("%s reads %q from Redis at %s", n.User, got, h.Host.IP)
		}
		for _, port := range append(ports, "6379", "11211") {
			all := redis(n, "-p", port, "GET", "session") + n.memcached(t, port, "get session")
			for _, other := range h.Tenants() {
				if other != n && strings.Contains(all, other.Secret) {
					t.Errorf("%s reads the session of %s at %s: %s", n.User, other.User, port, all)
				}
			}
		}
		// What Redis can be made to do ends at the account.
		for _, args := range [][]string{
			{"CONFIG", "SET", "dir", "/"},
			{"CONFIG", "SET", "dbfilename", strings.TrimPrefix(h.RootCanary, "/")},
			{"SAVE"},
			{"MODULE", "LOAD", "/tmp/x.so"},
			{"DEBUG", "SET-ACTIVE-EXPIRE", "0"},
			{"REPLICAOF", "127.0.0.1", ports[0]},
			{
				"CONFIG", "SET", "logfile",
				h.RootCanary,
			},
			{"FLUSHALL"},
			{"REPLICAOF", "NO", "ONE"},
		} {
			redis(n, args...)
		}
		redis(n, "SET", "session", n.Secret)
	}
	// The same for the port of a cache.
	h.root(t, "systemctl", "stop", "redis-server.service")
	h.Host.WriteFile(t, "/tmp/squatter.php", []byte(squatter), 0o644)
	seen := h.Bob.Home + "/seen-redis"
	h.root(t, "systemd-run", "--quiet", "--collect", "--unit=squatter-redis", "-p", "User=bob", "php", "/tmp/squatter.php", "127.0.0.1:6379", seen)
	hosts.Eventually(t, 20*time.Second, "bob listens", func() error {
		_, err := h.Host.TryExec("test", "-e", seen+".listens")
		return err
	})
	if got := h.Forge.knock(t, "127.0.0.1:6379"); strings.Contains(got, "squatted") {
		t.Errorf("the account of sites asks bob's Redis: %q", got)
	}
	h.root(t, "systemctl", "stop", "squatter-redis")
	h.root(t, "rm", "-f", seen, seen+".listens")
	h.root(t, "systemctl", "start", "redis-server.service")
	w.unharmed(t)
}

func TestSiteTakesAnAccountThatWasThere(t *testing.T) {
	w := tenantWorld(t)
	h := w.MariaDB
	body := func(user string) map[string]any {
		return map[string]any{"type": "php", "name": user + ".example.net", "is_isolated": true, "isolated_user": user}
	}
	for _, user := range []string{
		"debian", "ubuntu", "root", "www-data", "backup", "redis", "postgres", "sudo", "docker",
		"adm", "lxd", "wheel", "forge", "systemd-network", "ec2-user", "sshd",
	} {
		w.Want(t, http.StatusUnprocessableEntity, http.MethodPost, h.Path("/sites"), body(user))
	}
	// Names that only this server knows.
	h.root(t, "sh", "-c", "useradd --create-home --groups sudo operator1 && groupadd deployers && chmod 700 /home/operator1")
	before := h.root(t, "sh", "-c", "getent passwd operator1; id operator1; stat -c '%a %U' /home/operator1")
	for user, want := range map[string]string{
		"operator1": "Account operator1: existed on this server before",
		"deployers": "Account deployers: has the name of a group",
	} {
		site := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/sites"), body(user)).Data
		r := w.Settled(t, 2*time.Minute, "/sites/"+site.ID)
		if r.Text("status") != "failed" || !strings.Contains(r.Operation().Reason, want) {
			t.Errorf("a site of %s is %s: %+v", user, r.Text("status"), r.Operation())
		}
		w.Want(t, http.StatusAccepted, http.MethodDelete, h.Path("/sites/"+site.ID), nil)
		w.Gone(t, 2*time.Minute, "/sites/"+site.ID)
	}
	if after := h.root(t, "sh", "-c", "getent passwd operator1; id operator1; stat -c '%a %U' /home/operator1"); after != before {
		t.Errorf("the account was\n%sand is\n%s", before, after)
	}
	if out, err := h.Host.TryExec("getent", "passwd", "deployers"); err == nil {
		t.Errorf("an account was made in a group that was there: %s", out)
	}
	h.root(t, "sh", "-c", "userdel --remove operator1 2>/dev/null; groupdel deployers")
	w.unharmed(t)
}

func TestTenantLinksItsKeysToRootsFiles(t *testing.T) {
	w := tenantWorld(t)
	h := w.MariaDB
	before := h.root(t, "cat", "/etc/shadow")
	h.Forge.run(t, "sh", "-c", "mv ~/.ssh/authorized_keys ~/kept && ln -s /etc/shadow ~/.ssh/authorized_keys")
	rotate := func(what string) {
		t.Helper()
		was := w.Get(t, h.Path("/key")).Text("public_key")
		w.Want(t, http.StatusOK, http.MethodPut, h.Path("/key"), nil)
		w.Until(t, 2*time.Minute, h.Path("/key"), "a new key with "+what, func(a panel.Answer) bool { return a.Data.Text("public_key") != was })
		hosts.Eventually(t, time.Minute, "the old key is gone with "+what, func() error {
			if out, err := h.Host.TryExec("grep", "-F", strings.Fields(was)[1], "/root/.ssh/authorized_keys"); err == nil {
				return fmt.Errorf("%s", out)
			}
			return nil
		})
	}
	rotate("a file that is a link")
	h.Forge.run(t, "sh", "-c", "rm ~/.ssh/authorized_keys && mv ~/.ssh ~/kept.ssh && ln -s /etc ~/.ssh && ln -s /etc/shadow ~/authorized_keys")
	rotate("a directory that is a link")
	h.Forge.run(t, "sh", "-c", "rm ~/.ssh ~/authorized_keys && mv ~/kept.ssh ~/.ssh && mv ~/kept ~/.ssh/authorized_keys")
	if after := h.root(t, "cat", "/etc/shadow"); after != before {
		t.Error("root edited /etc/shadow for a tenant")
	}
	if out, err := h.Host.TryExec("test", "!", "-e", "/etc/authorized_keys"); err != nil {
		t.Errorf("root made a file where a tenant's link led: %v %s", err, out)
	}
	w.unharmed(t)
}

// An endless file, and a pipe without a writer, in place of Hostler's own file.
func TestTenantHoldsRootUpWithAFile(t *testing.T) {
	w := tenantWorld(t)
	h := w.MariaDB
	file := h.Alice.Base + "/auth.json"
	for name, trick := range map[string]string{"pipe": "mkfifo", "sparse": "truncate -s 4E"} {
		if out, err := h.Alice.try("sh", "-c", trick+` "$1" || truncate -s 8T "$1"`, "sh", file); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		a := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/sites/"+h.Alice.Site.ID+"/composer/credentials"), map[string]any{
			"repository": name + ".example.com", "username": "u", "password": "pw",
		})
		began := time.Now()
		w.Want(t, http.StatusOK, http.MethodGet, h.Path("/drift"), nil)
		hosts.Eventually(t, time.Minute, "work on the credentials ends with a "+name, func() error {
			var open int
			for _, row := range w.Rows(t, "SELECT COUNT(*) FROM operations WHERE state IN ('pending', 'running') AND server_id = "+h.ID) {
				if row[0] != "0" {
					open++
				}
			}
			if open > 0 {
				return fmt.Errorf("%v", a.Data)
			}
			return nil
		})
		if took := time.Since(began); took > 40*time.Second {
			t.Errorf("a %s held root up for %v", name, took)
		}
		h.Alice.run(t, "rm", "-f", file)
	}
	w.unharmed(t)
}
