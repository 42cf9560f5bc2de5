// Package attack_test attacks a real panel with real hosts: hostile text in every field, forged callbacks, servers that changed
// identity, and tokens of other organizations. The tests check what reached the hosts, not which status was returned.
package attack_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.world != nil {
		shared.world.Close()
		shared.cloud.Close()
	}
	if tenancy.world != nil {
		tenancy.world.Close()
	}
	if shared.built || tenancy.world != nil {
		panel.Clean()
	}
	os.Exit(code)
}

// full reports whether everything is tried; a tenth otherwise.
func full() bool { return os.Getenv("HOSTLER_ATTACK") == "full" }

// World is a panel with a load balancer and a web server that are set up, each with a site that must be served whatever happens.
type World struct {
	*panel.Panel
	Bed           *hosts.Bed
	Balancer, Web panel.Server
	// Witness are the sites on the web server and on the balancer.
	Witness, Front panel.Resource
	// Canary is the file that payloads try to make.
	Canary string
	// Made are fields of the request that made the web server, by their keys, with what was given.
	Made map[string]string
}

var shared struct {
	sync.Mutex
	world *World
	built bool
	// cloud stands in for a server provider.
	cloud *cloudtest.Cloud
}

const witnessName = "witness.example.com"

// world returns the world that all tests share in sequence: setting it up takes longer than a test.
func world(t *testing.T) *World {
	t.Helper()
	hosts.Require(t)
	shared.Lock()
	t.Cleanup(shared.Unlock)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image))
	if shared.world == nil {
		began := time.Now()
		shared.built = true
		shared.cloud = cloudtest.New(cloud.Hetzner)
		p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--cloud-endpoint", cloud.Hetzner+"="+shared.cloud.URL)
		if err != nil {
			t.Fatal(err)
		}
		w := &World{Panel: p, Bed: bed, Canary: "/tmp/canary-" + random(t)}
		shared.world = w
		w.Made = map[string]string{"body organizations.servers.store .name": "made" + random(t), "body organizations.servers.store .tags[]": "made" + random(t)}
		w.Balancer = w.add(t, bed.Host(1), map[string]any{"name": "front", "type": "loadbalancer"}, map[string]any{"private_ip_address": "10.99.0.1"})
		w.Web = w.add(t, bed.Host(2), map[string]any{
			"name": w.Made["body organizations.servers.store .name"], "type": "web",
			"tags": []any{w.Made["body organizations.servers.store .tags[]"]},
		}, nil)
		p.Ready(t, w.Balancer, w.Web)
		w.Witness = w.site(t, w.Web, "", map[string]any{"name": witnessName, "type": "php"})
		w.Front = w.site(t, w.Balancer, "/balancer", map[string]any{"domain": witnessName, "balancing": []any{map[string]any{"server_id": number(w.Web.ID)}}})
		t.Logf("panel and hosts are set up after %v", time.Since(began).Round(time.Millisecond))
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", shared.world.Log())
		}
	})
	if shared.world.Front.ID == "" {
		t.Fatal("the world was not set up")
	}
	return shared.world
}

// add makes a server of a host and runs its bootstrap line there.
func (w *World) add(t testing.TB, h *hosts.Host, body, custom map[string]any) panel.Server {
	t.Helper()
	at := map[string]any{"ip_address": h.IP, "ssh_port": h.Port}
	maps.Copy(at, custom)
	body["provider"], body["custom"] = "custom", at
	a := w.Want(t, http.StatusAccepted, http.MethodPost, "/servers", body)
	if out, err := h.TryExec("sh", "-c", a.Data.Meta.Bootstrap.Command); err != nil {
		t.Fatalf("bootstrap %s: %v\n%s", h.Name, err, out)
	}
	kind, _ := body["type"].(string)
	return panel.Server{ID: a.Data.ID, Type: kind, Host: h}
}

// site makes a site and waits until it is installed.
func (w *World) site(t testing.TB, s panel.Server, below string, body map[string]any) panel.Resource {
	t.Helper()
	r := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"+below), body).Data
	got := w.Settled(t, time.Minute, "/sites/"+r.ID)
	if got.Text("status") != "installed" {
		t.Fatalf("site %v is %s: %+v\n%s", body, got.Text("status"), got.Operation(), w.Output(t, s, got.Operation().EventID))
	}
	return got
}

// remove deletes a site and waits until it is gone.
func (w *World) remove(t testing.TB, s panel.Server, r panel.Resource) {
	t.Helper()
	w.Want(t, http.StatusAccepted, http.MethodDelete, s.Path("/sites/"+r.ID), nil)
	w.Gone(t, time.Minute, "/sites/"+r.ID)
}

