// Package firewall is the rules that say who may reach which port of a server.
package firewall

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Aspect is the part of a server that rules belong to: the whole set is replaced at once.
const Aspect = "firewall"

// Deadline is how long a change of rules may take; an unreachable host is tried until then.
const Deadline = 10 * time.Minute

// The types of a rule. Denies stand above allows, the newest first.
const (
	Allow = "allow"
	Deny  = "deny"
)

// Specification is what a rule asks of its server.
type Specification struct {
	Name string         `json:"name"`
	Port value.PortSpec `json:"port,omitzero"`
	Type string         `json:"type"`
	// IPAddress is empty for any address.
	IPAddress value.IPSet `json:"ip_address,omitzero"`
}

// Rules is the noun.
var Rules = &ledger.Noun[Specification]{Kind: "rules", Version: 1, Write: write, Keep: keepsSSH}

func write(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[Specification]) error {
	var err error
	if s := row.Specification; row.Phase == ledger.Gone {
		_, err = tx.DeleteFirewallRule(ctx, row.ID)
	} else {
		err = tx.PutFirewallRule(ctx, query.PutFirewallRuleParams{
			ID: row.ID, ServerID: serverID, Name: s.Name, Port: s.Port, Type: s.Type, IPAddress: s.IPAddress,
			Status: server.PartStatus(row.Phase), OperationID: row.OperationID, CreatedAt: tx.Micros(),
		})
	}
	if err != nil {
		return fmt.Errorf("write firewall rule %d: %w", row.ID, err)
	}
	return nil
}

// Defaults gives new servers their first rules. They are applied by the operation that sets the server up.
type Defaults struct {
	Ledger *ledger.Ledger
}

// Add asks for the visible rules of a new server: SSH, HTTP and HTTPS.
func (d Defaults) Add(ctx context.Context, tx *db.Tx, srv query.Server, operationID int64) error {
	var specs []Specification
	for _, visible := range []struct {
		name string
		port int64
	}{{"SSH", srv.SSHPort}, {"HTTP", 80}, {"HTTPS", 443}} {
		port, err := value.NewPort(int(visible.port))
		if err != nil {
			return fmt.Errorf("%s port of server %d: %w", visible.name, srv.ID, err)
		}
		specs = append(specs, Specification{Name: visible.name, Port: port.Spec(), Type: Allow})
	}
	return d.ask(ctx, tx, srv, operationID, specs...)
}

// AddOwn asks for rules for the ports of Hostler, as a part of the operation that sets up its own machine. Those that every server has are left out.
func (d Defaults) AddOwn(ctx context.Context, tx *db.Tx, srv query.Server, ports []value.Port) error {
	if srv.OperationID == nil {
		return fmt.Errorf("add firewall rules of Hostler to server %d: no operation sets it up", srv.ID)
	}
	var specs []Specification
	for _, p := range ports {
		if n := int64(p.Int()); n != srv.SSHPort && n != 80 && n != 443 {
			specs = append(specs, Specification{Name: "Hostler", Port: p.Spec(), Type: Allow})
		}
	}
	return d.ask(ctx, tx, srv, *srv.OperationID, specs...)
}

func (d Defaults) ask(ctx context.Context, tx *db.Tx, srv query.Server, operationID int64, specs ...Specification) error {
	for _, s := range specs {
		id, err := insert(ctx, tx, srv.ID, s)
		if err != nil {
			return err
		}
		wish, err := Rules.Want(id, s)
		if err == nil {
			err = d.Ledger.Attach(ctx, tx, operationID, srv.ID, wish)
		}
		if err != nil {
			return fmt.Errorf("add default firewall rules: %w", err)
		}
	}
	return nil
}

// insert makes the row of a rule.
func insert(ctx context.Context, tx *db.Tx, serverID int64, s Specification) (int64, error) {
	row, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{
		ServerID: serverID, Name: s.Name, Port: s.Port, Type: s.Type, IPAddress: s.IPAddress,
		Status:    server.PartInstalling,
		CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return 0, fmt.Errorf("insert firewall rule: %w", err)
	}
	return row.ID, nil
}

// closesSSH reports whether a set of allowing rules leaves the SSH port closed to all: only Hostler's own path would remain.
func closesSSH(rules []query.FirewallRule, port int64) bool {
	for _, r := range rules {
		if r.Type == Allow && r.Status != server.PartFailed && covers(r.Port, port) {
			return false
		}
	}
	return true
}

// covers reports whether a rule's port speaks of a port.
func covers(spec value.PortSpec, port int64) bool {
	p, err := value.NewPort(int(port))
	return spec.IsZero() || err == nil && spec.Contains(p)
}

// everybody reports whether the list spans all of IPv4 or IPv6. An empty one spans both.
func everybody(set value.IPSet) bool {
	return set.IsZero() || wholly(netip.PrefixFrom(netip.IPv4Unspecified(), 0), set.Prefixes()) ||
		wholly(netip.PrefixFrom(netip.IPv6Unspecified(), 0), set.Prefixes())
}

// wholly reports whether entries cover every address of p, one alone or together.
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
