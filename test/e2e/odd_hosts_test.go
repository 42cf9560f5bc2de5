package e2e_test

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/s3"
)

var updateTraits = flag.Bool("update", false, "write the traits that were run into the table of docs/servers.md")

// oddSteps are what is done on a host with traits, in order, as the columns of docs/servers.md.
var oddSteps = []string{"set up", "site", "deployment", "firewall rule", "backup", "restore", "no drift"}

// Servers as people have them do what fresh ones do, and keep what was there; or they are refused with what to do about it, and nothing on them was changed.
// HOSTLER_TRAITS names traits (test/hosts/traits.go), each on its own host; without it, all of them in make e2e and none otherwise.
func TestOddHosts(t *testing.T) {
	hosts.Require(t)
	asked := hosts.Asked(t)
	alone := asked != nil && os.Getenv("HOSTLER_TRAITS") != "all"
	if asked == nil {
		if !full() {
			t.Skip("skipped without HOSTLER_E2E=full or HOSTLER_TRAITS")
		}
		asked = hosts.Traits()
	}
	panel.BuildTenantImage(t)
	var names []string
	groups := map[string][]hosts.Trait{}
	for _, trait := range asked {
		name := trait.Group()
		if alone {
			name = trait.Name
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], trait)
	}
	rows := map[string]string{}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			group := groups[name]
			image := group[0].Image
			switch image {
			case "":
				image = panel.TenantImage
			case panel.TenantImage13:
				panel.BuildTenantImage13(t)
			case panel.MySQLImage:
				if err := panel.BuildMySQLImage(t); err != nil {
					t.Skipf("Debian unstable can't be built: %v", err)
				}
			}
			options := []hosts.Option{hosts.Image(image), hosts.Fresh()}
			if memory := group[0].Memory; memory > 0 {
				panel.BuildKernelImage(t)
				options = append(options, hosts.Image(image, panel.Image), hosts.Virtual(memory, 0))
			}
			bed := hosts.Shared(t, 2, options...)
			p := panel.Start(t, bed)
			o := &odd{Panel: p, bed: bed, host: bed.Host(1), traits: group}
			for _, trait := range group {
				if out, err := o.shell(trait.Script); err != nil {
					t.Fatalf("%s: %v\n%s", trait.Name, err, out)
				}
			}
			cells := make([]string, len(oddSteps))
			if want := group[0].Refused; want != "" {
				cells[0] = "refused: " + strings.NewReplacer(o.host.IP, "192.0.2.7", "|", "&#124;").Replace(o.refused(t, want))
			} else {
				o.works(t)
				for i := range cells {
					cells[i] = "yes"
				}
			}
			if !t.Failed() {
				for _, trait := range group {
					rows[trait.Name] = strings.Join(cells, " | ")
				}
			}
		})
	}
	if *updateTraits && !t.Failed() {
		if err := hosts.WriteTraits("../../docs/servers.md", oddSteps, rows); err != nil {
			t.Fatal(err)
		}
	}
}

// odd is a host with traits, and a panel.
type odd struct {
	*panel.Panel
	bed    *hosts.Bed
	host   *hosts.Host
	traits []hosts.Trait
}

func (o *odd) shell(script string) (string, error) {
	return o.host.TryExecInput(strings.NewReader(script+"\n"), "sh", "-eu")
}

// add adds the host as a server, as whoever has it would: on the console, or over SSH as an account with sudo.
func (o *odd) add(t *testing.T) (s *engineRoom, said string, err error) {
	t.Helper()
	as, port := "", o.host.Port
	for _, trait := range o.traits {
		if trait.As != "" {
			as = trait.As
		}
		if trait.Port != 0 {
			port = trait.Port
		}
	}
	s = &engineRoom{Server: panel.Server{Type: "app", Host: o.host}, engine: cmp.Or(o.traits[0].Engine, "mariadb1011")}
	if as == "" {
		server, line := o.Create(t, o.host, "app", map[string]any{"database_type": s.engine})
		s.ID = server.ID
		said, err = o.host.TryExec("sh", "-c", line)
		if err != nil {
			said += err.Error() // it ends with what the program wrote as errors
		}
		return s, said, err
	}
	cmd := exec.Command(panel.Program(t, "hostler"), "servers", "create", o.host.Name, "--type", "app", "--database-type", s.engine,
		"--ssh", fmt.Sprintf("%s@%s:%d", as, o.host.IP, port), "--identity", o.bed.Key, "--yes")
	cmd.Env = append(os.Environ(), "HOSTLER_URL="+o.URL, "HOSTLER_TOKEN="+o.Token, "HOSTLER_ORG="+panel.Org, "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	for _, r := range o.Want(t, http.StatusOK, http.MethodGet, "/servers", nil).List {
		s.ID = r.ID
	}
	return s, string(out), err
}

// everything lists what is on a host: files with their owners, modes, sizes and times, accounts, packages, units and packet filters. What changes all the time
// is left out.
const everything = `export LC_ALL=C
find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /dev \
  -o -path /tmp -o -path /var/tmp -o -path /var/log -o -path /var/lib/systemd \
  -o -path /var/lib/logrotate -o -path /var/lib/redis -o -path /var/lib/mysql -o -name .sudo_as_admin_successful \) -prune \
  -o ! -type d -printf '%p %y %m %u %g %s %T@ %l\n' \
  -o -type d -printf '%p %y %m %u %g\n' | sort
getent passwd; getent group; dpkg-query -W; systemctl list-unit-files --no-legend --no-pager
iptables-save 2>/dev/null | grep -v '^#\|^:'; nft list ruleset 2>/dev/null | grep -v counter
true`

