package cloud

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"

	"github.com/vultr/govultr/v3"
)

type vultr struct{ client *govultr.Client }

func newVultr(client *http.Client, base string, _ Account) (driver, error) {
	c := govultr.NewClient(client)
	c.SetRetryLimit(0)
	if base != "" {
		if err := c.SetBaseURL(base); err != nil {
			return nil, err
		}
	}
	return vultr{c}, nil
}

func (d vultr) check(ctx context.Context) error {
	_, _, resp, err := d.client.VPC.List(ctx, &govultr.ListOptions{PerPage: 1})
	if resp != nil {
		_ = resp.Body.Close()
	}
	return err
}

// pages calls list for each page of a list.
func (d vultr) pages(list func(*govultr.ListOptions) (*govultr.Meta, *http.Response, error)) error {
	options := &govultr.ListOptions{PerPage: 500}
	for range maxPages {
		meta, resp, err := list(options)
		if resp != nil {
			_ = resp.Body.Close()
		}
		if err != nil {
			return err
		}
		if meta == nil || meta.Links == nil || meta.Links.Next == "" {
			return nil
		}
		options.Cursor = meta.Links.Next
	}
	return fmt.Errorf("more than %d pages", maxPages)
}

func (d vultr) regions(ctx context.Context) ([]string, error) {
	var out []string
	err := d.pages(func(page *govultr.ListOptions) (*govultr.Meta, *http.Response, error) {
		list, meta, resp, err := d.client.Region.List(ctx, page)
		for _, r := range list {
			out = append(out, r.ID)
		}
		return meta, resp, err
	})
	return out, err
}

func (d vultr) networks(ctx context.Context, region string) ([]Network, error) {
	var out []Network
	err := d.pages(func(page *govultr.ListOptions) (*govultr.Meta, *http.Response, error) {
		list, meta, resp, err := d.client.VPC.List(ctx, page)
		for _, v := range list {
			if v.Region == region {
				out = append(out, d.network(v))
			}
		}
		return meta, resp, err
	})
	return out, err
}

func (d vultr) createNetwork(ctx context.Context, region, name string) (Network, error) {
	v, resp, err := d.client.VPC.Create(ctx, &govultr.VPCReq{Region: region, Description: name}) // it chooses a range that is free
	if resp != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return Network{}, err
	}
	return d.network(*v), nil
}

func (vultr) network(v govultr.VPC) Network {
	n := Network{ID: v.ID, Name: v.Description, Region: v.Region}
	if v.V4Subnet != "" {
		n.CIDR = fmt.Sprintf("%s/%d", v.V4Subnet, v.V4SubnetMask)
	}
	return n
}

func (d vultr) sizes(ctx context.Context, region string) ([]Offer, error) {
	has, resp, err := d.client.Region.Availability(ctx, region, "")
	if resp != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	plans := map[string]govultr.Plan{}
	err = d.pages(func(page *govultr.ListOptions) (*govultr.Meta, *http.Response, error) {
		list, meta, resp, err := d.client.Plan.List(ctx, "", page)
		for _, p := range list {
			plans[p.ID] = p
		}
		return meta, resp, err
	})
	if err != nil {
		return nil, err
	}
	out := make([]Offer, len(has.AvailablePlans))
	for i, code := range has.AvailablePlans {
		p := plans[code]
		out[i] = Offer{Code: code, CPUs: p.VCPUCount, RAM: p.RAM, Disk: p.Disk}.priced(float64(p.MonthlyCost), "")
	}
	return out, nil
}

func (d vultr) find(ctx context.Context, _, name string) ([]Machine, error) {
	var out []Machine
	err := d.pages(func(page *govultr.ListOptions) (*govultr.Meta, *http.Response, error) {
		page.Label = name
		list, meta, resp, err := d.client.Instance.List(ctx, page)
		for _, one := range list {
			if one.Label == name {
				out = append(out, vultrMachine(one))
			}
		}
		return meta, resp, err
	})
	return out, err
}

func (d vultr) machine(ctx context.Context, _, id string) (Machine, error) {
	one, resp, err := d.client.Instance.Get(ctx, url.PathEscape(id))
	if resp != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return Machine{}, err
	}
	return vultrMachine(*one), nil
}

func (d vultr) create(ctx context.Context, o Order) (Machine, error) {
	system, err := d.system(ctx, "Ubuntu "+o.System+" LTS x64")
	if err != nil {
		return Machine{}, err
	}
	in := &govultr.InstanceCreateReq{
		Region: o.Region, Plan: o.Size, Label: o.Name, Hostname: o.Name, OsID: system, Backups: "disabled",
		UserData: base64.StdEncoding.EncodeToString([]byte(o.UserData)), ActivationEmail: new(bool),
	}
	if o.Network != "" {
		in.AttachVPC = []string{o.Network}
	}
	one, resp, err := d.client.Instance.Create(ctx, in)
	if resp != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return Machine{}, err
	}
	return vultrMachine(*one), nil
}

// system returns the number of an operating system.
func (d vultr) system(ctx context.Context, name string) (int, error) {
	id := 0
	err := d.pages(func(page *govultr.ListOptions) (*govultr.Meta, *http.Response, error) {
		list, meta, resp, err := d.client.OS.List(ctx, page)
		for _, s := range list {
			if s.Name == name {
				id = s.ID
			}
		}
		return meta, resp, err
	})
	if err == nil && id == 0 {
		err = &Problem{Kind: Invalid, Reason: "Vultr does not have " + name + "."}
	}
	return id, err
}

func (vultr) backUp(context.Context, string, string) error { return nil } // there is no field for them

func (d vultr) destroy(ctx context.Context, _, id string) error {
	return d.client.Instance.Delete(ctx, url.PathEscape(id))
}

func (d vultr) cycle(ctx context.Context, _, id string) error {
	return d.client.Instance.Reboot(ctx, url.PathEscape(id))
}

func vultrMachine(one govultr.Instance) Machine {
	m := Machine{ID: one.ID, Private: one.InternalIP}
	if one.MainIP != "0.0.0.0" { // it has none yet
		m.Address = one.MainIP
	}
	return m
}
