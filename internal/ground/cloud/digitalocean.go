package cloud

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"
)

type digitalOcean struct{ client *godo.Client }

func newDigitalOcean(client *http.Client, base string, _ Account) (driver, error) {
	var options []godo.ClientOpt
	if base != "" {
		options = append(options, godo.SetBaseURL(base+"/"))
	}
	c, err := godo.New(client, options...) // tries nothing twice
	return digitalOcean{c}, err
}

func (d digitalOcean) check(ctx context.Context) error {
	_, _, err := d.client.VPCs.List(ctx, &godo.ListOptions{PerPage: 1})
	return err
}

// pages calls list for each page of a list.
func (d digitalOcean) pages(list func(*godo.ListOptions) (*godo.Response, error)) error {
	for page := 1; page <= maxPages; page++ {
		resp, err := list(&godo.ListOptions{Page: page, PerPage: 200})
		if err != nil {
			return err
		}
		if resp.Links == nil || resp.Links.IsLastPage() {
			return nil
		}
	}
	return fmt.Errorf("more than %d pages", maxPages)
}

func (d digitalOcean) regions(ctx context.Context) ([]string, error) {
	var out []string
	err := d.pages(func(page *godo.ListOptions) (*godo.Response, error) {
		list, resp, err := d.client.Regions.List(ctx, page)
		for _, r := range list {
			out = append(out, r.Slug)
		}
		return resp, err
	})
	return out, err
}

func (d digitalOcean) networks(ctx context.Context, region string) ([]Network, error) {
	var out []Network
	err := d.pages(func(page *godo.ListOptions) (*godo.Response, error) {
		list, resp, err := d.client.VPCs.List(ctx, page)
		for _, v := range list {
			if v.RegionSlug == region {
				out = append(out, d.network(v))
			}
		}
		return resp, err
	})
	return out, err
}

func (d digitalOcean) createNetwork(ctx context.Context, region, name string) (Network, error) {
	v, _, err := d.client.VPCs.Create(ctx, &godo.VPCCreateRequest{Name: name, RegionSlug: region}) // it chooses a range that is free
	if err != nil {
		return Network{}, err
	}
	return d.network(v), nil
}

func (digitalOcean) network(v *godo.VPC) Network {
	return Network{ID: v.ID, Name: v.Name, CIDR: v.IPRange, Region: v.RegionSlug}
}

func (d digitalOcean) sizes(ctx context.Context, region string) ([]Offer, error) {
	var out []Offer
	err := d.pages(func(page *godo.ListOptions) (*godo.Response, error) {
		list, resp, err := d.client.Sizes.List(ctx, page)
		for _, s := range list {
			if s.Available && slices.Contains(s.Regions, region) {
				out = append(out, Offer{Code: s.Slug, CPUs: s.Vcpus, RAM: s.Memory, Disk: s.Disk}.priced(s.PriceMonthly, ""))
			}
		}
		return resp, err
	})
	return out, err
}

func (d digitalOcean) find(ctx context.Context, _, name string) ([]Machine, error) {
	var out []Machine
	err := d.pages(func(page *godo.ListOptions) (*godo.Response, error) {
		list, resp, err := d.client.Droplets.ListByName(ctx, name, page)
		for _, one := range list {
			if one.Name == name {
				out = append(out, dropletOf(one))
			}
		}
		return resp, err
	})
	return out, err
}

func (d digitalOcean) machine(ctx context.Context, _, id string) (Machine, error) {
	n, err := number(id)
	if err != nil {
		return Machine{}, err
	}
	one, _, err := d.client.Droplets.Get(ctx, n)
	if err != nil {
		return Machine{}, err
	}
	return dropletOf(*one), nil
}

func (d digitalOcean) create(ctx context.Context, o Order) (Machine, error) {
	in := &godo.DropletCreateRequest{
		Name: o.Name, Region: o.Region, Size: o.Size, UserData: o.UserData, VPCUUID: o.Network, Backups: o.Backups,
		Image: godo.DropletCreateImage{Slug: "ubuntu-" + strings.ReplaceAll(o.System, ".", "-") + "-x64"},
	}
	if o.Backups {
		in.BackupPolicy = &godo.DropletBackupPolicyRequest{Plan: "weekly"}
	}
	one, _, err := d.client.Droplets.Create(ctx, in)
	if err != nil {
		return Machine{}, err
	}
	return dropletOf(*one), nil
}

func (digitalOcean) backUp(context.Context, string, string) error { return nil } // it is part of the order

func (d digitalOcean) destroy(ctx context.Context, _, id string) error {
	n, err := number(id)
	if err == nil {
		_, err = d.client.Droplets.Delete(ctx, n)
	}
	return err
}

func (d digitalOcean) cycle(ctx context.Context, _, id string) error {
	n, err := number(id)
	if err == nil {
		_, _, err = d.client.DropletActions.PowerCycle(ctx, n)
	}
	return err
}

func dropletOf(one godo.Droplet) Machine {
	m := Machine{ID: strconv.Itoa(one.ID)}
	m.Address, _ = one.PublicIPv4() // the errors are those of a droplet without networks, which has no addresses yet
	m.Private, _ = one.PrivateIPv4()
	return m
}

// number reads an id of a provider that counts its servers.
func number(id string) (int, error) {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 {
		return 0, &Problem{Kind: Missing, Reason: "There is no server " + strconv.Quote(id) + "."}
	}
	return n, nil
}