// refused adds the host, which must fail with a reason that has want in it and leave everything on the host as it was. It returns the reason.
func (o *odd) refused(t *testing.T, want string) string {
	t.Helper()
	logins := regexp.MustCompile(`(?m)^session-\d+\.scope .*\n`) // a virtual host is looked at over SSH
	look := func() string { return logins.ReplaceAllString(o.host.Exec(t, "sh", "-c", everything), "") }
	before := look()
	_, said, err := o.add(t)
	if err == nil || !strings.Contains(said, want) {
		t.Fatalf("adding it ends with %v and says\n%s", err, said)
	}
	if after := look(); after != before {
		t.Errorf("refusing it changed\n%s", unlike(before, after))
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, want) {
			return strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "hostler: "), "Error: "), "- "))
		}
	}
	return ""
}

// unlike returns the lines that only one of two texts has.
func unlike(before, after string) string {
	had := map[string]int{}
	for line := range strings.Lines(before) {
		had[line]--
	}
	for line := range strings.Lines(after) {
		had[line]++
	}
	var out strings.Builder
	for line, n := range had {
		if n != 0 {
			fmt.Fprintf(&out, "%+d %s", n, line)
		}
	}
	return out.String()
}

// works adds the host and does on it what people do, to the end.
func (o *odd) works(t *testing.T) {
	t.Helper()
	began := time.Now()
	s, said, err := o.add(t)
	if err != nil {
		t.Fatalf("adding it: %v\n%s", err, said)
	}
	within := time.Minute
	if o.traits[0].Image != "" { // packages are installed
		within = 15 * time.Minute
	}
	o.ReadyWithin(t, within, s.Server)
	r := &room{Panel: o.Panel, server: s.Server, git: o.bed.Host(2)}
	if r.git.Exec(t, "sh", "-c", "command -v git || true") == "" {
		r.git.Exec(t, "sh", "-c", "apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends git")
	}
	r.prepareGit(t)
	url := r.repository(t, "shop", map[string]string{"public/index.php": "<?php echo 'version 1';"})
	site := r.site(t, map[string]any{
		"name": "shop.example.com", "type": "php", "source_control_provider": "custom", "repository": url, "branch": "main",
	})
	r.deployed(t, site)
	if got := r.serves(t, "shop.example.com", "/"); got != "200 version 1" {
		t.Errorf("the site serves %q", got)
	}
	rule := o.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/firewall-rules"), map[string]any{"name": "app", "port": "8127", "type": "allow"}).Data
	if got := o.Settled(t, time.Minute, s.Path("/firewall-rules/"+rule.ID)); got.Text("status") != "installed" {
		t.Errorf("the rule is %s: %+v", got.Text("status"), got.Operation())
	}

	a := &archive{Server: s3.Start(t, bucket), p: o.Panel, s: s, database: addDatabase(t, o.Panel, s, map[string]any{"name": "shop"})}
	s.root(t, "shop", "CREATE TABLE people (id INTEGER PRIMARY KEY)")
	s.root(t, "shop", "INSERT INTO people VALUES (42)")
	a.provider = o.Want(t, http.StatusCreated, http.MethodPost, "/storage-providers", a.Provider(o.bed.Gateway, bucket, "servers")).Data
	conf := o.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/database/backups"), map[string]any{
		"storage_provider_id": number(a.provider.ID), "frequency": "daily", "database_ids": []int{number(a.database.ID)}, "retention": 2,
	})
	a.at = s.Path("/database/backups/" + conf.Data.ID)
	b := a.run(t)
	if b.Data.Attributes.Status != "finished" {
		t.Fatalf("the backup is %+v %+v", b.Data.Attributes, b.Data.Meta.Backup)
	}
	s.root(t, "shop", "DELETE FROM people")
	answer := o.Want(t, http.StatusAccepted, http.MethodPost, a.instance(b.Data.ID)+"/restores", map[string]any{
		"database_id": number(a.database.ID), "name": "shop_again",
	})
	if state, reason := a.event(t, answer); state != "succeeded" {
		t.Fatalf("the restore: %s %s", state, reason)
	}
	if got := s.root(t, "shop_again", "SELECT id FROM people"); got != "42" {
		t.Errorf("the restored table has %q", got)
	}

	list, _ := o.Get(t, s.Path("/drift")).Attributes["differences"].([]any)
	for _, d := range list {
		if d, _ := d.(map[string]any); d["what"] != "foreign" || d["kept"] != true { // databases that were there are named, and stay
			t.Errorf("the server differs: %v", d)
		}
	}
	for _, item := range o.Want(t, http.StatusOK, http.MethodGet, "/attention", nil).List {
		t.Errorf("attention says %s: %q", item.Text("kind"), item.Text("text"))
	}
	for _, trait := range o.traits {
		if trait.Kept == "" {
			continue
		}
		if out, err := o.shell(trait.Kept); err != nil {
			t.Errorf("%s: it is not as it was: %v\n%s", trait.Name, err, out)
		}
	}
	t.Logf("%d traits, %.0f s", len(o.traits), time.Since(began).Seconds())
}
