package cloud

import (
	"context"
	"fmt"
	"net"
	"net/http"
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
	n, _, err := d.client.Network.Create(ctx, hcloud.NetworkCreateOpts{Name: name, IPRange: whole,
		Subnets: []hcloud.NetworkSubnet{{Type: hcloud.NetworkSubnetTypeCloud, IPRange: part, NetworkZone: zone}}})
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
