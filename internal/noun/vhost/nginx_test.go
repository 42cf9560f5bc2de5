package vhost_test

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// vhostOf returns the written file of a domain with a user's configuration.
func vhostOf(t *testing.T, change func(text string) string, edit func(*query.Domain)) (string, error) {
	t.Helper()
	facts, srv := web()
	row := query.Site{ID: 12, Name: "shop.example.com", UnixUser: "shop", Isolated: true, Type: sitetype.PHP, WebDirectory: "/public", WWWRedirectType: "from-www"}
	d := query.Domain{ID: 34, SiteID: 12, Name: row.Name, First: true, WWWRedirectType: "from-www", NginxRule: vhost.NginxJudged}
	written := func(d query.Domain) (string, error) {
		change, err := vhost.ChangeOf(facts, srv, []vhost.Desired{{Site: row, Vhosts: []vhost.Vhost{{Domain: d}}}})
		if err != nil {
			return "", err
		}
		for _, s := range change.Steps {
			if s.File != nil && s.File.Path == vhost.DomainFile(d) {
				return string(s.File.Content), nil
			}
		}
		t.Fatal("no vhost is written")
		return "", nil
	}
	ours, err := written(d)
	if err != nil {
		t.Fatal(err)
	}
	theirs := change(ours)
	d.Nginx, d.NginxBase = &theirs, &ours
	if edit != nil {
		edit(&d)
	}
	return written(d)
}

func own(line string) func(string) string {
	return func(ours string) string {
		return strings.Replace(ours, "    include /etc/nginx/hostler-conf/", line+"\n    include /etc/nginx/hostler-conf/", 1)
	}
}

// The written text is printed from the checked tree, with the additions that a site can't leave out.
func TestWrittenConfigurationIsPrinted(t *testing.T) {
	t.Parallel()
	got, err := vhostOf(t, own("    add_header   X-Own one; # mine"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    add_header X-Own one; # mine\n",
		"    root \"$hostler_inside_34/home/shop/shop.example.com/public\";\n", "map $uri $hostler_inside_34 {\n", "disable_symlinks if_not_owner;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// A row that was changed behind the API, or earlier work, brings nothing to the host that would be refused.
func TestStoredConfigurationIsJudgedWhenItIsWritten(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"    access_log /etc/cron.d/x;", "    location /x/ { root /home/other; }", "    broken"} {
		if got, err := vhostOf(t, own(line), nil); err == nil || !strings.Contains(err.Error(), "Line ") {
			t.Errorf("%s is written: %v\n%s", line, err, got)
		}
	}
	if _, err := vhostOf(t, own("    location /x/ { return 204; }"), func(d *query.Domain) { d.NginxRule = "" }); err != nil {
		t.Errorf("a row that says no rule: %v", err)
	}
	if _, err := vhostOf(t, own("    access_log /etc/cron.d/x;"), func(d *query.Domain) { d.NginxRule = "" }); err == nil {
		t.Error("a row that says no rule is not judged")
	}
}

// A name that a domain gave up may be another site's by now: its own configuration can't keep it.
func TestNameThatWasGivenUpIsNotKept(t *testing.T) {
	t.Parallel()
	keep := func(ours string) string {
		return strings.Replace(ours, "server_name shop.example.com;", "server_name shop.example.com www.shop.example.com;", 1)
	}
	if _, err := vhostOf(t, keep, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := vhostOf(t, keep, func(d *query.Domain) { d.WWWRedirectType = "none" }); err == nil ||
		!strings.Contains(err.Error(), "not a name of this domain") {
		t.Errorf("it answers for www still: %v\n%s", err, got)
	}
}

// Text written as root, and text that predates the checks, is written unchanged.
func TestConfigurationThatIsNotJudgedStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{vhost.NginxRoot, vhost.NginxKept} {
		got, err := vhostOf(t, own("    access_log   /var/log/elsewhere ;"), func(d *query.Domain) { d.NginxRule = rule })
		if err != nil || !strings.Contains(got, "    access_log   /var/log/elsewhere ;\n") || strings.Contains(got, "hostler_inside") {
			t.Errorf("%s: %v\n%s", rule, err, got)
		}
	}
}
