package value

import (
	"slices"
	"strings"
)

// UnixUser is the name of an account on a host: ^[a-z][-a-z0-9_]*$, at most 32 characters (useradd(8)).
type UnixUser struct{ name string }

// ParseUnixUser accepts reserved names too, since they are accounts; code that creates an account calls IsReserved.
func ParseUnixUser(s string) (UnixUser, error) {
	switch {
	case s == "":
		return UnixUser{}, Error("The user is required.")
	case len(s) > 32:
		return UnixUser{}, Error("The user must not be longer than 32 characters.")
	case s[0] < 'a' || s[0] > 'z' || !ascii(s, "-_") || strings.ToLower(s) != s:
		return UnixUser{}, Error("The user must start with a lower-case letter and have only lower-case letters, digits, dashes and underscores.")
	}
	return UnixUser{s}, nil
}

// reservedUsers are accounts and groups of operating systems, packages and cloud images: Debian's and Ubuntu's base-passwd,
// service accounts, and those that lead to root.
var reservedUsers = strings.Fields(`forge hostler isolated
	root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody nogroup operator staff users
	adm admin sudo wheel tty disk kmem dialout fax voice cdrom floppy tape audio dip src shadow utmp video sasl plugdev input render kvm sgx crontab netdev
	docker podman lxd incus libvirt libvirt-qemu qubes vboxusers wireshark bluetooth scanner ssh ssl-cert
	systemd systemd-network systemd-resolve systemd-timesync systemd-journal systemd-coredump systemd-oom messagebus syslog uuidd tcpdump polkitd dhcpcd sshd
	landscape fwupd-refresh usbmux tss pollinate dnsmasq chrony ntp ntpsec avahi rtkit colord geoclue postfix postdrop dovecot dovenull opendkim exim debian-exim
	mysql mariadb postgres postgresql redis memcache memcached mongodb rabbitmq elasticsearch opensearch meilisearch typesense influxdb clickhouse
	nginx apache apache2 httpd caddy haproxy varnish php-fpm frankenphp supervisor cron at git jenkins prometheus grafana telegraf node-exporter zabbix puppet
	debian ubuntu centos fedora rocky almalinux alma rhel ec2-user cloud-user cloud-init cloudinit opc
	azureuser vagrant pi core linuxuser linode vultr user guest test`)

// IsReserved reports whether the name belongs to the system or to Hostler, so that no site may use it (the contract's list of
// refused names, and more). Other names may exist on a server; the agent refuses those there.
func (u UnixUser) IsReserved() bool {
	return slices.Contains(reservedUsers, u.name) || strings.HasPrefix(u.name, "systemd-")
}

// String returns the name.
func (u UnixUser) String() string { return u.name }

// IsZero reports whether u was never parsed.
func (u UnixUser) IsZero() bool { return u.name == "" }

// MarshalText returns the name.
func (u UnixUser) MarshalText() ([]byte, error) { return []byte(u.name), nil }

// UnmarshalText calls ParseUnixUser.
func (u *UnixUser) UnmarshalText(b []byte) error { return unmarshal(u, b, ParseUnixUser) }

// ServerName is the name of a server: 1 to 30 of ASCII letters, digits, ".", "_", "-" and single blanks inside.
type ServerName struct{ name string }

// ParseServerName refuses names that Hostname could not convert.
func ParseServerName(s string) (ServerName, error) {
	switch {
	case s == "":
		return ServerName{}, Error("The name is required.")
	case len(s) > 30:
		return ServerName{}, Error("The name must not be longer than 30 characters.")
	case !ascii(s, "._- ") || !ascii(s[:1], "") || !ascii(s[len(s)-1:], "") || strings.Contains(s, "  "):
		return ServerName{}, Error("The name must start and end with a letter or digit and have only letters, digits, dots, dashes, underscores and blanks.")
	}
	return ServerName{s}, nil
}

// String returns the name as it was entered.
func (n ServerName) String() string { return n.name }

// IsZero reports whether n was never parsed.
func (n ServerName) IsZero() bool { return n.name == "" }

// Hostname returns the name as one label of a host name (RFC 1123 section 2.1): "Web 1.eu" becomes "web-1-eu". It is also the slug.
func (n ServerName) Hostname() string {
	parts := strings.FieldsFunc(strings.ToLower(n.name), func(r rune) bool { return strings.ContainsRune("._- ", r) })
	return strings.Join(parts, "-")
}

// MarshalText returns the name.
func (n ServerName) MarshalText() ([]byte, error) { return []byte(n.name), nil }

// UnmarshalText calls ParseServerName.
func (n *ServerName) UnmarshalText(b []byte) error { return unmarshal(n, b, ParseServerName) }

// Email is an address that mail can be sent to: the dot-atom form of RFC 5321 without its exotic characters, at most 254
// characters. The part before "@" keeps its case, the domain is normalised as a Domain.
type Email struct{ local, domain string }

// ParseEmail parses a bare address without a display name.
func ParseEmail(s string) (Email, error) {
	bad := Error("The email must be a valid email address.")
	if s == "" {
		return Email{}, Error("The email is required.")
	}
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 {
		return Email{}, bad
	}
	local := s[:at]
	if !ascii(local, "._%+=~'-") || local[0] == '-' || local[0] == '.' || local[at-1] == '.' || strings.Contains(local, "..") {
		return Email{}, bad
	}
	d, err := ParseDomain(s[at+1:])
	if err != nil || len(local)+1+len(d.name) > 254 {
		return Email{}, bad
	}
	return Email{local, d.name}, nil
}

// String returns the address.
func (e Email) String() string {
	if e.IsZero() {
		return ""
	}
	return e.local + "@" + e.domain
}

// Key returns the address in lower case: two accounts must not differ only in case.
func (e Email) Key() string { return strings.ToLower(e.String()) }

// IsZero reports whether e was never parsed.
func (e Email) IsZero() bool { return e.local == "" }

// MarshalText returns the address.
func (e Email) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText calls ParseEmail.
func (e *Email) UnmarshalText(b []byte) error { return unmarshal(e, b, ParseEmail) }
