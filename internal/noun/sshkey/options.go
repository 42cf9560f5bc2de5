package sshkey

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxOptions is the longest text of options, in bytes. With the longest key, sshd still reads the line.
const maxOptions = 2000

// Options restrict what a key may do, as in sshd(8), AUTHORIZED_KEYS FILE FORMAT. Those that widen it (cert-authority, principals, environment, tunnel)
// and command are not among them.
type Options struct {
	// Flags are options without a value, lower case, in the order that they were written: sshd lets a later one undo an earlier one.
	Flags []string
	// From are addresses and networks that the key may be used from, with "!" before those that it may not.
	From []string
	// Expiry is the time after which the key logs in no more, as digits: a date, or a date and a time; with a Z, it is UTC, else of the server's time zone.
	Expiry string
	// PermitOpen are the hosts and ports that may be forwarded to.
	PermitOpen []string
}

var flags = []string{
	"restrict", "agent-forwarding", "no-agent-forwarding", "port-forwarding", "no-port-forwarding", "pty", "no-pty", "no-user-rc",
	"no-x11-forwarding",
}

// parseOptions reads options as they stand before a key. Only what is known is taken, and String writes it again: no character of the text reaches the server
// unread. A key that expires must do so after now.
func parseOptions(text string, now time.Time) (Options, error) {
	var o Options
	if len(text) > maxOptions {
		return o, fmt.Errorf("The options must have at most %d characters.", maxOptions)
	}
	for rest := strings.TrimSpace(text); rest != ""; {
		name, after := rest, ""
		if i := strings.IndexAny(rest, ",="); i >= 0 {
			name, after = rest[:i], rest[i:]
		}
		value, quoted := "", strings.HasPrefix(after, "=")
		if quoted {
			var err error
			if value, after, err = unquote(name, after[1:]); err != nil {
				return o, err
			}
		}
		if err := o.add(strings.ToLower(name), value, quoted, now); err != nil {
			return o, err
		}
		if rest = after; rest == "" {
			break
		}
		if rest[0] != ',' || len(rest) == 1 {
			return o, errors.New("The options must be separated by single commas, without spaces.")
		}
		rest = rest[1:]
	}
	return o, nil
}

// unquote reads a value in double quotes. No value that is taken has a quote or a backslash in it.
func unquote(name, text string) (value, after string, err error) {
	text, ok := strings.CutPrefix(text, `"`)
	if !ok {
		return "", "", fmt.Errorf("The value of %s must be in double quotes.", printable(name))
	}
	if value, after, ok = strings.Cut(text, `"`); !ok {
		return "", "", fmt.Errorf("The value of %s has no quote at its end.", printable(name))
	}
	return value, after, nil
}

// printable returns the beginning of a name for a message.
func printable(name string) string {
	if len(name) > 40 {
		name = name[:40]
	}
	return strconv.QuoteToASCII(name)
}

func (o *Options) add(name, value string, quoted bool, now time.Time) error {
	switch isFlag := slices.Contains(flags, name); {
	case isFlag && quoted:
		return fmt.Errorf("The option %s has no value.", name)
	case isFlag && slices.Contains(o.Flags, name):
		return given(name)
	case isFlag:
		o.Flags = append(o.Flags, name)
		return nil
	case name != "from" && name != "expiry-time" && name != "permitopen":
		return fmt.Errorf("The option %s can't be used. Allowed are from, expiry-time, permitopen, %s.", printable(name), strings.Join(flags, ", "))
	case value == "":
		return fmt.Errorf("The option %s must have a value in double quotes.", name)
	case name == "from" && o.From != nil, name == "expiry-time" && o.Expiry != "":
		return given(name)
	}
	var err error
	switch name {
	case "from":
		o.From, err = parseFrom(value)
	case "expiry-time":
		o.Expiry, err = value, checkExpiry(value, now)
	default:
		o.PermitOpen, err = append(o.PermitOpen, value), checkForward(value)
	}
	return err
}

