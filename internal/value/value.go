// Package value is small typed values that can't carry an injection: whatever was parsed into one holds no newline, quote, option or
// path trick. The errors are fit to be shown to a caller.
package value

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones are checked without the machine's files
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Domain is a host name in its ASCII form (RFC 1035, RFC 5891), lower case, without a wildcard.
type Domain struct{ ascii string }

var domainLabel = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// ParseDomain reads a domain in Unicode or ASCII.
func ParseDomain(text string) (Domain, error) {
	if text == "" {
		return Domain{}, errors.New("The domain must not be empty.")
	}
	if len(text) > 1000 || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return Domain{}, errors.New("The domain is not valid.")
	}
	if strings.HasPrefix(text, "*.") {
		return Domain{}, errors.New("The domain must be given without *.; use allow_wildcard_subdomains for its subdomains.")
	}
	ascii, err := idna.Lookup.ToASCII(text)
	if err != nil {
		return Domain{}, errors.New("The domain is not valid.")
	}
	ascii = strings.ToLower(ascii)
	if len(ascii) > 253 {
		return Domain{}, errors.New("The domain must be at most 253 characters long.")
	}
	labels := strings.Split(ascii, ".")
	if len(labels) < 2 {
		return Domain{}, errors.New("The domain must have at least two parts, like example.com.")
	}
	for _, label := range labels {
		if len(label) > 63 || !domainLabel.MatchString(label) {
			return Domain{}, errors.New("The domain is not valid.")
		}
	}
	if _, err := strconv.Atoi(labels[len(labels)-1]); err == nil {
		return Domain{}, errors.New("The domain must be a name, not an address.")
	}
	return Domain{ascii}, nil
}

func (d Domain) String() string { return d.ascii }

// Unicode is the form for people.
func (d Domain) Unicode() string {
	s, err := idna.Display.ToUnicode(d.ascii)
	if err != nil {
		return d.ascii
	}
	return s
}

// PortSpec is a port or a range of ports.
type PortSpec struct{ from, to int }

var errPorts = errors.New("The port must be a number between 1 and 65535, or a range like 8000:8010.")

// ParsePortSpec reads "22" or "8000:8010".
func ParsePortSpec(text string) (PortSpec, error) {
	first, last, isRange := strings.Cut(text, ":")
	from, err := parsePort(first)
	if err != nil {
		return PortSpec{}, errPorts
	}
	if !isRange {
		return PortSpec{from, from}, nil
	}
	to, err := parsePort(last)
	if err != nil || to <= from {
		return PortSpec{}, errPorts
	}
	return PortSpec{from, to}, nil
}

func parsePort(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != text {
		return 0, errPorts
	}
	return int(n), nil
}

func (p PortSpec) String() string {
	if p.from == p.to {
		return strconv.Itoa(p.from)
	}
	return fmt.Sprintf("%d:%d", p.from, p.to)
}

// Range is the first and the last port; zero for none.
func (p PortSpec) Range() (from, to int) { return p.from, p.to }

// Contains tells whether a port is meant; the zero PortSpec means all.
func (p PortSpec) Contains(port int) bool { return p.from == 0 || port >= p.from && port <= p.to }

// IPSet is a list of addresses and subnets, sorted and without repetitions.
type IPSet struct{ prefixes []netip.Prefix }

const maxIPs = 200

// ParseIPSet reads IPv4 and IPv6 addresses and subnets, separated by commas.
func ParseIPSet(text string) (IPSet, error) {
	var set IPSet
	if len(text) > 100*maxIPs {
		return set, errors.New("The list of addresses is too long.")
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			addr, err := netip.ParseAddr(part)
			if err != nil || addr.Zone() != "" {
				return IPSet{}, errors.New("The ip_address must hold IPv4 or IPv6 addresses or subnets, separated by commas.")
			}
			addr = addr.Unmap()
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		if prefix != prefix.Masked() {
			return IPSet{}, fmt.Errorf("The subnet %s has bits set beyond its length; did you mean %s?", prefix, prefix.Masked())
		}
		if prefix.Addr().Is4In6() {
			return IPSet{}, errors.New("IPv4 addresses must be written as such.")
		}
		set.prefixes = append(set.prefixes, prefix)
	}
	if len(set.prefixes) > maxIPs {
		return IPSet{}, fmt.Errorf("There can be at most %d addresses.", maxIPs)
	}
	slices.SortFunc(set.prefixes, func(a, b netip.Prefix) int {
		if c := a.Addr().Compare(b.Addr()); c != 0 {
			return c
		}
		return a.Bits() - b.Bits()
	})
	set.prefixes = slices.Compact(set.prefixes)
	return set, nil
}

// Prefixes are the subnets, a single address as one of full length.
func (s IPSet) Prefixes() []netip.Prefix { return slices.Clone(s.prefixes) }

func (s IPSet) String() string {
	parts := make([]string, len(s.prefixes))
	for i, p := range s.prefixes {
		parts[i] = p.String()
		if p.IsSingleIP() {
			parts[i] = p.Addr().String()
		}
	}
	return strings.Join(parts, ",")
}