// settle waits until no work of the two servers is left.
func (w *World) settle(t testing.TB) {
	t.Helper()
	where := " FROM operations WHERE state IN ('pending', 'running') AND server_id IN (" + w.Balancer.ID + "," + w.Web.ID + ")"
	hosts.Eventually(t, map[bool]time.Duration{true: 15 * time.Minute, false: 3 * time.Minute}[full()], "all work has ended", func() error {
		n := w.Count(t, "SELECT count(*)"+where)
		if n > 0 {
			var state, step, reason string
			err := w.DB(t).QueryRow("SELECT state, step, coalesce(reason, '')"+where+" ORDER BY id").Scan(&state, &step, &reason)
			return fmt.Errorf("%d operations are not done, the first is %s at %q: %s %v", n, state, step, reason, err)
		}
		time.Sleep(200 * time.Millisecond) // asking costs the panel something
		return nil
	})
}

func random(t testing.TB) string {
	t.Helper()
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b[:])
}

func number(id string) int {
	var n int
	_, _ = fmt.Sscan(id, &n)
	return n
}

// get asks a web server for a page of a site.
func get(h *hosts.Host, site string) error {
	req, err := http.NewRequest(http.MethodGet, "http://"+h.Addr(80)+"/", nil)
	if err != nil {
		return err
	}
	req.Host = site
	c := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", resp.Status)
	}
	return nil
}

// trust is the state of a host that no field of a request may change. Requested jobs, processes, caches, limits, keys and SFTP users may exist, if only
// their command, account and schedule, their values or their owner are as requested: each line of theirs that has another form is part of it.
const trust = `cd /; runs='^(Exec|User|Group|Environment|Unset|Pass)'
grep -hvE '^(restrict )?ssh-[a-z0-9]+ [A-Za-z0-9+/=]+ hostler-key-[0-9]+$' home/forge/.ssh/authorized_keys
grep -hvE '^(# Written by Hostler; changes are overwritten\.|[0-9*,/ -]+ root [a-z/-]+ job [0-9]+)$' etc/cron.d/hostler-job-* 2>/dev/null
cat etc/systemd/system/hostler-process-* 2>/dev/null | grep -E "$runs" |
	grep -vxE -e 'ExecStart=/bin/bash /var/lib/hostler/processes/[0-9]+/command|(User|Group)=[a-z0-9_-]+' \
		-e 'Environment=PATH=/var/lib/hostler/processes/[0-9]+/bin:[a-z/:]+|Environment=LANG=C.UTF-8'
cat etc/systemd/system/hostler-monitor.* 2>/dev/null | grep -E "$runs" |
	grep -vxF 'ExecStart=/var/lib/hostler/bin/hostler-agent sample'
redis='ExecStart=/usr/bin/redis-server --port [0-9]+ --bind 127\.0\.0\.1 -::1 --supervised systemd --daemonize no'
cat etc/systemd/system/hostler-redis-* etc/systemd/system/hostler-memcached-* 2>/dev/null | grep -E "$runs" |
	grep -vxE -e "$redis --dir /var/lib/hostler-redis/[a-z0-9_-]+" \
		-e 'ExecStart=/usr/bin/memcached -p [0-9]+ -l 127\.0\.0\.1 -U 0 -m 64|(User|Group)=[a-z0-9_-]+'
cat etc/systemd/system/hostler-ports.service 2>/dev/null | grep -E "$runs" |
	grep -vxF -e 'ExecStart=/usr/sbin/nft -f ` + render.PortsPath + `' -e 'ExecReload=/usr/sbin/nft -f ` + render.PortsPath + `' \
		-e 'ExecStart=-/usr/bin/find ` + render.PortsDirectory + ` -name *.nft -exec /usr/sbin/nft -f {} \;' \
		-e 'ExecReload=-/usr/bin/find ` + render.PortsDirectory + ` -name *.nft -exec /usr/sbin/nft -f {} \;'
cat etc/systemd/system/hostler-sftp-* 2>/dev/null | grep -E "$runs" |
	grep -vxE -e 'ExecStart=/var/lib/hostler/bin/hostler-agent login open [a-z0-9_-]+ [a-z0-9_-]+ /home/[a-z0-9_-]+/[^ ]+' \
		-e 'ExecStop=/var/lib/hostler/bin/hostler-agent login close [a-z0-9_-]+'
cat etc/ssh/sshd_config.d/00-hostler-sftp-* 2>/dev/null | grep -vxE -e '(# Written by Hostler; changes are overwritten\.)?|Match User [a-z0-9_-]+' \
	-e '  (chrootdirectory /var/lib/hostler-sftp/[a-z0-9_-]+|forcecommand internal-sftp -u 0022 -d /home/[a-z0-9_-]+/[^ ]+)' \
	-e '  (authorizedkeysfile /etc/ssh/hostler-sftp/[a-z0-9_-]+|(authorizedkeyscommand|authorizedprincipalsfile|trustedusercakeys) none)' \
	-e '  (authenticationmethods publickey|(pubkeyauthentication|disableforwarding) yes|[a-z0-9]+(authentication|forwarding) no)' \
	-e '  ((permittunnel|permittty|permituserrc) no|allowusers [a-z0-9_-]+|allowgroups \*)'
cat etc/ssh/hostler-sftp/* 2>/dev/null | grep -vxE -e '# Written by Hostler; changes are overwritten\.' \
	-e 'restrict(,expiry-time="[0-9]+Z?")? (ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+( [[:print:]]+)?'
cat etc/systemd/system/system-hostler_* 2>/dev/null | grep -vxE -e '(# Written by Hostler; changes are overwritten\.)?|\[(Unit|Slice)\]' \
	-e 'Description=Hostler: .*|Before=slices\.target|(CPU|Memory|Tasks|IO)Accounting=yes|(CPU|IO)Weight=[0-9]+|CPUQuota=([0-9]+%)?' \
	-e 'Memory(High|Max|SwapMax)=([0-9]+[M%]|infinity)|TasksMax=([0-9]+|infinity)'
cat etc/systemd/system/hostler-php*-limited.service 2>/dev/null | grep -E "$runs" |
	grep -vxE -e 'ExecStart=/usr/sbin/php-fpm([0-9.]+) --nodaemonize --fpm-config /etc/hostler/php/\1/[0-9]+-limited/fpm\.conf' \
		-e 'ExecReload=/bin/kill -USR2 \$MAINPID'
find etc/sudoers etc/sudoers.d etc/cron* etc/crontab var/spool/cron root/.ssh home/forge/.ssh etc/ssh etc/systemd/system etc/profile etc/profile.d \
	etc/ld.so.preload usr/local -type f -not -path home/forge/.ssh/authorized_keys -not -name 'hostler-job-*' -not -name 'hostler-process-*' \
	-not -name 'hostler-monitor.*' -not -path 'etc/sudoers.d/hostler-*' -not -name 'hostler-redis-*' -not -name 'hostler-memcached-*' \
	-not -name hostler-ports.service -not -name '*hostler-sftp-*' -not -path 'etc/ssh/hostler-sftp/*' \
	-not -name 'system-hostler_*.slice' -not -name 'hostler-php*-limited.service' 2>/dev/null | sort | xargs -d '\n' sha256sum
ss -Hltn | awk '{print $4}' | grep -vxE '(127\.0\.0\.1|\[::1\]):30[0-9]{3}' | sort -u`

