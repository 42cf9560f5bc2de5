package server

import (
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A host that lies about where Hostler connects from neither breaks its own firewall permanently nor fills the row.
func TestControlAddressesOfALiar(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", "0.0.0.0", "::", "192.0.2.1/24", "192.0.2.1; drop", "\x1b[2J", "a,192.0.2.1"} {
		if got := controlAddress(wire.Facts{SSHClient: said}); got != "" {
			t.Errorf("%q is taken for the address %q", said, got)
		}
	}
	for _, tt := range []struct{ known, address, want string }{
		{"", "192.0.2.1", "192.0.2.1"},
		{"192.0.2.1", "192.0.2.1", "192.0.2.1"},
		{"192.0.2.1,192.0.2.2", "192.0.2.1", "192.0.2.1,192.0.2.2"},
		{"192.0.2.1,lied $(id)", "2001:db8::1", "192.0.2.1,2001:db8::1"},
		{"lied", "", ""},
	} {
		if got := controlAddresses(tt.known, tt.address); got != tt.want {
			t.Errorf("%q and %q make %q, want %q", tt.known, tt.address, got, tt.want)
		}
	}
	known := ""
	for i := range 100 {
		known = controlAddresses(known, "192.0.2."+strconv.Itoa(i))
	}
	if n := strings.Count(known, ",") + 1; n != maxControlAddresses || !strings.HasSuffix(known, ",192.0.2.99") {
		t.Errorf("a hundred addresses leave %s", known)
	}
}

// The type of a database follows the package that is installed, if its version is one.
func TestDatabaseTypeOfALiar(t *testing.T) {
	t.Parallel()
	asked := "mariadb1011"
	for version, want := range map[string]string{
		"1:10.11.6-0+deb12u1": "mariadb1011", "1:11.8.3-0+deb13u1": "mariadb118", "": asked, "1:$(id).x.y": asked,
		"11\n.8.1": asked, "111.8.1": asked, "9.9.9": asked,
	} {
		if got := installedEngine(&asked, wire.Facts{Packages: map[string]string{"mariadb-server": version}}); *got != want {
			t.Errorf("%q makes %q, want %q", version, *got, want)
		}
	}
}

// An installed MySQL server is kept, whatever version was requested: the vendor's packages would upgrade its data.
func TestInstalledMySQLIsKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ os, version, name, is, want string }{
		{"ubuntu", "24.04", "mysql-server", "8.0.45-0ubuntu0.24.04.1", "mysql80"},
		{"ubuntu", "26.04", "mysql-server", "8.4.7-0ubuntu2", "mysql84"},
		{"debian", "13", "mysql-server", "9.7.4-2", "mysql9"},
		{"debian", "12", "mysql-community-server", "8.4.6-1debian12", "mysql84"},
		{"ubuntu", "22.04", "percona-server-server", "1:8.0.43-34-1.jammy", "mysql80"},
	} {
		facts := wire.Facts{OS: tt.os, OSVersion: tt.version, Packages: map[string]string{tt.name: tt.is}}
		names, from, err := enginePackages("mysql84", facts)
		if err != nil || from != nil || len(names) != 1 || names[0] != tt.name {
			t.Errorf("%s %s: %q is installed from %+v, %v", tt.name, tt.is, names, from, err)
		}
		asked := "mysql84"
		got := installedEngine(&asked, facts)
		if *got != tt.want {
			t.Errorf("%s %s is %q, want %q", tt.name, tt.is, *got, tt.want)
		}
		if names, from, err := enginePackages(*got, facts); err != nil || from != nil || names[0] != tt.name { // when it is provisioned once more
			t.Errorf("%s is then %q from %+v, %v", *got, names, from, err)
		}
	}
	if _, from, err := enginePackages("mysql84", wire.Facts{OS: "debian", OSVersion: "12"}); err != nil || from == nil {
		t.Errorf("without one, the vendor's is not asked: %v %v", from, err)
	}
}

// Valkey is what a server uses if it has it and not Redis, or can have it and not Redis.
func TestRedisOf(t *testing.T) {
	t.Parallel()
	both := map[string]string{"redis-server": "5:8.0.2-3", "valkey-server": "8.1.1+dfsg1-3"}
	redis, valkey := map[string]string{"redis-server": "5:8.0.2-3"}, map[string]string{"valkey-server": "8.1.1+dfsg1-3"}
	for name, tt := range map[string]struct {
		facts     wire.Facts
		want      string
		installed bool
	}{
		"nothing is known":          {wire.Facts{}, "redis-server.service", false},
		"both can be installed":     {wire.Facts{Available: both}, "redis-server.service", false},
		"only Valkey can be":        {wire.Facts{Available: valkey}, "valkey-server.service", false},
		"Valkey is installed":       {wire.Facts{Packages: valkey, Available: both}, "valkey-server.service", true},
		"Redis is installed":        {wire.Facts{Packages: redis, Available: both}, "redis-server.service", true},
		"both are installed":        {wire.Facts{Packages: both, Available: both}, "redis-server.service", true},
		"Redis is gone from Debian": {wire.Facts{Packages: redis, Available: valkey}, "redis-server.service", true},
	} {
		if is, installed := RedisOf(tt.facts); is.Unit != tt.want || installed != tt.installed {
			t.Errorf("%s: it is %s, installed: %v", name, is.Unit, installed)
		}
	}
}
