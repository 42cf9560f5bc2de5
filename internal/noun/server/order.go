package server

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Accounts opens accounts at providers.
type Accounts interface {
	// Of opens the account that a server was created with.
	Of(ctx context.Context, q *query.Granted, row query.Server) (*cloud.Cloud, error)
}

// Machines orders servers at providers, and destroys them. Its methods are steps of work: each can be repeated, and goes on where the last attempt ended.
type Machines struct {
	DB       *db.DB
	Keys     *Keys
	Accounts Accounts
	// Every is how often a provider is asked about a server that comes or goes, default 10 seconds.
	Every time.Duration
	// AllowLocal takes addresses of the machine that Hostler runs on, for tests.
	AllowLocal bool
}

// Times of orders.
const (
	// orderWithin is how long a server may take to call Hostler, from the request. After that it is destroyed.
	orderWithin = 30 * time.Minute
	// inDoubtFor is how long a server is looked for whose order was sent, and whose provider did not say whether it took it.
	inDoubtFor = 2 * time.Minute
	// releaseWithin is how long it is tried to destroy what was ordered in vain.
	releaseWithin = 7 * 24 * time.Hour
)

// AtProvider reports whether a server was ordered at a provider.
func AtProvider(row query.Server) bool { return row.Provider != ProviderCustom }

// awaited reports whether a server at a provider has yet to call, which it does when it boots first.
func awaited(row query.Server) bool {
	return AtProvider(row) && row.HostKeys == "" && row.FormerHostKeys == ""
}

// specification is what an order has beside the columns of its server.
type specification struct {
	System  string `json:"system"`
	Network string `json:"network,omitempty"`
	Subnet  string `json:"subnet,omitempty"`
	Disk    int64  `json:"disk,omitempty"`
	Backups bool   `json:"backups,omitempty"`
}

// orderName returns a name for a server at its provider that no other has: letters, digits and dashes, which also make a host name.
func orderName(row query.Server) string { return cmp.Or(row.Slug, "server") + "-" + secret.Random(8) }

// stages are those of creating a server that come before it is known.
func (m *Machines) stages() []job.Stage {
	return []job.Stage{{Name: "order", After: m.order}, {Name: "wait for its address", After: m.address}, {Name: "wait for its first call", After: m.called}}
}

// attempt is what a step begins with.
type attempt struct {
	*Machines
	row     query.Server
	order   query.ServerOrder
	account *cloud.Cloud
}

func (m *Machines) begin(ctx context.Context, row query.Server) (attempt, error) {
	a := attempt{Machines: m}
	var err error
	if a.row, err = m.DB.Read().GetServer(ctx, row); err != nil {
		return a, fmt.Errorf("read server %d: %w", row.ID, err)
	}
	if a.order, err = m.DB.Read().GetServerOrder(ctx, row); err != nil {
		return a, fmt.Errorf("read the order of server %d: %w", row.ID, err)
	}
	a.account, err = m.Accounts.Of(ctx, m.DB.Read(), a.row)
	return a, err
}

func (m *Machines) every() time.Duration { return cmp.Or(m.Every, 10*time.Second) }

func (m *Machines) later(format string, args ...any) error {
	return &job.LaterError{Reason: fmt.Sprintf(format, args...), After: m.every()}
}

// explain turns a provider's problem into the end of a step: the work goes on later if that may help, and ends if not.
func (m *Machines) explain(err error, helps ...cloud.Kind) error {
	p := (*cloud.Problem)(nil)
	if !errors.As(err, &p) {
		return err
	}
	if p.Kind == cloud.Unavailable || p.Kind == cloud.Limited || slices.Contains(helps, p.Kind) {
		return &job.LaterError{Reason: p.Reason, After: max(p.After, m.every())}
	}
	return &job.StageError{Reason: p.Reason}
}

