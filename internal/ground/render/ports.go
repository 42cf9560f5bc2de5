package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Paths of the rules on local ports: the table, what fills it, and a file that loads all of it in one transaction.
const (
	PortsPath      = "/etc/hostler/ports.nft"
	PortsDirectory = "/etc/hostler/ports.d"
	PortsAllPath   = "/etc/hostler/ports-all.nft"
)

// Ports returns the table of local ports: which account can listen on one and which can connect to it, over loopback, which is
// also the path to the host's own public addresses.
//
// A listener answers with SYN+ACK, and two sockets that connect to each other at once (RFC 9293, 3.5) with SYN: no connection
// with a port is established unless such a packet leaves it, so only these are checked, and established connections cost nothing.
// The kernel knows the account that created the socket of a packet (nft(8), "meta skuid"), for SYN+ACK that of the listener. If
// it does not, as with SYN cookies, the packet is dropped: a neighbour could cause that. A closed port answers with RST, so a
// program that is down is noticed at once.
//
// A forbidden connection is refused with RST, so that no program waits for an answer. Root is always allowed: it is not a tenant.
func Ports() string {
	return `# Written by Hostler; changes are overwritten.
table inet hostler_ports {}
delete table inet hostler_ports
table inet hostler_ports {
	set ports { type inet_service; }
	set listeners { typeof tcp dport . meta skuid; }
	set callers { typeof tcp dport . meta skuid; }
	map own { typeof tcp dport . meta skuid : tcp dport; }
	chain answer {
		meta skuid 0 return
		tcp sport . meta skuid @listeners return
		drop
	}
	chain connect {
		meta skuid 0 return
		tcp dport . meta skuid @callers return
		reject with tcp reset
	}
	chain output {
		type filter hook output priority filter - 1; policy accept;
		oif "lo" tcp flags & syn == syn tcp sport @ports jump answer
		oif "lo" tcp flags & (syn | ack) == syn tcp dport @ports jump connect
	}
	chain instead {
		type nat hook output priority -100; policy accept;
		oif "lo" meta l4proto tcp redirect to : tcp dport . meta skuid map @own
	}
}
`
}

// PortsAll returns the file that loads the table with everything that fills it. It is one transaction (nft(8), "-f"): a port is
// never without its rules.
func PortsAll() string {
	return "# Written by Hostler; changes are overwritten.\ninclude \"" + PortsPath + "\"\ninclude \"" + PortsDirectory + "/*.nft\"\n"
}

// PortsUnit returns hostler-ports.service: it loads the rules at boot, before any program can listen, and again whenever
// nftables.service starts or reloads, since Debian's /etc/nftables.conf begins with "flush ruleset". There each file is loaded
// separately: one that names a deleted account does not affect the rules of the others.
func PortsUnit() string {
	const load = "=/usr/sbin/nft -f " + PortsPath + "\n"
	const fill = "=-/usr/bin/find " + PortsDirectory + ` -name *.nft -exec /usr/sbin/nft -f {} \;` + "\n"
	return `# Written by Hostler; changes are overwritten.
[Unit]
Description=Hostler: local ports
DefaultDependencies=no
Wants=network-pre.target
Before=network-pre.target sysinit.target shutdown.target
Conflicts=shutdown.target
After=local-fs.target nftables.service
PartOf=nftables.service
ReloadPropagatedFrom=nftables.service
ConditionPathExists=` + PortsPath + `

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart` + load + "ExecStart" + fill + "ExecReload" + load + "ExecReload" + fill + `ProtectSystem=full
ProtectHome=yes

[Install]
WantedBy=sysinit.target nftables.service
`
}

// LocalPort is a port of the host that belongs to one account.
type LocalPort struct {
	Port     value.Port
	Listener value.UnixUser
	Callers  []value.UnixUser // in addition to the listener and root
	// Instead redirects this account's connections to that port to Port.
	Instead value.Port
}

// LocalPorts returns the elements that fill the table with ports.
func LocalPorts(ports []LocalPort) (string, error) {
	var numbers, listeners, callers, own []string
	for _, p := range ports {
		if p.Port.IsZero() || p.Listener.IsZero() {
			return "", errors.New("a local port needs an account")
		}
		pair := func(u value.UnixUser) string { return fmt.Sprintf("%s . %q", p.Port, u) }
		numbers, listeners, callers = append(numbers, p.Port.String()), append(listeners, pair(p.Listener)), append(callers, pair(p.Listener))
		for _, u := range p.Callers {
			if u.IsZero() {
				return "", errors.New("who may connect to a local port must be an account")
			}
			if !slices.Contains(callers, pair(u)) {
				callers = append(callers, pair(u))
			}
		}
		if !p.Instead.IsZero() {
			own = append(own, fmt.Sprintf("%s . %q : %s", p.Instead, p.Listener, p.Port))
		}
	}
	if len(ports) == 0 {
		return "", errors.New("there is no local port")
	}
	var b strings.Builder
	b.WriteString("# Written by Hostler; changes are overwritten.\n")
	for _, set := range []struct {
		name     string
		elements []string
	}{{"ports", numbers}, {"listeners", listeners}, {"callers", callers}, {"own", own}} {
		if len(set.elements) > 0 {
			fmt.Fprintf(&b, "add element inet hostler_ports %s { %s }\n", set.name, strings.Join(set.elements, ", "))
		}
	}
	return b.String(), nil
}
