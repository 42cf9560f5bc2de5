// Package inspect looks at a server before Hostler changes anything on it, with the tools of a minimal system: the setup command does so, and people can.
package inspect

import (
	_ "embed"
	"strings"
)

// functions defines the shell function look, which only reads.
//
//go:embed inspect.sh
var functions string

// Functions returns the definition of the shell function look, for scripts that go on by what it finds.
func Functions() string { return functions }

// ports are those that services of a server take, with the programs that Hostler runs there, the first of which it would install.
var ports = []struct{ service, ports string }{
	{"nginx", "80:nginx 443:nginx"},
	{"caches", "6379:redis-server,redis,valkey-server 11211:memcached"},
	{"mysql", "3306:mariadbd,mysqld"},
	{"postgres", "5432:postgres"},
}

// Ports returns the ports of services, as look takes them.
func Ports(services ...string) string {
	var out []string
	for _, p := range ports {
		for _, s := range services {
			if s == p.service {
				out = append(out, p.ports)
			}
		}
	}
	return strings.Join(out, " ")
}

// Script returns a script that only reads: it prints what Hostler would say of a server with these services, and ends with 1 if Hostler would refuse it.
func Script(services ...string) string {
	return functions + `
[ "$(id -u)" = 0 ] || { echo "run this as root: sudo sh" >&2; exit 2; }
found=$(look 192.0.2.1 '` + Ports(services...) + `')
printf '%s\n' "$found" | sed -n 's/^refused \([^|]*\)|/REFUSED  \1: /p'
printf '%s\n' "$found" | sed -n 's/^noted \([^|]*\)|/noted    \1: /p'
case $found in
  *'refused '*'|'*) verdict='Hostler would refuse this server, and change nothing on it.' ;;
  *) verdict='Hostler would set this server up.' ;;
esac
printf '\n%s\n\nIf it turns out otherwise, report these lines with what happened. They have no secrets, but the names of the host and of accounts.\n' "$verdict"
printf -- '----- hostler check-host -----\n%s\n------------------------------\n' "$found"
! printf '%s\n' "$found" | grep -q '^refused '
`
}