// order orders the server, unless it was ordered already: it is looked for before, and after an order that was refused. An order is recorded before it is
// sent, so that one whose answer is lost is known of.
func (m *Machines) order(ctx context.Context, row query.Server) error {
	a, err := m.begin(ctx, row)
	switch {
	case err != nil:
		return err
	case a.row.HostKeys != "":
		return nil
	case a.row.Status == StatusDeleting:
		return m.later("The server is being deleted.")
	case a.order.Releasing:
		if err := a.release(ctx); err != nil {
			return err
		}
		if a, err = m.begin(ctx, row); err != nil {
			return err
		}
	}
	found, err := a.account.Find(ctx, a.row.Region, a.order.Name)
	if err != nil {
		return m.explain(err)
	}
	if len(found) > 0 {
		return a.take(ctx, found)
	}
	if a.inDoubt() && !a.account.Unique() {
		return m.later("It is unknown whether the server was ordered. Looking for it.")
	}
	return a.send(ctx)
}

// inDoubt reports whether an order may have been sent so recently that its server need not be listed yet.
func (a attempt) inDoubt() bool {
	return a.order.SentAt != 0 && a.DB.Clock.Now().Sub(time.UnixMicro(a.order.SentAt)) < inDoubtFor
}

func (a attempt) send(ctx context.Context) error {
	var in specification
	if err := json.Unmarshal([]byte(a.order.Specification), &in); err != nil {
		return fmt.Errorf("read the order of server %d: %w", a.row.ID, err)
	}
	script, err := a.Keys.userData(a.row)
	if err != nil {
		return err
	}
	if err := a.sent(ctx, a.DB.Clock.Now().UnixMicro()); err != nil {
		return err
	}
	made, err := a.account.Create(ctx, cloud.Order{
		Name: a.order.Name, Region: a.row.Region, Size: a.row.Size, System: in.System, Network: in.Network,
		Subnet: in.Subnet,
		Disk:   in.Disk, Backups: in.Backups, UserData: script,
	})
	p := (*cloud.Problem)(nil)
	switch {
	case err == nil:
		return a.take(ctx, []cloud.Machine{made})
	case !errors.As(err, &p) || p.Kind == cloud.Unavailable:
		return a.explain(err)
	}
	// It is refused. Where names are unique, that may be since the order before was taken.
	found, again := a.account.Find(ctx, a.row.Region, a.order.Name)
	switch {
	case again != nil:
		return a.explain(again)
	case len(found) > 0:
		return a.take(ctx, found)
	}
	if err := a.sent(ctx, a.order.SentAt); err != nil { // this one was not taken
		return err
	}
	return a.explain(err)
}

// sent records when an order was sent. One that is given up meanwhile is not.
func (a attempt) sent(ctx context.Context, at int64) error {
	return a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.SendServerOrder(ctx, a.row.ID, at, a.order.Name)
		if err != nil {
			return fmt.Errorf("record the order of server %d: %w", a.row.ID, err)
		}
		if n == 0 {
			return &job.StageError{Reason: "The order was withdrawn."}
		}
		return nil
	})
}

// take makes one of the servers with the order's name the one that was ordered, and destroys the others.
func (a attempt) take(ctx context.Context, found []cloud.Machine) error {
	one := a.chosen(found)
	if a.row.Identifier == nil || *a.row.Identifier != one.ID {
		if err := a.setMachine(ctx, &one.ID, a.row.IPAddress, a.row.PrivateIPAddress); err != nil {
			return err
		}
	}
	for _, other := range found {
		if other.ID != one.ID {
			if err := a.account.Destroy(ctx, a.row.Region, other.ID); err != nil {
				return a.explain(err, cloud.Invalid)
			}
		}
	}
	return nil
}

func (a attempt) chosen(found []cloud.Machine) cloud.Machine {
	i := slices.IndexFunc(found, func(m cloud.Machine) bool { return a.row.Identifier != nil && m.ID == *a.row.Identifier })
	return found[max(i, 0)]
}

