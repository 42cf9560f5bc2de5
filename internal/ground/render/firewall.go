package render

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// FirewallPath is the path of the confirmed rules, which FirewallUnit loads.
const FirewallPath = "/etc/hostler/firewall.nft"

// FirewallInput is everything that the packet filter of a host depends on.
type FirewallInput struct {
	SSHPort value.Port     // sshd's port, for Hostler's own path
	Hostler value.IPSet    // the addresses that the host sees Hostler come from; empty: no rule for its path
	Rules   []FirewallRule // in any order
	Private netip.Addr     // the host's own private address, which peers reach
	Peers   []FirewallPeer
	// Metadata keeps all accounts but root from the metadata service of a provider.
	Metadata bool
}

// FirewallPeer is another server of the same private network.
type FirewallPeer struct {
	ServerID int64
	From     netip.Addr
}

// FirewallRule is one rule of a user.
type FirewallRule struct {
	ID   int64
	Deny bool
	Port value.PortSpec // zero: everything, not only TCP and UDP
	From value.IPSet    // empty: from anywhere
}

// The table is set up with syntax that nftables 1.0.6 knows: it has no "destroy table", so the table is declared (a no-op if it
// exists), deleted and created again, all in one transaction (nft(8), "-f").
//
// Established packets are accepted in the reply direction only: inbound packets of a client's connection are always matched
// against the rules, so that closing a port cuts its connections. The ICMP types are those that RFC 4890 section 4.4 says must
// not be dropped, their IPv4 counterparts, and echo requests. The DHCP rules let leases be renewed (RFC 2131 and 8415).
const firewallHead = `# Written by Hostler; changes are overwritten.
table inet hostler {}
delete table inet hostler
table inet hostler {
	chain input {
		type filter hook input priority filter; policy drop;
		iif "lo" accept
		ct state established,related ct direction reply accept
		icmp type { destination-unreachable, time-exceeded, parameter-problem, echo-request } accept
		icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem, echo-request } accept
		icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept
		ip6 saddr fe80::/10 icmpv6 type { mld-listener-query, mld-listener-report, mld-listener-done, mld2-listener-report } accept
		udp sport 67 udp dport 68 accept
		ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept
`

const firewallTail = `	}
	chain forward {
		type filter hook forward priority filter; policy accept;
	}
	chain output {
		type filter hook output priority filter; policy accept;
%s	}
}
`

// firewallMetadata closes the metadata services of the providers. They answer at port 80, and the addresses have other services too, such as DHCP.
const firewallMetadata = `		ip daddr 169.254.169.254 tcp dport 80 meta skuid != 0 reject
		ip6 daddr { fd00:a9fe:a9fe::1, fd00:ec2::254 } tcp dport 80 meta skuid != 0 reject
`

// Firewall returns the nft file of a host: table inet hostler, replaced as a whole. Hostler's own path comes first, so that no
// user's rule can cut it; then the denies, newest (highest id) first, then the allows, then the peers.
func Firewall(in FirewallInput) string {
	var b strings.Builder
	b.WriteString(firewallHead)
	if !in.SSHPort.IsZero() && !in.Hostler.IsZero() { // here an empty set never means every address
		for _, from := range sources(in.Hostler) {
			fmt.Fprintf(&b, "\t\t%stcp dport %s accept comment \"hostler\"\n", from, in.SSHPort)
		}
	}
	rules := slices.SortedStableFunc(slices.Values(in.Rules), func(x, y FirewallRule) int {
		switch {
		case x.Deny && !y.Deny:
			return -1
		case y.Deny && !x.Deny:
			return 1
		case x.Deny:
			return cmp.Compare(y.ID, x.ID)
		}
		return cmp.Compare(x.ID, y.ID)
	})
	for _, rule := range rules {
		verdict := "accept"
		if rule.Deny {
			verdict = "drop"
		}
		for _, from := range sources(rule.From) {
			fmt.Fprintf(&b, "\t\t%s%s%s comment \"%d\"\n", from, ports(rule.Port), verdict, rule.ID)
		}
	}
	for _, p := range in.Peers {
		family := "ip"
		if p.From.Is6() {
			family = "ip6"
		}
		fmt.Fprintf(&b, "\t\t%[1]s saddr %[2]s %[1]s daddr %[3]s accept comment \"server %[4]d\"\n", family, p.From, in.Private, p.ServerID)
	}
	output := ""
	if in.Metadata {
		output = firewallMetadata
	}
	fmt.Fprintf(&b, firewallTail, output)
	return b.String()
}

// ports returns the match for the ports, with a trailing blank. TCP and UDP need no separate rules: th is the header of both (nft(8)).
func ports(spec value.PortSpec) string {
	switch {
	case spec.IsZero():
		return ""
	case spec.IsRange():
		return fmt.Sprintf("meta l4proto { tcp, udp } th dport %d-%d ", spec.From(), spec.To())
	}
	return fmt.Sprintf("meta l4proto { tcp, udp } th dport %d ", spec.From())
}

// sources returns one match for each address family in the set, with a trailing blank; one empty match for the empty set.
func sources(set value.IPSet) []string {
	if set.IsZero() {
		return []string{""}
	}
	var matches []string
	// Both lists are free of overlaps, so "everyone" is the only entry; nft expresses it as the family.
	if v4 := set.V4(); slices.Equal(v4, []string{"0.0.0.0/0"}) {
		matches = append(matches, "meta nfproto ipv4 ")
	} else if len(v4) > 0 {
		matches = append(matches, "ip saddr { "+strings.Join(v4, ", ")+" } ")
	}
	if v6 := set.V6(); slices.Equal(v6, []string{"::/0"}) {
		matches = append(matches, "meta nfproto ipv6 ")
	} else if len(v6) > 0 {
		matches = append(matches, "ip6 saddr { "+strings.Join(v6, ", ")+" } ")
	}
	return matches
}

// FirewallUnit returns hostler-firewall.service: it loads the last confirmed rules at boot, and again whenever nftables.service
// starts, restarts or reloads, since Debian's /etc/nftables.conf begins with "flush ruleset" (systemd.unit(5): PartOf=,
// ReloadPropagatedFrom=). Its ordering is that of nftables.service: before the network is up.
func FirewallUnit() string {
	return `# Written by Hostler; changes are overwritten.
[Unit]
Description=Hostler: packet filter
DefaultDependencies=no
Wants=network-pre.target
Before=network-pre.target shutdown.target
Conflicts=shutdown.target
After=local-fs.target nftables.service
PartOf=nftables.service
ReloadPropagatedFrom=nftables.service
ConditionPathExists=` + FirewallPath + `

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f ` + FirewallPath + `
ExecReload=/usr/sbin/nft -f ` + FirewallPath + `
ProtectSystem=full
ProtectHome=yes

[Install]
WantedBy=sysinit.target nftables.service
`
}
