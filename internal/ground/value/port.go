package value

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	errPort     = Error("The port must be between 1 and 65535.")
	errPortSpec = Error("The port must be a port between 1 and 65535 or a range such as 8000:8010.")
	errPortList = Error("A rule has one port or one range. Create a rule for each of them.")
	errPortAll  = Error("The port must be a port or a range. Leave it empty for all ports.")
	// errPortProtocol says what nftables is given: meta l4proto { tcp, udp }.
	errPortProtocol = Error("A rule is for both TCP and UDP. Write the port without a protocol.")
)

// Port is a TCP or UDP port from 1 to 65535. In JSON it is a number; a string of digits is accepted too.
type Port struct{ n uint16 }

// ParsePort parses decimal digits without sign or leading zero.
func ParsePort(s string) (Port, error) {
	if !digits(s) || len(s) > 5 || s[0] == '0' {
		return Port{}, errPort
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return Port{}, errPort
	}
	return NewPort(n)
}

// NewPort makes a Port from a number.
func NewPort(n int) (Port, error) {
	if n < 1 || n > 65535 {
		return Port{}, errPort
	}
	return Port{uint16(n)}, nil
}

// Int returns the number, 0 for the zero value.
func (p Port) Int() int { return int(p.n) }

// String returns the number in decimal.
func (p Port) String() string { return strconv.Itoa(int(p.n)) }

// IsZero reports whether p was never parsed.
func (p Port) IsZero() bool { return p.n == 0 }

// MarshalJSON returns a number.
func (p Port) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON accepts a number, or a string of digits.
func (p *Port) UnmarshalJSON(b []byte) error {
	return unmarshal(p, bytes.Trim(b, `"`), ParsePort)
}

// PortSpec is the port part of a firewall rule: none (every port), one, or an inclusive range.
type PortSpec struct {
	from, to uint16
	// odd is a stored text that is none of these. It has no ports.
	odd string
}

// ParsePortSpec parses "", "22" or "8000:8010"; the second number must be higher than the first. Cloud providers write a range as "8000-8010".
func ParsePortSpec(s string) (PortSpec, error) {
	if s == "" { // blanks are not every port
		return PortSpec{}, nil
	}
	s = strings.TrimSpace(s)
	switch { // as ufw's own rules may have them
	case strings.Contains(s, ","):
		return PortSpec{}, errPortList
	case strings.EqualFold(s, "any"), strings.EqualFold(s, "all"), s == "*":
		return PortSpec{}, errPortAll
	case strings.HasSuffix(s, "/tcp"), strings.HasSuffix(s, "/udp"):
		return PortSpec{}, errPortProtocol
	}
	a, b, isRange := strings.Cut(s, ":")
	if !isRange {
		a, b, isRange = strings.Cut(s, "-")
	}
	from, err := ParsePort(a)
	if err != nil {
		return PortSpec{}, errPortSpec
	}
	if !isRange {
		return from.Spec(), nil
	}
	to, err := ParsePort(b)
	if err != nil {
		return PortSpec{}, errPortSpec
	}
	if from.n >= to.n {
		return PortSpec{}, Error("The first port of the range must be lower than the last.")
	}
	return PortSpec{from: from.n, to: to.n}, nil
}

// Spec returns the PortSpec of p alone.
func (p Port) Spec() PortSpec { return PortSpec{from: p.n, to: p.n} }

// IsZero reports whether p has no port, which means every port.
func (p PortSpec) IsZero() bool { return p == PortSpec{} }

// IsRange reports whether p has more than one port.
func (p PortSpec) IsRange() bool { return p.from != p.to }

// From returns the first port, 0 if there is none.
func (p PortSpec) From() int { return int(p.from) }

// To returns the last port, 0 if there is none.
func (p PortSpec) To() int { return int(p.to) }

// Contains reports whether a rule with p applies to port q.
func (p PortSpec) Contains(q Port) bool {
	return p.IsZero() || p.from <= q.n && q.n <= p.to
}

// String returns the form that ParsePortSpec parses.
func (p PortSpec) String() string {
	switch {
	case p.from == 0:
		return p.odd
	case p.IsRange():
		return strconv.Itoa(int(p.from)) + ":" + strconv.Itoa(int(p.to))
	}
	return strconv.Itoa(int(p.from))
}

// MarshalText returns the form of String.
func (p PortSpec) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
