package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Account is what opens a provider.
type Account struct {
	Provider string
	// Key is the id of an access key, which only AWS has.
	Key secret.String
	// Secret is an API token, or the secret half of an access key.
	Secret secret.String
}

// Network is a private network at a provider.
type Network struct {
	ID, Name string
	// CIDR is the range of its addresses, or empty if it has none of its own.
	CIDR    string
	Region  string
	Subnets []Subnet
}

// Subnet is a part of a network that servers are in.
type Subnet struct{ ID, Name, CIDR string }

// Clouds opens accounts at providers.
type Clouds struct {
	// HTTP makes the calls; it restricts their destinations and follows no redirects.
	HTTP    *http.Client
	Catalog *Catalog
	// Bases are addresses of providers' APIs in the place of the real ones, for tests.
	Bases map[string]string
}

// driver is what is asked of a provider, in the words of its own client. One with a method less would leave the question of which providers can do what to
// every caller. Its errors are explained by Cloud.
type driver interface {
	// check makes a call that fails without the right to see networks.
	check(ctx context.Context) error
	regions(ctx context.Context) ([]string, error)
	networks(ctx context.Context, region string) ([]Network, error)
	createNetwork(ctx context.Context, region, name string) (Network, error)
	// sizes lists those that servers in a region can have now.
	sizes(ctx context.Context, region string) ([]Offer, error)
	// find returns the servers with a name, machine the one with an id. Those that are being destroyed for good are left out.
	find(ctx context.Context, region, name string) ([]Machine, error)
	machine(ctx context.Context, region, id string) (Machine, error)
	create(ctx context.Context, o Order) (Machine, error)
	backUp(ctx context.Context, region, id string) error
	destroy(ctx context.Context, region, id string) error
	// cycle makes one call: two could leave a server switched off.
	cycle(ctx context.Context, region, id string) error
}

// Cloud is an account at a provider. It is for one caller at a time. Its errors are of type *Problem.
type Cloud struct {
	driver   driver
	provider string
	name     string
	seen     *transport
	catalog  *Catalog
}

// timeout limits one request to a provider, which may take several calls.
const timeout = 30 * time.Second

// maxPages limits lists.
const maxPages = 100

// codes are what regions are called. They become part of addresses.
var codes = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// Open opens an account. It makes no call.
func (c *Clouds) Open(a Account) (*Cloud, error) {
	p := c.Catalog.provider(a.Provider)
	if p == nil {
		return nil, fmt.Errorf("there is no provider %s", a.Provider)
	}
	t := &transport{next: c.HTTP.Transport, name: p.Name, account: a}
	client := *c.HTTP
	client.Transport = t
	drivers := map[string]func(client *http.Client, base string, a Account) (driver, error){
		DigitalOcean: newDigitalOcean,
		Hetzner:      newHetzner,
		Vultr:        newVultr,
		Akamai:       newAkamai,
		AWS:          newAWS,
	}
	open := drivers[a.Provider]
	if open == nil {
		return nil, fmt.Errorf("there is no driver for %s", a.Provider)
	}
	d, err := open(&client, c.Bases[a.Provider], a)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", p.Name, err)
	}
	return &Cloud{driver: d, provider: a.Provider, name: p.Name, seen: t, catalog: c.Catalog}, nil
}

// ask runs one question with a deadline, and explains its failure.
func ask[T any](ctx context.Context, c *Cloud, question func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c.seen.begin()
	answer, err := survive(ctx, question)
	return answer, c.seen.explain(ctx, err)
}

// survive runs a question whose answer may be anything: providers' own clients use what an answer has not, such as the server in {"server": null}.
func survive[T any](ctx context.Context, question func(context.Context) (T, error)) (answer T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("read the answer: %v", r)
		}
	}()
	return question(ctx)
}

// Check reports whether the provider accepts the account.
func (c *Cloud) Check(ctx context.Context) error {
	_, err := ask(ctx, c, func(ctx context.Context) (struct{}, error) { return struct{}{}, c.driver.check(ctx) })
	return err
}

// RegionCode returns the code of a region that is named by its code, or by its id in the shipped list.
func (c *Cloud) RegionCode(region string) string { return c.catalog.RegionCode(c.provider, region) }

// HasRegion reports whether the provider has a region. The provider is queried for regions that are not in the built-in list.
func (c *Cloud) HasRegion(ctx context.Context, code string) (bool, error) {
	if !codes.MatchString(code) {
		return false, nil
	}
	if c.catalog.HasRegion(c.provider, code) {
		return true, nil
	}
	regions, err := ask(ctx, c, c.driver.regions)
	return slices.Contains(regions, code), err
}

// Networks lists the networks that servers in a region can be in.
func (c *Cloud) Networks(ctx context.Context, region string) ([]Network, error) {
	list, err := ask(ctx, c, func(ctx context.Context) ([]Network, error) { return c.driver.networks(ctx, region) })
	return soundNetworks(list), err
}

// CreateNetwork creates a network with a name that no other network in the region has. Providers have no token for this that would make a second call
// harmless, so the name is what a network is recognized by: if the answer is lost, the network is looked for.
func (c *Cloud) CreateNetwork(ctx context.Context, region, name string) (Network, error) {
	named := func() (Network, bool, error) {
		list, err := c.Networks(ctx, region)
		i := slices.IndexFunc(list, func(n Network) bool { return n.Name == name })
		if err != nil || i < 0 {
			return Network{}, false, err
		}
		return list[i], true, nil
	}
	if _, taken, err := named(); err != nil || taken {
		if taken {
			err = &Problem{Kind: Invalid, Reason: "There is already a network with this name."}
		}
		return Network{}, err
	}
	made, err := ask(ctx, c, func(ctx context.Context) (Network, error) { return c.driver.createNetwork(ctx, region, name) })
	if p := (*Problem)(nil); !errors.As(err, &p) || p.Kind != Unavailable {
		if sound := soundNetworks([]Network{made}); err == nil && len(sound) == 1 {
			return sound[0], nil
		}
		return Network{}, cmp.Or(err, error(c.nonsense()))
	}
	found, ok, again := named()
	switch {
	case ok:
		return found, nil
	case again != nil:
		return Network{}, &Problem{Kind: Unavailable, Reason: c.name +
			" did not say whether the network was created. Look at the list of networks before you try again."}
	}
	return Network{}, err
}