// UnixUser is the name of an account.
type UnixUser struct{ name string }

var (
	unixUser      = regexp.MustCompile(`^[a-z][-a-z0-9_]*$`)
	reservedUsers = []string{"forge", "root", "www-data", "mysql", "redis", "backup", "admin", "nobody", "isolated", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail",
		"news", "uucp", "proxy", "list", "irc", "systemd-network", "systemd-resolve", "messagebus", "sshd", "postgres", "memcache", "debian", "ubuntu", "sudo", "adm", "hostler"}
)

// ParseUnixUser reads the name of an account.
func ParseUnixUser(text string) (UnixUser, error) {
	if len(text) > 32 || !unixUser.MatchString(text) {
		return UnixUser{}, errors.New("The user must begin with a lower-case letter and hold at most 32 lower-case letters, digits, dashes and underscores.")
	}
	return UnixUser{text}, nil
}

func (u UnixUser) String() string { return u.name }

// IsReserved tells whether an account of that name belongs to the system or to us.
func (u UnixUser) IsReserved() bool { return slices.Contains(reservedUsers, u.name) }

// RelPath is a directory below another one, written with a leading slash ("/public"); "/" is that one itself.
type RelPath struct{ path string }

var pathPart = regexp.MustCompile(`^[A-Za-z0-9_@+.][A-Za-z0-9_@+.-]*$`)

// ParseRelPath reads a directory.
func ParseRelPath(text string) (RelPath, error) {
	bad := errors.New("The directory must look like /public, of letters, digits and . _ - @ +, without .. in it.")
	if !strings.HasPrefix(text, "/") || len(text) > 255 {
		return RelPath{}, bad
	}
	var parts []string
	for part := range strings.SplitSeq(strings.Trim(text, "/"), "/") {
		if part == "" && strings.Trim(text, "/") == "" {
			continue
		}
		if !pathPart.MatchString(part) || part == "." || part == ".." {
			return RelPath{}, bad
		}
		parts = append(parts, part)
	}
	return RelPath{"/" + strings.Join(parts, "/")}, nil
}

func (p RelPath) String() string { return p.path }

// Below is the directory below base, which has no trailing slash.
func (p RelPath) Below(base string) string { return strings.TrimSuffix(base+p.path, "/") }

// PHPVersion is a version of PHP: php84 in the API, 8.4 on a host.
type PHPVersion struct{ dotted string }

var phpVersions = map[string]string{
	"php5": "5", "php56-old": "5.6", "php56": "5.6", "php70": "7.0", "php71": "7.1", "php72": "7.2", "php73": "7.3", "php74": "7.4",
	"php80": "8.0", "php81": "8.1", "php82": "8.2", "php83": "8.3", "php84": "8.4", "php85": "8.5",
}

// ParsePHPVersion reads the API's form.
func ParsePHPVersion(text string) (PHPVersion, error) {
	dotted, ok := phpVersions[text]
	if !ok {
		return PHPVersion{}, errors.New("The PHP version is not known.")
	}
	return PHPVersion{dotted}, nil
}

// PHPVersionOf reads the host's form, "8.4".
func PHPVersionOf(dotted string) (PHPVersion, bool) {
	_, ok := phpVersions["php"+strings.ReplaceAll(dotted, ".", "")]
	return PHPVersion{dotted}, ok
}

// Dotted is the host's form.
func (v PHPVersion) Dotted() string { return v.dotted }

// String is the API's form.
func (v PHPVersion) String() string {
	if v.dotted == "" {
		return ""
	}
	return "php" + strings.ReplaceAll(v.dotted, ".", "")
}

// Timezone is a name of the IANA time zone database.
type Timezone struct{ name string }

var timezone = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}$`)

// ParseTimezone reads the name of a time zone.
func ParseTimezone(text string) (Timezone, error) {
	if len(text) > 64 || !timezone.MatchString(text) || text == "Local" {
		return Timezone{}, errors.New("The timezone must be a name of the IANA database, like Europe/Berlin.")
	}
	if _, err := time.LoadLocation(text); err != nil {
		return Timezone{}, errors.New("The timezone must be a name of the IANA database, like Europe/Berlin.")
	}
	return Timezone{text}, nil
}

func (z Timezone) String() string { return z.name }

// ServerName is what people call a server.
type ServerName struct{ name string }

var serverName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} ._-]*$`)

// ParseServerName reads the name of a server.
func ParseServerName(text string) (ServerName, error) {
	if utf8.RuneCountInString(text) > 30 || !serverName.MatchString(text) {
		return ServerName{}, errors.New("The name must begin with a letter or digit and hold at most 30 letters, digits, spaces and . _ -.")
	}
	return ServerName{text}, nil
}

func (n ServerName) String() string { return n.name }

// Tag is a word that servers and sites are found by.
type Tag struct{ name string }

// ParseTag reads a tag.
func ParseTag(text string) (Tag, error) {
	if text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > 50 || strings.ContainsFunc(text, unicode.IsControl) {
		return Tag{}, errors.New("A tag must be one line of at most 50 characters.")
	}
	return Tag{text}, nil
}

func (t Tag) String() string { return t.name }