// trusted returns that of both hosts.
func (w *World) trusted(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	for _, s := range []panel.Server{w.Balancer, w.Web} {
		b.WriteString(s.Host.Name + "\n" + s.Host.Exec(t, "sh", "-c", trust))
	}
	return b.String()
}

// unharmed fails the test if anything was run, opened or broken, here or on the hosts.
func (w *World) unharmed(t testing.TB, before string) {
	t.Helper()
	if _, err := os.Lstat(w.Canary); err == nil {
		t.Errorf("the canary %s was made on the panel's machine", w.Canary)
	}
	if after := w.trusted(t); after != before {
		t.Errorf("files that decide who may do what, or open ports, changed:\n%s\nbefore:\n%s", after, before)
	}
	// A directory below a site's own is what a site whose web directory is called like the canary has, also where an SFTP user sees it.
	name := w.Canary[strings.LastIndexByte(w.Canary, '/')+1:]
	for _, s := range []panel.Server{w.Balancer, w.Web} {
		h := s.Host
		if out := strings.TrimSpace(h.Exec(t, "sh", "-c",
			"find / -xdev -name '"+name+"*' -not '(' -type d '(' -path '/home/*' -o -path '/var/lib/hostler-sftp/*/home/*' ')' ')' -print 2>/dev/null; ls -d "+
				"/tmp/*"+name+"* 2>/dev/null; true")); out != "" {
			t.Errorf("%s: the canary was made: %s", h.Name, out)
		}
		for _, argv := range [][]string{
			{"nginx", "-t"},
			{"nft", "-c", "-f", "/etc/hostler/firewall.nft"},
			{"sshd", "-t"},
			{"systemctl", "is-active", "nginx", "ssh"},
		} {
			if out, err := h.TryExec(argv...); err != nil {
				t.Errorf("%s: %s: %v\n%s", h.Name, strings.Join(argv, " "), err, out)
			}
		}
		if err := get(h, witnessName); err != nil {
			t.Errorf("%s no longer serves its site: %v", h.Name, err)
		}
	}
}

// The world itself: both sites are served and nothing is harmed before anything was tried.
func TestWorld(t *testing.T) {
	w := world(t)
	w.unharmed(t, w.trusted(t))
}

var tctx = context.Background()

func itoa(n int) string { return strconv.Itoa(n) }

func unmarshal(raw []byte, into any) error { return json.Unmarshal(raw, into) }

func valuesOf(m map[string]string) iter.Seq[string] { return maps.Values(m) }

// shell returns what a line of ours prints on this machine.
func shell(t testing.TB, line string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(out)
}
