// Package ufw parses ufw's rules, so that they can be taken over: ufw writes each as a comment "### tuple ###" into user.rules
// and user6.rules (ufw-framework(8) names the files; the words of a tuple are those of ufw 0.36).
package ufw

import (
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Rule is a rule in Hostler's terms: for TCP and UDP alike, denies before allows.
type Rule struct {
	Deny bool
	// Port is zero for every port.
	Port value.PortSpec
	// From is empty for any address.
	From value.IPSet
}

// tuple is one line of ufw's files.
type tuple struct {
	text        string
	deny        bool
	proto, port string
	from        string
}

// Mark begins the lines of rules in ufw's files.
const Mark = "### tuple ### "

// PolicyMark begins the line with the default policy: ACCEPT, DROP or REJECT.
const PolicyMark = "policy "

// Parse parses the lines that a host reported. The error names the first rule that Hostler's rules can't express.
func Parse(lines []string) ([]Rule, error) {
	var tuples []tuple
	for _, l := range lines {
		if policy, ok := strings.CutPrefix(l, PolicyMark); ok {
			if policy != "DROP" && policy != "REJECT" {
				return nil, fmt.Errorf("ufw lets in what no rule speaks of (its policy is %s)", policy)
			}
			continue
		}
		text, ok := strings.CutPrefix(l, Mark)
		if !ok {
			continue
		}
		some, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("ufw has the rule %q: %w", text, err)
		}
		tuples = append(tuples, some...)
	}
	if err := inOrder(tuples); err != nil {
		return nil, err
	}
	return merge(tuples)
}

// parse parses "allow tcp 80,443 0.0.0.0/0 any 10.0.0.0/8 [app app] in [comment=hex]". A rule without effect for Hostler returns none.
func parse(text string) ([]tuple, error) {
	words := strings.Fields(text)
	if n := len(words); n > 0 && strings.HasPrefix(words[n-1], "comment=") {
		words = words[:n-1]
	}
	if n := len(words); n != 7 && n != 9 {
		return nil, fmt.Errorf("it has %d words", n)
	}
	action, proto, port, to, fromPort, from, direction := words[0], words[1], words[2], words[3], words[4], words[5], words[len(words)-1]
	action, _, _ = strings.Cut(action, "_") // allow_log
	deny := action == "deny" || action == "reject"
	switch {
	case !deny && action != "allow" && action != "limit":
		return nil, fmt.Errorf("%s is not known here", action)
	case direction == "out" && !deny:
		return nil, nil // outbound traffic is not filtered
	case direction != "in":
		return nil, fmt.Errorf("%q can't be said here: rules are for what comes in, on any interface", direction)
	case !anywhere(to):
		return nil, fmt.Errorf("it is for one address of the server only")
	case fromPort != "any":
		return nil, fmt.Errorf("it is for one port of the sender only")
	case proto != "any" && proto != "tcp" && proto != "udp":
		return nil, fmt.Errorf("the protocol %s can't be said here", proto)
	}
	var out []tuple
	for p := range strings.SplitSeq(port, ",") {
		out = append(out, tuple{text: text, deny: deny, proto: proto, port: p, from: from})
	}
	return out, nil
}

func anywhere(address string) bool { return address == "0.0.0.0/0" || address == "::/0" }

// inOrder refuses rules whose order means more than "denies first": in ufw the first match wins.
func inOrder(tuples []tuple) error {
	for i, d := range tuples {
		if !d.deny {
			continue
		}
		for j, a := range tuples {
			if a.deny || !overlap(a.port, d.port) {
				continue
			}
			if j < i && family(a) == family(d) {
				return fmt.Errorf("ufw has the rule %q below %q; here denies stand above allows", d.text, a.text)
			}
			if d.proto != "any" && d.proto != a.proto {
				return fmt.Errorf("ufw has the rules %q and %q; here rules are for TCP and UDP alike", d.text, a.text)
			}
		}
	}
	return nil
}

func family(t tuple) bool { return strings.Contains(t.from, ":") }

// overlap reports whether two ports in ufw's notation have one in common.
func overlap(a, b string) bool {
	x, errX := ports(a)
	y, errY := ports(b)
	if errX != nil || errY != nil || x.IsZero() || y.IsZero() {
		return true
	}
	return x.From() <= y.To() && y.From() <= x.To()
}

func ports(p string) (value.PortSpec, error) {
	if p == "any" {
		return value.PortSpec{}, nil
	}
	return value.ParsePortSpec(p)
}

// merge combines rules for the same ports: ufw has one for each protocol and address family.
func merge(tuples []tuple) ([]Rule, error) {
	type key struct {
		deny bool
		port string
	}
	var order []key
	sources := map[key][]string{}
	for _, t := range tuples {
		k := key{t.deny, t.port}
		if _, ok := sources[k]; !ok {
			order = append(order, k)
		}
		sources[k] = append(sources[k], t.from)
	}
	var rules []Rule
	for _, k := range order {
		r := Rule{Deny: k.deny}
		var err error
		if r.Port, err = ports(k.port); err != nil {
			return nil, fmt.Errorf("ufw has a rule for the port %q: %w", k.port, err)
		}
		if r.From, err = from(sources[k]); err != nil {
			return nil, fmt.Errorf("ufw has a rule from %q: %w", strings.Join(sources[k], ", "), err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// from returns the set of addresses, empty if it includes all addresses of both families.
func from(addresses []string) (value.IPSet, error) {
	v4, v6 := false, false
	for _, a := range addresses {
		v4, v6 = v4 || a == "0.0.0.0/0", v6 || a == "::/0"
	}
	if v4 && v6 {
		return value.IPSet{}, nil
	}
	return value.ParseIPSet(strings.Join(addresses, ","))
}
