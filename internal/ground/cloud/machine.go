package cloud

import (
	"cmp"
	"context"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Order is a server to order.
type Order struct {
	// Name is the server's name at the provider. It belongs to this order alone: the server is found by it.
	Name         string
	Region, Size string
	// System is a version of Ubuntu, for example 24.04.
	System string
	// Network is the id of a private network, Subnet that of a part of it. Empty is the provider's default.
	Network, Subnet string
	// Disk is in GB, for sizes without a disk.
	Disk int64
	// Backups orders the provider's own backups, too.
	Backups bool
	// UserData is a script that the server runs as root at its first boot.
	UserData string
}

// Machine is a server at a provider.
type Machine struct {
	ID string
	// Address is its public IPv4 address, Private the one in its private network. They are empty until it has them.
	Address, Private string
	// Unprotected is set if the provider could make backups of it, and does not.
	Unprotected bool
}

// sizes are what sizes are called.
var sizes = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$`)

// HasSize reports whether servers of a size can be ordered in a region. The provider is queried for sizes that the built-in list does not have there.
func (c *Cloud) HasSize(ctx context.Context, region, size string) (bool, error) {
	if !sizes.MatchString(size) {
		return false, nil
	}
	if c.catalog.HasSize(c.provider, region, size) {
		return true, nil
	}
	list, err := ask(ctx, c, func(ctx context.Context) ([]Offer, error) { return c.driver.sizes(ctx, region) })
	return slices.ContainsFunc(list, func(o Offer) bool { return o.Code == size }), err
}

// Offer is a size that servers in a region can have now.
type Offer struct {
	Code string
	// CPUs, RAM in MB and Disk in GB are 0 where they are not known. Disk is also 0 where it is ordered with the server.
	CPUs, RAM, Disk int
	// Monthly is the price of a month in Currency, a decimal number without taxes. Both are empty where the provider does not say.
	Monthly, Currency string
}

// Name describes a size.
func (o Offer) Name() string {
	if o.CPUs == 0 {
		return o.Code
	}
	return Size{Code: o.Code, CPUs: o.CPUs, RAM: o.RAM, Disk: o.Disk}.Name()
}

// priced adds the price of a month to an offer; none is 0. An empty currency is the one that the provider's prices are in.
func (o Offer) priced(monthly float64, currency string) Offer {
	if monthly > 0 && !math.IsInf(monthly, 1) {
		o.Monthly, o.Currency = strconv.FormatFloat(monthly, 'f', 2, 64), currency
	}
	return o
}

// Offers lists the sizes that servers in a region can have now, the cheapest first. What the provider does not say of a size is taken from the shipped list.
func (c *Cloud) Offers(ctx context.Context, region string) ([]Offer, error) {
	list, err := ask(ctx, c, func(ctx context.Context) ([]Offer, error) { return c.driver.sizes(ctx, region) })
	if err != nil {
		return nil, err
	}
	list = soundOffers(list)
	p := c.catalog.provider(c.provider)
	for i, o := range list {
		if n := slices.IndexFunc(p.Sizes, func(s Size) bool { return s.Code == o.Code }); n >= 0 && o.CPUs == 0 {
			list[i].CPUs, list[i].RAM, list[i].Disk = p.Sizes[n].CPUs, p.Sizes[n].RAM, p.Sizes[n].Disk
		}
		if o.Monthly != "" && o.Currency == "" {
			list[i].Currency = p.Currency
		}
	}
	slices.SortStableFunc(list, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(price(a), price(b)), cmp.Compare(a.CPUs, b.CPUs), cmp.Compare(a.RAM, b.RAM), strings.Compare(a.Code, b.Code))
	})
	return list, nil
}

// price returns what an offer is sorted by: without a price, it comes last.
func price(o Offer) float64 {
	f, err := strconv.ParseFloat(o.Monthly, 64)
	if err != nil {
		return math.Inf(1)
	}
	return f
}

// Unique reports whether the provider has one server at most of each name: a second order leads to the same server, or is refused.
func (c *Cloud) Unique() bool { return c.provider != DigitalOcean && c.provider != Vultr }

// Find returns the servers with a name, the oldest first.
func (c *Cloud) Find(ctx context.Context, region, name string) ([]Machine, error) {
	list, err := ask(ctx, c, func(ctx context.Context) ([]Machine, error) { return c.driver.find(ctx, region, name) })
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i], err = c.sound(list[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b Machine) int { return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), strings.Compare(a.ID, b.ID)) })
	return list, nil
}

// Machine returns the server with an id; ok is false if there is none.
func (c *Cloud) Machine(ctx context.Context, region, id string) (m Machine, ok bool, err error) {
	m, err = ask(ctx, c, func(ctx context.Context) (Machine, error) { return c.driver.machine(ctx, region, id) })
	if missing(err) {
		return Machine{}, false, nil
	}
	if err == nil {
		m, err = c.sound(m)
	}
	if err == nil && m.ID != id { // it would be destroyed in the place of the other
		err = c.nonsense()
	}
	return m, err == nil, err
}

// Create orders a server. It makes one attempt: after an error of the kind Unavailable, there may be one.
func (c *Cloud) Create(ctx context.Context, o Order) (Machine, error) {
	m, err := ask(ctx, c, func(ctx context.Context) (Machine, error) { return c.driver.create(ctx, o) })
	if err != nil {
		return Machine{}, err
	}
	return c.sound(m)
}

// BackUp makes the provider back a server up.
func (c *Cloud) BackUp(ctx context.Context, region, id string) error {
	return c.tell(ctx, func(ctx context.Context) error { return c.driver.backUp(ctx, region, id) })
}

// Destroy makes the provider destroy a server. It may still be listed for a while.
func (c *Cloud) Destroy(ctx context.Context, region, id string) error {
	err := c.tell(ctx, func(ctx context.Context) error { return c.driver.destroy(ctx, region, id) })
	if missing(err) {
		return nil
	}
	return err
}

// Cycle switches a server off and on again.
func (c *Cloud) Cycle(ctx context.Context, region, id string) error {
	return c.tell(ctx, func(ctx context.Context) error { return c.driver.cycle(ctx, region, id) })
}

func (c *Cloud) tell(ctx context.Context, do func(context.Context) error) error {
	_, err := ask(ctx, c, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}

func missing(err error) bool {
	p := (*Problem)(nil)
	return errors.As(err, &p) && p.Kind == Missing
}
