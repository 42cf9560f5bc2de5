package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Where the rules on local ports are: the table, what fills it, and a file that loads all of it in one transaction.
const (
	PortsPath      = "/etc/hostler/ports.nft"
	PortsDirectory = "/etc/hostler/ports.d"
	PortsAllPath   = "/etc/hostler/ports-all.nft"
)

// Ports returns the table of local ports: who may listen on one and who may connect to it, over loopback, which is also the way to the host's own
// public addresses.
//
// A listener answers with SYN+ACK, and two sockets that connect to each other at once (RFC 9293, 3.5) with SYN: nothing is established with a port
// unless such a packet leaves it, so these are all that is looked at, and connections cost nothing. The kernel knows the account that made the
// socket of a packet (nft(8), "meta skuid"), for SYN+ACK that of the listener. Where it does not, as with SYN cookies, the packet is dropped: a
// neighbour could bring that about. What a closed port answers is RST, so a program that is down is told at once.
//
// Who may connect is refused with RST, so that no program waits for an answer. Root does both: it is nobody's tenant.
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

// PortsAll returns the file that loads the table with all that fills it. It is one transaction (nft(8), "-f"): at no moment is a port without its rules.
func PortsAll() string {
	return "# Written by Hostler; changes are overwritten.\ninclude \"" + PortsPath + "\"\ninclude \"" + PortsDirectory + "/*.nft\"\n"
}

// PortsUnit returns hostler-ports.service: it loads the rules at boot, before any program can listen, and again whenever nftables.service starts or
// reloads, since Debian's /etc/nftables.conf begins with "flush ruleset". Each file is loaded by itself there: one that names an account which is
// gone does not take the rules of the others with it.
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

// LocalPort is a port of the host that is one account's.
type LocalPort struct {
	Port     value.Port
	Listener value.UnixUser
	Callers  []value.UnixUser // beside the listener and root
	// Instead leads what this account asks of that port to Port.
	Instead value.Port
}

// LocalPorts fills the table with some ports.
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
