package cloud

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

type hetzner struct{ client *hcloud.Client }

func newHetzner(client *http.Client, base string, _ Account) (driver, error) {
	options := []hcloud.ClientOption{hcloud.WithHTTPClient(client), hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0})}
	if base != "" {
		options = append(options, hcloud.WithEndpoint(base+"/v1"))
	}
	return hetzner{hcloud.NewClient(options...)}, nil
}

func (d hetzner) check(ctx context.Context) error {
	_, _, err := d.client.Network.List(ctx, hcloud.NetworkListOpts{ListOpts: hcloud.ListOpts{PerPage: 1}})
	return err
}

func (d hetzner) regions(ctx context.Context) ([]string, error) {
	list, err := d.client.Location.All(ctx)
	out := make([]string, len(list))
	for i, l := range list {
		out[i] = l.Name
	}
	return out, err
}

// zone returns the zone of a location. A network has subnets in one zone, which are for servers in all of its locations.
func (d hetzner) zone(ctx context.Context, region string) (hcloud.NetworkZone, error) {
	l, _, err := d.client.Location.GetByName(ctx, region)
	if err != nil {
		return "", err
	}
	if l == nil {
		return "", &Problem{Kind: Missing, Reason: "Hetzner Cloud has no location " + region + "."}
	}
	return l.NetworkZone, nil
}

func (d hetzner) networks(ctx context.Context, region string) ([]Network, error) {
	zone, err := d.zone(ctx, region)
	if err != nil {
		return nil, err
	}
	list, err := d.client.Network.All(ctx)
	if err != nil {
		return nil, err
	}
	var out []Network
	for _, n := range list {
		if network := d.network(n, zone, region); len(network.Subnets) > 0 {
			out = append(out, network)
		}
	}
	return out, nil
}

func (d hetzner) createNetwork(ctx context.Context, region, name string) (Network, error) {
	zone, err := d.zone(ctx, region)
	if err != nil {
		return Network{}, err
	}
	_, whole, err := net.ParseCIDR("10.0.0.0/16")
	if err != nil {
		return Network{}, fmt.Errorf("parse a range: %w", err)
	}
	part := &net.IPNet{IP: whole.IP, Mask: net.CIDRMask(20, 32)}
	n, _, err := d.client.Network.Create(ctx, hcloud.NetworkCreateOpts{
		Name: name, IPRange: whole,
		Subnets: []hcloud.NetworkSubnet{{Type: hcloud.NetworkSubnetTypeCloud, IPRange: part, NetworkZone: zone}},
	})
	if err != nil {
		return Network{}, err
	}
	return d.network(n, zone, region), nil
}

func (hetzner) network(n *hcloud.Network, zone hcloud.NetworkZone, region string) Network {
	out := Network{ID: strconv.FormatInt(n.ID, 10), Name: n.Name, Region: region}
	if n.IPRange != nil {
		out.CIDR = n.IPRange.String()
	}
	for _, s := range n.Subnets {
		if s.NetworkZone == zone && s.IPRange != nil {
			out.Subnets = append(out.Subnets, Subnet{ID: s.IPRange.String(), Name: string(s.NetworkZone), CIDR: s.IPRange.String()}) // subnets have no ids there
		}
	}
	return out
}

// sizes lists those that have a price in a location. The currency of the prices, which is the account's, is in another list.
func (d hetzner) sizes(ctx context.Context, region string) ([]Offer, error) {
	list, err := d.client.ServerType.All(ctx)
	if err != nil {
		return nil, err
	}
	all, _, err := d.client.Pricing.Get(ctx)
	if err != nil {
		return nil, err
	}
	var out []Offer
	for _, t := range list {
		i := slices.IndexFunc(t.Pricings, func(p hcloud.ServerTypeLocationPricing) bool { return p.Location != nil && p.Location.Name == region })
		if i < 0 {
			continue
		}
		monthly, _ := strconv.ParseFloat(t.Pricings[i].Monthly.Net, 64) // none, if it is no number
		out = append(out, Offer{Code: t.Name, CPUs: t.Cores, RAM: int(t.Memory * 1024), Disk: t.Disk}.priced(monthly, all.Currency))
	}
	return out, nil
}

func (d hetzner) find(ctx context.Context, _, name string) ([]Machine, error) {
	list, err := d.client.Server.AllWithOpts(ctx, hcloud.ServerListOpts{Name: name})
	var out []Machine
	for _, s := range list {
		if s.Name == name {
			out = append(out, hetznerMachine(s))
		}
	}
	return out, err
}

func (d hetzner) machine(ctx context.Context, _, id string) (Machine, error) {
	n, err := number(id)
	if err != nil {
		return Machine{}, err
	}
	s, _, err := d.client.Server.GetByID(ctx, int64(n))
	if err != nil {
		return Machine{}, err
	}
	if s == nil {
		return Machine{}, &Problem{Kind: Missing, Reason: "Hetzner Cloud has no server " + id + "."}
	}
	return hetznerMachine(s), nil
}

func (d hetzner) create(ctx context.Context, o Order) (Machine, error) {
	in := hcloud.ServerCreateOpts{
		Name: o.Name, ServerType: &hcloud.ServerType{Name: o.Size}, Location: &hcloud.Location{Name: o.Region}, UserData: o.UserData,
		Image: &hcloud.Image{Name: "ubuntu-" + o.System},
	} // of the size's architecture
	if o.Network != "" {
		n, err := number(o.Network)
		if err != nil {
			return Machine{}, err
		}
		in.Networks = []*hcloud.Network{{ID: int64(n)}}
	}
	made, _, err := d.client.Server.Create(ctx, in)
	if err != nil {
		return Machine{}, err
	}
	if made.Server == nil {
		return Machine{}, fmt.Errorf("an answer without a server")
	}
	return hetznerMachine(made.Server), nil
}

func (d hetzner) backUp(ctx context.Context, _, id string) error {
	n, err := number(id)
	if err == nil {
		_, _, err = d.client.Server.EnableBackup(ctx, &hcloud.Server{ID: int64(n)}, "")
	}
	return err
}

func (d hetzner) destroy(ctx context.Context, _, id string) error {
	n, err := number(id)
	if err == nil {
		_, _, err = d.client.Server.DeleteWithResult(ctx, &hcloud.Server{ID: int64(n)})
	}
	return err
}

func (d hetzner) cycle(ctx context.Context, _, id string) error {
	n, err := number(id)
	if err == nil {
		_, _, err = d.client.Server.Reset(ctx, &hcloud.Server{ID: int64(n)})
	}
	return err
}

func hetznerMachine(s *hcloud.Server) Machine {
	m := Machine{ID: strconv.FormatInt(s.ID, 10), Unprotected: s.BackupWindow == ""}
	if ip := s.PublicNet.IPv4.IP; ip != nil && !ip.IsUnspecified() {
		m.Address = ip.String()
	}
	if len(s.PrivateNet) > 0 && s.PrivateNet[0].IP != nil {
		m.Private = s.PrivateNet[0].IP.String()
	}
	return m
}
