// Package firewall is the rules that say who may reach which port of a server.
package firewall

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/value"
)

// Aspect is the part of a server that rules belong to: the whole set is replaced at once.
const Aspect = "firewall"

// Deadline is how long a change of rules may take; an unreachable host is tried until then.
const Deadline = 10 * time.Minute

// The states of a rule.
const (
	StatusInstalling = "installing"
	StatusInstalled  = "installed"
	StatusRemoving   = "removing"
	StatusFailed     = "failed"
)

// The types of a rule. Denies stand above allows, the newest first.
const (
	Allow = "allow"
	Deny  = "deny"
)

// Store reads rules of servers that were loaded for the caller.
type Store struct{ DB *db.DB }

// AddDefaults gives a new server its visible rules: SSH, HTTP and HTTPS. They are installed when it is provisioned.
func (s *Store) AddDefaults(ctx context.Context, tx *db.Tx, server query.Server) error {
	for _, rule := range []struct{ name, port string }{{"SSH", strconv.FormatInt(server.SSHPort, 10)}, {"HTTP", "80"}, {"HTTPS", "443"}} {
		_, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{ServerID: server.ID, Name: rule.name, Port: &rule.port, Type: Allow, Status: StatusInstalling, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()})
		if err != nil {
			return fmt.Errorf("add default firewall rules: %w", err)
		}
	}
	return nil
}

// closesSSH tells whether a set of allowing rules leaves the SSH port closed to everybody: only Hostler's own path would remain.
func closesSSH(rules []query.FirewallRule, port int64) bool {
	for _, r := range rules {
		if r.Type == Allow && covers(r, port) {
			return false
		}
	}
	return true
}

// covers tells whether a rule speaks of a port.
func covers(r query.FirewallRule, port int64) bool {
	if r.Port == nil {
		return true
	}
	spec, err := value.ParsePortSpec(*r.Port)
	if err != nil {
		return false
	}
	p, err := value.NewPort(int(port))
	return err == nil && spec.Contains(p)
}

// everybody tells whether addresses are all that there are, of IPv4 or of IPv6. None named means all.
func everybody(addresses *string) bool {
	if addresses == nil {
		return true
	}
	set, err := value.ParseIPSet(*addresses)
	if err != nil {
		return false
	}
	return wholly(netip.PrefixFrom(netip.IPv4Unspecified(), 0), set.Prefixes()) || wholly(netip.PrefixFrom(netip.IPv6Unspecified(), 0), set.Prefixes())
}

// wholly tells whether entries cover every address of p, one alone or together.
func wholly(p netip.Prefix, entries []netip.Prefix) bool {
	var within []netip.Prefix
	for _, e := range entries {
		if !e.Overlaps(p) {
			continue
		}
		if e.Bits() <= p.Bits() {
			return true
		}
		within = append(within, e)
	}
	if len(within) == 0 {
		return false
	}
	raw := p.Addr().AsSlice()
	raw[p.Bits()/8] |= 0x80 >> (p.Bits() % 8)
	upper, _ := netip.AddrFromSlice(raw)
	return wholly(netip.PrefixFrom(p.Addr(), p.Bits()+1), within) && wholly(netip.PrefixFrom(upper, p.Bits()+1), within)
}