func given(name string) error { return fmt.Errorf("The option %s is given twice.", name) }

// behind is how far the local time of a place can be behind UTC.
const behind = 12 * time.Hour

// checkExpiry checks a date or a time that is still to come, also where the server's time zone is not known here.
func checkExpiry(value string, now time.Time) error {
	text, utc := strings.CutSuffix(value, "Z")
	layout := map[int]string{8: "20060102", 12: "200601021504", 14: "20060102150405"}[len(text)]
	// Digits are checked as well: time.Parse takes a fraction of a second that the layout has not.
	t, err := time.Parse(layout, text)
	if err != nil || layout == "" || strings.Trim(text, "0123456789") != "" || t.Year() < 1970 {
		return fmt.Errorf("The option expiry-time must be a date such as 20301231 or a time such as 203012311530Z, and %s is none.", printable(value))
	}
	if !utc {
		t = t.Add(behind)
	}
	if !t.After(now) {
		return errors.New("The option expiry-time must be in the future.")
	}
	return nil
}

// needsUTC reports whether sshd must know times with a Z, which it does since OpenSSH 9.1.
func (o Options) needsUTC() bool { return strings.HasSuffix(o.Expiry, "Z") }

// parseFrom reads addresses and networks. Names and patterns are refused: sshd compares them with what DNS says of a client, by default with nothing.
func parseFrom(value string) ([]string, error) {
	var out []string
	allows := false
	for part := range strings.SplitSeq(value, ",") {
		text, not := strings.CutPrefix(part, "!")
		allows = allows || !not
		var canonical string
		if strings.Contains(text, "/") {
			p, err := netip.ParsePrefix(text)
			if err != nil || p != p.Masked() || p.Addr().Is4In6() {
				return nil, fmt.Errorf("The option from must have networks such as 10.0.0.0/8, and %s is none.", printable(text))
			}
			canonical = p.String()
		} else {
			a, err := netip.ParseAddr(text)
			if err != nil || a.Zone() != "" || a.Is4In6() {
				return nil, fmt.Errorf("The option from must have IP addresses or networks, and %s is none.", printable(text))
			}
			canonical = a.String()
		}
		if not {
			canonical = "!" + canonical
		}
		out = append(out, canonical)
	}
	if !allows {
		return nil, errors.New("The option from must have an address without !: otherwise the key can be used from nowhere.")
	}
	return out, nil
}

// checkForward checks "host:port" or "[address]:port", where the port can be "*".
func checkForward(value string) error {
	i := strings.LastIndexByte(value, ':')
	if i < 1 {
		return fmt.Errorf("The option permitopen must be a host and a port, such as localhost:3306, and %s is none.", printable(value))
	}
	host, port := value[:i], value[i+1:]
	if n, err := strconv.ParseUint(port, 10, 16); port != "*" && (err != nil || n == 0 || strconv.FormatUint(n, 10) != port) {
		return fmt.Errorf("The port of permitopen must be from 1 to 65535 or *, and %s is none.", printable(port))
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		if a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]")); err == nil && a.Is6() && a.Zone() == "" && strings.HasSuffix(inner, "]") {
			return nil
		}
	} else if !strings.ContainsFunc(host, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-'
	}) {
		return nil
	}
	return fmt.Errorf("The host of permitopen must be a name or an address, and %s is none.", printable(host))
}

// String returns the options as sshd reads them, "" for none.
func (o Options) String() string {
	out := slices.Clone(o.Flags)
	quoted := func(name, value string) { out = append(out, name+`="`+value+`"`) }
	if len(o.From) > 0 {
		quoted("from", strings.Join(o.From, ","))
	}
	if o.Expiry != "" {
		quoted("expiry-time", o.Expiry)
	}
	for _, p := range o.PermitOpen {
		quoted("permitopen", p)
	}
	return strings.Join(out, ",")
}
