package cloud

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/linode/linodego"

	"github.com/hostlerhq/hostler/internal/ground/secret"
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
	v, err := d.client.CreateVPC(ctx, linodego.VPCCreateOptions{
		Label: name, Region: region,
		Subnets: []linodego.VPCSubnetCreateOptions{{Label: "default", IPv4: "10.0.0.0/20"}},
	})
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

func (d akamai) sizes(ctx context.Context, region string) ([]Offer, error) {
	list, err := d.client.ListTypes(ctx, nil) // every region has them, or says so when one is ordered
	out := make([]Offer, len(list))
	for i, t := range list {
		monthly := 0.0
		if t.Price != nil {
			monthly = float64(t.Price.Monthly)
		}
		for _, p := range t.RegionPrices {
			if p.ID == region {
				monthly = float64(p.Monthly)
			}
		}
		out[i] = Offer{Code: t.ID, CPUs: t.VCPUs, RAM: t.Memory, Disk: t.Disk / 1024}.priced(monthly, "")
	}
	return out, err
}

func (d akamai) find(ctx context.Context, _, name string) ([]Machine, error) {
	filter, err := json.Marshal(map[string]string{"label": name})
	if err != nil {
		return nil, fmt.Errorf("filter servers: %w", err)
	}
	list, err := d.client.ListInstances(ctx, linodego.NewListOptions(0, string(filter)))
	var out []Machine
	for _, one := range list {
		if one.Label == name {
			out = append(out, linodeOf(one))
		}
	}
	return out, err
}

func (d akamai) machine(ctx context.Context, _, id string) (Machine, error) {
	n, err := number(id)
	if err != nil {
		return Machine{}, err
	}
	one, err := d.client.GetInstance(ctx, n)
	if err != nil {
		return Machine{}, err
	}
	return linodeOf(*one), nil
}

// create sets a password for root that is not kept: one is required. The script takes it away again.
func (d akamai) create(ctx context.Context, o Order) (Machine, error) {
	one, err := d.client.CreateInstance(ctx, linodego.InstanceCreateOptions{
		Region: o.Region, Type: o.Size, Label: o.Name, Image: "linode/ubuntu" + o.System,
		RootPass: "Aa1-" + secret.Random(24), Metadata: &linodego.InstanceMetadataOptions{UserData: base64.StdEncoding.EncodeToString([]byte(o.UserData))},
	})
	if err != nil {
		return Machine{}, err
	}
	return linodeOf(*one), nil
}

func (akamai) backUp(context.Context, string, string) error { return nil } // there is no field for them

func (d akamai) destroy(ctx context.Context, _, id string) error {
	n, err := number(id)
	if err == nil {
		err = d.client.DeleteInstance(ctx, n)
	}
	return err
}

func (d akamai) cycle(ctx context.Context, _, id string) error {
	n, err := number(id)
	if err == nil {
		err = d.client.RebootInstance(ctx, n, 0)
	}
	return err
}

func linodeOf(one linodego.Instance) Machine {
	m := Machine{ID: strconv.Itoa(one.ID)}
	for _, ip := range one.IPv4 {
		switch {
		case ip == nil:
		case ip.IsPrivate():
			m.Private = ip.String()
		default:
			m.Address = ip.String()
		}
	}
	return m
}