func (a attempt) setMachine(ctx context.Context, id, address, private *string) error {
	return a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return setMachine(ctx, tx, a.row.ID, id, address, private) })
}

func setMachine(ctx context.Context, tx *db.Tx, server int64, id, address, private *string) error {
	err := tx.SetServerMachine(ctx, query.SetServerMachineParams{
		ID: server, Identifier: id, IPAddress: address, PrivateIPAddress: private,
		UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return fmt.Errorf("keep what the provider says of server %d: %w", server, err)
	}
	return nil
}

// address waits until the server has an address.
func (m *Machines) address(ctx context.Context, row query.Server) error {
	a, err := m.begin(ctx, row)
	if err != nil || a.row.IPAddress != nil {
		return err
	}
	found, err := a.account.Find(ctx, a.row.Region, a.order.Name)
	switch {
	case err != nil:
		return m.explain(err)
	case len(found) == 0 && a.inDoubt():
		return m.later("The provider does not list the server yet.")
	case len(found) == 0:
		return &job.StageError{Reason: "The provider no longer has the server."}
	}
	if err := a.take(ctx, found); err != nil {
		return err
	}
	one := a.chosen(found)
	var in specification
	if err := json.Unmarshal([]byte(a.order.Specification), &in); err != nil {
		return fmt.Errorf("read the order of server %d: %w", a.row.ID, err)
	}
	if in.Backups && one.Unprotected {
		if err := a.account.BackUp(ctx, a.row.Region, one.ID); err != nil {
			return m.explain(err, cloud.Invalid)
		}
	}
	if one.Address == "" {
		return m.later("The server has no address yet.")
	}
	return a.reachable(ctx, one)
}

// reachable keeps the addresses of a server, which no other server of the organization may have.
func (a attempt) reachable(ctx context.Context, one cloud.Machine) error {
	address, ok := parseAddress(one.Address, a.AllowLocal)
	if !ok {
		return &job.StageError{Reason: "The provider reports the address " + one.Address + ", which is none of another machine."}
	}
	var private *string
	if p, ok := parseAddress(one.Private, a.AllowLocal); ok {
		private = new(p.String())
	}
	return a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.LockServer(ctx, a.row.ID); err != nil {
			return err
		}
		row, err := tx.GetServer(ctx, a.row)
		if err != nil {
			return fmt.Errorf("read server %d: %w", a.row.ID, err)
		}
		row.IPAddress = new(address.String())
		taken, err := reachedElsewhere(ctx, tx, row)
		if err != nil {
			return err
		}
		if taken {
			return &job.StageError{Reason: "Another server of your organization has the address " + one.Address + " of the new one."}
		}
		return setMachine(ctx, tx, row.ID, &one.ID, row.IPAddress, private)
	})
}

// called waits until the server has called, and looks once more whether there is one of it. That ends the order.
func (m *Machines) called(ctx context.Context, row query.Server) error {
	a, err := m.begin(ctx, row)
	switch {
	case err != nil:
		return err
	case a.row.HostKeys == "":
		return m.later("The server boots.")
	case a.account.Unique() || a.order.SentAt == 0:
		return nil
	}
	found, err := a.account.Find(ctx, a.row.Region, a.order.Name)
	if err != nil {
		return m.explain(err, cloud.Refused, cloud.Forbidden, cloud.Missing, cloud.Invalid)
	}
	if len(found) > 0 {
		if err := a.take(ctx, found); err != nil {
			return err
		}
	}
	return a.sent(ctx, 0)
}

//go:embed first-boot.sh
var firstBootSource string

// userData is the script for the first boot of a server.
func (k *Keys) userData(row query.Server) (string, error) {
	code, err := k.Box.Open(sealedAt(row.ID, "bootstrap_secret"), row.BootstrapSecret)
	if err != nil {
		return "", err
	}
	return strings.Replace(firstBootSource, "@LINE@", bootstrapMeta(k.URL, row, secret.String(code)).Command.Reveal(), 1), nil
}
