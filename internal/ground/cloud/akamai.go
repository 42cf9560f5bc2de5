package cloud

import (
	"context"
	"net/http"
	"strconv"

	"github.com/linode/linodego"
)

type akamai struct{ client linodego.Client }

func newAkamai(client *http.Client, base string, _ Account) (driver, error) {
	if base == "" {
		base = "https://api.linode.com" // not the address in the environment
	}
	c := linodego.NewClient(client)
	c.SetBaseURL(base)
	c.SetAPIVersion("v4")
	c.SetDebug(false)
	c.SetRetryCount(0)
	return akamai{c}, nil
}

func (d akamai) check(ctx context.Context) error {
	_, err := d.client.ListVPCs(ctx, linodego.NewListOptions(1, ""))
	return err
}

func (d akamai) regions(ctx context.Context) ([]string, error) {
	list, err := d.client.ListRegions(ctx, nil)
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = r.ID
	}
	return out, err
}

func (d akamai) networks(ctx context.Context, region string) ([]Network, error) {
	list, err := d.client.ListVPCs(ctx, nil)
	if err != nil {
		return nil, err
	}
	var out []Network
	for _, v := range list {
		if v.Region == region {
			out = append(out, d.network(v))
		}
	}
	return out, nil
}

func (d akamai) createNetwork(ctx context.Context, region, name string) (Network, error) {
	v, err := d.client.CreateVPC(ctx, linodego.VPCCreateOptions{Label: name, Region: region,
		Subnets: []linodego.VPCSubnetCreateOptions{{Label: "default", IPv4: "10.0.0.0/20"}}})
	if err != nil {
		return Network{}, err
	}
	return d.network(*v), nil
}

func (akamai) network(v linodego.VPC) Network {
	n := Network{ID: strconv.Itoa(v.ID), Name: v.Label, Region: v.Region}
	for _, s := range v.Subnets {
		n.Subnets = append(n.Subnets, Subnet{ID: strconv.Itoa(s.ID), Name: s.Label, CIDR: s.IPv4})
	}
	if len(n.Subnets) == 1 { // a VPC has only the ranges of its subnets
		n.CIDR = n.Subnets[0].CIDR
	}
	return n
}
